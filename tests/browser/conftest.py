"""A real server, a real Chromium. Waits are for conditions, never for time.

Every test here carries the marker ``browser``. Fixtures: `server` (one for the session), `fresh_server` (a factory, for
what may only happen once in a server's life), `browser`, `page_factory`. Helpers: `settled`, `no_exception`, `shot`.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.server import ROOT, Server, running_server

SHOTS = Path(__file__).resolve().parent / "shots"
PATHS = {path.stem: f"/{path.stem}".replace("/home", "/") for path in sorted((ROOT / "pages").glob("*.py"))}
LOCALES = {"en": "en-GB", "es": "es-MX"}
SIZES = {"desk": (1280, 720), "phone": (390, 844)}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=LocalNetworkAccessChecks",  # a document that a test gives itself counts as from the internet
    "--no-first-run",
]
TIMEOUT_MS = 30_000

expect.set_options(timeout=TIMEOUT_MS)


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app, running for the whole session."""
    with running_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """A factory: each call starts one more app that nobody has asked anything yet."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(running_server(tmp_path))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium of the system."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the shell is lighter
    path = next((found for name in names if (found := shutil.which(name))), None)
    assert path, "Chromium is needed: install the package 'chromium', or run the tests with `make test`"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass
class Seen:
    """What a page did besides showing itself."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def foreign(self) -> list[str]:
        """Requests to anybody else than the app."""
        return [url for url in self.requests if urlsplit(url).hostname not in ("127.0.0.1", None)]


PageFactory = Callable[..., Page]


@pytest.fixture
def page_factory(browser: Browser) -> Iterator[PageFactory]:
    """A factory of pages, each in a context of its own: width, height, theme, lang (the browser's), reduced_motion.

    ``page.seen`` (a `Seen`) records requests and errors of the page's own scripts; those errors fail the test.
    """
    contexts = []
    pages: list[Seen] = []

    def make(
        width: int = 1280, height: int = 720, theme: str = "light", lang: str = "en", reduced_motion: bool = False
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,  # type: ignore[arg-type]
            locale=LOCALES[lang],
            reduced_motion="reduce" if reduced_motion else "no-preference",
        )
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        page = context.new_page()
        seen = Seen()
        pages.append(seen)
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.seen = seen  # type: ignore[attr-defined]
        return page

    yield make
    for context in contexts:
        context.close()
    assert not [error for seen in pages for error in seen.errors]


def settled(page: Page) -> Page:
    """Wait until the app has drawn a title, its style sheet is in force and its script has ended."""
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator(".st-key-shell")).to_have_css("position", "fixed")
    expect(page.locator(".stApp")).to_have_attribute("data-test-script-state", "notRunning")
    return page


def no_exception(page: Page) -> None:
    """The page shows neither an exception nor a dialog about a missing page."""
    expect(page.locator(".stException")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)


def no_sideways_scroll(page: Page) -> None:
    """Nothing makes the page wider than the window, once what has just been drawn knows its width."""
    page.wait_for_function(
        "Math.max(document.documentElement.scrollWidth, document.querySelector('.stMain').scrollWidth) <= innerWidth"
    )


def shot(page: Page, name: str) -> Path:
    """Save a screenshot as ``tests/browser/shots/<name>.png`` (an ignored folder)."""
    SHOTS.mkdir(exist_ok=True)
    path = SHOTS / f"{name}.png"
    page.screenshot(path=path)
    return path
