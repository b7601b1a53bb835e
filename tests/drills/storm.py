"""Fifty times back and forward, faster than pages answer, with settings changed in between."""

import random
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Error, Page, expect

from pages.shared.i18n import Texts
from tests.drills.common import Report, at_rest, browser, opened, server

T = Texts("en")
PAGES = ("curves", "lab", "sparse", "devices", "why", "play", "curves")
PAUSES = (0, 20, 50, 150, 400)  # milliseconds
N = ".pa-control[data-name=n] input[type=range]"


def drill(report: Report) -> None:
    with server() as app, browser() as chromium:
        for seed in (1, 2, 3):
            page = opened(chromium, f"{app.url}/?lang=en")
            errors: list[str] = []
            page.on("pageerror", lambda error, errors=errors: errors.append(f"{error.stack}"))
            for name in PAGES:
                page.get_by_role("link", name=T(f"page.{name}"), exact=True).click()
                page.wait_for_url(f"**/{name}?v=1&**")
                at_rest(page)
                _change(page)
                page.wait_for_timeout(1100)  # longer than an address of ours counts as an echo
            _storm(page, random.Random(seed))
            _agrees(report, page, seed, errors)
            page.context.close()


def _change(page: Page) -> None:
    """A setting of the page, if it is there to be changed just now."""
    try:
        if "/curves" in page.url:
            page.locator(N).press("ArrowLeft", timeout=2000)
        elif "/lab" in page.url:
            page.get_by_label(T("lab.memory"), exact=True).fill("24", timeout=2000)
            page.keyboard.press("Enter")
    except Error:
        return


def _storm(page: Page, chance: random.Random) -> None:
    for turn in range(50):
        first = page.evaluate("navigation.currentEntry.index") <= 1  # before it is the empty window
        way = "forward" if first else chance.choice(("back", "back", "forward"))
        page.evaluate(f"history.{way}()")
        page.wait_for_timeout(chance.choice(PAUSES))
        if turn % 10 == 5:
            _change(page)


def _agrees(report: Report, page: Page, seed: int, errors: list[str]) -> None:
    """Path, parameters, title and fields are of one page, and stay so when it is opened anew."""
    page.wait_for_timeout(3000)
    at_rest(page)

    def seen() -> tuple[str, str, list[str]]:
        fields = page.locator(".stMain input[type=text], .stMain input[type=range]").all()
        return page.url, page.locator("h1").first.inner_text(), [field.input_value() for field in fields]

    before = seen()
    page.reload()
    at_rest(page)
    fields = page.locator(".stMain input[type=text], .stMain input[type=range]")
    expect(fields).to_have_count(len(before[2]))
    after = seen()
    report.must(f"storm {seed} ends at", before[0].partition("//")[2][:90], before == after)
    if before != after:
        report.note("before the page was opened anew, and after", [before, after])
    wrong = page.locator(".stAlert").all_inner_texts()
    report.must(f"storm {seed}: complaints, exceptions, errors", [wrong, errors], not wrong and not errors)
    report.note("parameters", len(parse_qs(urlsplit(page.url).query)))
