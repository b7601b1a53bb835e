"""The I/O curves as a reader meets them: what the page says at a point, and what moving things does."""

import csv
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from kernels_ref import count, crossover, sweep
from pages.shared.i18n import Texts
from pages.shared.numbers import NARROW_NO_BREAK_SPACE, grouped, rounded
from tests.browser.conftest import SIZES, PageFactory, Server, no_exception, no_sideways_scroll, shot
from tests.browser.curves_page import (
    LINES,
    Sent,
    at_rest,
    control,
    drag,
    exact,
    frames,
    note,
    open_curves,
    ranges,
    row,
    slider,
    type_exact,
    value,
    watch_frames,
    zoom_in,
)

BOTH = ("flash2", "small-cache")


def three_digits(number: float) -> str:
    """Three significant digits, zeros at the end kept: a number that moves must not change its width."""
    return rounded(number) if number >= 100 else f"{number:#.3g}"


def says_counts(page: Page, t: Texts, n: int, d: int, memory: int) -> None:
    """The readout at (n, d, M) is the closed form, digit by digit."""
    expect(page.locator(".pa-readout-at")).to_have_text(f"M = {grouped(memory)}")
    expect(page.locator(".pa-readout-squared")).to_have_text(f"{three_digits(memory / d**2)} d²")
    for algorithm in BOTH:
        exact_count = count(algorithm, n=n, d=d, memory=memory)
        if exact_count.io is None:
            unfit = t("curves.readout.unfit", least=grouped(exact_count.least_memory))
            expect(row(page, algorithm).locator(".pa-words")).to_have_text(unfit)
        else:
            words = t("curves.readout.words", words=grouped(exact_count.io))
            expect(row(page, algorithm).locator(".pa-words")).to_have_text(words)
            expect(row(page, algorithm).locator(".pa-ratio")).to_have_text(
                f"{three_digits(exact_count.io / n**2)}{NARROW_NO_BREAK_SPACE}n²"
            )


def address(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize(("n", "d", "memory"), [(4096, 64, 4096), (1000, 59, 203), (2**20, 512, 262_144)])
def test_deep_link_reads_the_counts(
    server: Server, page_factory: PageFactory, lang: str, n: int, d: int, memory: int
) -> None:
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?v=1&n={n}&d={d}&m={memory}&lang={lang}")
    no_exception(page)
    says_counts(page, t, n, d, memory)
    assert (value(page, "n"), value(page, "d"), value(page, "m")) == (n, d, memory)
    expect(page.locator(".pa-handle")).to_have_text(f"M = {grouped(memory)}")
    expect(page.locator(".pa-kind")).to_have_text(t("curves.readout.kind"))


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("d", [8, 64, 512])
def test_crossing_and_d_squared_are_readable(server: Server, page_factory: PageFactory, lang: str, d: int) -> None:
    """Both labels lie whole inside the chart, and say the exact M."""
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?n=4096&d={d}&m=4096&lang={lang}")
    where = crossover("flash2", "small-cache", n=4096, d=d)
    assert where
    mark = note(page, "crossing")
    expect(mark).to_contain_text(f"M = {grouped(where)}")
    expect(mark).to_contain_text(f"= {rounded(where / d**2)} d²")
    sentence = t("curves.crossing.sentence", memory=grouped(where), ratio=rounded(where / d**2))
    expect(page.locator(".pa-fact").first).to_contain_text(sentence)
    squared = page.locator(".pa-chart .shape-label text")
    expect(squared).to_have_text(f"M = d² = {grouped(d * d)}")
    chart = page.locator(".pa-chart").bounding_box()
    assert chart
    for label in (mark, squared, note(page, "unfit")):
        box = label.bounding_box()
        assert box
        assert chart["x"] <= box["x"]
        assert box["x"] + box["width"] <= chart["x"] + chart["width"]
        assert chart["y"] <= box["y"]
        assert box["y"] + box["height"] <= chart["y"] + chart["height"]
    expect(note(page, "unfit")).to_contain_text(f"M < {grouped(6 * d + 2)}")


def test_m_moves_without_the_server(server: Server, page_factory: PageFactory) -> None:
    """While M is dragged nothing is sent; when it rests, the address follows."""
    page = page_factory()
    sent = Sent(page)
    open_curves(page, server.url, "?n=4096&d=64&m=4096&lang=en")
    drag(page, "m", 0.5, 0.55, steps=2)
    before = sent.count
    redraws = page.evaluate("__pa_curves.redraws.length")
    drag(page, "m", 0.55, 0.62, steps=30)  # there each M has counts of its own
    memory = value(page, "m")
    assert memory > 10_000
    says_counts(page, Texts("en"), 4096, 64, memory)
    assert sent.count == before
    assert page.evaluate("__pa_curves.redraws.length") == redraws
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"[?&]m={memory}&"))
    at_rest(page)
    says_counts(page, Texts("en"), 4096, 64, memory)


