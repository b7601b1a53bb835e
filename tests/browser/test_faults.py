"""What a bad day brings, as a reader meets it: nothing that they made is lost."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect

from kernels_ref import count
from pages.shared.i18n import Texts
from pebble_engine import Move
from tests.browser.conftest import PageFactory, Server, running_server, settled
from tests.browser.play_page import opened

WATCH = """() => {
  const app = document.querySelector('.stApp'), attributeFilter = ['data-test-script-state'];
  const watch = () => { if (app.dataset.testScriptState === 'running') globalThis.__ran = true; };
  new MutationObserver(watch).observe(app, { attributeFilter });
}"""


def test_a_restarted_server_takes_up_open_pages_where_they_were(tmp_path: Path, page_factory: PageFactory) -> None:
    """The server dies with two pages open; another one takes its place. The next act on each page counts."""
    lab, game = page_factory(), page_factory()
    with running_server(tmp_path) as server:
        lab.goto(f"{server.url}/lab?v=1&n=3&d=2&m=20&a=flash2&t=7&lang=en")
        settled(lab)
        play = opened(game, server)
        play.make(Move.load("a"))
        play.shows()
        for page in (lab, game):
            page.evaluate(WATCH)
        port = urlsplit(server.url).port
        server.process.kill()
        server.process.wait()
    for page in (lab, game):
        expect(page.locator(".stApp")).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    with running_server(tmp_path, port=port):
        for page in (lab, game):
            page.wait_for_function("globalThis.__ran")
            settled(page)
        expect(lab).to_have_url(re.compile(r"[?&]m=20&.*t=7(&|$)"))
        field = lab.get_by_label(Texts("en")("lab.memory"), exact=True)
        field.fill("24")
        field.press("Enter")
        expect(lab).to_have_url(re.compile(r"[?&]m=24&"))
        expect(lab.locator(".side .io").first).to_contain_text(str(count("flash2", n=3, d=2, memory=24).io))
        play.make(Move.load("b"))
        play.shows()


def test_an_empty_window_is_filled_again(server: Server, page_factory: PageFactory) -> None:
    """A line that comes and goes in the middle of a page can make Streamlit's frontend give up and draw nothing more
    (`tests/drills`, `flapping`). Here the window is emptied as React empties it."""
    page = page_factory()
    page.goto(f"{server.url}/lab?v=1&n=3&d=2&m=20&a=flash2&t=7&lang=es")
    settled(page)
    address = page.url
    page.evaluate("document.getElementById('root').replaceChildren()")
    settled(page)
    expect(page).to_have_url(address)
    expect(page.locator(".side .io").first).to_be_visible()
    page.seen.errors.clear()  # type: ignore[attr-defined]  # React's own, about what was taken from it
