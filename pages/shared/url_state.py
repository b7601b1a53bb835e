"""The address bar is the state: a codec of our own, and how address, widgets and session meet.

Address of version 1: ``?v=1&n=4&d=2&m=16&a=flash2,small-cache&t=0&lang=en``. Plain parameters, stable ids, defaults
always written, so that a link keeps its meaning when a default changes. Streamlit's ``bind="query-params"`` is not
used: it stores translated labels, drops defaults, and drops bad values without a word.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import streamlit as st

from pages.shared.fault import callback
from pages.shared.fields import IdsField, Problem, Spec, restarted, validate
from pages.shared.i18n import DEFAULT, LANGUAGES, Texts, texts

VERSION = "1"
# Others add these to links that are passed on; they are none of ours and no mistake of the reader. (Streamlit keeps the
# two of its embed mode to itself and leaves them in the address when we write ours.)
FOREIGN = ("embed", "embed_options", "fbclid", "gclid", "ref")
# The browser may ask for a run before it has heard of our newest address; such a run still carries an older one, which
# is no act of the reader. Longer than a slow round trip, shorter than a change, a look, and the back button.
ECHO_SECONDS = 1.0
NAMED = 8  # unknown parameters that a sentence lists

_LANGUAGE = IdsField("lang", "lang", tuple(LANGUAGES), most=1)
Query = Mapping[str, Sequence[str]]


def decode(query: Query, spec: Spec) -> tuple[Any, list[Problem]]:
    """Settings and problems of an address (parameter -> all its values); what is not given has its default."""
    defaults = spec.settings()
    version = ",".join(query.get("v", [VERSION]))
    if version != VERSION:
        return defaults, [Problem("version", "version", version, data=(("known", VERSION),))]
    fields = {field.parameter: field for field in spec.fields}
    raw: dict[str, object] = {}
    problems: list[Problem] = []
    unknown: list[str] = []
    for parameter, values in query.items():
        if parameter in ("v", "lang", *FOREIGN) or parameter.startswith("utm_"):
            continue
        field = fields.get(parameter)
        if field is None:
            unknown.append(parameter)
        elif len(values) != 1:
            used = field.show(getattr(defaults, field.name))
            problems.append(Problem("repeated", field.name, ", ".join(values), used))
        else:
            raw[field.name] = values[0]
    settings, wrong = validate(spec, raw, defaults)
    return settings, [*_unknown(unknown, ", ".join(fields)), *problems, *wrong]


def _unknown(parameters: list[str], known: str) -> list[Problem]:
    """One problem for all parameters that a page does not know; no problem when there are none."""
    if len(parameters) < 2:
        return [Problem("parameter", "parameter", parameter, data=(("known", known),)) for parameter in parameters]
    names = [parameter if len(parameter) <= 24 else f"{parameter[:23]}\u2026" for parameter in parameters[:NAMED]]
    names += ["\u2026"] if len(parameters) > NAMED else []
    data = (("known", known), ("names", ", ".join(names)))
    return [Problem("parameters", "parameter", ",".join(parameters), data=data)]


def encode(spec: Spec, settings: Any, lang: str) -> dict[str, str]:
    """The address of `settings`: every parameter, defaults included."""
    own = {field.parameter: field.write(getattr(settings, field.name)) for field in spec.fields}
    return {"v": VERSION} | own | {"lang": lang}


def link(spec: Spec, lang: str, **values: Any) -> dict[str, str]:
    """For ``st.page_link(..., query_params=link(LAB, t.lang, n=4))``: the whole address, the language kept."""
    return encode(spec, spec.settings(**values), lang)


def adopt_language(locale: str | None) -> None:
    """Settle ``session_state["lang"]``: the switch, else the address, else the session, else the browser's locale."""
    state = st.session_state
    given = st.query_params.get_all("lang")
    kept = state.get("_lang")
    if state.get("lang", kept) != kept and state["lang"] in LANGUAGES:  # the switch was moved
        kept, state["_problems.lang"] = state["lang"], []
    elif kept is None or _is_news("lang", given):
        kept = kept or ("es" if (locale or "").lower().startswith("es") else DEFAULT)
        problem = None
        if len(given) > 1:
            problem = Problem("repeated", "lang", ", ".join(given))
        elif given:
            (kept,), problem = _LANGUAGE.read(given[0], (kept,))
        state["_problems.lang"] = [replace(problem, used=LANGUAGES[kept])] if problem else []
    state["_lang"] = kept
    if state.get("lang") != kept:
        state["lang"] = kept


