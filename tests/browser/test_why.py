"""The proof page as a reader meets it: choosing phases, what is lit, what the address says."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.why_study import facts_of, pebbling_of, the_sum
from tests.browser.conftest import SIZES, PageFactory, Server, no_exception, no_sideways_scroll, settled, shot

LANGUAGES = pytest.mark.parametrize("lang", ["en", "es"])
FACTS = facts_of(pebbling_of("flash2", 8, 2, 14), 2)
Opened = Callable[..., Page]
# Painted pixels of the canvas of lit sets inside the cells of one tensor.
LIT = """tensor => {
  const view = window.__pa_why, { layout } = view.view, c = view.lit.getContext("2d");
  const ratio = view.lit.width / layout.width, found = [];
  view.run.cell.forEach((cell, vertex) => {
    const s = layout.cell * ratio, x = layout.cellX[cell] * ratio, y = layout.cellY[cell] * ratio;
    const data = c.getImageData(x + 3, y + 3, s - 6, s - 6).data;
    if (data.some((value, k) => k % 4 === 3 && value > 0)) found.push(cell);
  });
  return [...new Set(found)].sort((a, b) => a - b);
}"""


@pytest.fixture
def why(server: Server, page_factory: PageFactory) -> Opened:
    """A factory: the page at an address, its board drawn."""

    def make(lang: str = "en", *, theme: str = "light", size: str = "desk", still: bool = False, **at: object) -> Page:
        width, height = SIZES[size]
        page = page_factory(width, height, theme=theme, lang=lang, reduced_motion=still)
        page.goto(f"{server.url}/why?lang={lang}" + "".join(f"&{name}={value}" for name, value in at.items()))
        settled(page)
        page.wait_for_function("window.__pa_why && window.__pa_why.view && window.__pa_why.view.layout")
        return page

    return make


def title(page: Page) -> Locator:
    return page.locator(".chooser .title")


def lit_cells(phase: int) -> list[int]:
    """The cells of all vertices that the phase computes, sees first or gives out."""
    pebbling = pebbling_of("flash2", 8, 2, 14)
    each = FACTS[phase - 1].phase
    numbers: dict[tuple[str, int, int], int] = {}
    shapes: dict[str, tuple[int, int]] = {}
    for place in pebbling.dag.places:
        rows, columns = shapes.get(place.tensor, (0, 0))
        shapes[place.tensor] = (max(rows, place.row + 1), max(columns, place.column + 1))
    for tensor, (rows, columns) in shapes.items():
        for row in range(rows):
            for column in range(columns):
                numbers[tensor, row, column] = len(numbers)
    vertices = {*each.computed, *each.dominator, *each.minimum}
    return sorted({numbers[pebbling.dag.places[v][:3]] for v in vertices})


@LANGUAGES
def test_a_phase_is_chosen_and_its_sets_are_lit(why: Opened, lang: str) -> None:
    page, t = why(lang), Texts(lang)
    no_exception(page)
    expect(page.locator("h1")).to_have_text(t("why.title"))
    expect(title(page)).to_have_text(t("why.board.title", k=1, count=50))
    assert page.evaluate(LIT) == lit_cells(1)
    page.locator(".chooser .forward").click()
    expect(title(page)).to_have_text(t("why.board.title", k=2, count=50))
    expect(page).to_have_url(re.compile(r"[?&]p=2(&|$)"))
    assert page.evaluate(LIT) == lit_cells(2)
    second = FACTS[1]
    numbers = [second.phase.io, len(second.phase.dominator), len(second.phase.minimum), second.seen, second.products]
    for k, number in enumerate(numbers):
        expect(page.locator(".figures .counted b").nth(k)).to_have_text(str(number))
    bounds = page.locator(".figures dd").nth(4).locator(".bound")
    expect(bounds.nth(0)).to_contain_text(t("why.board.these_words", k=second.allowed))
    expect(bounds.nth(1)).to_contain_text(t("why.board.any_phase", k=the_sum(8, 2, 14).cap))
    page.reload()
    expect(title(page)).to_have_text(t("why.board.title", k=2, count=50))


def test_the_row_of_phases_obeys_pointer_and_keyboard(why: Opened) -> None:
    page = why()
    row = page.get_by_role("slider", name="Phases, 50 in all")
    box = row.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 24.5 / 50, box["y"] + 20)
    expect(title(page)).to_have_text("Phase 25 of 50")
    expect(page).to_have_url(re.compile(r"[?&]p=25(&|$)"))
    row.focus()
    for key, phase in (("ArrowRight", 26), ("ArrowLeft", 25), ("PageDown", 20), ("End", 50), ("Home", 1)):
        page.keyboard.press(key)
        expect(title(page)).to_have_text(f"Phase {phase} of 50")
        expect(row).to_have_attribute("aria-valuenow", str(phase))
    expect(row).to_have_attribute("aria-valuetext", re.compile(f"dominator {len(FACTS[0].phase.dominator)} "))
    expect(page.locator(".chooser .back")).to_be_disabled()
    page.keyboard.press("End")
    last = FACTS[-1].phase
    expect(page.locator(".figures .counted b").first).to_have_text(str(last.io))
    expect(page.locator(".figures .bound").first).to_contain_text(Texts("en")("why.board.io_last"))


def test_a_phase_plays_from_its_start_to_its_end(why: Opened) -> None:
    page, t = why(p=3), Texts("en")
    phase = FACTS[2].phase
    expect(page.locator(".move")).to_have_text(t("why.board.at_end"))
    page.get_by_role("button", name=t("why.board.play_phase")).click()
    playing = "([start, stop]) => window.__pa_why.replay.t > start && window.__pa_why.replay.t < stop"
    page.wait_for_function(playing, arg=[phase.start, phase.stop])
    page.get_by_role("button", name=t("why.board.pause")).click()
    at = page.evaluate("window.__pa_why.replay.t")
    assert phase.start < at < phase.stop
    page.get_by_role("slider", name=t("why.board.scrub")).focus()
    page.keyboard.press("Home")
    expect(page.locator(".move")).to_have_text(t("why.board.at_start"))
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.__pa_why.replay.t") == phase.start + 1


def test_another_run_and_a_proven_optimum(why: Opened) -> None:
    page, t = why(p=9), Texts("en")
    page.get_by_role("textbox", name=t("why.memory")).first.fill("24")
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text("Phase 1 of 16")
    expect(page).to_have_url(re.compile(r"[?&]m=24&"))
    page.get_by_role("button", name=t("why.sum.optimum_button")).click()
    expect(title(page)).to_have_text("Phase 1 of 2")
    row = page.locator(".why-table tr", has_text=t("why.sum.optimum"))
    expect(row.locator("td").first).to_have_text("19")


@pytest.mark.parametrize(
    ("size", "theme", "lang"),
    [("desk", "light", "es"), ("desk", "dark", "en"), ("phone", "light", "en"), ("phone", "dark", "es")],
)
def test_all_is_in_place(why: Opened, size: str, theme: str, lang: str) -> None:
    """No sideways scroll, no formula cut, pictures and tables there; on a desk the board begins in the first view."""
    page = why(lang, theme=theme, size=size, still=True, p=9)
    no_sideways_scroll(page)
    expect(page.locator(".still svg[role=img]")).to_have_count(4)
    expect(page.locator(".why-table")).to_have_count(2)
    expect(page.locator(".why-table").first).to_contain_text(grouped(the_sum(4096, 64, 4096).words))
    cut = (
        "[...document.querySelectorAll('.katex-display')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert page.evaluate(cut) == 0
    stage = page.locator(".why .stage").bounding_box()
    assert stage
    if size == "desk":
        assert stage["y"] < 480
    shot(page, f"why-{size}-{theme}-{lang}")
