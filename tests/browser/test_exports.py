"""What leaves the app: replay files with the network off, step sheets, pictures, pages in a frame and on paper."""

from pathlib import Path
from urllib.parse import unquote

from playwright.sync_api import Page, expect

from kernels_ref import Shape, count, lower_bound
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.replay_file import About, game_file, replay_file
from pages.shared.settings import ALGORITHM_IDS, HOME_D, HOME_N
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


def test_the_kitchens_curve_is_a_file(page_factory: PageFactory, server: Server, tmp_path: Path) -> None:
    t = Texts("es")
    page = page_factory(theme="dark", lang="es")
    page.goto(f"{server.url}/?m=1500&lang=es")
    files = {f: downloaded(settled(page), t("home.save_as", format=f), tmp_path) for f in ("SVG", "PNG", "CSV")}
    svg = files["SVG"].read_text(encoding="utf-8")
    title = t("home.file_title", n=grouped(HOME_N), d=HOME_D)
    told = f"M = {t('home.memory_words', memory=grouped(1500))}"
    for said in (title, told, t("home.file_source"), "4\u202fd² = 16\u202f384", "@font-face"):
        assert said in svg, said
    assert "var(" not in svg
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    head, *rows = (line.split(",") for line in files["CSV"].read_text(encoding="utf-8").splitlines())
    assert head == ["n", "d", "memory", *ALGORITHM_IDS]
    assert "1500" in [row[2] for row in rows]
    for row in rows[::9]:
        counts = (count(name, n=HOME_N, d=HOME_D, memory=int(row[2])).io for name in ALGORITHM_IDS)
        assert row[3:] == ["" if io is None else str(io) for io in counts]


def test_the_pictures_of_the_proof_are_files(page_factory: PageFactory, server: Server, tmp_path: Path) -> None:
    t = Texts("en")
    page = page_factory()
    page.goto(f"{server.url}/why?lang=en&fn=1024&fd=32&fm=512")
    names = {"see": t("why.see.phase"), "make": t("why.make.cube_title"), "regimes": t("why.regimes.bound")}
    buttons = settled(page).get_by_role("button", name=t("why.save", format="SVG"))
    expect(buttons).to_have_count(len(names))
    for number, (section, inside) in enumerate(names.items()):
        with page.expect_download() as waiting:
            buttons.nth(number).click()
        svg = waiting.value.path().read_text(encoding="utf-8")
        for said in (t(f"why.{section}_title").partition(". ")[2], inside, t("why.source"), "@font-face"):
            assert said in svg, said
        assert "var(" not in svg.replace('fill="var(--pa-ink)"', ""), "an attribute that a style of its own overrules"
    assert t("why.sum.size", n=grouped(1024), d=32, memory=512) in svg
    table = downloaded(page, t("why.save_csv"), tmp_path).read_text(encoding="utf-8").splitlines()
    assert table[0] == "n,d,memory,flash2,small-cache,lower_bound"
    for line in table[1::12]:
        memory, *words = line.split(",")[2:]
        bound = lower_bound("qkv", Shape(1024, 1024, 32, 32), int(memory)).words
        counts = (count(name, n=1024, d=32, memory=int(memory)).io for name in ALGORITHM_IDS)
        assert words == [*("" if io is None else str(io) for io in counts), str(bound)]
