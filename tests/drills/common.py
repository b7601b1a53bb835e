"""What the drills share: a server with settings of its own, a browser, and lines that say what was seen."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import FLAGS, TIMEOUT_MS
from tests.server import Server, running_server

WORKER = "pages.shared.apart"


@dataclass
class Report:
    """What a drill saw. `must` prints a line, and remembers a line that is not as it must be."""

    failed: list[str] = field(default_factory=list)

    def must(self, what: str, seen: object, right: bool) -> None:
        print(f"  {'ok  ' if right else 'NOT '}{what}: {seen}", flush=True)
        if not right:
            self.failed.append(what)

    def note(self, what: str, seen: object) -> None:
        print(f"      {what}: {seen}", flush=True)


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """The app on a free port; its log is looked through for tracebacks at the end."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as running:
        yield running


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Chromium of the system."""
    path = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def opened(chromium: Browser, url: str) -> Page:
    """A page in a context of its own, once its script has ended."""
    page = chromium.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB").new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(url)
    return at_rest(page)


def at_rest(page: Page) -> Page:
    page.locator("h1").first.wait_for()
    page.locator('.stApp[data-test-script-state="notRunning"]').wait_for()
    return page


def until(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def workers(server: Server) -> list[psutil.Process]:
    """The processes that work apart for this server now."""
    found = []
    for child in psutil.Process(server.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if child.status() != psutil.STATUS_ZOMBIE and WORKER in " ".join(child.cmdline()):
                found.append(child)
    return found
