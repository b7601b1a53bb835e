"""Figure facts: what is drawn is what was counted."""

import itertools
import json
import re
from math import log10
from typing import Any

import plotly.graph_objects as go
import pytest

from kernels_ref import count, crossover, sweep, theory
from pages.shared import curve_data, curve_figures
from pages.shared.chart import colour
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.settings import CurveSettings
from pages.shared.theme import TOKENS

BOTH = ("flash2", "small-cache")
POINTS = [(4096, 64, 4096), (1000, 59, 203), (113, 8, 17), (8, 512, 4096), (1, 1, 1), (2**20, 1024, 2**40)]
EN = Texts("en")


def traces(figure: go.Figure, role: str, algorithm: str | None = None) -> list[Any]:
    return [t for t in figure.data if t.meta["role"] == role and t.meta.get("algorithm") == algorithm]


def shape(figure: go.Figure, name: str) -> Any:
    return next((s for s in figure.layout.shapes if s.name == name), None)


def note(figure: go.Figure, name: str) -> Any:
    return next((a for a in figure.layout.annotations if a.name == name), None)


def drawn(
    n: int, d: int, memory: int, algorithms: tuple[str, ...] = BOTH, t: Texts = EN
) -> tuple[curve_data.Curves, go.Figure]:
    data = curve_data.curves(CurveSettings(n, d, memory, algorithms))
    return data, curve_figures.figure(data, t)


@pytest.mark.parametrize(("n", "d", "memory"), POINTS)
@pytest.mark.parametrize("algorithm", BOTH)
def test_lines_are_the_sweep(n: int, d: int, memory: int, algorithm: str) -> None:
    """Both axes of each line, and the digits of its hover text, against a sweep of its own."""
    data, figure = drawn(n, d, memory)
    (line,) = traces(figure, "count", algorithm)
    frame = sweep([algorithm], n=n, d=d, memory=data.memory)
    fits = frame[frame["fits"]]
    assert list(line.x) == list(fits["memory"])
    assert list(line.y) == [float(io) for io in fits["io"]]
    assert list(line.customdata) == [grouped(io) for io in fits["io"]]


@pytest.mark.parametrize(("n", "d", "memory"), POINTS)
def test_grid_holds_every_landmark(n: int, d: int, memory: int) -> None:
    data, _ = drawn(n, d, memory)
    grid = set(data.memory)
    assert {memory, d * d} <= grid
    assert set(data.least.values()) <= grid | set(range(curve_data.LOW))
    assert set(data.changes) <= grid
    assert list(data.memory) == sorted(grid)
    assert 150 <= len(grid) <= curve_data.POINTS + 30


def test_zooming_in_adds_points_there_and_moves_no_line() -> None:
    settings = CurveSettings(4096, 64, 4096)
    rough, fine = curve_data.curves(settings), curve_data.curves(settings, (2000, 5000))
    assert set(rough.memory) < set(fine.memory)
    assert sum(2000 <= memory <= 5000 for memory in fine.memory) >= 190
    assert fine.crossing == rough.crossing


@pytest.mark.parametrize(("n", "d", "memory"), POINTS)
def test_theta_is_the_theorems_shape_and_ends_at_the_floor(n: int, d: int, memory: int) -> None:
    data, figure = drawn(n, d, memory)
    for line in traces(figure, "theta"):
        assert list(line.y) == [theory.theta(n, d, x) for x in line.x]
    for line in [*traces(figure, "theta"), *traces(figure, "arm")]:
        assert min(line.y) >= data.floor * (1 - 1e-9)
        assert line.line.dash in ("dash", "dot")
        assert "Θ" in line.name


def test_theta_has_its_corner_at_d_squared() -> None:
    _, figure = drawn(4096, 64, 4096)
    (line,) = traces(figure, "theta")
    assert line.x[1] == 64**2
    slopes = [
        (log10(y1) - log10(y0)) / (log10(x1) - log10(x0))
        for (x0, y0), (x1, y1) in itertools.pairwise(zip(line.x, line.y, strict=True))
    ]
    assert slopes == pytest.approx([-0.5, -1])


