"""What the tests of the sparse page share."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import TIMEOUT_MS, settled

AT_REST = "() => globalThis.__pa_sparse && !__pa_sparse.pending"


def open_sparse(page: Page, url: str, query: str = "") -> Page:
    """Go to the page and wait until its chart is drawn."""
    page.goto(f"{url}/sparse{query}")
    settled(page)
    expect(page.locator(".pa-chart .scatterlayer path.js-line").first).to_be_attached()
    return at_rest(page)


def at_rest(page: Page) -> Page:
    """Wait until no answer is outstanding and the newest one is on the screen."""
    page.wait_for_function(AT_REST, timeout=TIMEOUT_MS)
    return page


def address(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def words(page: Page, algorithm: str) -> Locator:
    return page.locator(f".pa-row[data-algorithm={algorithm}] .pa-words")


def picture(page: Page) -> Locator:
    return page.locator(".pa-mask-picture")


def centre(page: Page, row: int, column: int) -> tuple[float, float]:
    """Where the middle of a cell of the painting is on the screen."""
    box: Any = picture(page).bounding_box()
    return box["x"] + (column + 0.5) * box["width"] / 16, box["y"] + (row + 0.5) * box["height"] / 16


def ink(page: Page, row: int, column: int) -> list[int]:
    """The colour in the middle of a cell: red, green, blue."""
    colour: list[int] = page.evaluate(
        """([row, column]) => {
          const canvas = document.querySelector(".pa-mask-picture");
          const at = (cell) => Math.round(((cell + 0.43) * canvas.width) / 16);
          return [...canvas.getContext("2d").getImageData(at(column), at(row), 1, 1).data.slice(0, 3)];
        }""",
        [row, column],
    )
    return colour