def test_handle_in_the_chart_moves_m(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    box = page.locator(".pa-handle").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] - 150, box["y"] + 10, steps=10)
    memory = value(page, "m")
    assert memory < 1500
    says_counts(page, Texts("en"), 4096, 64, memory)
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"[?&]m={memory}&"))


def test_n_redraws_while_it_moves_and_keeps_zoom_and_canvas(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1024&d=64&m=4096&lang=en")
    zoomed = zoom_in(page)
    watch_frames(page)
    redraws = page.evaluate("__pa_curves.redraws.length")
    box = slider(page, "n").bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.29 * box["width"], y)
    page.mouse.down()
    for step in range(1, 6):  # each move is answered before the next one
        page.mouse.move(box["x"] + (0.29 + 0.06 * step) * box["width"], y)
        page.wait_for_function(f"__pa_curves.redraws.length >= {redraws + step}")
        n = value(page, "n")
        says_counts(page, Texts("en"), n, 64, 4096)
        assert ranges(page) == pytest.approx(zoomed)
    assert address(page)["n"] == "1024", "the address waits until the slider rests"
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"[?&]n={n}&"))
    at_rest(page)
    assert ranges(page) == pytest.approx(zoomed)
    seen = frames(page)
    assert seen["frames"] > 5
    assert (seen["blank"], seen["remounts"]) == (0, 0)
    page.get_by_role("button", name="Undo zoom").click()
    page.wait_for_function(f"document.querySelector('.pa-chart')._fullLayout.xaxis.range[0] < {zoomed[0] - 0.5}")