@dataclass
class Address:
    """A page's settings in this run, the keys of its widgets, and what was wrong with what was asked."""

    spec: Spec
    settings: Any
    problems: list[Problem]

    def key(self, field: str) -> str:
        """The widget key of a field. Its value *is* the setting, so the widget gets no ``value=`` or ``index=``."""
        return _key(self.spec, field)

    def number(self, field: str, label: str, **look: Any) -> None:
        """A text input for a number: Streamlit's own number input turns 2.5 or 1e30 into something else without a word.

        What is typed is checked like an address; what cannot be is answered in a sentence, and the field keeps its
        value. `look` goes to ``st.text_input``.
        """
        key = _typed_key(self.spec, field)
        show(key, self.spec.named(field).write(getattr(self.settings, field)))
        st.text_input(label, key=key, on_change=_take, args=(self.spec, field), **look)

    def at_most(self, field: str, high: int) -> None:
        """Hold a field to a limit known only now (a step, to the number of moves), and say so if it was beyond.

        Call it before the field's own widget, if it has one.
        """
        asked = getattr(self.settings, field)
        if asked <= high:
            return
        used = self.spec.named(field).show(high)
        self.correct(Problem("beyond", field, str(asked), used, (("high", high),)), **{field: high})

    def correct(self, problem: Problem, **values: Any) -> None:
        """Give fields other values, since what was asked for has a problem that shows only now, and say so.

        Call it before the fields' own widgets, if they have any.
        """
        self.problems.append(problem)
        self.settings = replace(self.settings, **values)
        _keep(self.spec, self.settings, self.problems, seed=tuple(values))
        _write(self.spec, self.settings)

    def show_problems(self, t: Texts | None = None) -> None:
        """Draw what is wrong, a sentence each. Draws nothing when all is well."""
        t = t or texts()
        problems = [*st.session_state.get("_problems.lang", []), *self.problems]
        sentences = [problem.sentence(t) for problem in problems]
        if sentences:
            st.warning(sentences[0] if len(sentences) == 1 else "\n".join(f"- {line}" for line in sentences))

    def show_all_but(self, beside: Sequence[Problem], t: Texts) -> list[Problem]:
        """Draw what is wrong but for what a component says itself, of the problems `beside`; those are given back."""
        theirs = [problem for problem in self.problems if problem in beside]
        others = [problem for problem in self.problems if problem not in theirs]
        Address(self.spec, self.settings, others).show_problems(t)
        return theirs


def sync(spec: Spec) -> Address:
    """Bring address, widgets and session together; the first thing that a page does after the guard.

    The reader's newest act wins: a moved widget or an `update`; else an address that is not the one we wrote (a deep
    link, an edit, back and forward); else what the session kept.
    """
    state = st.session_state
    query = {name: st.query_params.get_all(name) for name in st.query_params if name != "lang"}
    query = {} if _strayed(spec, query) else query
    kept = state.get(f"_settings.{spec.page}")
    problems: list[Problem] = state.get(f"_problems.{spec.page}", [])
    widgets = _widgets(spec)
    touched = widgets != {name: value for name, value in state.get(f"_seen.{spec.page}", {}).items() if name in widgets}
    updated = state.pop(f"_updated.{spec.page}", False)
    if kept is None or (not touched and not updated and _is_news(spec.page, query)):
        settings, problems = decode(query, spec)
        _keep(spec, settings, problems, seed=tuple(asdict(settings)))
    elif touched and not updated:
        asked, problems = validate(spec, widgets, kept)
        settings = restarted(spec, kept, asked)
        _keep(spec, settings, problems, seed=(spec.restarts,) if settings != asked and spec.restarts else ())
    else:
        settings = kept
        _keep(spec, settings, problems, seed=tuple(name for name in asdict(settings) if name not in widgets))
    _write(spec, settings)
    return Address(spec, settings, list(problems))


