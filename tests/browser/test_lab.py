"""The pebble lab as a reader meets it, in both languages."""

import re
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, expect

from kernels_ref import count, theory
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pebble_engine import read_pebbling, write_pebbling
from tests.browser.conftest import SIZES, PageFactory, Server, no_exception, no_sideways_scroll, settled, shot
from tests.browser.lab_page import BOTH, NAMES, Lab, cells_of, latest_blue, open_lab, painted

# English where a test says nothing; every page is opened whole in both languages by test_every_page.
LANGUAGES = pytest.mark.parametrize("lang", ["es"])
Opened = Callable[..., Lab]


@pytest.fixture
def lab(server: Server, page_factory: PageFactory) -> Opened:
    """A factory: the lab at an address, in a page of its own."""

    def make(
        lang: str = "en", *, theme: str = "light", reduced_motion: bool = False, size: str = "desk", **at: object
    ) -> Lab:
        width, height = SIZES[size]
        page = page_factory(width, height, theme=theme, lang=lang, reduced_motion=reduced_motion)
        return open_lab(page, server, lang, **at)  # type: ignore[arg-type]

    return make


def facts(lab: Lab, side: int = 0) -> str:
    return lab.side(side).locator(".facts").inner_text()


# ---- what it says


@LANGUAGES
def test_board_names_both_algorithms_and_their_totals(lab: Opened, lang: str) -> None:
    seen = lab(lang)
    no_exception(seen.page)
    expect(seen.page.locator("h1")).to_have_text(Texts(lang)("lab.title"))
    for side, algorithm in enumerate(BOTH):
        total = count(algorithm, n=4, d=2, memory=16).io
        expect(seen.side(side).locator(".title")).to_have_text(NAMES[lang][algorithm])
        expect(seen.side(side).locator(".io")).to_contain_text(
            f"{grouped(total)} {Texts(lang)('lab.board.words_moved')}"
        )
        expect(seen.side(side).locator(".facts")).to_contain_text(
            f"{Texts(lang)('lab.board.floor')} {theory.floor(4, 2)} {Texts(lang)('lab.board.floor_kind')}"
        )
        expect(seen.move(side)).to_have_text(Texts(lang)("lab.board.move_start"))
    seen.at(0)


@LANGUAGES
@pytest.mark.parametrize("t", [1, 57, 58, 200, 431])
def test_link_opens_at_its_step_with_the_move_in_words_and_its_line_lit(lab: Opened, lang: str, t: int) -> None:
    seen = lab(lang, algorithms=["flash2"], t=t)
    expect(seen.move()).to_have_text(seen.says(t))
    seen.at(t)
    lit = seen.side().locator(".line[aria-current]")
    expect(lit).to_have_count(1)
    expect(lit.locator(".source")).to_have_text(seen.code_line(t), use_inner_text=True)
    box, line = seen.side().locator(".code").bounding_box(), lit.bounding_box()
    assert box is not None
    assert line is not None
    assert box["y"] - 1 <= line["y"] <= box["y"] + box["height"] - line["height"] + 1, "the lit line is in its box"
    position = seen.position(t)
    words = Texts(lang).group("lab.board")
    text = facts(seen)
    for name, value in (("loads", position.loads), ("stores", position.stores), ("peak", position.peak)):
        assert f"{words[name]} {value}" in text
    assert seen.side().locator(".io b").first.inner_text() == str(position.loads + position.stores)


@LANGUAGES
@pytest.mark.parametrize("algorithm", BOTH)
def test_totals_at_the_end_are_those_that_were_counted(lab: Opened, lang: str, algorithm: str) -> None:
    seen = lab(lang, n=5, d=3, memory=30, algorithms=[algorithm])
    seen.button("end").click()
    run = count(algorithm, n=5, d=3, memory=30)
    seen.at(len(seen.pebbling()))
    words = Texts(lang).group("lab.board")
    text = facts(seen)
    assert f"{words['loads']} {grouped(run.loads)}" in text
    assert f"{words['stores']} {grouped(run.stores)}" in text
    assert f"{words['peak']} {seen.position(len(seen.pebbling())).peak} {words['of']} 30" in text
    assert [b.inner_text() for b in seen.side().locator(".io b").all()] == [grouped(run.io)] * 2


