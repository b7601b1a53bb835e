"""The I/O curves as a reader meets them: what the page says at a point, and what moving things does."""

import csv
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from kernels_ref import certified_ratio, count, crossover, fits, masks, sweep, theory
from pages.shared.curve_models import PRESETS
from pages.shared.i18n import Texts
from pages.shared.numbers import NARROW_NO_BREAK_SPACE, grouped, rounded
from pages.shared.theme import TOKENS
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


@pytest.mark.parametrize(("lang", "n", "d", "memory"), [("en", 1000, 59, 203), ("es", 2**20, 512, 262_144)])
def test_deep_link_reads_the_counts(
    server: Server, page_factory: PageFactory, lang: str, n: int, d: int, memory: int
) -> None:
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?v=1&n={n}&d={d}&m={memory}&lang={lang}")
    no_exception(page)
    says_counts(page, t, n, d, memory)
    assert (value(page, "n"), value(page, "d"), value(page, "m")) == (n, d, memory)
    expect(page.locator(".pa-handle")).to_have_text(f"M = {grouped(memory)}")
    expect(page.locator(".pa-readout > .pa-kind")).to_have_text(t("curves.kind.io"))
    expect(page.locator(".pa-more")).to_be_hidden()
    for algorithm in BOTH:
        certified = certified_ratio(algorithm, n=n, d=d, memory=memory)
        said = re.search(r"(\d+\.\d\d) ×", row(page, algorithm).inner_text())
        assert (said is None) == (certified is None)
        if said and certified:
            assert certified.ratio <= float(said[1]) < certified.ratio + 0.011, "never less than what is proven"


def inside(page: Page, label: Locator) -> None:
    """The label lies whole within the chart."""
    chart, box = page.locator(".pa-chart").bounding_box(), label.bounding_box()
    assert chart
    assert box
    assert chart["x"] <= box["x"]
    assert box["x"] + box["width"] <= chart["x"] + chart["width"]
    assert chart["y"] <= box["y"]
    assert box["y"] + box["height"] <= chart["y"] + chart["height"]


@pytest.mark.parametrize(("lang", "d"), [("en", 8), ("es", 512)])
def test_crossing_and_d_squared_are_readable(server: Server, page_factory: PageFactory, lang: str, d: int) -> None:
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?n=4096&d={d}&m=4096&lang={lang}")
    where = crossover("flash2", "small-cache", n=4096, d=d)
    assert where
    mark = note(page, "crossing")
    expect(mark).to_contain_text(f"M = {grouped(where)}")
    expect(mark).to_contain_text(f"= {rounded(where / d**2)} d²")
    names = {"first": t("curves.short.flash2"), "second": t("curves.short.small-cache")}
    sentence = t("curves.crossing.sentence", memory=grouped(where), ratio=rounded(where / d**2), **names)
    expect(page.locator(".pa-readout")).to_contain_text(sentence)
    squared = page.locator(".pa-chart .shape-label text")
    expect(squared).to_have_text(f"M = d² = {grouped(d * d)}")
    for label in (mark, squared, note(page, "unfit")):
        inside(page, label)
    expect(note(page, "unfit")).to_contain_text(f"M < {grouped(6 * d + 2)}")


def test_the_ends_of_what_can_be_asked(server: Server, page_factory: PageFactory) -> None:
    """d² = 1 at the very edge, or beyond it, is not cut; a million d² are not digits that mean nothing."""
    page = open_curves(page_factory(390, 844), server.url, "?n=1&d=1&m=1&lang=en")
    label = page.locator(".pa-chart .shape-label text")
    expect(label).to_have_text("M = d² = 1")
    inside(page, label)
    type_exact(page, "m", "1048576")
    expect(page.locator(".pa-readout-squared")).to_have_text("1.05·10⁶ d²")
    expect(label).to_have_count(0)  # beyond the left end of the axis now


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


def test_line_and_handle_in_the_chart_move_m(server: Server, page_factory: PageFactory) -> None:
    """The line is as good a handle as its label, and pulling it is no zoom."""
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    before = ranges(page)
    for up, pull in ((100, -150), (0, 200)):
        box = page.locator(".pa-handle").bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + 10
        page.mouse.move(x, y - up)
        page.mouse.down()
        page.mouse.move(x + pull, y - up, steps=10)
        memory = value(page, "m")
        assert (memory < 1500) == (pull < 0)
        says_counts(page, Texts("en"), 4096, 64, memory)
        page.mouse.up()
        expect(page).to_have_url(re.compile(rf"[?&]m={memory}&"))
    at_rest(page)
    assert ranges(page) == pytest.approx(before)


