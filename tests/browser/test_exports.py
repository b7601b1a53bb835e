"""What leaves the app: the replay file with the network off, the step sheet, pages in a frame, pages on paper."""

from pathlib import Path
from urllib.parse import unquote

from playwright.sync_api import Page, expect

from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.replay_file import About, game_file, replay_file
from pebble_engine import Move, PebbleDag, Pebbling, Rules
from tests.browser.conftest import ROOT, PageFactory, Server, no_sideways_scroll, settled
from tests.browser.lab_page import BOTH, NAMES, open_lab, pebbling_of
from tests.unit.board.synthetic import large_run

PATHS = ["" if page == "home" else page for page in sorted(path.stem for path in (ROOT / "pages").glob("*.py"))]
NASTY = "</script><img src=x onerror=\"document.title = 'broken'\">"


def offline(page: Page, file: Path) -> Page:
    page.context.set_offline(True)
    page.goto(file.as_uri())
    expect(page.locator(".side .move").first).not_to_be_empty()  # the file's own policy forbids `wait_for_function`
    return page


def downloaded(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def test_the_labs_replay_plays_to_the_end_with_the_network_off(
    page_factory: PageFactory, server: Server, tmp_path: Path
) -> None:
    lang = "es"  # the file speaks the reader's language
    t = Texts(lang)
    lab = open_lab(page_factory(), server, lang, n=3, d=2, memory=16, t=5)
    lab.page.get_by_role("button", name=t("lab.more")).click()
    file = downloaded(lab.page, t("replay.download"), tmp_path)
    page = offline(page_factory(theme="dark"), file)
    expect(page.locator("html")).to_have_attribute("lang", lang)
    expect(page.get_by_role("heading", level=1)).to_contain_text("n\u00a0=\u00a03")
    assert unquote(page.get_by_role("link").get_attribute("href") or "") == unquote(lab.page.url)
    expect(page.locator(".scrub")).to_have_value("5")
    for _ in range(12):
        page.keyboard.press("+")
    page.keyboard.press(" ")
    total = int(page.locator(".scrub").get_attribute("max") or 0)
    expect(page.locator(".tick")).to_have_text(t("lab.board.tick").format(t=grouped(total), total=grouped(total)))
    for number, algorithm in enumerate(BOTH):
        side, io = page.locator(".side").nth(number), pebbling_of(algorithm, 3, 2, 16).io
        expect(side.locator("h3")).to_have_text(NAMES[lang][algorithm])
        expect(side.locator(".io b")).to_have_text([grouped(io), grouped(io)])
    page.keyboard.press("Home")
    expect(page.locator(".move").first).to_have_text(t("lab.board.move_start"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(file.as_uri() + "#t=1")
    page.reload()
    expect(page.locator(".scrub")).to_have_value("1")
    assert {url.partition(":")[0] for url in page.seen.requests} <= {"file", "data"}  # type: ignore[attr-defined]


def test_a_file_of_50_000_moves_opens_and_jumps_to_its_end(page_factory: PageFactory, tmp_path: Path) -> None:
    file = tmp_path / "large.html"
    run = large_run("flash2")
    file.write_bytes(replay_file([run], About("Large", ""), Texts("en")))
    page = offline(page_factory(width=390, height=844), file)
    page.keyboard.press("End")
    expect(page.locator(".io b").first).to_have_text(grouped(run["io"]))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_labels_are_words_and_never_markup(page_factory: PageFactory, tmp_path: Path) -> None:
    dag = PebbleDag.of({"a": (), "b": (), NASTY: ("a", "b")}, outputs=[NASTY], name="nasty")
    moves = (Move.load("a"), Move.load("b"), Move.compute(NASTY), Move.store(NASTY))
    file = tmp_path / "nasty.html"
    file.write_bytes(game_file(Pebbling(dag, Rules(red=3), moves), NASTY, NASTY, Texts("en")))
    page = offline(page_factory(reduced_motion=True), file)
    expect(page.get_by_role("heading", level=1)).to_have_text(NASTY)
    page.keyboard.press("End")
    expect(page.locator(".move")).to_contain_text(f"store {NASTY}")
    expect(page.locator(".io b")).to_have_text(["3", "3"])
    expect(page.locator("img")).to_have_count(0)
    assert page.title() == NASTY


def test_the_step_sheet_ends_at_the_counted_words(page_factory: PageFactory, server: Server, tmp_path: Path) -> None:
    lab = open_lab(page_factory(), server, n=2, d=2, memory=16, algorithms=("flash2",))
    lab.page.get_by_role("button", name="More").click()
    file = downloaded(lab.page, Texts("en")("replay.sheet"), tmp_path)
    page = page_factory(width=390, height=844)
    page.context.set_offline(True)
    page.goto(file.as_uri())
    pebbling = lab.pebbling()
    expect(page.locator("tbody tr")).to_have_count(len(pebbling.moves))
    expect(page.locator("tbody tr").last.locator("td").nth(3)).to_have_text(str(pebbling.io))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.emulate_media(media="print")
    expect(page.get_by_role("button")).to_be_hidden()


def test_pages_in_a_frame_have_no_chrome_and_stay_embedded(page_factory: PageFactory, server: Server) -> None:
    page = page_factory(width=800, height=600)
    for path in PATHS:
        page.goto(f"{server.url}/{path}?embed=true&lang=es&embed_options=light_theme")
        expect(page.locator("h1").first).to_be_visible()
        expect(page.locator(".stApp")).to_have_attribute("data-test-script-state", "notRunning")
        assert "embed=true" in page.url
        assert "embed_options=light_theme" in page.url
        assert "v=1" in page.url, "our own address is there, too"
        for chrome in (".stAppHeader", ".st-key-shell", ".stSidebar"):
            expect(page.locator(chrome).locator("visible=true")).to_have_count(0)
        expect(page.locator(".stAlert")).to_have_count(0)
        no_sideways_scroll(page)
    lab = open_lab(page, server)
    page.goto(f"{lab.page.url}&embed=true")
    lab.stage().press("End")
    expect(page.locator(".tick")).to_have_text("step 975 of 975")
    page.wait_for_url("**t=975*")
    assert "embed=true" in page.url
    expect(page.locator(".stAppHeader").locator("visible=true")).to_have_count(0)


def test_pages_on_paper_are_black_on_white_without_controls(page_factory: PageFactory, server: Server) -> None:
    page = page_factory(theme="dark")
    for path in PATHS:
        page.emulate_media(media="screen", color_scheme="dark")
        page.goto(f"{server.url}/{path}?lang=en")
        settled(page)
        page.emulate_media(media="print", color_scheme="dark")
        page.wait_for_function("document.documentElement.classList.contains('pa-print')")
        expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
        expect(page.locator("h1").first).to_have_css("color", "rgb(0, 0, 0)")
        for control in (".stAppHeader", ".st-key-shell", ".stButton", ".stPopover", ".transport", ".pause"):
            expect(page.locator(control).locator("visible=true")).to_have_count(0)


def test_the_board_is_drawn_anew_for_paper_and_back(page_factory: PageFactory, server: Server) -> None:
    lab = open_lab(page_factory(theme="dark"), server, t=40)
    corner = "[...__pa.player.sides[0].base.getContext('2d').getImageData(1, 1, 1, 1).data].slice(0, 3)"
    dark = lab.page.evaluate(corner)
    assert max(dark) < 60
    lab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert lab.page.evaluate(corner) == [255, 255, 255], "at once, before the printer looks"
    lab.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert lab.page.evaluate(corner) == dark