@LANGUAGES
def test_the_run_with_less_io_ends_first_and_waits(lab: Opened, lang: str) -> None:
    seen = lab(lang)
    less, more = sorted(BOTH, key=lambda a: count(a, n=4, d=2, memory=16).io)
    first = BOTH.index(less)
    io = {a: count(a, n=4, d=2, memory=16).io for a in BOTH}
    seen.page.evaluate("(side) => __pa.player.seek(__pa.player.playable[side].last + 1)", first)
    expect(seen.move(first)).to_have_text(Texts(lang)("lab.board.move_waits", io=io[less]))
    done = [int(seen.side(side).locator(".io b").first.inner_text()) for side in (0, 1)]
    assert done[first] == io[less]
    assert io[less] <= done[1 - first] < io[more]
    seen.button("end").click()
    expect(seen.side(1 - first).locator(".io b").first).to_have_text(str(io[more]))


# ---- what it shows


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("algorithm", "t"), [("flash2", 0), ("flash2", 131), ("flash2", 344), ("small-cache", 500)])
def test_discs_and_rings_stand_where_the_pebbles_are(lab: Opened, theme: str, algorithm: str, t: int) -> None:
    seen = lab(theme=theme, algorithms=[algorithm], t=t)
    position = seen.position(t)
    red, blue = seen.pebbles()
    assert red == cells_of(position.red)
    assert blue >= latest_blue(position)
    assert blue <= cells_of(position.blue)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_in_grey_red_and_blue_are_told_apart_by_their_shape(lab: Opened, theme: str) -> None:
    """A disc stands out in the middle of its cell, a ring at its border. Cells that fill up as sums are left aside."""

    def grey(colour: Sequence[int]) -> float:
        return sum(part * share for part, share in zip(colour, (0.299, 0.587, 0.114), strict=True))

    t = 20
    seen = lab(theme=theme, algorithms=["flash2"], t=t)
    position = seen.position(t)
    red, blue = cells_of(position.red), cells_of(position.blue)
    whole = re.compile(r"(Q|K|V|dO|lse|D|P|dS)\[")
    looks = {cell["label"]: (grey(cell["middle"]), grey(cell["border"])) for cell in seen.cells()}
    paper = looks["S[3,3]"][0]  # not computed so far
    told = {label for label in red ^ blue if whole.match(label)}
    assert told & red
    assert told & blue
    for label in told:
        middle, border = looks[label]
        assert (abs(middle - paper) > 40, abs(border - paper) > 40) == (label in red, label in blue), label


def test_theme_switch_paints_the_board_again_and_keeps_its_place(lab: Opened) -> None:
    seen = lab(algorithms=["flash2"], t=131)
    light = seen.colours()
    seen.page.emulate_media(color_scheme="dark")
    seen.page.wait_for_function(
        "(old) => __pa.player.colours.background.match(/\\d+/g)[0] != old", arg=light["background"][0]
    )
    assert seen.colours()["red"] != light["red"]
    red, _ = seen.pebbles()
    assert red == cells_of(seen.position(131).red)
    seen.at(131)


def test_a_loaded_word_travels_and_less_motion_is_respected(lab: Opened) -> None:
    for still in (False, True):
        seen = lab(algorithms=["flash2"], reduced_motion=still)
        started = """() => {
          const { view } = __pa.player.playable[0], start = view.startTravel;
          view.startTravel = function (...given) { globalThis.__travelled = true; return start.apply(this, given); };
        }"""
        seen.page.evaluate(started)
        seen.button("forward").click()
        seen.at(1)
        assert bool(seen.page.evaluate("globalThis.__travelled")) is not still
        seen.page.wait_for_function("__pa.player.playable[0].view.travel === null")
        assert seen.pebbles()[0] == {seen.pebbling().moves[0].vertex}


def test_strip_chart_is_drawn_and_its_playhead_can_be_dragged(lab: Opened) -> None:
    seen = lab()
    canvas = seen.side().locator(".strip canvas")
    ink = canvas.evaluate(
        "(c) => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"
    )
    assert ink > 10
    box = canvas.bounding_box()
    assert box is not None
    seen.page.mouse.move(box["x"] + 20, box["y"] + 30)
    seen.page.mouse.down()
    seen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30, steps=4)
    seen.page.mouse.up()
    length = seen.page.evaluate("__pa.player.timeline.length")
    seen.page.wait_for_function(f"Math.abs(__pa.player.t - {length / 2}) < {length / 100}")
    seen.at(seen.page.evaluate("__pa.player.t"))


# ---- what a reader does


