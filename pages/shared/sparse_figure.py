"""The small chart of the sparse page: words against M for one mask, thin for dense, Theta dashed, the split marked."""

from math import log10
from typing import Any

from kernels_ref import theory
from pages.shared.chart import axis, colour, layout
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.sparse import Curve, Point
from pages.shared.theme import TOKENS

Line = tuple[list[int], list[int]]


def figure(at: Point, data: Curve, t: Texts) -> dict[str, Any]:
    """The chart, as plotly.js reads it: a `plotly.graph_objects.Figure` on the way would take longer than the counts.

    Colours are design tokens, resolved in the browser.
    """
    memory, words = data.bound
    most = max((max(line[1]) for line in (*data.masked.values(), *data.dense.values()) if line[1]), default=1)
    bottom, top = log10(max(1, min(words))) - 0.3, log10(most) + 0.15
    across = axis(t("sparse.axis.memory"), type="log", range=[log10(memory[0]), log10(memory[-1])], showgrid=False)
    title = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": -46, "yshift": 26, "showarrow": False}
    title |= {"xanchor": "left", "yanchor": "bottom", "text": t("sparse.axis.words"), "name": "title"}
    return {
        "data": [
            *(_line(line, name, t, dense=True) for name, line in data.dense.items()),
            _bound(data, t),
            *_theta(data, t),
            *(_line(line, name, t) for name, line in data.masked.items()),
            *_here(at),
        ],
        "layout": layout(
            template={},
            margin={"l": 46, "r": 10, "t": 46, "b": 48},
            xaxis=across | {"unifiedhovertitle": {"text": "M = %{x:,d}"}, "fixedrange": True},
            yaxis=axis("", type="log", range=[bottom, top], fixedrange=True),
            shapes=[*_split(data, t), _now(at)],
            annotations=[title | {"font": {"size": 13, "color": colour("ink")}}],
            dragmode=False,
        ),
    }


def _line(line: Line, algorithm: str, t: Texts, dense: bool = False) -> dict[str, Any]:
    name = t(f"algorithm.{algorithm}")
    if dense:
        name = t("sparse.legend.dense", name=t(f"sparse.short.{algorithm}"))
    return {
        "type": "scatter",
        "x": line[0],
        "y": [float(words) for words in line[1]],
        "customdata": [grouped(words) for words in line[1]],
        "name": name,
        "meta": {"role": "dense" if dense else "count", "algorithm": algorithm},
        "mode": "lines",
        "opacity": 0.55 if dense else 1,
        "line": {
            "color": colour(algorithm),
            "width": 1 if dense else 2.5,
            "dash": TOKENS["algorithms"][algorithm]["dash"],
        },
        "hovertemplate": t("sparse.hover") + f"<extra>{name}</extra>",
    }


def _bound(data: Curve, t: Texts) -> dict[str, Any]:
    memory, words = data.bound
    return {
        "type": "scatter",
        "x": memory,
        "y": [float(value) for value in words],
        "customdata": [grouped(value) for value in words],
        "name": t("sparse.legend.bound"),
        "meta": {"role": "bound"},
        "mode": "lines",
        "line": {"color": colour("muted"), "width": 1.25},
        "hovertemplate": t("sparse.hover") + f"<extra>{t('sparse.legend.bound')}</extra>",
    }


def _theta(data: Curve, t: Texts) -> list[dict[str, Any]]:
    """The theorem's shape with the constant 1, down to where the floor of this mask lies."""
    zeros = data.nonzeros
    if not zeros.z_qk:
        return []
    first, last = data.bound[0][0], float(data.bound[0][-1])
    flash_end = zeros.z_input**2 / data.floor
    small_end = zeros.z_input**2 * zeros.z_qk / data.floor**2
    end = min(flash_end, small_end, last)
    xs = [float(first), *([zeros.split] if first < zeros.split < end else []), end]
    if end <= first:
        return []
    return [
        {
            "type": "scatter",
            "x": xs,
            "y": [theory.theta_sparse(zeros.z_input, zeros.z_qk, x) for x in xs],
            "name": t("sparse.legend.theta"),
            "meta": {"role": "theta"},
            "mode": "lines",
            "hoverinfo": "skip",
            "line": {"color": colour("theta"), "width": 1.5, "dash": TOKENS["theta"]["dash"]},
        }
    ]


def _split(data: Curve, t: Texts) -> list[dict[str, Any]]:
    """The line where the theorem's arms meet. Its words belong to the shape: an annotation would be misplaced."""
    split, memory = data.nonzeros.split, data.bound[0]
    if not memory[0] <= split <= memory[-1]:
        return []
    share = log10(split / memory[0]) / log10(memory[-1] / memory[0])
    label = {
        "text": t("sparse.split.mark", memory=grouped(round(split))),
        "textposition": "end",
        "textangle": 0,
        "xanchor": "left" if share < 0.25 else "right" if share > 0.8 else "center",
        "yanchor": "bottom",
        "padding": 3,
        "font": {"size": 12.5, "color": colour("ink")},
    }
    place = {"x0": split, "x1": split, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    return [
        {"name": "split", "type": "line", "line": {"color": colour("ink"), "width": 1, "dash": "dot"}, "label": label}
        | place
    ]


def _now(at: Point) -> dict[str, Any]:
    memory = at.settings.memory
    place = {"x0": memory, "x1": memory, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    return {"name": "now", "type": "line", "line": {"color": colour("primary"), "width": 1.25}} | place


def _here(at: Point) -> list[dict[str, Any]]:
    """A dot on each curve at the reader's M."""
    return [
        {
            "type": "scatter",
            "x": [at.settings.memory],
            "y": [float(counts.io)],
            "mode": "markers",
            "meta": {"role": "here", "algorithm": name},
            "marker": {"size": 9, "color": colour(name), "line": {"width": 1.75, "color": colour("background")}},
            "hoverinfo": "skip",
        }
        for name, counts in at.masked.items()
        if counts.io is not None
    ]
