"""A full disk: the server may not write one byte into any file, and has neither a home nor a temporary folder."""

import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

from pages.shared.i18n import Texts
from pages.shared.levels import levels
from pebble_engine import Pebbling, write_pebbling
from tests.browser.conftest import PATHS
from tests.drills.common import Report, at_rest, browser, opened, until
from tests.server import ROOT

T = Texts("en")


@contextmanager
def _server(printed: list[str]) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
    process = subprocess.Popen(
        [*command, "--server.address=127.0.0.1"],
        cwd=ROOT,
        env=os.environ | {"HOME": "/nonexistent", "TMPDIR": "/nonexistent"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert process.stdout is not None
    threading.Thread(target=lambda: printed.extend(process.stdout or ()), daemon=True).start()
    try:
        assert until(lambda: any("URL" in line for line in printed)), printed
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def drill(report: Report) -> None:
    printed: list[str] = []
    with _server(printed) as url, browser() as chromium:
        for name, path in PATHS.items():
            page = opened(chromium, f"{url}{path}?lang=en")
            broken = page.locator(".stException, .stAlert").count()
            report.must(f"{name}: complaints", broken, broken == 0)
            if name == "lab":
                page.locator(".side .io").first.wait_for()
                page.get_by_role("button", name=T("lab.more")).click()
                page.get_by_role("button", name=T("replay.download")).wait_for()
                for place in range(page.locator(".stDownloadButton button:visible").count()):
                    _download(report, page, place)
            elif name == "curves":
                page.get_by_role("button", name=T("curves.run.start")).click()
                page.locator(".st-key-curves_run table").wait_for(timeout=180_000)
                report.must("a run of the kernels", "a table", True)
            elif name == "play":
                _upload(report, page)
            page.context.close()
    wrong = [line.strip() for line in printed if "Traceback" in line or "Errno" in line]
    report.must("complaints in the server's log", wrong, not wrong)


def _download(report: Report, page: Page, place: int) -> None:
    with page.expect_download() as coming:
        page.locator(".stDownloadButton button:visible").nth(place).click()
    size = coming.value.path().stat().st_size
    report.must(f"download {coming.value.suggested_filename}, bytes", size, size > 100)


def _upload(report: Report, page: Page) -> None:
    level = levels()["sum"]
    text = write_pebbling(Pebbling(level.dag, level.rules, level.solution), form="text")
    page.get_by_role("button", name=T("play.more")).click()
    file = {"name": "sum.txt", "mimeType": "text/plain", "buffer": text.encode()}
    page.locator(".st-key-play\\.file input, .st-key-play-file input").set_input_files([file])  # type: ignore[list-item]
    page.get_by_text(T("play.open_ok")).wait_for()
    at_rest(page)
    report.must("a file that is opened", T("play.open_ok")[:40], True)
