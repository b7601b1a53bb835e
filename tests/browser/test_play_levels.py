"""The Play page from level to level: solved ones marked, the keyboard, a solution that can be stopped, a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.shared.i18n import Texts
from pages.shared.levels import levels
from pages.shared.play_board import written
from pebble_engine import Move
from tests.browser.conftest import PageFactory, Server, no_exception, no_sideways_scroll, settled
from tests.browser.play_page import KEYS, Play, opened

# The arrow keys from the vertex under the cursor to another one, as the board itself walks.
WAY = """(goal) => {
  const { scene } = __pa.play, ways = new Map([[scene.current, []]]), queue = [scene.current];
  const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  for (const v of queue) {
    if (v === goal) return ways.get(v);
    for (const [key, way] of Object.entries(arrows)) {
      const next = scene.neighbour(v, ...way);
      if (next >= 0 && !ways.has(next)) ways.set(next, [...ways.get(v), key]), queue.push(next);
    }
  }
}"""


def by_keyboard(play: Play, move: Move) -> None:
    for key in [*play.page.evaluate(WAY, play.level.dag.index(move.vertex)), KEYS[move.op]]:
        play.page.keyboard.press(key)
    play.game.push(move)
    play.shows()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the button of that name has the focus."""
    for _ in range(60):
        if page.get_by_role("button", name=name, exact=True).evaluate("(it) => it.matches(':focus')"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {name}")


@pytest.mark.parametrize("lang", ["es"])
def test_three_levels_by_keyboard_alone_and_the_list_marks_them(
    server: Server, page_factory: PageFactory, lang: str
) -> None:
    page, t = page_factory(lang=lang), Texts(lang)
    play = opened(page, server, lang)
    for _ in range(60):  # from the top of the page to the board
        page.keyboard.press("Tab")
        if page.locator(".vertex:focus").count():
            break
    for number, level_id in enumerate(("sum", "delete", "order"), 1):
        play.choose_level(levels()[level_id])
        play.shows()
        expect(play.vertex(play.level.dag.labels[0])).to_be_focused()  # also after the button that led here is gone
        for move in play.level.solution:
            by_keyboard(play, move)
        expect(page.locator(".result")).to_contain_text(play.words("done_proven"))
        mark = t("play.level_par", number=number, title=t(f"play.title.{level_id}"))
        expect(page.get_by_role("combobox").first).to_have_attribute("value", mark)
        tab_to(page, play.words("next"))
        page.keyboard.press("Enter")
    play.choose_level(levels()["recompute"])
    play.shows()
    page.get_by_role("combobox").first.click()
    expect(page.get_by_role("option").filter(has_text="\u2713")).to_have_count(3)
    page.get_by_role("option").first.click()  # a marked one is chosen like any other
    play.choose_level(levels()["sum"])
    play.shows()
    no_exception(page)


def test_a_level_solved_with_more_words_says_so_and_a_shown_solution_is_none(
    server: Server, page_factory: PageFactory
) -> None:
    page, t = page_factory(reduced_motion=True), Texts("en")
    play = opened(page, server)
    box = page.get_by_role("combobox").first
    play.tool("solution").click()
    expect(page.locator(".result")).to_contain_text(play.words("shown_proven", par=3))
    play.page.wait_for_function("() => __pa.play.answered()")
    settled(page)
    expect(box).to_have_attribute("value", t("play.level_name", number=1, title=t("play.title.sum")))
    play.tool("again").click()
    a = Move.load("a")
    for move in (a, Move.delete("a"), a, Move.load("b"), Move.compute("a+b"), Move.store("a+b")):
        play.make(move)
    play.shows()
    expect(box).to_have_attribute("value", t("play.level_solved", number=1, title=t("play.title.sum"), io=4))
    page.get_by_text("Espa\u00f1ol", exact=True).click()
    play.lang, t = "es", Texts("es")
    expect(page.locator(".task")).to_have_text(t("play.task.sum"))
    expect(box).to_have_attribute("value", t("play.level_solved", number=1, title=t("play.title.sum"), io=4))
    play.shows()


def test_the_solution_plays_is_paused_and_goes_on(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server, level="slide")
    button, made = play.tool("solution"), page.locator(".log h3")
    button.click()
    expect(button).to_have_text(play.words("pause"))
    expect(made).to_have_text(play.words("moves_made", t=2))
    button.click()
    expect(button).to_have_text(play.words("go_on"))
    here = int(re.findall(r"\d+", made.inner_text())[0])
    for move in play.level.solution[:here]:
        play.game.push(move)
    play.shows()
    page.wait_for_timeout(700)  # longer than from one move to the next: nothing moves
    play.shows()
    button.click()
    expect(button).to_have_text(play.words("pause"))
    expect(made).to_have_text(play.words("moves_made", t=here + 1))
    expect(page.locator(".result")).to_contain_text(play.words("shown_proven", par=2))
    expect(button).to_have_text(play.words("solution"))


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_moves_follows_the_game(server: Server, page_factory: PageFactory, width: int) -> None:
    level = levels()["challenge"]
    moves = written(level.dag, level.rules, level.solution[:60])
    play = opened(page_factory(width=width), server, level="challenge", moves=moves)
    for _ in range(3):
        inside = play.page.locator(".moves").evaluate(
            """(list) => {
              const box = list.getBoundingClientRect();
              const now = list.querySelector("[aria-current]").getBoundingClientRect();
              return list.scrollHeight > list.clientHeight && now.top >= box.top && now.bottom <= box.bottom;
            }"""
        )
        assert inside
        play.tool("undo").click()


@pytest.mark.parametrize("level_id", ["backward-1-1", "backward-1-2", "backward-2-1", "challenge"])
def test_a_phone_shows_every_matrix(server: Server, page_factory: PageFactory, level_id: str) -> None:
    page = page_factory(width=390, height=844)
    play = opened(page, server, level=level_id)
    left, right, least = play.page.locator(".stage").evaluate(
        """(stage) => {
          const box = stage.getBoundingClientRect();
          const cells = [...stage.querySelectorAll(".vertex .cell")].map((cell) => cell.getBoundingClientRect());
          const near = (a, b) => Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
          const apart = cells.flatMap((a, i) => cells.slice(i + 1).map((b) => near(a, b)));
          const [low, high] = [Math.min(...cells.map((c) => c.left)), Math.max(...cells.map((c) => c.right))];
          return [low - box.left, box.right - high, Math.min(...apart)];
        }"""
    )
    assert left >= 4
    assert right >= 4
    assert least >= 24  # pixels from one cell to the next, for fingers
    no_sideways_scroll(page)


@pytest.mark.parametrize("lang", ["es"])
@pytest.mark.parametrize(
    ("query", "code"),
    [("level=nosuch", "level"), ("level=order&p=%21", "moves_link"), ("level=order&p=19", "moves_number")],
)
def test_a_link_that_is_wrong_is_answered_in_words(
    server: Server, page_factory: PageFactory, lang: str, query: str, code: str
) -> None:
    page, t = page_factory(lang=lang), Texts(lang)
    page.goto(f"{server.url}/play?v=1&{query}&lang={lang}")
    settled(page)
    level_id, number = ("sum", 1) if code == "level" else ("order", 3)
    shown = t("play.level_named", number=number, title=t(f"play.title.{level_id}"))
    words = t(f"problem.{code}", value="nosuch", count=17, step=1, title=shown)
    expect(page.get_by_test_id("stAlert")).to_have_text(words)
    expect(page.locator(".task")).to_have_text(t(f"play.task.{level_id}"))


@pytest.mark.parametrize("lang", ["es"])
def test_how_to_play_is_one_tap_away(server: Server, page_factory: PageFactory, lang: str) -> None:
    page, t = page_factory(lang=lang, width=390, height=844), Texts(lang)
    opened(page, server, lang)
    page.get_by_role("button", name=t("play.how")).click()
    guide = page.get_by_test_id("stPopoverBody")
    for word in ("do_load", "do_store", "do_compute", "do_delete"):
        expect(guide.locator("li strong").get_by_text(t(f"play.board.{word}"), exact=True)).to_be_visible()
    no_sideways_scroll(page)