@pytest.mark.parametrize(("n", "d", "memory"), POINTS)
def test_floor_is_inputs_and_outputs(n: int, d: int, memory: int) -> None:
    data, figure = drawn(n, d, memory)
    (line,) = traces(figure, "floor")
    assert set(line.y) == {7 * n * d + 2 * n}
    assert min(min(words.values()) for words in data.words.values() if words) >= data.floor


@pytest.mark.parametrize("d", [8, 64, 512])
def test_d_squared_is_labelled_by_its_shape(d: int) -> None:
    """An annotation of add_vline is misplaced on a log axis; a label of the shape is not."""
    _, figure = drawn(4096, d, 4096)
    line = shape(figure, "squared")
    assert (line.x0, line.x1) == (d * d, d * d)
    assert line.label.text == f"M = d² = {grouped(d * d)}"
    assert line.label.textangle == 0
    low, high = figure.layout.xaxis.range
    assert low < log10(d * d) < high


@pytest.mark.parametrize("d", [8, 64, 512])
def test_band_where_flash_attention_does_not_fit(d: int) -> None:
    _, figure = drawn(4096, d, 4096)
    band = shape(figure, "unfit")
    assert band.x1 == 6 * d + 2
    assert grouped(6 * d + 2) in note(figure, "unfit").text
    assert count("flash2", n=4096, d=d, memory=band.x1).fits
    assert not count("flash2", n=4096, d=d, memory=band.x1 - 1).fits


@pytest.mark.parametrize(("n", "d"), [(4096, 64), (4096, 8), (4096, 512), (1000, 59)])
def test_ring_is_where_they_cross(n: int, d: int) -> None:
    _, figure = drawn(n, d, 4096)
    (ring,) = traces(figure, "crossing")
    (memory,) = ring.x
    assert memory == crossover("flash2", "small-cache", n=n, d=d)
    assert ring.y[0] == count("flash2", n=n, d=d, memory=memory).io
    text = note(figure, "crossing").text
    assert grouped(memory) in text
    assert f"= {rounded(memory / d**2)} d²" in text


def test_one_algorithm_alone_has_no_crossing_and_no_band_of_the_other() -> None:
    _, figure = drawn(4096, 64, 4096, ("small-cache",))
    assert not traces(figure, "crossing")
    assert not traces(figure, "count", "flash2")
    assert shape(figure, "unfit") is None
    assert note(figure, "line flash2") is None


def test_where_flash_wins_at_once_nothing_is_called_a_crossing() -> None:
    """n = d = 1: FlashAttention-2 moves no more words from its least memory on."""
    data, figure = drawn(1, 1, 8)
    assert data.crossing is None
    assert not traces(figure, "crossing")


def colours(part: Any) -> set[str]:
    if isinstance(part, dict):
        return {c for key, value in part.items() for c in (colours(value) if "color" not in key else {str(value)})}
    if isinstance(part, list | tuple):
        return {c for item in part for c in colours(item)}
    return set()


def test_every_colour_is_a_design_token() -> None:
    _, figure = drawn(4096, 64, 4096)
    known = {colour(name) for name in (*TOKENS["colours"], *TOKENS["algorithms"], "theta")}
    used = {c for c in colours(json.loads(figure.to_json())) if not c.startswith("{")}
    assert used - known == {"rgba(0,0,0,0)"}
    assert not {colour("red"), colour("blue")} & used, "red and blue belong to pebbles"


def test_languages_differ_in_words_alone() -> None:
    (_, en), (_, es) = drawn(4096, 64, 4096), drawn(4096, 64, 4096, t=Texts("es"))
    assert [list(t.y) for t in en.data] == [list(t.y) for t in es.data]
    assert note(es, "crossing").text.startswith("se cruzan")
    assert not re.search(r"[a-z]+\.[a-z]+\.", es.to_json()), "a key instead of words"
