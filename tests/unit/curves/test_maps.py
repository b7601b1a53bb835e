"""Exponents and winners: what is drawn is what was fitted and counted, and no letter or pattern is used twice."""

import csv
import io
from math import log2

import pytest

from kernels_ref import ALGORITHMS, fits, winner_map
from pages.shared import curve_maps as maps
from pages.shared.chart import colour
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.settings import CURVE_FORMS, CurveSettings

EN = Texts("en")
ALL = tuple(name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms)


@pytest.mark.parametrize(
    ("algorithms", "form", "mask"),
    [
        (("flash2", "small-cache"), "qkv", "none"),
        (ALL, "qkv", "none"),
        (("small-cache", "flash2"), "weights", "none"),
        (("forward-flash", "forward-small-cache"), "forward", "causal"),
    ],
)
def test_winners_are_those_of_the_sweep(algorithms: tuple[str, ...], form: str, mask: str) -> None:
    settings = CurveSettings(n=600, algorithms=algorithms, form=form, mask=mask, plot="winners")
    data = maps.map_of(settings)
    widths, memory = data.widths[::6], list(data.memory[::5])
    right = winner_map(600, widths, memory, algorithms, form=form, mask=None if mask == "none" else mask)
    for _, line in right.iterrows():
        at = data.memory.index(line["memory"])
        assert data.winner[line["d"]][at] == line["winner"]
        counted = [data.words[name, line["d"]][at] for name in algorithms]
        assert min((words for words in counted if words is not None), default=None) == line["io"]


def test_bars_cover_each_row_once_and_follow_the_winners() -> None:
    settings = CurveSettings(plot="winners", algorithms=ALL)
    data, figure = maps.map_of(settings), maps.winners_figure(settings, EN)
    bars = [trace for trace in figure.data if trace.meta["role"] == "winner"]
    assert [bar.meta["algorithm"] for bar in bars] == list(ALL)
    for d in data.widths:
        stretches = sorted(
            (base, base + length, bar.meta["algorithm"])
            for bar in bars
            for y, base, length in zip(bar.y, bar.base, bar.x, strict=True)
            if y == log2(d)
        )
        for at, memory in enumerate(data.memory):
            here = [who for low, high, who in stretches if low * (1 + 1e-9) < memory < high * (1 - 1e-9)]
            inner = 0 < at < len(data.memory) - 1
            assert not inner or here == ([data.winner[d][at]] if data.winner[d][at] else [])
    (line,) = [trace for trace in figure.data if trace.meta["role"] == "squared"]
    assert [(x, round(2**y)) for x, y in zip(line.x, line.y, strict=True)] == [(d * d, d) for d in data.widths]


def test_parts_of_the_map_differ_without_colour() -> None:
    figure = maps.winners_figure(CurveSettings(plot="winners", algorithms=ALL), EN)
    bars = [trace for trace in figure.data if trace.meta["role"] == "winner"]
    assert len({bar.marker.color for bar in bars}) == len(bars)
    for form in CURVE_FORMS:
        letters = [maps.letter(name) for name, entry in ALGORITHMS.items() if form in entry.forms]
        assert len(set(letters)) == len(letters)
    marks = {note.name for note in figure.layout.annotations if note.name.startswith("letter ")}
    assert marks == {f"letter {bar.meta['algorithm']}" for bar in bars if bar.x}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_exponents_are_the_fits(lang: str) -> None:
    settings = CurveSettings(plot="exponents")
    figure = maps.exponents_figure(settings, Texts(lang))
    marks = {
        (trace.meta["algorithm"], trace.meta["regime"], trace.meta["variable"]): trace.x[0]
        for trace in figure.data
        if trace.meta["role"] == "exponent"
    }
    for name in (*settings.algorithms, fits.ENVELOPE):
        for regime in fits.REGIMES:
            fit = fits.fit_envelope(regime, settings.algorithms) if name == fits.ENVELOPE else fits.fit(name, regime)
            for variable, found in zip(("n", "d", "memory"), fit.exponents, strict=True):
                assert marks[name, regime, variable] == found
    tables = maps.exponents_table(settings, Texts(lang))
    assert [part["expected"] for part in tables] == [["2", "2", "\u22121"], ["2", "1", "\u22120.5"]]
    shown = tables[1]["rows"][1]["values"][2].replace("\u2212", "-")
    assert float(shown) == pytest.approx(fits.fit("small-cache", "small-cache").memory, abs=5e-4)


def test_best_of_several_is_drawn_in_ink_and_one_alone_has_none() -> None:
    alone = maps.exponents(CurveSettings(plot="exponents", algorithms=("flash2",)))
    assert list(alone) == ["flash2"]
    both = maps.exponents_figure(CurveSettings(plot="exponents"), EN)
    assert {t.marker.color for t in both.data if t.meta["algorithm"] == fits.ENVELOPE} == {colour("ink")}


def test_files_hold_every_number() -> None:
    winners = list(csv.DictReader(io.StringIO(maps.winners_csv(CurveSettings(plot="winners")))))
    data = maps.map_of(CurveSettings(plot="winners"))
    assert len(winners) == len(data.widths) * len(data.memory)
    assert all(line[line["winner"]] == min((line["flash2"], line["small-cache"]), key=lambda w: int(w or 10**30))
               for line in winners if line["winner"])  # fmt: skip
    exponents = list(csv.DictReader(io.StringIO(maps.exponents_csv(CurveSettings(plot="exponents")))))
    assert {(line["algorithm"], line["regime"]) for line in exponents} == {
        (name, regime) for name in ("flash2", "small-cache", fits.ENVELOPE) for regime in fits.REGIMES
    }
