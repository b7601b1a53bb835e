"""The two plots that are not over M alone: exponents fitted to exact counts, and who wins at which (d, M)."""

import csv as csv_module
import io
import itertools
from dataclasses import dataclass
from functools import lru_cache
from math import log2, log10, sqrt
from typing import Any

from kernels_ref import ALGORITHMS, BadInput, fits, log_spaced, masks
from kernels_ref.counts import closed_form
from pages.shared.apart import Limits, apart, once
from pages.shared.chart import axis, colour, layout
from pages.shared.curve_data import HIGH, LOW, mask_of
from pages.shared.curve_figures import HEIGHT, MARGIN, words
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.settings import CurveSettings
from pages.shared.theme import TOKENS
from pages.shared.unfinished import wanted

ENVELOPE = fits.ENVELOPE
REGIMES = tuple(fits.REGIMES)
# Exponents

SYMBOLS = {"flash": "circle", "small-cache": "diamond-open"}


@lru_cache(maxsize=128)
def fitted(algorithm: str, regime: str, form: str, among: tuple[str, ...] = ()) -> fits.Fit | None:
    """Exponents of one algorithm in a regime (`ENVELOPE`: of the best of `among`); None where too few points fit."""
    try:
        if algorithm == ENVELOPE:
            return fits.fit_envelope(regime, among, form=form)
        return fits.fit(algorithm, regime, form=form)
    except BadInput:
        return None


def exponents(settings: CurveSettings) -> dict[str, dict[str, fits.Fit | None]]:
    """By algorithm, the best of all that are shown last, and by regime."""
    rows = (*settings.algorithms, *([ENVELOPE] if len(settings.algorithms) > 1 else []))
    among = settings.algorithms
    return {
        name: {regime: fitted(name, regime, settings.form, among if name == ENVELOPE else ()) for regime in REGIMES}
        for name in rows
    }


def row_name(algorithm: str, t: Texts) -> str:
    """What a row of the exponents is called."""
    return t("curves.exponents.best") if algorithm == ENVELOPE else t(f"algorithm.{algorithm}")


def exponents_figure(settings: CurveSettings, t: Texts) -> dict[str, Any]:
    """Three panels, one an exponent (of n, d, M); a row an algorithm; a mark a regime; lines where the theorem is."""
    rows = exponents(settings)
    names = list(rows)
    traces, shapes, notes = [], [], []
    panels = {"n": (0.0, 0.27, [1.5, 2.5]), "d": (0.365, 0.635, [-0.3, 2.5]), "memory": (0.73, 1.0, [-1.4, 0.3])}
    axes: dict[str, Any] = {}
    for number, (variable, (left, right, span)) in enumerate(panels.items(), 1):
        suffix = "" if number == 1 else str(number)
        expected = [fits.REGIMES[regime].exponents[number - 1] for regime in REGIMES]
        axes[f"xaxis{suffix}"] = axis(t(f"curves.exponents.{variable}"), showgrid=False, fixedrange=True) | {
            "domain": [left, right],
            "range": span,
            "tickvals": sorted(set(expected)),
            "ticktext": [_short(value) for value in sorted(set(expected))],
            "anchor": "y",
        }
        for regime, value in zip(REGIMES, expected, strict=True):
            shapes.append(
                {
                    "type": "line", "xref": f"x{suffix}", "yref": "paper", "x0": value, "x1": value, "y0": 0, "y1": 1,
                    "layer": "below", "name": f"theorem {regime} {variable}",
                    "line": {"color": colour("theta"), "width": 1.25, "dash": TOKENS["theta"]["dash"]},
                }
            )  # fmt: skip
            for place, name in enumerate(names):
                fit = rows[name][regime]
                if fit is None:
                    continue
                found = fit.exponents[number - 1]
                token = "ink" if name == ENVELOPE else name
                traces.append(
                    {
                        "type": "scatter", "x": [found], "y": [-place - (0.12 if regime == "small-cache" else -0.12)],
                        "xaxis": f"x{suffix}", "mode": "markers", "name": row_name(name, t),
                        "meta": {"role": "exponent", "algorithm": name, "regime": regime, "variable": variable},
                        "marker": {
                            "symbol": SYMBOLS[regime], "size": 10, "color": colour(token),
                            "line": {"width": 2 if regime == "small-cache" else 0, "color": colour(token)},
                        },
                        "hovertemplate": f"{row_name(name, t)}<br>{t(f'curves.regime.{regime}')}<br>"
                        + f"<b>{_fixed(found)}</b><extra></extra>",
                    }
                )  # fmt: skip
    for place, name in enumerate(names):
        note = {"name": f"row {name}", "text": row_name(name, t), "xref": "paper", "x": 0, "y": -place + 0.3}
        look = {"showarrow": False, "xanchor": "left", "yanchor": "bottom", "align": "left"}
        notes.append(note | look | {"font": {"size": 13, "color": colour("ink")}, "bgcolor": colour("background")})
    upward = axis("", range=[0.4 - len(names), 0.9], showgrid=False, fixedrange=True)
    upward |= {"tickvals": [], "showline": False}
    look = layout(
        height=HEIGHT, margin=MARGIN | {"l": 16, "r": 16, "t": 12}, yaxis=upward, shapes=shapes, annotations=notes,
        meta={"kind": "exponents"}, hovermode="closest", **axes,
    )  # fmt: skip
    return {"data": traces, "layout": look}