def test_playing_asks_the_server_nothing(lab: Opened, server: Server) -> None:
    sent: list[int] = []
    page: Page
    seen = lab(algorithms=["flash2"])
    page = seen.page
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append(1)))
    page.reload()
    settled(page)
    painted(page)
    assert sent, "the app talks to the server over a socket"
    page.evaluate("__pa.player.setSpeed(200)")
    sent.clear()
    seen.button("play").click()
    page.wait_for_function("__pa.player.t > 100")
    assert page.evaluate("__pa.player.playing")
    assert not sent
    seen.button("pause").click()
    t = page.evaluate("__pa.player.t")
    seen.at(t)
    expect(seen.move()).to_have_text(seen.says(t))
    assert sent, "having come to rest, the step goes into the address"


@LANGUAGES
def test_keys(lab: Opened, lang: str) -> None:
    seen = lab(lang, algorithms=["flash2"], t=20)
    page = seen.page
    page.evaluate("document.addEventListener('keydown', (event) => (globalThis.__heard ??= []).push(event.key))")
    seen.stage().focus()
    for key, t in (
        ("ArrowRight", 21),
        ("ArrowRight", 22),
        ("ArrowLeft", 21),
        ("End", len(seen.pebbling())),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        seen.at(t)
        expect(seen.move()).to_have_text(seen.says(t))
    words = [i + 1 for i, move in enumerate(seen.pebbling().moves) if move.op in ("load", "store")]
    for word in words[:4]:
        page.keyboard.press("Shift+ArrowRight")
        expect(seen.move()).to_have_text(seen.says(word))
    page.keyboard.press("Shift+ArrowLeft")
    expect(seen.move()).to_have_text(seen.says(words[2]))
    rate = seen.page.locator(".rate")
    before = rate.inner_text()
    page.keyboard.press("+")
    expect(rate).not_to_have_text(before)
    page.keyboard.press("-")
    expect(rate).to_have_text(before)
    page.keyboard.press("Space")
    expect(seen.button("pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(seen.button("play")).to_be_visible()
    page.keyboard.press("r")
    page.keyboard.press("c")
    assert page.evaluate("globalThis.__heard ?? []") == [], "no key leaves the board"


def test_keys_need_no_click_first_and_leave_other_fields_alone(lab: Opened) -> None:
    seen = lab(algorithms=["flash2"], t=20)
    seen.page.keyboard.press("ArrowRight")
    seen.at(21)
    field = seen.page.get_by_label(Texts("en")("lab.n"), exact=True)
    field.focus()
    seen.page.keyboard.press("Home")
    seen.page.keyboard.press("ArrowRight")
    expect(seen.page.locator(".tick")).to_contain_text("21")
    expect(seen.move()).to_have_text(seen.says(21))


def test_back_at_the_start_the_listing_is_at_its_start(lab: Opened) -> None:
    seen = lab(algorithms=["flash2"], t=300)
    code = seen.side().locator(".code")
    assert code.evaluate("(box) => box.scrollTop") > 0
    seen.button("start").click()
    seen.at(0)
    seen.page.wait_for_function("__pa.player.playable[0].codeBox.scrollTop === 0")


@LANGUAGES
def test_a_run_that_waits_for_the_other_says_so(lab: Opened, lang: str) -> None:
    seen = lab(lang)
    tick = seen.page.evaluate(
        """() => { const { timeline } = __pa.player;
          for (let t = 1; ; t++) if (timeline.at(0, t) === timeline.at(0, t - 1)) return t; }"""
    )
    seen.page.evaluate("(tick) => __pa.player.seek(tick)", tick)
    waits = Texts(lang)("lab.board.move_held", move="")
    expect(seen.move(0)).to_contain_text(waits)
    expect(seen.move(1)).not_to_contain_text(waits)


def test_another_problem_another_board(lab: Opened) -> None:
    seen = lab()
    words = Texts("en")
    seen.page.get_by_role("button", name=words("lab.more")).click()
    seen.page.get_by_role("combobox", name=words("lab.form")).click()
    seen.page.get_by_role("option", name=words("lab.form.forward")).click()
    expect(seen.page).to_have_url(re.compile(r"[?&]form=forward(&|$)"))
    first = words("algorithm.forward-standard")
    expect(seen.side(0).locator(".title")).to_have_text(first)
    total = count("forward-standard", n=4, d=2, memory=16).io
    expect(seen.side(0).locator(".io")).to_contain_text(f"{total} {words('lab.board.words_moved')}")


def test_buttons(lab: Opened) -> None:
    seen = lab(algorithms=["small-cache"], t=300)
    for name, t in (("forward", 301), ("back", 300), ("back", 299), ("end", len(seen.pebbling())), ("start", 0)):
        seen.button(name).click()
        seen.at(t)
        expect(seen.move()).to_have_text(seen.says(t))


@LANGUAGES
def test_a_cell_says_what_it_is_to_pointer_and_keyboard(lab: Opened, lang: str) -> None:
    seen = lab(lang, algorithms=["flash2"], t=0)
    words = Texts(lang)
    stage = seen.stage().bounding_box()
    assert stage is not None
    x, y = seen.page.evaluate("(() => { const { view } = __pa.player.playable[0]; return view.centre(0); })()")
    seen.page.mouse.move(stage["x"] + x, stage["y"] + y)
    tip = seen.side().locator(".tip")
    expect(tip).to_have_text(f"Q[0,0]: {words('lab.board.where_blue')}; {words('lab.board.is_input')}")
    seen.page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    seen.stage().focus()
    live = seen.page.locator("[aria-live=polite]").filter(has_text="[")
    seen.page.keyboard.press("Enter")
    expect(live).to_have_text(re.compile(r"^Q\[0,0\]: "))
    seen.page.keyboard.press("ArrowRight")
    seen.page.keyboard.press("ArrowDown")
    expect(live).to_have_text(re.compile(r"^Q\[1,1\]: "))
    for _ in range(6):
        seen.page.keyboard.press("PageDown")
    made = words("lab.board.made_from", list="Q[0,0], Q[0,1], K[0,0], K[0,1]")
    expect(live).to_have_text(f"S[0,0]: {words('lab.board.where_none')}; {made}")
    expect(tip).to_be_visible()
    seen.page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    seen.page.keyboard.press("ArrowRight")
    seen.at(1)


# ---- settings


@LANGUAGES
def test_a_kernel_that_does_not_fit_says_what_it_needs_and_gets_it(lab: Opened, lang: str) -> None:
    seen = lab(lang, memory=8)
    words = Texts(lang)
    expect(seen.side(0)).to_contain_text(words("lab.board.misfit", least=14, m=8))
    expect(seen.move(1)).to_have_text(words("lab.board.move_start"))
    shot(seen.page, f"lab-misfit-{lang}")
    seen.page.get_by_role("button", name=words("lab.board.fit_button", least=14)).click()
    expect(seen.page).to_have_url(re.compile(r"[?&]m=14&"))
    expect(seen.page.locator(".move")).to_have_count(2)
    expect(seen.side(0).locator(".io")).to_contain_text(str(count("flash2", n=4, d=2, memory=14).io))
    expect(seen.page.get_by_label(words("lab.memory"), exact=True)).to_have_value("14")


def test_nothing_fits_into_two_words(lab: Opened) -> None:
    seen = lab(memory=2)
    expect(seen.page.locator(".misfit")).to_have_count(2)
    expect(seen.page.locator(".transport")).to_be_hidden()
    seen.page.get_by_role("button", name="Set M = 3").click()
    expect(seen.page.locator(".misfit")).to_have_count(1)


@LANGUAGES
def test_a_number_that_cannot_be_is_answered_in_a_sentence_and_nothing_is_lost(lab: Opened, lang: str) -> None:
    seen = lab(lang, algorithms=["flash2"], t=57)
    field = seen.page.get_by_label(Texts(lang)("lab.n"), exact=True)
    for text in ("0", "-3", "99", "1000000", "1e30", "2.5", "x"):
        field.fill(text)
        field.press("Enter")
        expect(seen.page.locator(".stAlert")).to_contain_text(text)
        expect(seen.move()).to_have_text(seen.says(57))
        expect(field).to_have_value("4")
    seen.at(57)
    field.fill("3")
    field.press("Enter")
    expect(seen.page.locator(".stAlert")).to_have_count(0)
    expect(seen.page).to_have_url(re.compile(r"[?&]n=3&.*[?&]?t=0&"))
    expect(seen.side().locator(".io")).to_contain_text(str(count("flash2", n=3, d=2, memory=16).io))


def test_a_step_beyond_the_end_is_said_and_the_end_shown(lab: Opened) -> None:
    seen = lab(algorithms=["flash2"], t=9999)
    end = len(seen.pebbling())
    expect(seen.page.locator(".stAlert")).to_contain_text("9999")
    seen.at(end)
    expect(seen.move()).to_have_text(seen.says(end))


def test_a_reload_keeps_the_place_and_another_memory_starts_anew(lab: Opened) -> None:
    seen = lab(t=33)
    words = seen.move().inner_text()
    seen.page.reload()
    settled(seen.page)
    painted(seen.page)
    expect(seen.move()).to_have_text(words)
    field = seen.page.get_by_label("M (words)", exact=True)
    field.fill("32")
    field.press("Enter")
    expect(seen.page).to_have_url(re.compile(r"[?&]m=32&.*[?&]t=0(&|$)"))
    expect(seen.move()).to_have_text(Texts("en")("lab.board.move_start"))
    expect(seen.side().locator(".io")).to_contain_text(str(count("flash2", n=4, d=2, memory=32).io))


def test_another_language_keeps_the_place(lab: Opened) -> None:
    seen = lab(algorithms=["flash2"], t=57)
    seen.page.get_by_text("Español", exact=True).click()
    spanish = Lab(seen.page, "es", 4, 2, 16, ["flash2"])
    expect(seen.move()).to_have_text(spanish.says(57))
    spanish.at(57)
    expect(seen.page).to_have_url(re.compile(r"lang=es"))


def test_choosing_algorithms(lab: Opened) -> None:
    seen = lab()
    page = seen.page

    def choose(side: str, name: str) -> None:
        page.get_by_role("combobox", name=side).click()
        page.get_by_role("option", name=name).click()

    choose("Second algorithm", "none")
    expect(page.locator(".side")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"a=flash2(&|$)"))
    choose("Second algorithm", "FlashAttention-2")
    expect(page.locator(".side .title")).to_have_text([NAMES["en"]["small-cache"], NAMES["en"]["flash2"]])
    expect(page).to_have_url(re.compile(r"a=small-cache(,|%2C)flash2"))
    choose("First algorithm", "FlashAttention-2")
    expect(page.locator(".side .title")).to_have_text([NAMES["en"]["flash2"], NAMES["en"]["small-cache"]])


@LANGUAGES
def test_the_pebbling_can_be_taken_away(lab: Opened, lang: str) -> None:
    seen = lab(lang, algorithms=["flash2"])
    words = Texts(lang)
    for form in ("text", "json"):
        seen.page.get_by_role("button", name=words("lab.more")).click()
        with seen.page.expect_download() as waiting:
            seen.page.get_by_role("button", name=words(f"lab.download_{form}", name="FlashAttention-2")).click()
        text = waiting.value.path().read_text(encoding="utf-8")
        assert text == write_pebbling(seen.pebbling(), form=form)
        seen.page.keyboard.press("Escape")
    assert read_pebbling(text).io == count("flash2", n=4, d=2, memory=16).io


# ---- how it looks


@pytest.mark.parametrize(
    ("size", "theme", "lang"),
    [("desk", "light", "en"), ("desk", "dark", "es"), ("phone", "light", "es"), ("phone", "dark", "en")],
)
def test_page_fits_its_window(lab: Opened, lang: str, theme: str, size: str) -> None:
    seen = lab(lang, theme=theme, size=size, t=120)
    no_exception(seen.page)
    no_sideways_scroll(seen.page)
    shot(seen.page, f"lab-{size}-{theme}-{lang}")
    for side in (0, 1):
        stage, base = seen.stage(side).bounding_box(), seen.side(side).locator(".base").bounding_box()
        assert stage is not None
        assert base is not None
        assert base["width"] <= stage["width"] + 1
        if size == "desk":
            assert stage["y"] + stage["height"] < 720
            move = seen.move(side).bounding_box()
            assert move is not None
            assert move["y"] + move["height"] < 720
    first, second = seen.side(0).bounding_box(), seen.side(1).bounding_box()
    assert first is not None
    assert second is not None
    if size == "phone":
        assert second["y"] >= first["y"] + first["height"]
    else:
        assert second["x"] >= first["x"] + first["width"]


def test_a_large_board_stays_legible_on_a_phone_and_never_widens_the_page(lab: Opened) -> None:
    seen = lab(size="phone", n=8, d=8, memory=64, t=700)
    no_sideways_scroll(seen.page)
    shot(seen.page, "lab-phone-large")
    assert seen.page.evaluate("__pa.player.playable[0].view.layout.cell") >= 8
    # Narrower still: then the board scrolls inside itself.
    seen.page.set_viewport_size({"width": 240, "height": 500})
    seen.page.wait_for_function(
        "(({ stage }) => stage.clientWidth < 240 && stage.scrollHeight > stage.clientHeight)(__pa.player.playable[0])"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_board_alone(lab: Opened, theme: str) -> None:
    seen = lab("es", theme=theme, n=6, d=3, memory=48, algorithms=["small-cache"], t=900)
    no_sideways_scroll(seen.page)
    shot(seen.page, f"lab-alone-{theme}")
    code = seen.side().locator(".code").bounding_box()
    stage = seen.stage().bounding_box()
    assert code is not None
    assert stage is not None
    assert code["x"] >= stage["x"] + stage["width"]
