"""The charts over M: curves, lower bounds, the theorem's shape, where two curves cross, where one does not fit."""

from collections.abc import Callable
from math import log10
from typing import Any

import plotly.graph_objects as go

from kernels_ref import theory
from pages.shared.chart import axis, colour, layout
from pages.shared.curve_data import Curves, mask_of
from pages.shared.curve_models import RIDGED, ridge
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.theme import TOKENS

HEIGHT = 460
MARGIN = {"l": 54, "r": 34, "t": 34, "b": 58}
NAMED = 3  # so many curves carry their names; more are named beside the chart


def figure(data: Curves, t: Texts) -> go.Figure:
    """The chart of `data`, every curve from its frame. Colours are design tokens, resolved in the browser."""
    low, high = log10(data.memory[0]), log10(data.memory[-1])
    plot = data.settings.plot
    over_io = plot == "io"
    across = axis(t("curves.axis.memory"), type="log", range=[low, high], showgrid=False)
    across |= {"spikethickness": 1, "spikecolor": colour("muted"), "spikedash": "solid"}
    return go.Figure(
        data=[
            *([_floor(data, t), _bound(data, t), *_theta(data, t)] if over_io else []),
            *(_ridge(data, t) if plot == "roofline" else []),
            *(_curve(data, name, t) for name in data.settings.algorithms),
            *(_crossing_ring(data, t) if over_io else []),
        ],
        layout=layout(
            height=HEIGHT,
            margin=MARGIN,
            xaxis=across | {"unifiedhovertitle": {"text": "M = %{x:,d}"}},
            yaxis=axis("", type="log", range=_range(data)),
            shapes=[*_unfit_band(data), _squared_line(data, t)],
            annotations=[
                *_unfit_words(data, t),
                *(_crossing_words(data, t) if over_io else []),
                *_line_names(data, t),
            ],
            meta={"kind": "curves"},
        ),
    )


def _range(data: Curves) -> list[float]:
    """Of the upward axis, as powers of ten; at least a decade and a half, or flat lines would look steep."""
    values = [float(value) for words in data.words.values() for value in words.values()]
    if data.settings.plot == "io":
        low, high = log10(data.floor), log10(max([4.0 * data.floor, *values]))
        return [low - max(0.34, 0.07 * (high - low)), high + 0.16]  # below the floor there is room for its name
    if data.settings.plot == "roofline":
        values.append(ridge(RIDGED[data.settings.device]))
    low, high = log10(min(values, default=1)), log10(max(values, default=10))
    spare = max(0.0, 1.5 - (high - low)) / 2
    return [low - spare - 0.12, high + spare + 0.16]


def _curve(data: Curves, algorithm: str, t: Texts) -> dict[str, Any]:
    words = data.words[algorithm]
    name = t(f"algorithm.{algorithm}")
    hover = {"io": "curves.hover", "slow": "curves.hover"}.get(data.settings.plot, f"curves.hover.{data.settings.plot}")
    return {
        "type": "scatter",
        "x": list(words),
        "y": [float(value) for value in words.values()],
        "customdata": [grouped(value) if isinstance(value, int) else rounded(value) for value in words.values()],
        "name": name,
        "meta": {"role": "count", "algorithm": algorithm},
        "mode": "lines",
        "line": {"color": colour(algorithm), "width": 2.5, "dash": TOKENS["algorithms"][algorithm]["dash"]},
        "hovertemplate": t(hover) + f"<extra>{name}</extra>",
    }


def _floor(data: Curves, t: Texts) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [data.memory[0], data.memory[-1]],
        "y": [float(data.floor)] * 2,
        "name": t("curves.floor"),
        "meta": {"role": "floor"},
        "mode": "lines",
        "line": {"color": colour("muted"), "width": 1.25},
        "hoverinfo": "skip",
    }


def _bound(data: Curves, t: Texts) -> dict[str, Any]:
    """The best lower bound with constants, where it says more than inputs + outputs, down to where it meets them."""
    above = [memory for memory in data.memory if data.bound[memory] > data.floor]
    shown = data.memory[: len(above) + 1] if above else ()
    return {
        "type": "scatter",
        "x": list(shown),
        "y": [float(data.bound[memory]) for memory in shown],
        "customdata": [grouped(data.bound[memory]) for memory in shown],
        "name": t("curves.bound"),
        "meta": {"role": "bound"},
        "mode": "lines",
        "line": {"color": colour("muted"), "width": 1.75},
        "hovertemplate": t("curves.hover") + f"<extra>{t('curves.bound')}</extra>",
    }


def _ridge(data: Curves, t: Texts) -> list[dict[str, Any]]:
    device = RIDGED[data.settings.device]
    return [
        {
            "type": "scatter",
            "x": [data.memory[0], data.memory[-1]],
            "y": [ridge(device)] * 2,
            "name": t("curves.ridge"),
            "meta": {"role": "ridge"},
            "mode": "lines",
            "line": {"color": colour("ink"), "width": 1.25},
            "hoverinfo": "skip",
        }
    ]


