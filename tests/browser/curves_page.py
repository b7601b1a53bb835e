"""What the tests of the curves page share: where things are on it, and how to wait for them."""

import re

from playwright.sync_api import Locator, Page, expect

from pages.shared.i18n import Texts
from tests.browser.conftest import TIMEOUT_MS, settled

LINES = ".pa-chart .scatterlayer path.js-line"
AT_REST = "() => globalThis.__pa_curves && !__pa_curves.pending"


def open_curves(page: Page, url: str, query: str = "") -> Page:
    """Go to the page and wait until its chart is drawn and every question is answered."""
    page.goto(f"{url}/curves{query}")
    settled(page)
    expect(page.locator(LINES).first).to_be_attached()
    return at_rest(page)


def at_rest(page: Page) -> Page:
    """Wait until no answer is outstanding and the newest one is on the screen."""
    page.wait_for_function(AT_REST, timeout=TIMEOUT_MS)
    return page


def control(page: Page, name: str) -> Locator:
    return page.locator(f".pa-control[data-name={name}]")


def slider(page: Page, name: str) -> Locator:
    return control(page, name).get_by_role("slider")


def exact(page: Page, name: str) -> Locator:
    return control(page, name).get_by_role("textbox")


def type_exact(page: Page, name: str, text: str) -> None:
    exact(page, name).fill(text)
    exact(page, name).press("Enter")


def row(page: Page, algorithm: str) -> Locator:
    return page.locator(f".pa-row[data-algorithm={algorithm}]")


def note(page: Page, name: str) -> Locator:
    return page.locator(f'.pa-note[data-name="{name}"]')


def value(page: Page, name: str) -> int:
    """The number that a control shows."""
    return int(re.sub(r"\D", "", exact(page, name).input_value()))


def drag(page: Page, name: str, start: float, end: float, steps: int = 24) -> None:
    """Pull a slider's thumb from one share of its track to another; the button stays down."""
    box = slider(page, name).bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], y, steps=steps)


def zoom_in(page: Page) -> list[float]:
    """Draw a box in the plot, wait for the zoom, and return the `ranges`."""
    box = page.locator(".pa-chart").bounding_box()
    assert box
    page.mouse.move(box["x"] + 300, box["y"] + 90)
    page.mouse.down()
    page.mouse.move(box["x"] + 520, box["y"] + 260, steps=6)
    page.mouse.up()
    expect(page.get_by_role("button", name=Texts("en")("curves.zoom.reset"))).to_be_visible()
    at_rest(page)
    return ranges(page)


def ranges(page: Page) -> list[float]:
    """Both ends of the M axis, then of the words axis, as powers of ten."""
    ends: list[float] = page.evaluate(
        "() => ['xaxis', 'yaxis'].flatMap((name) => document.querySelector('.pa-chart')._fullLayout[name].range)"
    )
    return ends


def watch_frames(page: Page) -> None:
    """From now on look at every frame: is the chart the same one, and are its lines there?"""
    page.evaluate(
        """(lines) => {
          const drawing = document.querySelector(".pa-chart .main-svg");
          const seen = (globalThis.seenFrames = { frames: 0, blank: 0, remounts: 0 });
          const look = () => {
            const paths = [...document.querySelectorAll(lines)];
            seen.frames += 1;
            seen.blank += paths.length < 5 || paths.some((path) => (path.getAttribute("d") ?? "").length < 8) ? 1 : 0;
            seen.remounts += document.querySelector(".pa-chart .main-svg") === drawing ? 0 : 1;
            requestAnimationFrame(look);
          };
          new MutationObserver(() => (seen.blank += drawing.isConnected && drawing.childElementCount ? 0 : 1)).observe(
            document.querySelector(".pa-plot"), { childList: true, subtree: true });
          look();
        }""",
        LINES,
    )


def frames(page: Page) -> dict[str, int]:
    seen: dict[str, int] = page.evaluate("() => globalThis.seenFrames")
    return seen


class Sent:
    """Counts the messages that the page sends to the server."""

    def __init__(self, page: Page) -> None:
        self.count = 0
        page.on("websocket", lambda socket: socket.on("framesent", self._add))

    def _add(self, _: object) -> None:
        self.count += 1
