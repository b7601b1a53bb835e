"""What travels to the browser, the file, the prose and the vendored library."""

import io
import itertools
import json
import math
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pytest
from plotly.offline import get_plotlyjs_version

from kernels_ref import count, sweep
from pages.shared import chart, curve_data
from pages.shared import curves as page
from pages.shared.fields import validate
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.settings import CURVES, CurveSettings
from pages.shared.url_state import decode

POINTS = [(4096, 64, 4096), (1000, 59, 203), (8, 512, 4096), (1, 1, 1), (2**20, 1024, 2**40)]


def strict(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(("n", "d", "memory"), POINTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_payload_is_strict_json_and_small(n: int, d: int, memory: int, lang: str) -> None:
    """NaN or Infinity would end the component without a word."""
    figure, state = page.payload(CurveSettings(n, d, memory), lang)
    assert strict(figure)["data"]
    assert strict(state)["lang"] == lang
    assert len(figure) + len(state) < 120_000


@pytest.mark.parametrize(("n", "d", "memory"), POINTS)
def test_table_holds_exact_digits(n: int, d: int, memory: int) -> None:
    """Words as text: totals pass 2^53, where the browser's numbers end."""
    _, text = page.payload(CurveSettings(n, d, memory), "en")
    state = strict(text)
    at = state["table"]["memory"].index(memory)
    for algorithm in state["algorithms"]:
        exact = count(algorithm["id"], n=n, d=d, memory=memory)
        assert state["table"]["values"][algorithm["id"]][at] == (None if exact.io is None else str(exact.io))
        assert algorithm["least"] == exact.least_memory
    assert int(state["facts"]["floor"]) == 7 * n * d + 2 * n


def test_presets_are_links_to_this_page() -> None:
    _, text = page.payload(CurveSettings(algorithms=("small-cache", "flash2")), "es")
    for preset in strict(text)["presets"]:
        query = parse_qs(preset["href"].removeprefix("?"))
        settings, problems = decode(query, CURVES)
        assert not problems
        assert (settings.n, settings.d, settings.memory) == (preset["n"], preset["d"], preset["d"] ** 2)
        assert settings.algorithms == ("small-cache", "flash2")
        assert query["lang"] == ["es"]


def test_file_is_the_sweep() -> None:
    settings = CurveSettings(1000, 59, 203)
    frame = pd.read_csv(io.StringIO(page.csv(settings)), dtype=object, keep_default_na=False)
    right = sweep(["flash2", "small-cache"], n=1000, d=59, memory=curve_data.curves(settings).memory)
    assert list(frame.columns) == list(right.columns)
    for column in right.columns:
        assert list(frame[column]) == ["" if value is None else str(value) for value in right[column]]


@pytest.mark.parametrize("name", ["n", "d"])
def test_slider_stops_are_allowed_values(name: str) -> None:
    stops = page.STOPS[name]
    assert stops == sorted(set(stops))
    assert all(not validate(CURVES, {name: stop}, CurveSettings())[1] for stop in stops)
    assert max(b / a for a, b in itertools.pairwise(stops)) <= 1.25


@pytest.mark.parametrize(
    ("asked", "view"),
    [
        ([100.4, 5000.2], (100, 5001)),
        ([0.2, 9], (1, 9)),
        ([5, 5], None),
        (["a", 3], None),
        ([9, 2], None),
        (None, None),
        ([1], None),
    ],
)
def test_view_is_whole_words_or_nothing(asked: object, view: curve_data.View | None) -> None:
    assert page.view_of(asked) == view


def test_view_survives_any_number() -> None:
    assert page.view_of([float("nan"), float("inf")]) is None


def test_plain_undoes_the_escapes_of_markdown() -> None:
    _, problems = validate(CURVES, {"n": "1e30*$~"}, CurveSettings())
    assert "“1e30*$~”" in page.plain(problems[0].sentence(Texts("en")))


@pytest.mark.parametrize(("n", "d", "memory"), [(4096, 64, 4096), (1000, 59, 421), (113, 8, 50), (7, 3, 10**6)])
def test_formulas_of_the_prose_are_the_counts(n: int, d: int, memory: int) -> None:
    """curves_reading.md prints these two formulas."""
    keys = min(n, (memory - 2 * d) // (4 * d + 2))
    assert count("flash2", n=n, d=d, memory=memory).io == 3 * n * d + math.ceil(n / keys) * (4 * n * d + 2 * n)
    side = math.isqrt(memory // 3)
    blocks_d, blocks_n = math.ceil(d / side), math.ceil(n / side)
    words = 3 * n * n * blocks_d + (7 * n * d + 2 * n) * blocks_n + 3 * n * n + 3 * n * d
    assert count("small-cache", n=n, d=d, memory=memory).io == words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_prose_prints_the_tested_formulas(lang: str) -> None:
    prose = Texts(lang).prose("curves_reading")
    for formula in (
        r"3nd + \left\lceil \frac{n}{B_c} \right\rceil (4nd + 2n)",
        r"B_c = \min\left(n, \left\lfloor \frac{M - 2d}{4d + 2} \right\rfloor\right)",
        r"3n^2 \left\lceil \frac{d}{B} \right\rceil + (7nd + 2n) \left\lceil \frac{n}{B} \right\rceil + 3n^2 + 3nd",
        r"B = \left\lfloor \sqrt{M/3} \right\rfloor",
    ):
        assert formula in prose


def test_vendored_library_is_the_one_that_plotly_py_speaks() -> None:
    installed = get_plotlyjs_version().split(".")[:2]
    assert chart.PLOTLY.name.removeprefix("plotly-basic-").split(".")[:2] == installed
    assert f"v{'.'.join(installed)}" in chart.PLOTLY.read_text(encoding="utf-8")[:200]
    assert chart.PLOTLY.with_name(chart.PLOTLY.name.replace(".min.js", ".LICENSE.txt")).is_file()