def test_zoom_brings_finer_points(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    points = "document.querySelector('.pa-chart').data.find((trace) => trace.meta.algorithm === 'flash2').x.length"
    before = page.evaluate(points)
    zoom_in(page)
    page.wait_for_function(f"{points} > {before + 100}")


@pytest.mark.parametrize("key", ["ArrowRight", "PageUp", "End"])
def test_keyboard_moves_d(server: Server, page_factory: PageFactory, key: str) -> None:
    page = open_curves(page_factory(), server.url, "?n=1024&d=64&m=4096&lang=en")
    slider(page, "d").focus()
    page.keyboard.press(key)
    d = value(page, "d")
    assert d > 64
    expect(page).to_have_url(re.compile(rf"[?&]d={d}&"))
    at_rest(page)
    says_counts(page, Texts("en"), 1024, d, 4096)


def test_typed_numbers_are_exact(server: Server, page_factory: PageFactory) -> None:
    """An M between the grid's, an n that no slider stop has; groups of digits may be typed."""
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    type_exact(page, "m", "4 099")
    expect(page).to_have_url(re.compile(r"[?&]m=4099&"))
    at_rest(page)
    says_counts(page, Texts("en"), 4096, 64, 4099)
    type_exact(page, "n", "4097")
    expect(page).to_have_url(re.compile(r"[?&]n=4097&"))
    at_rest(page)
    says_counts(page, Texts("en"), 4097, 64, 4099)


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize(
    ("name", "typed", "code"),
    [("n", "0", "range"), ("n", "x", "whole_number"), ("m", "1e30", "whole_number"), ("d", "-1", "range")],
)
def test_a_bad_number_is_told_and_nothing_is_lost(
    server: Server, page_factory: PageFactory, lang: str, name: str, typed: str, code: str
) -> None:
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?n=1000&d=59&m=203&lang={lang}")
    kept = {other: value(page, other) for other in "ndm"}
    before = page.url
    type_exact(page, name, typed)
    problem = control(page, name).get_by_role("alert")
    expect(problem).to_be_visible()
    expect(problem).to_contain_text(typed.replace("-", ""))
    expect(problem).to_contain_text(grouped(kept[name]))
    words = [word for word in re.split(r"\{\w+\}", t(f"problem.{code}")) if len(word) > 3]
    for part in words:
        expect(problem).to_contain_text(part.strip())
    assert "\\" not in problem.inner_text()
    at_rest(page)
    assert {other: value(page, other) for other in "ndm"} == kept
    assert page.url == before
    says_counts(page, t, 1000, 59, 203)
    no_exception(page)
    type_exact(page, name, str(kept[name] + 1))
    expect(problem).to_be_hidden()


def test_a_bad_link_is_told_above(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=0&m=x&a=zzz&foo=1&lang=en")
    alert = page.locator(".stAlert").first
    for part in ("Sequence length n", "Fast memory M", "Algorithms", "foo"):
        expect(alert).to_contain_text(part)
    says_counts(page, Texts("en"), 4096, 64, 4096)
    no_exception(page)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_does_not_fit_says_the_least_m(server: Server, page_factory: PageFactory, lang: str) -> None:
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?n=256&d=64&m=385&lang={lang}")
    says_counts(page, t, 256, 64, 385)
    expect(row(page, "flash2").locator(".pa-words")).to_contain_text("386")
    name = t("curves.short.small-cache")
    verdict = t("curves.verdict.alone", name=name)
    expect(page.locator(".pa-verdict")).to_have_text(verdict[0].upper() + verdict[1:])


def test_preset_is_a_link_and_moves_all_three(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1000&d=59&m=203&lang=en")
    link = page.locator(".pa-preset").nth(1)
    href = parse_qs((link.get_attribute("href") or "").removeprefix("?"))
    assert (href["n"], href["d"], href["m"]) == (["8192"], ["128"], ["16384"])
    link.click()
    expect(page).to_have_url(re.compile(r"[?&]n=8192&d=128&m=16384&"))
    at_rest(page)
    says_counts(page, Texts("en"), 8192, 128, 16384)


def test_algorithms_can_be_left_out_and_the_address_knows(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    page.get_by_role("button", name="More").click()
    page.get_by_role("checkbox", name="FlashAttention-2").uncheck()
    expect(row(page, "flash2")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"[?&]a=small-cache&"))
    at_rest(page)
    expect(note(page, "crossing")).to_have_count(0)
    expect(page.get_by_role("checkbox", name="Algorithm 6")).to_be_disabled()
    page.get_by_role("checkbox", name="FlashAttention-2").check()
    expect(row(page, "flash2")).to_be_visible()


def test_csv_is_the_sweep(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1000&d=59&m=203&lang=en")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=Texts("en")("curves.csv.help")).click()
    assert waiting.value.suggested_filename == "io-curves-n1000-d59.csv"
    with waiting.value.path().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    memory = [int(line["memory"]) for line in rows if line["algorithm"] == "flash2"]
    assert 203 in memory
    frame = sweep(list(BOTH), n=1000, d=59, memory=memory)
    assert len(rows) == len(frame)
    for line, (_, right) in zip(rows, frame.iterrows(), strict=True):
        assert line == {name: "" if entry is None else str(entry) for name, entry in right.items()}


def test_picture_can_be_saved(server: Server, page_factory: PageFactory) -> None:
    """The saved picture carries the words that the page lays over its chart."""
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the chart as SVG").click()
    text = waiting.value.path().read_text(encoding="utf-8")
    assert text.startswith("<svg")
    for words in ("M = 3", "FlashAttention-2", "inputs + outputs"):
        assert words in text


def test_theme_switch_recolours_without_the_server(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    tick = page.locator(".pa-chart .xtick text").first
    light = tick.evaluate("(node) => getComputedStyle(node).fill")
    page.emulate_media(color_scheme="dark")
    expect(tick).not_to_have_css("fill", light)
    expect(tick).to_have_css("fill", "rgb(165, 162, 155)")
    says_counts(page, Texts("en"), 4096, 64, 4096)


def test_language_switch_keeps_the_point(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1000&d=59&m=203&lang=en")
    page.get_by_text("Español", exact=True).click()
    expect(page.locator("h1")).to_have_text("Curvas de E/S")
    expect(page.locator(".pa-kind")).to_have_text(Texts("es")("curves.readout.kind"))
    at_rest(page)
    says_counts(page, Texts("es"), 1000, 59, 203)
    expect(note(page, "crossing")).to_contain_text("se cruzan")


def test_without_the_drawing_library_the_numbers_stay(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    page = page_factory()
    page.route("**/plotly-basic*", lambda route: route.abort())
    page.goto(f"{server.url}/curves?n=1000&d=59&m=203&lang=en")
    expect(page.locator(".pa-failure")).to_have_text(t("curves.chart.failed"))
    says_counts(page, t, 1000, 59, 203)
    page.unroute("**/plotly-basic*")
    type_exact(page, "n", "1001")
    expect(page.locator(LINES).first).to_be_attached()
    expect(page.locator(".pa-failure")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["en", "es"])
def test_looks(server: Server, page_factory: PageFactory, lang: str, size: str, theme: str) -> None:
    """Names on the lines where there is room, else a legend beneath; nothing sideways; readout in first view."""
    page = open_curves(page_factory(*SIZES[size], theme=theme), server.url, f"?n=4096&d=64&m=1024&lang={lang}")
    no_sideways_scroll(page)
    narrow = size == "phone"
    expect(page.locator(".pa-legend")).to_be_visible(visible=narrow)
    expect(note(page, "line flash2")).to_have_count(0 if narrow else 1)
    assert Texts(lang)("curves.theta") in page.locator(".pa-legend" if narrow else ".pa-notes").inner_text()
    for name in "ndm":
        expect(exact(page, name)).to_be_visible()
    if not narrow:
        expect(page.locator(".pa-handle")).to_be_in_viewport(ratio=1)
        expect(page.locator(".pa-verdict")).to_be_in_viewport(ratio=1)
    shot(page, f"curves-{lang}-{size}-{theme}")