def test_zoom_is_kept_while_n_moves_and_a_preset_begins_anew(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1024&d=64&m=4096&lang=en")
    whole = ranges(page)
    points = "document.querySelector('.pa-chart').data.find((trace) => trace.meta.algorithm === 'flash2').x.length"
    before = page.evaluate(points)
    zoomed = zoom_in(page)
    page.wait_for_function(f"{points} > {before + 100}")  # finer where one looks
    at_rest(page)
    watch_frames(page)
    redraws = page.evaluate("__pa_curves.redraws.length")
    box = slider(page, "n").bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.29 * box["width"], y)
    page.mouse.down()
    for step in range(1, 4):  # each move is answered before the next one
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
    link = page.locator(".pa-preset").nth(1)
    href = parse_qs((link.get_attribute("href") or "").removeprefix("?"))
    assert (href["n"], href["d"], href["m"]) == (["8192"], ["128"], ["16384"])
    link.click()
    expect(page).to_have_url(re.compile(r"[?&]n=8192&d=128&m=16384&"))
    at_rest(page)
    says_counts(page, Texts("en"), 8192, 128, 16384)
    assert ranges(page)[:2] == pytest.approx(whole[:2])
    expect(page.get_by_role("button", name="Undo zoom")).to_be_hidden()


def test_keyboard_moves_d(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1024&d=64&m=4096&lang=en")
    slider(page, "d").focus()
    for key in ("ArrowRight", "PageUp", "End"):
        before = value(page, "d")
        page.keyboard.press(key)
        d = value(page, "d")
        assert d > before
        expect(page).to_have_url(re.compile(rf"[?&]d={d}&"))
        at_rest(page)
        says_counts(page, Texts("en"), 1024, d, 4096)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_typed_numbers_are_exact_or_answered(server: Server, page_factory: PageFactory, lang: str) -> None:
    """An M between the grid's; what cannot be is told beside its control, and nothing is lost."""
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?n=1000&d=59&m=203&lang={lang}")
    type_exact(page, "m", "4 099")
    expect(page).to_have_url(re.compile(r"[?&]m=4099&"))
    at_rest(page)
    says_counts(page, t, 1000, 59, 4099)
    before = page.url
    for name, typed, code, kept in (("n", "0", "range", 1000), ("m", "1e30", "whole_number", 4099)):
        type_exact(page, name, typed)
        problem = control(page, name).get_by_role("alert")
        expect(problem).to_contain_text(typed)
        expect(problem).to_contain_text(grouped(kept))
        for part in [word for word in re.split(r"\{\w+\}", t(f"problem.{code}")) if len(word) > 3]:
            expect(problem).to_contain_text(part.strip())
        assert "\\" not in problem.inner_text()
        at_rest(page)
        assert value(page, name) == kept
        assert page.url == before
    says_counts(page, t, 1000, 59, 4099)
    no_exception(page)
    type_exact(page, "n", "1001")
    expect(control(page, "m").get_by_role("alert")).to_be_hidden()


def test_a_bad_link_is_told_above(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=0&m=x&a=zzz&foo=1&mask=holes&h=0&lang=en")
    alert = page.locator(".stAlert").first
    for part in ("Sequence length n", "Fast memory M", "Algorithms", "foo", "Mask", "Heads"):
        expect(alert).to_contain_text(part)
    says_counts(page, Texts("en"), 4096, 64, 4096)
    page.goto(f"{server.url}/curves?a=flash1,flash2&form=weights&h=3&mask=causal&n=65536&lang=en")
    for part in ("flash1 cannot solve", "one head", "n goes up to"):
        expect(alert).to_contain_text(part)
    expect(page).to_have_url(re.compile(r"[?&]a=flash2&form=weights&h=1&.*mask=none&"))
    no_exception(page)


def test_does_not_fit_says_the_least_m(server: Server, page_factory: PageFactory) -> None:
    t = Texts("es")
    page = open_curves(page_factory(), server.url, "?n=256&d=64&m=385&lang=es")
    says_counts(page, t, 256, 64, 385)
    expect(row(page, "flash2").locator(".pa-words")).to_contain_text("386")
    verdict = t("curves.verdict.alone", name=t("curves.short.small-cache"))
    expect(page.locator(".pa-verdict")).to_have_text(verdict[0].upper() + verdict[1:])


def test_more_opens_in_sight_and_the_address_knows_its_choices(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    page.get_by_role("button", name="More").click()
    expect(page.locator(".pa-more .pa-kind")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="More")).to_be_in_viewport(ratio=1)
    page.get_by_role("checkbox", name="FlashAttention-2").uncheck()
    expect(row(page, "flash2")).to_have_count(0)
    expect(page.get_by_role("checkbox", name="Algorithm 6 (small cache)")).to_be_disabled()  # the last one stays
    expect(page).to_have_url(re.compile(r"[?&]a=small-cache&"))
    expect(note(page, "crossing")).to_have_count(0)
    page.get_by_label("Heads H").fill("12")
    page.get_by_label("Heads H").press("Enter")
    expect(page).to_have_url(re.compile(r"[?&]h=12&"))
    page.get_by_label("Mask").select_option("causal")
    expect(page).to_have_url(re.compile(r"[?&]mask=causal&"))
    page.get_by_label("Number format").select_option("float64")
    expect(page).to_have_url(re.compile(r"[?&]dtype=float64&"))
    at_rest(page)
    masked = count("small-cache", n=4096, d=64, memory=4096, heads=12, mask=masks.causal(4096, 4096), dtype="float64")
    expect(row(page, "small-cache").locator(".pa-words")).to_have_text(f"{grouped(masked.io or 0)} words")
    expect(row(page, "small-cache").locator(".pa-row-more")).to_contain_text(f"{rounded((masked.bytes or 0) / 1e9)}")
    expect(page.locator(".pa-plot-title")).to_contain_text("H\u00a0=\u00a012 · causal")
    page.get_by_label("Problem").select_option("forward")
    expect(page).to_have_url(re.compile(r"[?&]a=forward-flash(,|%2C)forward-small-cache&form=forward&"))
    at_rest(page)
    model = PRESETS["gemma-7b-self-attention"]
    page.get_by_label("Sizes of a model").select_option(model.id)
    expect(page).to_have_url(re.compile(rf"n={model.n}&d={model.d}&m={model.d**2}&.*h={model.heads}&dtype=float16&"))
    page.keyboard.press("Escape")
    expect(page.locator(".pa-more")).to_be_hidden()
    at_rest(page)
    words = row(page, "forward-flash").locator(".pa-words").inner_text()
    again = open_curves(page_factory(), server.url, page.url[page.url.index("?") :])
    expect(row(again, "forward-flash").locator(".pa-words")).to_have_text(words)


def test_every_plot_is_drawn_and_has_its_numbers(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    counts = count("small-cache", n=4096, d=64, memory=4096)
    assert counts.io is not None
    assert counts.multiplications is not None
    assert counts.peak_slow is not None
    words = row(page, "small-cache").locator(".pa-words")
    for plot in ("multiplications", "slow", "roofline", "exponents", "winners"):
        page.get_by_role("button", name=t(f"curves.plot.{plot}")).click()
        expect(page.locator(f"[data-plot={plot}]")).to_have_attribute("aria-pressed", "true")
        expect(page).to_have_url(re.compile(rf"[?&]plot={plot}&"))
        at_rest(page)
        no_exception(page)
        if plot == "multiplications":
            expect(words).to_have_text(f"{grouped(counts.multiplications)} multiplications")
        elif plot == "slow":
            expect(words).to_have_text(f"{grouped(counts.peak_slow + theory.floor(4096, 64))} words")
        elif plot == "roofline":
            flop = 2 * counts.multiplications / (2 * counts.io)
            expect(words).to_have_text(f"{three_digits(flop)} flop/byte")
            page.get_by_label("Device").select_option("nvidia-t4")
            expect(note(page, "line ridge")).to_contain_text("NVIDIA T4")
            expect(page).to_have_url(re.compile(r"[?&]device=nvidia-t4&"))
        elif plot == "exponents":
            cells = page.locator(".pa-exponents").first.locator("tr").filter(has_text="FlashAttention-2").locator("td")
            found = fits.fit("flash2", "flash").exponents
            expect(cells).to_have_text([f"{value:.3f}".replace("-", "\u2212") for value in found])
            expect(slider(page, "n")).to_be_disabled()
            expect(page.locator(".pa-handle")).to_be_hidden()
        else:
            expect(page.locator(".pa-chart .barlayer .point").first).to_be_attached()
            for letter in "FS":
                expect(page.locator(".pa-letter").get_by_text(letter, exact=True)).to_be_visible()
            says_counts(page, t, 4096, 64, 4096)


def test_csv_is_the_sweep(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=1000&d=59&m=203&lang=en")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=Texts("en")("curves.csv.help")).click()
    assert waiting.value.suggested_filename == "io-qkv-n1000-d59.csv"
    with waiting.value.path().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    memory = [int(line["memory"]) for line in rows if line["algorithm"] == "flash2"]
    assert 203 in memory
    frame = sweep(list(BOTH), n=1000, d=59, memory=memory, form="qkv")
    assert len(rows) == len(frame)
    for line, (_, right) in zip(rows, frame.iterrows(), strict=True):
        assert line == {name: "" if entry is None else str(entry) for name, entry in right.items()}


def test_pictures_carry_title_m_source_and_type(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=1111&plot=io&lang=en")
    for plot in ("io", "winners", "exponents"):
        page.locator(f"[data-plot={plot}]").click()
        expect(page).to_have_url(re.compile(rf"[?&]plot={plot}&"))
        at_rest(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Save the chart as SVG").click()
        text = waiting.value.path().read_text(encoding="utf-8")
        assert text.startswith("<svg")
        parts = [t(f"curves.axis.{plot}"), t("curves.source"), "@font-face", "FlashAttention-2"]
        for words in [*parts, *([] if plot == "exponents" else [f"M = {grouped(1111)}", t("curves.axis.memory")])]:
            assert words in text, (plot, words)
        assert plot == "exponents" or text.count(f"M = {grouped(1111)}") == 2, "at the line, and before the numbers"
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the chart as PNG").click()
    assert waiting.value.path().read_bytes().startswith(b"\x89PNG")


def test_on_paper_the_curves_keep_their_colours_and_m_its_label(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(theme="dark"), server.url, "?n=4096&d=64&m=1111&plot=io&lang=en")
    page.emulate_media(media="print", color_scheme="dark")
    for name in BOTH:
        wished = TOKENS["algorithms"][name]["colour"]["light"]
        rgb = "rgb({}, {}, {})".format(*bytes.fromhex(wished[1:]))
        expect(page.locator(f".pa-chart .js-line[style*='stroke: {rgb}']").first).to_be_visible()
    expect(page.locator(".pa-handle")).to_be_visible()
    expect(page.locator(".pa-handle")).to_have_text(f"M = {grouped(1111)}")


def test_theme_switch_recolours_without_the_server(server: Server, page_factory: PageFactory) -> None:
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=en")
    tick = page.locator(".pa-chart .xtick text").first
    light = tick.evaluate("(node) => getComputedStyle(node).fill")
    page.emulate_media(color_scheme="dark")
    expect(tick).not_to_have_css("fill", light)
    expect(tick).to_have_css("fill", "rgb(165, 162, 155)")
    says_counts(page, Texts("en"), 4096, 64, 4096)


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


@pytest.mark.parametrize(
    ("lang", "size", "theme"), [("en", "desk", "light"), ("es", "desk", "dark"), ("es", "phone", "light")]
)
def test_looks(server: Server, page_factory: PageFactory, lang: str, size: str, theme: str) -> None:
    """Names on the lines where there is room, else a legend beneath; nothing sideways; readout in first view."""
    page = open_curves(page_factory(*SIZES[size], theme=theme), server.url, f"?n=4096&d=64&m=1024&lang={lang}")
    narrow = size == "phone"
    expect(page.locator(".pa-legend")).to_be_visible(visible=narrow)
    expect(note(page, "line flash2")).to_have_count(0 if narrow else 1)
    assert Texts(lang)("curves.theta") in page.locator(".pa-legend" if narrow else ".pa-notes").inner_text()
    for name in "ndm":
        expect(exact(page, name)).to_be_visible()
    if not narrow:
        expect(page.locator(".pa-handle")).to_be_in_viewport(ratio=1)
        expect(page.locator(".pa-verdict")).to_be_in_viewport(ratio=1)
    no_sideways_scroll(page)
    shot(page, f"curves-io-{lang}-{size}-{theme}")
    for plot in ("roofline", "exponents", "winners"):
        page.locator(f"[data-plot={plot}]").click()
        expect(page).to_have_url(re.compile(rf"[?&]plot={plot}&"))
        at_rest(page)
        no_sideways_scroll(page)
        shot(page, f"curves-{plot}-{lang}-{size}-{theme}")