def exponents_table(settings: CurveSettings, t: Texts) -> list[dict[str, Any]]:
    """What the figure shows as text: a part a regime, its theorem's exponents, a row an algorithm."""
    rows = exponents(settings)
    return [
        {
            "title": t(f"curves.regime.{regime}"),
            "grid": t(f"curves.regime.{regime}.grid"),
            "expected": [_short(value) for value in fits.REGIMES[regime].exponents],
            "rows": [
                {
                    "id": name,
                    "name": row_name(name, t),
                    "values": ["\u2013"] * 3 if fit is None else [_fixed(value) for value in fit.exponents],
                }
                for name, fit in ((name, found[regime]) for name, found in rows.items())
            ],
        }
        for regime in REGIMES
    ]


def exponents_csv(settings: CurveSettings) -> str:
    """A row an algorithm and regime."""
    head = ["algorithm", "form", "regime", "n", "d", "memory", "constant", "points", "residual"]
    head += ["theorem_n", "theorem_d", "theorem_memory"]
    rows: list[list[object]] = []
    for name, regimes in exponents(settings).items():
        for regime, fit in regimes.items():
            if fit is not None:
                found = [*fit.exponents, fit.constant, fit.points, fit.residual, *fit.expected]
                rows.append([name, settings.form, regime, *found])
    return _csv(head, rows)


# Winners

