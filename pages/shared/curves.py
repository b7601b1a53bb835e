"""The I/O curves: one sweep of exact counts, and the figure, the readout and the file that are made from it."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log10
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from kernels_ref import ALGORITHMS, crossover, log_spaced, swaps, sweep, theory
from pages.shared.chart import ASSETS, LIBRARY, axis, colour, layout, scripts, styles
from pages.shared.fields import validate
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.settings import ALGORITHM_IDS, CURVE_MEMORY, CURVES, CurveSettings
from pages.shared.theme import TOKENS
from pages.shared.url_state import Address, encode, sync, update

KEY = "curves_explorer"
POINTS = 200
# From 16 words (a handful of registers) to four million (the shared memory of a whole accelerator); wider where asked.
LOW, HIGH = 2**4, 2**22
FIELDS = {"n": "n", "d": "d", "m": "memory", "a": "algorithms"}
PRESETS = ((4096, 64), (8192, 128), (4096, 512))


def doublings(low: int, high: int) -> list[int]:
    """Slider stops: four a doubling, as far as they are whole numbers."""
    stops = {low * 2**power * quarter // 4 for power in range(64) for quarter in (4, 5, 6, 7)}
    return sorted(stop for stop in stops if low <= stop <= high)


STOPS = {"n": doublings(64, 2**20), "d": doublings(8, 512)}


View = tuple[int, int]


@dataclass(frozen=True)
class Curves:
    """Everything that is drawn or said for one (n, d, M): exact words, from the closed forms.

    `frame` is the sweep, and `words` its I/O by algorithm and M, where the algorithm fits; `floor` is inputs +
    outputs. `crossing` is the M from which FlashAttention-2 never again moves more words than Algorithm 6 (None where
    they do not change places, or where only one is shown), `changes` every M at which they do.
    """

    settings: CurveSettings
    frame: pd.DataFrame
    words: dict[str, dict[int, int]]
    memory: tuple[int, ...]
    floor: int
    least: dict[str, int]
    crossing: int | None
    changes: tuple[int, ...]


def curves(settings: CurveSettings, view: View | None = None) -> Curves:
    """The sweep over M and its landmarks. The grid holds M itself, d^2, the least memories and the crossings.

    `view` is the range of M that the reader has zoomed into: there the grid is as fine as it was before over all.
    """
    n, d = settings.n, settings.d
    least = {name: ALGORITHMS[name].least_memory(d) for name in settings.algorithms}
    crossing, changes = _crossing(settings, least)
    low = min(LOW, settings.memory)
    high = max(HIGH, 16 * d * d, _power_of_four(settings.memory))
    marks = {settings.memory, d * d, *least.values(), *changes}
    finer = log_spaced(*view, POINTS) if view else []
    grid = sorted({*log_spaced(low, high, POINTS), *(mark for mark in {*marks, *finer} if low <= mark <= high)})
    frame = sweep(list(settings.algorithms), n=n, d=d, memory=grid)
    words: dict[str, dict[int, int]] = {name: {} for name in settings.algorithms}
    for name, memory, io in zip(frame["algorithm"], frame["memory"], frame["io"], strict=True):
        if io is not None:
            words[name][memory] = io
    return Curves(settings, frame, words, tuple(grid), theory.floor(n, d), least, crossing, changes)


def _crossing(settings: CurveSettings, least: dict[str, int]) -> tuple[int | None, tuple[int, ...]]:
    if set(settings.algorithms) != {"flash2", "small-cache"}:
        return None, ()
    crossing = crossover("flash2", "small-cache", n=settings.n, d=settings.d)
    if crossing is None or crossing <= max(least.values()):
        return None, ()
    return crossing, tuple(swap.memory for swap in swaps("flash2", "small-cache", settings.n, settings.d)[1:])


def _power_of_four(words: int) -> int:
    return 1 << ((max(words, 1) - 1).bit_length() + 1 & ~1)


# The figure: log-log, words of fast memory across, words moved upwards


def figure(data: Curves, t: Texts) -> go.Figure:
    """The chart of `data`, every curve from its frame. Colours are design tokens, resolved in the browser."""
    low, high = log10(data.memory[0]), log10(data.memory[-1])
    most = max((max(words.values()) for words in data.words.values() if words), default=0)
    bottom, top = log10(data.floor) - 0.34, log10(max(most, 4 * data.floor)) + 0.16
    across = axis(t("curves.axis.memory"), type="log", range=[low, high], showgrid=False)
    across |= {"spikethickness": 1, "spikecolor": colour("muted"), "spikedash": "solid"}
    return go.Figure(
        data=[
            _floor(data, t),
            *_theta(data, t),
            *(_curve(data, name, t) for name in data.settings.algorithms),
            *_crossing_ring(data, t),
        ],
        layout=layout(
            height=460,
            margin={"l": 54, "r": 34, "t": 50, "b": 58},
            xaxis=across | {"unifiedhovertitle": {"text": "M = %{x:,d}"}},
            yaxis=axis("", type="log", range=[bottom, top]),
            shapes=[*_unfit_band(data), _squared_line(data, t)],
            annotations=[*_unfit_words(data, t), *_crossing_words(data, t), *_line_names(data, t)],
        ),
    )


def _curve(data: Curves, algorithm: str, t: Texts) -> dict[str, Any]:
    words = data.words[algorithm]
    name = t(f"algorithm.{algorithm}")
    return {
        "type": "scatter",
        "x": list(words),
        "y": [float(io) for io in words.values()],
        "customdata": [grouped(io) for io in words.values()],
        "name": name,
        "meta": {"role": "count", "algorithm": algorithm},
        "mode": "lines",
        "line": {"color": colour(algorithm), "width": 2.5, "dash": TOKENS["algorithms"][algorithm]["dash"]},
        "hovertemplate": t("curves.hover") + f"<extra>{name}</extra>",
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


def _theta(data: Curves, t: Texts) -> list[dict[str, Any]]:
    """The lower of the two arms, dashed; dotted, each arm beyond the corner. Constant 1; nothing below the floor."""
    n, d = data.settings.n, data.settings.d
    low, high = float(data.memory[0]), float(data.memory[-1])
    corner = float(theory.crossover_formula(d))
    # the M at which each arm comes down to the floor
    flash_end = min(theory.theta_flash(n, d, 1) / data.floor, high)
    small_end = min((theory.theta_small_cache(n, d, 1) / data.floor) ** 2, high)
    look = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "name": t("curves.theta")}
    thin = {"color": colour("theta"), "width": 1, "dash": "dot"}
    thick = {"color": colour("theta"), "width": 1.5, "dash": TOKENS["theta"]["dash"]}
    bend = [corner] if low < corner < flash_end else []
    pieces = (
        ("arm", theory.theta_flash, thin, [low, min(corner, flash_end)]),
        ("arm", theory.theta_small_cache, thin, [max(corner, low), small_end]),
        ("theta", theory.theta, thick, [low, *bend, min(flash_end, small_end)]),
    )
    return [
        look | {"x": xs, "y": [shape(n, d, x) for x in xs], "meta": {"role": role}, "line": line}
        for role, shape, line, xs in pieces
        if xs[0] < xs[-1]
    ]


def _unfit_band(data: Curves) -> list[dict[str, Any]]:
    least = data.least.get("flash2", 0)
    if least <= data.memory[0]:
        return []
    band = {"type": "rect", "x0": data.memory[0], "x1": least, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    return [band | {"name": "unfit", "fillcolor": colour("line"), "opacity": 0.38, "line": {"width": 0}}]


def _unfit_words(data: Curves, t: Texts) -> list[dict[str, Any]]:
    if not _unfit_band(data):
        return []
    text = t("curves.unfit", least=grouped(data.least["flash2"]))
    return [_words("unfit", text, data.memory[0], data.floor, size=12, token="muted", xshift=6, yshift=3)]


def _squared_line(data: Curves, t: Texts) -> dict[str, Any]:
    """The line at d^2. Its words belong to the shape: an annotation would be misplaced on a logarithmic axis."""
    squared = theory.crossover_formula(data.settings.d)
    label = {
        "text": t("curves.squared", squared=grouped(squared)),
        "textposition": "end",
        "textangle": 0,
        "xanchor": "center",
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
            "y": [float(data.words["flash2"][data.crossing])],
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
    words = _words("crossing", text, data.crossing, data.words["flash2"][data.crossing])
    arrow = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": colour("muted"), "standoff": 7}
    return [words | arrow | {"ax": 56, "ay": -52, "yanchor": "middle"}]


def _line_names(data: Curves, t: Texts) -> list[dict[str, Any]]:
    """Names on the lines themselves, for wide screens; narrow ones have the legend beneath."""
    n, d, first, last = data.settings.n, data.settings.d, data.memory[0], data.memory[-1]
    notes = []
    for name, words in data.words.items():
        if words:
            place = min(words) if name == "flash2" else max(words)
            side = "left" if name == "flash2" else "right"
            label = t(f"algorithm.{name}")
            notes.append(_words(f"line {name}", label, place, words[place], xanchor=side, yshift=3))
    shape = theory.theta(n, d, first)
    notes.append(_words("line theta", t("curves.theta"), first, shape, size=12, token="muted", xshift=8, yshift=4))
    low = {"xanchor": "right", "yanchor": "top", "xshift": -2}
    notes.append(_words("line floor", t("curves.floor"), last, data.floor, size=12, token="muted") | low)
    corner = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xshift": -54, "yshift": 24}
    return [*notes, _words("title", t("curves.axis.words"), 1, 1) | corner]


def _words(name: str, text: str, x: float, y: float, size: int = 13, token: str = "ink", **more: Any) -> dict[str, Any]:
    """An annotation at data (x, y); plotly wants the logarithms of both on these axes."""
    look = {"showarrow": False, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    font = {"size": size, "color": colour(token)}
    return {"name": name, "text": text, "x": log10(x), "y": log10(y), "font": font} | look | more


# What the component is told, and what it asks


@lru_cache(maxsize=128)
def payload(settings: CurveSettings, lang: str, view: View | None = None) -> tuple[str, str]:
    """Figure and state as JSON text, for all readers who look at the same point."""
    t, data = Texts(lang), curves(settings, view)
    drawn = figure(data, t)
    table = {
        "memory": data.memory,
        "io": {
            name: [str(words[memory]) if memory in words else None for memory in data.memory]
            for name, words in data.words.items()
        },
    }
    facts = {"squared": str(settings.d**2), "floor": str(data.floor), "crossing": _crossing_sentence(data, t)}
    algorithms = [
        {
            "id": name,
            "name": t(f"algorithm.{name}"),
            "short": t(f"curves.short.{name}"),
            "least": ALGORITHMS[name].least_memory(settings.d),
            "dash": TOKENS["algorithms"][name]["svg-dash"],
        }
        for name in ALGORITHM_IDS
    ]
    state = {
        "lang": lang,
        "shown": ",".join(settings.algorithms),
        "settings": {"n": settings.n, "d": settings.d, "memory": settings.memory},
        "stops": STOPS,
        "table": table,
        "facts": facts,
        "every": algorithms,
        "algorithms": [algorithm for algorithm in algorithms if algorithm["id"] in settings.algorithms],
        "legend": _legend(settings, t),
        "labels": t.group("curves"),
        "presets": [_preset(n, d, settings, t) for n, d in PRESETS],
    }
    return drawn.to_json(), json.dumps(state, allow_nan=False)


def _crossing_sentence(data: Curves, t: Texts) -> str:
    if len(data.settings.algorithms) < 2:
        return ""
    if data.crossing is None:
        return t("curves.crossing.always" if _flash_always(data) else "curves.crossing.never")
    ratio = rounded(data.crossing / data.settings.d**2)
    sentence = t("curves.crossing.sentence", memory=grouped(data.crossing), ratio=ratio)
    if len(data.changes) > 1:
        sentence += " " + t("curves.crossing.several", first=grouped(data.changes[0]), more=len(data.changes) - 1)
    return sentence


def _flash_always(data: Curves) -> bool:
    return crossover("flash2", "small-cache", n=data.settings.n, d=data.settings.d) is not None


def _legend(settings: CurveSettings, t: Texts) -> list[dict[str, Any]]:
    looks = TOKENS["algorithms"]
    lines = [(t(f"algorithm.{name}"), name, looks[name]["svg-dash"], 2.5) for name in settings.algorithms]
    lines.append((t("curves.theta"), "theta", TOKENS["theta"]["svg-dash"], 1.5))
    lines.append((t("curves.floor"), "muted", "", 1.25))
    return [{"name": name, "colour": colour(token), "dash": dash, "width": width} for name, token, dash, width in lines]


def _preset(n: int, d: int, settings: CurveSettings, t: Texts) -> dict[str, Any]:
    target = CurveSettings(n, d, d * d, settings.algorithms)
    return {
        "n": n,
        "d": d,
        "m": d * d,
        "name": t("curves.preset", n=grouped(n), d=grouped(d)),
        "href": "?" + urlencode(encode(CURVES, target, t.lang)),
    }


_explorer = st.components.v2.component(
    "curves_explorer",
    html=(ASSETS / "explorer.html").read_text(encoding="utf-8"),
    css=styles("chart.css", "explorer.css"),
    js=scripts("plotly.js", "control.js", "readout.js", "labels.js", "explorer.js"),
    isolate_styles=False,
)


def explorer(address: Address, t: Texts) -> None:
    """The sliders, the chart and the readout. M moves in the browser; n and d come back here as a question.

    What was wrong with a typed number is said beside its control, every other problem (a bad link) above.
    """
    asked = st.session_state.get("curves.asked", {"number": 0, "problems": []})
    typed = [problem for problem in address.problems if problem in asked["problems"]]
    Address(address.spec, address.settings, [p for p in address.problems if p not in typed]).show_problems(t)
    view: View | None = st.session_state.get("curves.view")
    drawn, state = payload(address.settings, t.lang, view)
    wish = st.session_state.pop("curves.csv", None)
    _explorer(
        key=KEY,
        data={
            "number": asked["number"],
            "library": LIBRARY,
            "figure": drawn,
            "state": state,
            "problems": json.dumps({problem.field: plain(problem.sentence(t)) for problem in typed}),
            "csv": None if wish is None else {"number": wish, "text": csv(address.settings, view)},
        },
        default={"question": None, "csv": None},
        on_question_change=answer,
        on_csv_change=wish_csv,
    )


def answer() -> None:
    """Take over what the reader asked for in the component: checked like an address, a bad value not taken."""
    question = st.session_state[KEY]["question"]
    if not isinstance(question, dict):
        return
    raw = {field: str(question[name]) for name, field in FIELDS.items() if name in question}
    _, problems = validate(CURVES, raw, current())
    st.session_state["curves.asked"] = {"number": int(question.get("number", 0)), "problems": problems}
    st.session_state["curves.view"] = view_of(question.get("view"))
    st.session_state["curves.moving"] = question.get("moving") is True
    update(CURVES, **raw)


def view_of(asked: object) -> View | None:
    """The range of M that the browser shows, in whole words; None if it shows all, or nothing that makes sense."""
    if not isinstance(asked, list) or len(asked) != 2 or not all(isinstance(end, int | float) for end in asked):
        return None
    low, high = (min(max(end, 1), CURVE_MEMORY) for end in asked)
    return (floor(low), ceil(high)) if low < high else None


def address_of_now() -> Address:
    """The settings to show. While a slider moves the address waits, or the browser's history would fill up."""
    if st.session_state.get("curves.moving") and f"_settings.{CURVES.page}" in st.session_state:
        return Address(CURVES, current(), [])
    return sync(CURVES)


def wish_csv() -> None:
    """The reader wants the file: the next answer carries it, once."""
    st.session_state["curves.csv"] = st.session_state[KEY]["csv"]


def current() -> CurveSettings:
    """The settings that this reader's page shows now, for callbacks."""
    kept: CurveSettings | None = st.session_state.get(f"_settings.{CURVES.page}")
    return kept or CurveSettings()


def csv(settings: CurveSettings, view: View | None = None) -> str:
    """The sweep behind the chart, whole and exact, as CSV."""
    return curves(settings, view).frame.to_csv(index=False, lineterminator="\n")


def plain(markdown: str) -> str:
    """A sentence without the backslashes that protect it inside Markdown."""
    return re.sub(r"\\([^\w\s])", r"\1", markdown)
