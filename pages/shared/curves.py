"""The I/O curves' page: what its component is told (figure, readout, choices, files), and what it asks."""

import json
import re
from dataclasses import replace
from functools import lru_cache
from math import ceil, floor
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from kernels_ref import ALGORITHMS
from kernels_ref.counts import BYTES
from pages.shared import curve_data, curve_maps
from pages.shared.chart import LIBRARY, colour
from pages.shared.curve_data import DEFAULTS, Curves, View, curves, ends_with, fitting, mask_of, settled
from pages.shared.curve_fields import NONE
from pages.shared.curve_figures import NAMED, figure
from pages.shared.curve_models import PRESETS as MODELS
from pages.shared.curve_models import RIDGED, ridge, title
from pages.shared.device_data import Model
from pages.shared.fault import callback
from pages.shared.fields import validate
from pages.shared.i18n import JOINER, Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.said import counter, parts, said
from pages.shared.settings import (
    CURVE_FORMS,
    CURVE_MASKED_N,
    CURVE_MEMORY,
    CURVE_PLOTS,
    CURVES,
    DTYPES,
    CurveSettings,
)
from pages.shared.theme import TOKENS, source
from pages.shared.url_state import Address, encode, sync, update

KEY = "curves_explorer"
SEPARATOR = " \u00b7 "
FIELDS = {field.parameter: field.name for field in CURVES.fields}
PRESETS = ((4096, 64), (8192, 128), (4096, 512))
MASK_KINDS = ("none", "causal", "window", "block")


