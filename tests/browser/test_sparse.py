"""The sparse page as a reader meets it: choosing a mask, painting one, and what the page then says."""

import csv

import pytest
from playwright.sync_api import Page, expect

from kernels_ref import count, masks
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.sparse_fields import cells_of
from tests.browser.conftest import PageFactory, Server, no_exception, no_sideways_scroll, shot
from tests.browser.sparse_page import address, at_rest, centre, ink, open_sparse, picture, words

EMPTY = "painted:" + "A" * 43
BOTH = ("flash2", "small-cache")


def says_counts(page: Page, t: Texts, mask: masks.Mask | None, n: int, d: int, memory: int) -> None:
    for algorithm in BOTH:
        counts = count(algorithm, n=n, d=d, memory=memory, mask=mask)
        assert counts.io is not None
        expect(words(page, algorithm)).to_have_text(t("sparse.words", words=grouped(counts.io)))


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_link_shows_its_mask_and_another_is_one_click_away(
    server: Server, page_factory: PageFactory, lang: str
) -> None:
    t = Texts(lang)
    page = open_sparse(page_factory(), server.url, f"?v=1&mask=causal&n=512&d=32&m=4096&lang={lang}")
    no_exception(page)
    says_counts(page, t, masks.causal(512, 512), 512, 32, 4096)
    expect(page.locator(".pa-mask-choice[aria-pressed=true]")).to_have_text(t("sparse.mask.causal"))
    page.get_by_role("button", name=t("sparse.mask.random")).click()
    says_counts(page, t, masks.named("random:0.05:0", 512, 512), 512, 32, 4096)
    at_rest(page)
    assert address(page)["mask"] == "random:0.05:0"
    slider = page.locator(".pa-control[data-name=share]").get_by_role("slider")
    slider.press("ArrowRight")
    says_counts(page, t, masks.named("random:0.07:0", 512, 512), 512, 32, 4096)
    shot(page, f"sparse-{lang}")


def test_painting_by_pointer_and_keyboard_goes_into_the_address(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    page = open_sparse(page_factory(), server.url, f"?v=1&mask={EMPTY}&n=256&d=16&m=1024&lang=en")
    expect(page.locator(".pa-theorem")).to_contain_text(t("sparse.split.none"))
    paper = ink(page, 5, 2)
    page.mouse.move(*centre(page, 5, 2))
    page.mouse.down()
    page.mouse.move(*centre(page, 5, 9), steps=2)  # a fast hand: cells between two events are painted too
    assert ink(page, 5, 6) != paper, "a stroke is seen before the button is up"
    page.mouse.up()
    expect(page.locator(".pa-zero b").first).to_have_text(grouped(8 * 16 * 16))
    at_rest(page)
    cells = cells_of(address(page)["mask"].partition(":")[2])
    assert [tuple(map(int, at)) for at in zip(*cells.nonzero(), strict=True)] == [
        (5, column) for column in range(2, 10)
    ]
    says_counts(page, t, masks.block(cells, 256, 256), 256, 16, 1024)

    picture(page).press("ArrowDown")
    picture(page).press("Space")
    expect(page.locator(".pa-zero b").first).to_have_text(grouped(9 * 16 * 16))
    expect(page.locator(".pa-spoken")).to_have_text(t("sparse.paint.on", row=7, column=10))
    at_rest(page)
    assert cells_of(address(page)["mask"].partition(":")[2])[6, 9]

    again = open_sparse(page_factory(), server.url, page.url.partition("/sparse")[2])
    expect(again.locator(".pa-zero b").first).to_have_text(grouped(9 * 16 * 16))
    assert ink(again, 6, 9) == ink(page, 6, 9) != paper


def test_a_number_beyond_is_answered_and_not_taken(server: Server, page_factory: PageFactory) -> None:
    page = open_sparse(page_factory(), server.url, "?v=1&mask=strided:32&n=4096&d=16&m=1024&lang=en")
    expect(page.get_by_role("alert").first).to_contain_text(grouped(4096))
    expect(page.get_by_role("alert").first).to_contain_text(grouped(1024))
    assert address(page)["n"] == "1024"
    box = page.locator(".pa-control[data-name=stride]").get_by_role("textbox")
    box.fill("5000")
    box.press("Enter")
    problem = page.locator(".pa-control[data-name=stride] .pa-problem")
    expect(problem).to_contain_text(grouped(1024))
    assert address(page)["mask"] == "strided:32"


def test_the_file_is_the_sweep(server: Server, page_factory: PageFactory) -> None:
    page = open_sparse(page_factory(), server.url, "?v=1&mask=window:64&n=256&d=16&m=1024&lang=en")
    with page.expect_download() as download:
        page.get_by_role("button", name=Texts("en")("sparse.csv.help")).click()
    with open(download.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["mask"] for row in rows} == {"window:64", "none"}
    mask = masks.sliding_window(256, 256, 64)
    for row in rows[::7]:
        kept = mask if row["mask"] != "none" else None
        counts = count(row["algorithm"], n=256, d=16, memory=int(row["memory"]), mask=kept)
        assert row["io"] == ("" if counts.io is None else str(counts.io))


def test_a_saved_chart_says_what_it_is(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    page = open_sparse(page_factory(), server.url, "?v=1&mask=random:0.05:3&n=1024&d=64&m=8192&lang=en")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the chart as SVG").click()
    svg = download.value.path().read_text(encoding="utf-8")
    sizes = (t("curves.title.n", n=grouped(1024)), t("curves.title.d", d=64), t("sparse.mask.random"))
    names = [t(f"sparse.legend.{name}") for name in ("bound", "theta")]
    names += [t("algorithm.flash2"), t("sparse.axis.words"), t("sparse.axis.memory")]
    for said in (*sizes, *names, t("sparse.kind.counted"), t("sparse.file.source"), "@font-face"):
        assert said in svg, said
    assert svg.count(f"M = {grouped(8192)}") == 2, "at the line, and before the numbers"
    assert svg.count(">4\u202f096<") == 0, "a number half behind the label of M"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the chart as PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_shows_all_and_a_finger_paints(server: Server, page_factory: PageFactory, theme: str) -> None:
    page = open_sparse(page_factory(390, 844, theme), server.url, f"?v=1&mask={EMPTY}&n=256&d=16&m=1024&lang=es")
    no_exception(page)
    no_sideways_scroll(page)
    full = page.locator(".pa-mask-choice[data-kind=none] canvas")
    grey = full.evaluate("(canvas) => canvas.getContext('2d').getImageData(2, 2, 1, 1).data[1]")
    assert (grey > 128) is (theme == "dark"), "ink, whatever the theme"
    expect(picture(page)).to_have_css("touch-action", "none")
    picture(page).scroll_into_view_if_needed()
    page.mouse.click(*centre(page, 3, 3))
    expect(page.locator(".pa-zero b").first).to_have_text(grouped(16 * 16))
    no_sideways_scroll(page)
    shot(page, f"sparse-phone-{theme}")
