"""Processes that work apart are killed outright (SIGKILL) in the middle of their work, then the server itself."""

import psutil
from playwright.sync_api import Browser, Page

from pages.shared.i18n import Texts
from tests.drills.common import Report, at_rest, browser, opened, server, until, workers
from tests.server import Server

T = Texts("en")
HEAVY = {
    "curves under a mask": "curves?v=1&n=16384&d=64&m=4096&a=flash2,small-cache,standard&mask=causal",
    "winner map under a mask": "curves?v=1&n=8192&d=64&m=4096&mask=causal&plot=winners",
    "proven optimum": "why?v=1&n=2&d=1&m=14",
}
GRAPH = (
    "\n".join(f"x{i} y{j}" for i in range(6) for j in range(i, i + 4)) + "\n" + "\n".join(f"y{j} z" for j in range(9))
)


def drill(report: Report) -> None:
    with server() as app, browser() as chromium:
        _run(report, app, chromium)
        for name, address in HEAVY.items():
            page = chromium.new_page()
            page.goto(f"{app.url}/{address}&lang=en", wait_until="commit")
            _kill(report, app, name)
            page.get_by_text(T("unfinished.ended")).wait_for()
            report.must(f"{name}: a sentence and a button", page.get_by_role("alert").first.inner_text()[:60], True)
            page.get_by_role("button", name=T("unfinished.again")).click()
            page.get_by_text(T("unfinished.ended")).wait_for(state="detached")
            at_rest(page)
            whole = page.locator(".stException").count() == 0 and page.get_by_text(T("unfinished.ended")).count() == 0
            report.must(f"{name}: tried again, the page is whole", whole, whole)
        _search(report, app, chromium)
    _orphans(report)


def _kill(report: Report, app: Server, name: str) -> None:
    working = until(lambda: workers(app), 20)
    report.must(f"{name}: a process works", working, working)
    for process in workers(app):
        process.kill()


def _run(report: Report, app: Server, chromium: Browser) -> None:
    page = opened(chromium, f"{app.url}/curves?v=1&n=2048&d=128&m=16384&lang=en")
    start = page.get_by_role("button", name=T("curves.run.start"))
    start.click()
    page.locator(".stProgress").wait_for()
    _kill(report, app, "run")
    sentence = page.locator(".st-key-curves_run").get_by_text(T("curves.run.exhausted_ended"))
    sentence.wait_for()
    report.must("run: a sentence", sentence.inner_text()[:60], True)
    start.click()
    page.locator(".st-key-curves_run table").wait_for(timeout=120_000)
    report.must("run: the next one works", "a table", True)


def _search(report: Report, app: Server, chromium: Browser) -> None:
    """A graph of the reader's own on Play: without the solver it is played all the same, and par is not proven."""
    page: Page = opened(chromium, f"{app.url}/play?lang=en")
    page.get_by_role("button", name=T("play.more")).click()
    page.get_by_label(T("play.dag_text")).fill(GRAPH)
    page.get_by_label(T("play.dag_red")).fill("12")
    page.get_by_role("button", name=T("play.dag_play")).click()
    _kill(report, app, "search on Play")
    page.get_by_text(T("play.own_share")).wait_for()
    at_rest(page)
    report.must("search on Play: the graph can be played", page.locator(".vertex").count(), True)


def _orphans(report: Report) -> None:
    with server() as app, browser() as chromium:
        page = opened(chromium, f"{app.url}/curves?v=1&n=4096&d=512&m=262144&lang=en")
        page.get_by_role("button", name=T("curves.run.start")).click()
        until(lambda: workers(app), 20)
        left = workers(app)
        app.process.kill()
        _, alive = psutil.wait_procs(left, timeout=20)
        report.must(
            "the server is killed: processes that outlive it", f"{len(alive)} of {len(left)}", left and not alive
        )