def doublings(low: int, high: int) -> list[int]:
    """Slider stops: four a doubling, as far as they are whole numbers."""
    stops = {low * 2**power * quarter // 4 for power in range(64) for quarter in (4, 5, 6, 7)}
    return sorted(stop for stop in stops if low <= stop <= high)


STOPS = {"n": doublings(64, 2**20), "d": doublings(8, 512)}


def drawn(settings: CurveSettings, t: Texts, view: View | None = None) -> str:
    """The chosen plot as JSON text."""
    if settings.plot == "exponents":
        return _json(curve_maps.exponents_figure(settings, t))
    if settings.plot == "winners":
        return _json(curve_maps.winners_figure(settings, t))
    return _json(figure(curves(settings, view), t))


def _json(figure: dict[str, Any]) -> str:
    return json.dumps(figure, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=128)
def payload(settings: CurveSettings, lang: str, view: View | None = None) -> tuple[str, str]:
    """Figure and state as JSON text, for all readers who look at the same point."""
    t, data = Texts(lang), curves(settings, view)
    algorithms = [_algorithm(name, settings, t) for name in settings.algorithms]
    stops = STOPS if mask_of(settings) is None else STOPS | {"n": [n for n in STOPS["n"] if n <= CURVE_MASKED_N]}
    state = {
        "lang": lang,
        "shown": ",".join((settings.plot, settings.form, *settings.algorithms)),
        "settings": {field.parameter: getattr(settings, field.name) for field in CURVES.fields},
        "stops": stops,
        "table": {"memory": data.memory, "values": _table(data), "bound": [str(data.bound[m]) for m in data.memory]},
        "facts": _facts(data, t),
        "algorithms": algorithms,
        "named": len(algorithms) <= NAMED,
        "legend": _legend(settings, t),
        "labels": {key: text for key, text in t.group("curves").items() if not key.startswith("run.")},
        "plots": [{"id": plot, "name": t(f"curves.plot.{plot}")} for plot in CURVE_PLOTS],
        "choices": _choices(settings, t),
        "presets": [_preset(n, d, settings, t) for n, d in PRESETS],
        "exponents": curve_maps.exponents_table(settings, t) if settings.plot == "exponents" else None,
        "words": _about(settings, t),
    }
    return drawn(settings, t, view), json.dumps(state, allow_nan=False)


def _algorithm(name: str, settings: CurveSettings, t: Texts) -> dict[str, Any]:
    return {
        "id": name,
        "name": t(f"algorithm.{name}"),
        "short": t(f"curves.short.{name}"),
        "least": ALGORITHMS[name].least_memory(settings.d, form=settings.form),
        "dash": TOKENS["algorithms"][name]["svg-dash"],
        "letter": curve_maps.letter(name),
    }


def _table(data: Curves) -> dict[str, list[str | None]]:
    """Every value that the readout may say, as text: totals pass 2^53, where the browser's numbers end."""
    return {
        name: [None if (value := values.get(m)) is None else _digits(value) for m in data.memory]
        for name, values in data.words.items()
    }


def _digits(value: int | float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _facts(data: Curves, t: Texts) -> dict[str, Any]:
    s = data.settings
    device = RIDGED[s.device]
    return {
        "squared": str(s.d**2),
        "floor": str(data.floor),
        "bytes": BYTES[s.dtype],
        "crossing": _crossing_sentence(data, t) if s.plot in ("io", "winners") else "",
        "ridge": ridge(device),
        "holds": device.bytes // BYTES[s.dtype],
        "device": _device_sentence(s, t) if s.plot == "roofline" else "",
    }


def _crossing_sentence(data: Curves, t: Texts) -> str:
    s = data.settings
    if len(s.algorithms) != 2 or mask_of(s):
        return t("curves.crossing.masked") if mask_of(s) and len(s.algorithms) == 2 else ""
    first, second = (t(f"curves.short.{name}") for name in (data.first, data.second))
    names = {"first": first, "second": second}
    if data.crossing is None:
        always = ends_with(s, data.first, data.second) == data.first
        return _sentence(t("curves.crossing.always" if always else "curves.crossing.never", **names))
    ratio = rounded(data.crossing / s.d**2)
    found = t("curves.crossing.sentence", memory=grouped(data.crossing), ratio=ratio, **names)
    if len(data.changes) > 1:
        more = {"first": grouped(data.changes[0]), "more": len(data.changes) - 1}
        found += " " + t("curves.crossing.several", **more)
    return found


def _sentence(words: str) -> str:
    """A name with a small article may open a sentence."""
    return words[:1].upper() + words[1:]


def _device_sentence(settings: CurveSettings, t: Texts) -> str:
    device = RIDGED[settings.device]
    numbers = {
        "peak": rounded(device.peak or 0),
        "kind": device.peak_type,
        "bandwidth": rounded(device.bandwidth or 0),
        "ridge": rounded(ridge(device)),
    }
    weak = " " + t("curves.roofline.weak") if device.evidence == "weak" else ""
    return t("curves.roofline.device", **numbers) + weak


def _about(settings: CurveSettings, t: Texts) -> dict[str, str]:
    """Title, what the numbers are, and where they come from: on the page and in every saved file."""
    form = "" if settings.form == "qkv" else t(f"curves.form.{settings.form}")
    heads = t("curves.title.heads", heads=grouped(settings.heads)) if settings.heads > 1 else ""
    mask = mask_name(settings.mask, t) if mask_of(settings) else ""
    point = [t("curves.title.n", n=grouped(settings.n)), t("curves.title.d", d=grouped(settings.d))]
    sizes, unusual = [f"n{settings.n}", f"d{settings.d}"], [form, heads, mask]  # as on the first view: not mentioned
    if settings.plot == "winners":
        point, sizes, unusual = point[:1], sizes[:1], [form, mask]
    elif settings.plot == "exponents":
        point, sizes, unusual = [], [], [form]
    name = t(f"curves.axis.{settings.plot}")
    return {
        "axis": SEPARATOR.join(filter(None, (name, *unusual))),
        "title": SEPARATOR.join(filter(None, (name, *point, *unusual))),
        "kind": t(f"curves.kind.{settings.plot}"),
        "source": t("curves.source"),
        "file": "-".join((settings.plot, settings.form, *sizes)),
    }


def mask_name(mask: str, t: Texts) -> str:
    """A mask as a reader says it."""
    kind, *numbers = mask.split(":")
    if kind == "window":
        return t("curves.mask.window.of", keys=grouped(int(numbers[0])))
    if kind == "block":
        return t("curves.mask.block.of", blocks=numbers[0], share=f"{100 * float(numbers[1]):g}")
    return t(f"curves.mask.{kind}")


def _legend(settings: CurveSettings, t: Texts) -> list[dict[str, Any]]:
    looks = TOKENS["algorithms"]
    if settings.plot == "exponents":
        regimes: list[dict[str, Any]] = [
            {"name": t(f"curves.regime.{name}"), "colour": ""} for name in curve_maps.REGIMES
        ]
        theorem = {"colour": colour("theta"), "dash": TOKENS["theta"]["svg-dash"], "width": 1.5}
        return [*regimes, theorem | {"name": t("curves.exponents.theorem")}]
    lines = [(t(f"algorithm.{name}"), name, looks[name]["svg-dash"], 2.5) for name in settings.algorithms]
    if settings.plot == "io":
        if not mask_of(settings):
            lines.append((t("curves.theta"), "theta", TOKENS["theta"]["svg-dash"], 1.5))
        lines.append((t("curves.bound"), "muted", "", 1.75))
        lines.append((t("curves.floor"), "muted", "", 1.25))
    if settings.plot == "roofline":
        lines.append((t("curves.ridge"), "ink", "", 1.25))
    letters = settings.plot == "winners"
    return [
        {
            "name": name,
            "colour": colour(token),
            "dash": dash,
            "width": width,
            "letter": curve_maps.letter(token) if letters else "",
        }
        for name, token, dash, width in lines
    ]


# What can be chosen


def _choices(settings: CurveSettings, t: Texts) -> dict[str, Any]:
    """Everything under More: each option with its stable id and its name."""
    kernels = [name for name, entry in ALGORITHMS.items() if settings.form in entry.forms]
    models = [{"id": model.id, "name": _model_name(model, t), "ask": _model_wish(model)} for model in MODELS.values()]
    devices = [
        {"id": device.id, "name": device.name + (f" ({t('curves.weak')})" if device.evidence == "weak" else ""),
         "source": device.source}
        for device in RIDGED.values()
    ]  # fmt: skip
    return {
        "kernels": [_algorithm(name, settings, t) for name in kernels],
        "forms": [{"id": form, "name": t(f"curves.form.{form}")} for form in CURVE_FORMS],
        "dtypes": [{"id": name, "name": t(f"curves.dtype.{name}")} for name in DTYPES],
        "masks": [{"id": kind, "name": t(f"curves.mask.{kind}")} for kind in MASK_KINDS],
        "models": models,
        "devices": devices,
    }


def _model_name(model: Model, t: Texts) -> str:
    weak = f" ({t('curves.weak')})" if model.evidence == "weak" else ""
    numbers = {"n": grouped(model.n or 0), "d": model.d, "heads": model.heads}
    return t("curves.model", name=title(model), **numbers) + weak


def _model_wish(model: Model) -> dict[str, str]:
    """What choosing a model asks for: its sizes in 16-bit words, M = d^2, no mask."""
    sizes = {"n": model.n, "d": model.d, "h": model.heads, "m": model.d**2}
    return {name: str(value) for name, value in sizes.items()} | {"dtype": "float16", "mask": NONE}


def _preset(n: int, d: int, settings: CurveSettings, t: Texts) -> dict[str, Any]:
    target = replace(settings, n=n, d=d, memory=d * d)
    return {
        "n": n,
        "d": d,
        "m": d * d,
        "name": t("curves.preset", n=grouped(n), d=grouped(d)),
        "href": "?" + urlencode(encode(CURVES, target, t.lang)),
    }


_SCRIPTS = (
    "plotly", "control", "readout", "measure", "questions", "labels", "save", "more", "marker", "drawing", "explorer",
)  # fmt: skip
_explorer = st.components.v2.component(
    "curves_explorer",
    html=source("curves/explorer.html"),
    css=source("curves/chart.css", "curves/explorer.css", "curves/more.css"),
    js=source(*(f"curves/{name}.js" for name in _SCRIPTS)),
    isolate_styles=False,
)


def explorer(address: Address, t: Texts) -> None:
    """The sliders, the chart and the readout. M moves in the browser; all else comes back here as a question.

    What was wrong with a typed number is said beside its control, every other problem (a bad link) above.
    """
    asked = st.session_state.get("curves.asked", {"number": 0, "problems": []})
    typed = address.show_all_but(asked["problems"], t)
    view: View | None = st.session_state.get("curves.view")
    drawing, state = payload(address.settings, t.lang, view)
    wish = st.session_state.pop("curves.csv", None)
    _explorer(
        key=KEY,
        data={
            "number": asked["number"],
            "library": LIBRARY,
            "figure": drawing,
            "state": state,
            "problems": json.dumps({problem.field: plain(problem.sentence(t)) for problem in typed}),
            "csv": None if wish is None else {"number": wish, "text": csv(address.settings, view)},
        },
        default={"question": None, "csv": None},
        on_question_change=answer,
        on_csv_change=wish_csv,
    )


@callback
def answer() -> None:
    """Take over what the reader asked for in the component: checked like an address, a bad value not taken."""
    question = parts(KEY, "question")
    if not question:
        return
    raw = {field: str(question[name]) for name, field in FIELDS.items() if name in question}
    raw = _together(raw)
    _, problems = validate(CURVES, raw, current())
    st.session_state["curves.asked"] = {"number": counter(question.get("number")), "problems": problems}
    st.session_state["curves.view"] = view_of(question.get("view"))
    st.session_state["curves.moving"] = question.get("moving") is True
    update(CURVES, **raw)


def _together(raw: dict[str, str]) -> dict[str, str]:
    """With another form come kernels that have it: those of before, else the form's usual two; and one head if need be.

    The boxes under More show what was chosen.
    """
    form = raw.get("form", current().form)
    if form not in CURVE_FORMS or form == current().form:
        return raw
    algorithms = fitting(current().algorithms, form)
    if len(algorithms) < 2:
        algorithms = DEFAULTS[form]
    return raw | {"algorithms": ",".join(algorithms)} | ({"heads": "1"} if form == "weights" else {})


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
    address = sync(CURVES)
    used, problems = settled(address.settings)
    for problem in problems:
        address.correct(problem, **{problem.field: getattr(used, problem.field)})
    return address


@callback
def wish_csv() -> None:
    """The reader wants the file: the next answer carries it, once."""
    st.session_state["curves.csv"] = counter(said(KEY, "csv")) or None


def current() -> CurveSettings:
    """The settings that this reader's page shows now, for callbacks."""
    kept: CurveSettings | None = st.session_state.get(f"_settings.{CURVES.page}")
    return kept or CurveSettings()


def csv(settings: CurveSettings, view: View | None = None) -> str:
    """The numbers behind the plot, whole and exact, as CSV."""
    if settings.plot == "exponents":
        return curve_maps.exponents_csv(settings)
    if settings.plot == "winners":
        return curve_maps.winners_csv(settings)
    return curve_data.csv(settings, view)


def plain(markdown: str) -> str:
    """A sentence without what protects it inside Markdown (`escaped`)."""
    return re.sub(r"\\([^\w\s])", r"\1", markdown).replace(JOINER, "")
