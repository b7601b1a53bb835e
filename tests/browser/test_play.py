"""The Play page in a browser: a first visit, refusals, many clicks at once, history, links, keyboard, pictures."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.shared.i18n import Texts
from pages.shared.levels import LEVEL_IDS, levels
from pages.shared.play import title
from pages.shared.play_board import written
from pebble_engine import Move, Pebbling, read_pebbling, write_pebbling
from tests.browser.conftest import SIZES, PageFactory, Server, no_exception, no_sideways_scroll, settled, shot
from tests.browser.play_page import KEYS, opened

SUM = [Move.load("a"), Move.load("b"), Move.compute("a+b"), Move.store("a+b")]


@pytest.mark.parametrize("lang", ["es"])
def test_a_first_visit(server: Server, page_factory: PageFactory, lang: str) -> None:
    """No address, no knowledge: the first level is there, is won by what its sentence says, and leads on."""
    page = page_factory(lang=lang)
    page.goto(f"{server.url}/play")
    settled(page)
    play = opened(page, server, lang)
    expect(page.locator(".task")).to_have_text(Texts(lang)("play.task.sum"))
    play.shows()
    play.says(play.words("start"))
    for move in SUM:
        play.vertex(move.vertex).click()
        expect(play.item(move)).to_be_visible()
        play.item(move).click()
        play.game.push(move)
        play.shows()
    result = page.locator(".result")
    expect(result).to_contain_text(play.words("solved", io=3))
    expect(result).to_contain_text(play.words("done_proven"))
    expect(result).to_contain_text(Texts(lang)("play.lesson.sum"))
    expect(page.locator(".figure.par")).to_contain_text(play.words("par_proven"))
    page.get_by_role("button", name=play.words("next")).click()
    play.choose_level(levels()["delete"])
    expect(page.locator(".task")).to_have_text(Texts(lang)("play.task.delete"))
    play.shows()
    expect(page.get_by_role("combobox").first).to_have_attribute("value", title("delete", Texts(lang)))
    no_exception(page)


@pytest.mark.parametrize("lang", ["es"])
def test_a_level_by_keyboard_alone(server: Server, page_factory: PageFactory, lang: str) -> None:
    """Arrows walk, Enter opens the moves, Enter makes one; letters make moves too; u and y undo and redo."""
    page = page_factory(lang=lang)
    play = opened(page, server, lang)
    play.vertex("a").focus()
    for keys, move in (
        (["Enter", "Enter"], SUM[0]),
        (["ArrowDown", "l"], SUM[1]),
        (["ArrowRight", "Enter", "Enter"], SUM[2]),
        (["s"], SUM[3]),
    ):
        for key in keys:
            page.keyboard.press(key)
        play.game.push(move)
        play.shows()
        expect(play.vertex(move.vertex)).to_be_focused()
    expect(page.locator(".result")).to_contain_text(play.words("solved", io=3))
    page.keyboard.press("u")
    play.game.pop()
    play.shows()
    page.keyboard.press("y")
    play.game.push(SUM[3])
    play.shows()
    page.keyboard.press("Enter")
    expect(page.locator(".menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".menu")).to_be_hidden()
    expect(play.vertex("a+b")).to_be_focused()


@pytest.mark.parametrize("lang", ["es"])
def test_refusals_say_the_rule_and_show_the_vertices(server: Server, page_factory: PageFactory, lang: str) -> None:
    page = page_factory(lang=lang)
    play = opened(page, server, lang, "delete")
    play.make(Move.load("a"))
    play.tap(Move.compute("a+b+c"))
    play.refused(play.words("refusal_operand_not_red", v="a+b+c", names="a+b, c"), "a+b", "c")
    play.tap(Move.delete("b"))
    play.refused(play.words("refusal_not_red", v="b"), "b")
    play.vertex("a").click()
    page.keyboard.press("x")
    play.refused(play.words("refusal_is_input", v="a"), "a")
    page.keyboard.press("l")
    play.refused(play.words("refusal_already_red", v="a"), "a")
    page.keyboard.press("g")
    play.says(play.words("refusal_is_input", v="a"))
    for move in (Move.load("b"), Move.compute("a+b")):
        play.make(move)
    play.tap(Move.load("c"))
    play.refused(play.words("refusal_capacity", m=3))
    expect(page.locator(".counter")).to_have_class(re.compile("warned"))
    play.shows()  # nothing of all that changed the game
    play.make(Move.delete("a"))
    expect(page.locator(".counter")).not_to_have_class(re.compile("warned"))
    expect(page.locator(".vertex.marked")).to_have_count(0)


def test_ten_fast_clicks_count_ten(server: Server, page_factory: PageFactory) -> None:
    """Twenty clicks in one tick of the browser, ten moves: the board, the address and Python have all ten."""
    page = page_factory()
    play = opened(page, server, level="order")
    moves = [Move.load("a"), Move.load("b"), Move.compute("a+b"), Move.delete("a"), Move.delete("b")]
    moves += [Move.load("c"), Move.load("d"), Move.compute("c+d"), Move.delete("c"), Move.delete("d")]
    milliseconds = page.evaluate(
        """(moves) => {
          const began = performance.now();
          const { root } = __pa.play, click = () => new MouseEvent("click", { bubbles: true, composed: true });
          for (const [v, op] of moves) {
            root.querySelector(`.vertex[data-v="${v}"]`).dispatchEvent(click());
            root.querySelector(`.menu button[data-op="${op}"]`).click();
          }
          return performance.now() - began;
        }""",
        [[play.level.dag.index(move.vertex), move.op] for move in moves],
    )
    assert milliseconds < 10 * 200, "a move answers within 0.2 s"
    for move in moves:
        play.game.push(move)
    play.shows()
    expect(page.locator(".log h3")).to_have_text(play.words("moves_made", t=10))
    settled(page)
    assert play.address()["p"] == [written(play.level.dag, play.level.rules, moves)]
    page.reload()  # what Python and the address have
    settled(page)
    play.shows()
    for _ in range(10):
        page.go_back()
    play.choose_level(play.level)
    play.shows()


def test_undo_redo_reset_and_the_list_of_moves(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server)
    for move in SUM[:3]:
        play.make(move)
    expect(play.tool("redo")).to_be_disabled()
    play.tool("undo").click()
    play.game.pop()
    play.shows()
    play.tool("redo").click()
    play.game.push(SUM[2])
    play.shows()
    play.tool("again").click()
    play.choose_level(play.level)
    play.shows()
    expect(play.tool("undo")).to_be_disabled()
    page.locator(".moves button").nth(1).click()
    play.game.push(SUM[0])
    play.game.push(SUM[1])
    play.shows()
    play.make(Move.delete("a"))  # another way: what was ahead is gone
    play.shows()
    expect(play.tool("redo")).to_be_disabled()
    expect(page.locator(".moves li")).to_have_count(3)


def test_back_and_forward_in_the_browser_undo_and_redo(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server)
    for move in SUM:
        play.make(move)
        play.shows()
    for _ in range(2):
        page.go_back()
        play.game.pop()
        play.shows()
    page.go_forward()
    play.game.push(SUM[2])
    play.shows()
    settled(page)
    play.shows()
    page.reload()
    settled(page)
    play.shows()


@pytest.mark.parametrize("lang", ["es"])
def test_a_link_opens_the_same_position_elsewhere(server: Server, page_factory: PageFactory, lang: str) -> None:
    first = opened(page_factory(), server, "en", "backward-2-1")
    moves = first.level.solution[:9]
    for move in moves:
        first.make(move)
    first.shows()
    address = first.page.url
    assert len(address) < 2000
    page = page_factory(width=390, height=844, lang=lang, theme="dark")
    page.goto(address.replace("lang=en", f"lang={lang}"))
    settled(page)
    first.page, first.lang = page, lang
    first.shows()


def test_a_link_with_an_illegal_move_is_answered(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server, moves="1AFB")  # load a, store a+b, load b
    expect(page.get_by_test_id("stAlert")).to_contain_text("2")
    play.game.push(SUM[0])
    play.shows()
    play.make(SUM[1])
    play.shows()


@pytest.mark.parametrize("lang", ["es"])
def test_hint_and_solution(server: Server, page_factory: PageFactory, lang: str) -> None:
    page = page_factory(lang=lang, reduced_motion=True)
    play = opened(page, server, lang, "spill")
    play.tool("hint").click()
    first = play.level.solution[0]
    move = play.words(f"move_{first.op}", v=play.name(first.vertex), u="")
    play.says(play.words("hint_par", move=move, par=7))
    expect(play.vertex(first.vertex)).to_have_class(re.compile("hinted"))
    page.get_by_role("button", name=play.words("do_hint")).click()
    play.game.push(first)
    play.shows()
    play.tool("solution").click()
    play.choose_level(play.level)
    for each in play.level.solution:
        play.game.push(each)
    play.shows()
    expect(page.locator(".result")).to_contain_text(play.words("shown_proven", par=7))


def test_the_hint_says_when_par_is_out_of_reach(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server)
    for move in (SUM[0], Move.delete("a"), SUM[0], SUM[1]):
        play.make(move)
    page.keyboard.press("h")
    move = play.words("move_compute", v="a+b")
    play.says(play.words("hint_over", move=move, total=4) + " " + play.words("hint_back", t=1, par=3))
    for move in SUM[2:]:
        play.make(move)
    expect(page.locator(".result")).to_contain_text(play.words("done_over", par=3, over=1))


def test_hints_alone_solve_every_level(server: Server, page_factory: PageFactory) -> None:
    page = page_factory(reduced_motion=True)
    play = opened(page, server)
    for level_id in LEVEL_IDS:
        play = opened(page, server, level=level_id)
        moves = page.evaluate(
            """() => {
              const { game, continuations } = __pa.play;
              for (let left = 400; left && !game.position.solved(); left--) {
                game.push(continuations.best(game.position).moves[0]);
              }
              return __pa.play.codec.write(game.made());
            }"""
        )
        play = opened(page, server, level=level_id, moves=moves)
        expect(page.locator(".figure.io b")).to_have_text(str(play.level.par))
        expect(page.locator(".result")).to_be_visible()


def test_the_level_is_chosen_in_the_list(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server)
    play.make(SUM[0])
    play.shows()
    page.get_by_role("combobox").first.click()
    page.get_by_role("option", name=title("slide", Texts("en"))).click()
    play.choose_level(levels()["slide"])
    expect(page.locator(".task")).to_have_text(Texts("en")("play.task.slide"))
    play.shows()
    for key in ("l", "ArrowRight", "g", "ArrowRight", "g", "ArrowRight", "g", "ArrowRight", "g", "s"):
        play.vertex("x[0]").focus() if not play.game.moves else None
        page.keyboard.press(key)
        if key in KEYS.values():
            play.game.push(play.level.solution[len(play.game.moves)])
            play.shows()
    expect(page.locator(".result")).to_contain_text(play.words("solved", io=2))


@pytest.mark.parametrize("lang", ["es"])
def test_a_solution_file(server: Server, page_factory: PageFactory, lang: str) -> None:
    page = page_factory(lang=lang)
    play = opened(page, server, lang, "spill")
    level, t = play.level, play.t
    good = write_pebbling(Pebbling(level.dag, level.rules, level.solution, made_by="test"))
    page.get_by_role("button", name=t("play.more")).click()
    upload = page.locator('.st-key-play\\.file, [class*="st-key-play-file"]').locator("input[type=file]")
    bad = "\n".join(map(str, level.solution[1:]))
    upload.set_input_files({"name": "bad.txt", "mimeType": "text/plain", "buffer": bad.encode()})
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text(t("play.open_faults", first=2, count="").split(".")[0])
    play.shows()
    upload.set_input_files({"name": "good.json", "mimeType": "application/json", "buffer": good.encode()})
    expect(alert).to_contain_text(t("play.open_ok"))
    for move in level.solution:
        play.game.push(move)
    play.shows()


def test_an_own_dag(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    play = opened(page, server)
    page.get_by_role("button", name=play.t("play.more")).click()
    area = page.get_by_role("textbox", name=play.t("play.dag_text"))
    area.fill("a s\nb s\ns s\n")
    page.get_by_role("button", name=play.t("play.dag_play"), exact=True).click()
    expect(page.get_by_test_id("stAlert")).to_contain_text(play.t("play.dagfault_self_loop", vertex="s"))
    area.fill("a s\nb s\ns t\nc t\n")
    red = page.get_by_role("textbox", name=play.t("play.dag_red"))
    red.fill("1e30")
    page.get_by_role("button", name=play.t("play.dag_play"), exact=True).click()
    expect(page.get_by_test_id("stAlert")).to_contain_text(play.t("play.dag_red_wrong", value="1e30", most=64))
    red.fill("3")
    page.get_by_role("button", name=play.t("play.dag_play"), exact=True).click()
    expect(page.locator(".vertex")).to_have_count(5)
    expect(page.locator(".figure.par b")).to_have_text("4")
    page.keyboard.press("Escape")
    page.locator('.vertex[data-v="0"]').click()
    page.locator('.menu button[data-op="load"]').click()
    expect(page.locator(".figure.io b")).to_have_text("1")
    no_exception(page)


@pytest.mark.parametrize("lang", ["es"])
def test_a_file_with_an_own_dag_is_played_at_once(server: Server, page_factory: PageFactory, lang: str) -> None:
    page = page_factory()
    play = opened(page, server, lang=lang)
    page.get_by_role("button", name=play.t("play.more")).click()
    upload = page.locator('.st-key-play\\.own_file, [class*="st-key-play-own_file"]').locator("input[type=file]")
    upload.set_input_files({"name": "bad.txt", "mimeType": "text/plain", "buffer": b"\x89PNG\xff"})
    expect(page.get_by_test_id("stAlert")).to_contain_text(play.t("play.dagfault_not_text"))
    upload.set_input_files({"name": "own.txt", "mimeType": "text/plain", "buffer": b"a s\nb s\ns t\nc t\n"})
    expect(page.locator(".vertex")).to_have_count(5)
    expect(page.locator(".counter-title")).to_have_text(play.words("counter", red=0, m=3))
    page.get_by_role("textbox", name=play.t("play.dag_red")).fill("4")
    page.get_by_role("button", name=play.t("play.dag_play"), exact=True).click()
    expect(page.locator(".counter-title")).to_have_text(play.words("counter", red=0, m=4))
    page.keyboard.press("Escape")
    expect(page.get_by_text(play.t("play.own_share"))).to_be_visible()
    play.make(Move.load("a"))
    with page.expect_download() as waiting:
        page.get_by_role("button", name=play.t("play.own_take")).first.click()
    saved = Path(waiting.value.path())
    assert len(read_pebbling(saved).dag) == 5
    no_exception(page)
    page = page_factory()  # and there the saved game goes on where it was
    play = opened(page, server, lang=lang)
    page.get_by_role("button", name=play.t("play.more")).click()
    upload = page.locator('.st-key-play\\.own_file, [class*="st-key-play-own_file"]').locator("input[type=file]")
    upload.set_input_files({"name": "own.json", "mimeType": "application/json", "buffer": saved.read_bytes()})
    expect(page.locator(".counter-title")).to_have_text(play.words("counter", red=1, m=4))
    expect(page.get_by_role("textbox", name=play.t("play.dag_red"))).to_have_value("4")
    page.keyboard.press("Escape")
    no_exception(page)


@pytest.mark.parametrize("lang", ["es"])
def test_a_solved_link_says_that_it_was_opened_and_is_not_ticked(
    server: Server, page_factory: PageFactory, lang: str
) -> None:
    page, level = page_factory(), levels()["sum"]
    play = opened(page, server, lang=lang, moves=written(level.dag, level.rules, SUM))
    result, box = page.locator(".result"), page.get_by_role("combobox").first
    expect(result).to_contain_text(play.words("solved_opened", io=3))
    expect(result).to_contain_text(play.words("no_tick"))
    for again in (play.tool("redo").click, lambda: play.tap(SUM[-1])):  # the same move by hand solves nothing, either
        play.tool("undo").click()
        again()
        expect(result).to_contain_text(play.words("solved_opened", io=3))
        page.wait_for_function("() => __pa.play.answered()")
        settled(page)
        assert box.get_attribute("value") == play.t("play.level_name", number=1, title=play.t("play.title.sum"))
    play.tool("again").click()
    for move in SUM:
        play.make(move)
    play.shows()
    expect(box).to_have_attribute("value", play.t("play.level_par", number=1, title=play.t("play.title.sum")))
    expect(result).to_contain_text(play.words("solved", io=3))
    expect(result).not_to_contain_text(play.words("no_tick"))


def test_letters_that_streamlit_listens_to(server: Server, page_factory: PageFactory) -> None:
    """`r` reruns and `c` clears the cache in Streamlit; inside the board they do nothing at all."""
    page = page_factory()
    play = opened(page, server)
    play.vertex("a").focus()
    for key in "rc":
        page.keyboard.press(key)
    no_exception(page)
    page.keyboard.press("l")
    play.game.push(SUM[0])
    play.shows()


@pytest.mark.parametrize(("size", "theme"), [("desk", "light"), ("phone", "dark")])
def test_pictures(server: Server, page_factory: PageFactory, size: str, theme: str) -> None:
    """Nothing is wider than the window; the pictures are there to be looked at."""
    width, height = SIZES[size]
    page = page_factory(width=width, height=height, theme=theme, reduced_motion=True)
    for level_id, lang in (("sum", "en"), ("tree-8", "es"), ("entry", "en"), ("backward-2-1", "es")):
        play = opened(page, server, lang, level_id)
        for move in play.level.solution[:6]:
            if move.op != "store" or level_id != "sum":
                play.make(move)
        play.shows()
        no_sideways_scroll(page)
        play.vertex(play.level.dag.labels[-1]).click()
        shot(page, f"play-{level_id}-{size}-{theme}-menu")
        page.keyboard.press("Escape")
        page.keyboard.press("h")
        expect(page.locator(".say.hint")).to_be_visible()
        shot(page, f"play-{level_id}-{size}-{theme}")
    no_exception(page)