WIDTHS = sorted({8 * 2**power * quarter // 4 for power in range(6) for quarter in (4, 5, 6, 7)} | {512})
MEMORIES, FEWER, MASKED = 97, 37, 21  # columns; fewer where each takes long


@dataclass(frozen=True)
class Winners:
    """Who moves the fewest words at every (d, M): `winner[d]` runs along `memory`, None where none fits."""

    widths: tuple[int, ...]
    memory: tuple[int, ...]
    words: dict[tuple[str, int], tuple[int | None, ...]]
    winner: dict[int, tuple[str | None, ...]]


# Under a mask every word is counted, row by row: from so many rows and algorithms on it takes up to six seconds.
HEAVY = 2**13
COUNT_LIMITS = Limits(seconds=120, memory=2 << 30)


def winners(n: int, algorithms: tuple[str, ...], form: str, mask: str | None) -> Winners:
    """The map for n rows. Ties go to the algorithm named first. Heads multiply all of it and change no winner."""
    heavy = mask is not None and n * len(algorithms) > HEAVY
    return (_counted_apart if heavy else _counted)(n, algorithms, form, mask)


@once(32, wanted)
def _counted_apart(n: int, algorithms: tuple[str, ...], form: str, mask: str | None) -> Winners:
    asked = {"n": n, "algorithms": algorithms, "form": form, "mask": mask}
    found: Winners = apart(f"{__name__}:counted", asked, COUNT_LIMITS, wanted)
    return found


def counted(n: int, algorithms: tuple[str, ...], form: str, mask: str | None) -> Winners:
    """`winners`, counted here and now."""
    columns = MASKED if mask else MEMORIES if len(algorithms) <= 4 else FEWER
    memory = log_spaced(LOW, HIGH, columns)
    widths = tuple(WIDTHS[:: 4 if mask else 1])
    kept = None if mask is None else masks.named(mask, n, n)
    words: dict[tuple[str, int], tuple[int | None, ...]] = {}
    winner: dict[int, tuple[str | None, ...]] = {}
    for d in widths:
        for name in algorithms:
            least = ALGORITHMS[name].least_memory(d, form=form)
            counted = closed_form(name, n, n, d, [m for m in memory if m >= least], form=form, mask=kept)
            values = iter(counted["loads"] + counted["stores"])
            words[name, d] = tuple(int(next(values)) if m >= least else None for m in memory)
        winner[d] = tuple(
            min(
                (name for name in algorithms if words[name, d][at] is not None),
                key=lambda name: words[name, d][at],  # type: ignore[arg-type, return-value]
                default=None,
            )
            for at in range(len(memory))
        )
    return Winners(widths, tuple(memory), words, winner)


_counted = lru_cache(maxsize=32)(counted)


def map_of(settings: CurveSettings) -> Winners:
    """The map of what the page shows."""
    return winners(settings.n, settings.algorithms, settings.form, mask_of(settings))


def runs(data: Winners, d: int) -> list[tuple[str | None, float, float, int]]:
    """A row of the map as stretches of one winner: (who, from M, to M, cells)."""
    edges = [sqrt(a * b) for a, b in itertools.pairwise(data.memory)]
    edges = [float(data.memory[0]), *edges, float(data.memory[-1])]
    found, at = [], 0
    for name, group in itertools.groupby(data.winner[d]):
        count = len(list(group))
        found.append((name, edges[at], edges[at + count], count))
        at += count
    return found


PATTERNS = ("", "/", ".", "\\", "x", "-", "+", "|", "/")


def winners_figure(settings: CurveSettings, t: Texts) -> dict[str, Any]:
    """Bars of one winner, M across and d upwards (log2), a colour, a pattern and a letter each; the line M = d^2."""
    data = map_of(settings)
    height = log2(data.widths[1] / data.widths[0])
    bars: dict[str, list[tuple[float, float, float, int, int]]] = {name: [] for name in settings.algorithms}
    for d in data.widths:
        for name, low, high, cells in runs(data, d):
            if name is not None:
                bars[name].append((log2(d), low, high, d, cells))
    traces: list[dict[str, Any]] = []
    notes = []
    for place, (name, found) in enumerate(bars.items()):
        title = t(f"algorithm.{name}")
        traces.append(
            {
                "type": "bar", "orientation": "h", "name": title, "meta": {"role": "winner", "algorithm": name},
                "y": [y for y, *_ in found], "base": [low for _, low, *_ in found],
                "x": [high - low for _, low, high, *_ in found], "width": [height * 1.02] * len(found),
                "customdata": [f"d = {d}, M: {grouped(round(low))} \u2013 {grouped(round(high))}"
                               for _, low, high, d, _ in found],
                "marker": {
                    "color": colour(name), "line": {"width": 0},
                    "pattern": {"shape": PATTERNS[place % len(PATTERNS)], "fgcolor": colour("background"),
                                "fgopacity": 0.55, "fillmode": "overlay", "size": 7, "solidity": 0.18},
                },
                "hovertemplate": f"{title}<br>%{{customdata}}<extra></extra>",
            }
        )  # fmt: skip
        if found:
            notes.append(_letter(name, found))
    line = [d for d in data.widths if data.memory[0] <= d * d <= data.memory[-1]]
    traces.append(
        {
            "type": "scatter", "mode": "lines", "x": [d * d for d in line], "y": [log2(d) for d in line],
            "name": t("curves.map.squared"), "meta": {"role": "squared"}, "hoverinfo": "skip",
            "line": {"color": colour("ink"), "width": 2.5, "dash": "dot"},
        }
    )  # fmt: skip
    low, high = log2(data.widths[0]) - height / 2, log2(data.widths[-1]) + height / 2
    ticks = [2**power for power in range(3, 10)]
    upward = axis("", range=[low, high], showgrid=False, fixedrange=True)
    upward |= {"tickvals": [log2(d) for d in ticks], "ticktext": [f"d = {d}" for d in ticks]}
    across = axis(t("curves.axis.memory"), type="log", showgrid=False)
    across |= {"range": [log10(data.memory[0]), log10(data.memory[-1])]}
    corner = words("squared", t("curves.map.squared"), line[-1] ** 2, 1) | {"y": log2(line[-1]) + height / 2}
    look = layout(
        height=HEIGHT, margin=MARGIN | {"l": 64}, xaxis=across, yaxis=upward, barmode="overlay", bargap=0,
        annotations=[*notes, corner | {"xanchor": "center", "yshift": 3}], meta={"kind": "winners"},
        hovermode="closest",
    )  # fmt: skip
    return {"data": traces, "layout": look}


def letter(algorithm: str) -> str:
    """The letter that marks an algorithm's part of the map."""
    return str(TOKENS["algorithms"][algorithm]["letter"])


def _letter(name: str, found: list[tuple[float, float, float, int, int]]) -> dict[str, Any]:
    """The algorithm's letter in the middle of its part: of its rows the one in the middle, there the longest run."""
    longest = max(cells for *_, cells in found)
    rows = sorted(row for row in found if row[4] > longest / 2)
    y, low, high, _, _ = rows[len(rows) // 2]
    mark = words(f"letter {name}", f"<b>{letter(name)}</b>", sqrt(low * high), 1, size=15) | {"y": y}
    return mark | {"xanchor": "center", "yanchor": "middle", "bgcolor": colour("background")}


def winners_csv(settings: CurveSettings) -> str:
    """A row a (d, M): the winner and every algorithm's words."""
    data = map_of(settings)
    rows: list[list[object]] = []
    for d in data.widths:
        for at, memory in enumerate(data.memory):
            counted = [data.words[name, d][at] for name in settings.algorithms]
            rows.append([settings.n, d, memory, data.winner[d][at], *counted])
    return _csv(["n", "d", "memory", "winner", *settings.algorithms], rows)


def _csv(head: list[str], rows: list[list[object]]) -> str:
    text = io.StringIO()
    writer = csv_module.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def _fixed(value: float) -> str:
    return f"{value:.3f}".replace("-", "\u2212")


def _short(value: float) -> str:
    return f"{value:g}".replace("-", "\u2212")