def update(spec: Spec, **values: object) -> None:
    """Change settings from a callback (a component's slider, a button "use this memory"): checked like any other."""
    kept = st.session_state.get(f"_settings.{spec.page}") or spec.settings()
    settings, problems = validate(spec, values, kept)
    settings = settings if spec.restarts in values else restarted(spec, kept, settings)
    st.session_state[f"_updated.{spec.page}"] = True
    _keep(spec, settings, problems, seed=tuple(asdict(settings)))


def _typed_key(spec: Spec, field: str) -> str:
    return f"{_key(spec, field)}_typed"


def typed_in(key: str) -> str:
    """What stands in a text field."""
    return str(st.session_state.get(key, "")).strip()


@callback
def _take(spec: Spec, field: str) -> None:
    update(spec, **{field: typed_in(_typed_key(spec, field))})


def show(key: str, value: object) -> None:
    """Give a widget its value, unless it has it: whatever is assigned overwrites what the reader is typing just now."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _key(spec: Spec, field: str) -> str:
    return f"{spec.page}.{field}"


def _widgets(spec: Spec) -> dict[str, object]:
    """Field name -> what its widget says now; fields whose widget is not on the page are missing."""
    names = (field.name for field in spec.fields)
    return {name: st.session_state[_key(spec, name)] for name in names if _key(spec, name) in st.session_state}


def _keep(spec: Spec, settings: Any, problems: list[Problem], seed: tuple[str, ...]) -> None:
    """Store settings in the session; give the widgets of the fields in `seed` their values."""
    state = st.session_state
    for name in seed:
        value = getattr(settings, name)
        state[_key(spec, name)] = list(value) if isinstance(value, tuple) else value
    state[f"_settings.{spec.page}"] = settings
    state[f"_problems.{spec.page}"] = list(problems)
    state[f"_seen.{spec.page}"] = _widgets(spec)


def _strayed(spec: Spec, query: Query) -> bool:
    """Whether this is an address of another page that this session has shown. Streamlit's browser side sends such a one
    when somebody goes back and forward faster than pages answer: the path of one entry, the parameters of another."""
    known: dict[str, set[str]] = st.session_state.setdefault("_parameters", {})
    own = known[spec.page] = {field.parameter for field in spec.fields}
    given = set(query) - {"v"}
    return not given <= own and given in known.values()


def _is_news(scope: str, shown: object) -> bool:
    """Whether the browser shows something that we neither wrote last nor have only just replaced."""
    state = st.session_state
    if not shown or shown == state.get(f"_written.{scope}"):
        return False
    now = time.monotonic()
    echoes = state.get(f"_echoes.{scope}", [])
    return not any(shown == echo and now - when < ECHO_SECONDS for echo, when in echoes)


def _write(spec: Spec, settings: Any) -> None:
    """Put the address of `settings` into the browser, unless it is there already."""
    state = st.session_state
    address = encode(spec, settings, state.get("lang", DEFAULT))
    wanted = {name: [value] for name, value in address.items()}
    shown = {name: st.query_params.get_all(name) for name in st.query_params}
    if shown != wanted:
        st.query_params.from_dict(address)
    for scope, old, new in (
        ("lang", shown.pop("lang", []), wanted.pop("lang")),
        (spec.page, shown, wanted),
    ):
        if old != new:
            now = time.monotonic()
            recent = [echo for echo in state.get(f"_echoes.{scope}", []) if now - echo[1] < ECHO_SECONDS]
            state[f"_echoes.{scope}"] = [*recent, (old, now)]
        state[f"_written.{scope}"] = new