def _theta(data: Curves, t: Texts) -> list[dict[str, Any]]:
    """The lower of the two arms, dashed; dotted, each arm beyond the corner. Constant 1; nothing below the floor.

    None under a mask: the theorem's sparse bound is a worst case over masks, not a shape for this one.
    """
    s = data.settings
    if mask_of(s):
        return []
    forward = s.form == "forward"
    large = theory.theta_forward_flash if forward else theory.theta_flash
    small = theory.theta_forward_small_cache if forward else theory.theta_small_cache
    both = theory.theta_forward if forward else theory.theta
    low, high = float(data.memory[0]), float(data.memory[-1])
    corner = float(theory.crossover_formula(s.d))
    # the M at which each arm comes down to the floor
    large_end = min(large(s.n, s.d, 1, s.heads) / data.floor, high)
    small_end = min((small(s.n, s.d, 1, s.heads) / data.floor) ** 2, high)
    look = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "name": t("curves.theta")}
    thin = {"color": colour("theta"), "width": 1, "dash": "dot"}
    thick = {"color": colour("theta"), "width": 1.5, "dash": TOKENS["theta"]["dash"]}
    bend = [corner] if low < corner < large_end else []
    pieces: tuple[tuple[str, Callable[..., float], dict[str, Any], list[float]], ...] = (
        ("arm", large, thin, [low, min(corner, large_end)]),
        ("arm", small, thin, [max(corner, low), small_end]),
        ("theta", both, thick, [low, *bend, min(large_end, small_end)]),
    )
    return [
        look | {"x": xs, "y": [shape(s.n, s.d, x, s.heads) for x in xs], "meta": {"role": role}, "line": line}
        for role, shape, line, xs in pieces
        if xs[0] < xs[-1]
    ]


def _unfit_band(data: Curves) -> list[dict[str, Any]]:
    least = max(data.least.values())
    if least <= data.memory[0]:
        return []
    band = {"type": "rect", "x0": data.memory[0], "x1": least, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    return [band | {"name": "unfit", "fillcolor": colour("line"), "opacity": 0.38, "line": {"width": 0}}]


def _unfit_words(data: Curves, t: Texts) -> list[dict[str, Any]]:
    if not _unfit_band(data):
        return []
    name = max(data.least, key=lambda algorithm: data.least[algorithm])
    text = t("curves.unfit", name=t(f"algorithm.{name}"), least=grouped(data.least[name]))
    return [words("unfit", text, data.memory[0], data.floor, size=12, token="muted", xshift=6, yshift=3)]


def _squared_line(data: Curves, t: Texts) -> dict[str, Any]:
    """The line at d^2. Its words belong to the shape: an annotation would be misplaced on a logarithmic axis."""
    squared = theory.crossover_formula(data.settings.d)
    low, high = data.memory[0], data.memory[-1]
    share = (log10(squared) - log10(low)) / (log10(high) - log10(low))
    label = {
        "text": t("curves.squared", squared=grouped(squared)) if 0 <= share <= 1 else "",
        "textposition": "end",
        "textangle": 0,
        "xanchor": "left" if share < 0.08 else "right" if share > 0.92 else "center",
        "yanchor": "bottom",
        "padding": 3,
        "font": {"size": 13, "color": colour("ink")},
    }
    line = {"color": colour("ink"), "width": 1, "dash": "dot"}
    place = {"x0": squared, "x1": squared, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    return {"name": "squared", "type": "line", "line": line, "label": label} | place


def _crossing_ring(data: Curves, t: Texts) -> list[dict[str, Any]]:
    if data.crossing is None:
        return []
    ring = {"size": 11, "symbol": "circle-open", "color": colour("ink"), "line": {"width": 2}}
    return [
        {
            "type": "scatter",
            "x": [data.crossing],
            "y": [float(data.io[data.first][data.crossing])],
            "mode": "markers",
            "meta": {"role": "crossing"},
            "name": t("curves.crossing"),
            "marker": ring,
            "hoverinfo": "skip",
        }
    ]


def _crossing_words(data: Curves, t: Texts) -> list[dict[str, Any]]:
    if data.crossing is None:
        return []
    ratio = rounded(data.crossing / data.settings.d**2)
    text = t("curves.crossing.mark", memory=grouped(data.crossing), ratio=ratio)
    mark = words("crossing", text, data.crossing, data.io[data.first][data.crossing])
    arrow = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": colour("muted"), "standoff": 7}
    return [mark | arrow | {"ax": 56, "ay": -52, "yanchor": "middle"}]


def _line_names(data: Curves, t: Texts) -> list[dict[str, Any]]:
    """Names on the lines themselves, for wide screens; narrow ones have the legend beneath."""
    s, first, last = data.settings, data.memory[0], data.memory[-1]
    notes = []
    for place, (name, values) in enumerate(data.words.items()):
        if values and len(data.words) <= NAMED:
            left = place % 2 == 0
            at = min(values) if left else max(values)
            label = t(f"algorithm.{name}")
            notes.append(words(f"line {name}", label, at, values[at], xanchor="left" if left else "right", yshift=3))
    quiet: dict[str, Any] = {"size": 12, "token": "muted"}
    low = {"xanchor": "right", "yanchor": "top", "xshift": -2}
    if s.plot == "io":
        if not mask_of(s):
            notes.append(words("line theta", t("curves.theta"), first, data.floor, **quiet, xshift=8, yshift=4))
        notes.append(words("line bound", t("curves.bound"), first, data.floor, **quiet, xshift=8, yshift=4))
        notes.append(words("line floor", t("curves.floor"), last, data.floor, **quiet) | low)
    if s.plot == "roofline":
        device = RIDGED[s.device]
        text = t("curves.ridge.mark", device=device.name, ridge=rounded(ridge(device)))
        notes.append(words("line ridge", text, first, ridge(device), size=12) | {"xshift": 8, "yshift": 3})
    return notes


def words(name: str, text: str, x: float, y: float, size: int = 13, token: str = "ink", **more: Any) -> dict[str, Any]:
    """An annotation at data (x, y); plotly wants the logarithms of both on these axes."""
    look = {"showarrow": False, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    font = {"size": size, "color": colour(token)}
    return {"name": name, "text": text, "x": log10(x), "y": log10(y), "font": font} | look | more
