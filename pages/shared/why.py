"""The proof page: its run and its phases as a component, and what happens when the reader changes something."""

import json
import math
from array import array
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import streamlit as st

from kernels_ref import count
from pages.shared.board import BOARD_CSS, board_js, encode_run
from pages.shared.fault import callback
from pages.shared.fields import Problem
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.said import parts
from pages.shared.settings import ALGORITHM_IDS, WHY, WhySettings
from pages.shared.theme import css_tokens, source
from pages.shared.url_state import Address, typed_in, update
from pages.shared.why_pictures import table
from pages.shared.why_study import (
    PhaseFacts,
    facts_of,
    has_optimum,
    least_memory,
    lower_bounds_of,
    optimum,
    pebbling_of,
    the_sum,
)
from pebble_engine import Pebbling

PLACE = "why_phases"  # the component's key
TOY = ("n", "d", "memory")
FULL = ("full_n", "full_d", "full_memory")
PROVEN = {"n": 2, "d": 1, "memory": 11}  # the largest run whose optimum is known
_SHOWN = "_why_revision"
NOTHING = "\u2013"  # no such number


_component = st.components.v2.component(
    "phases",
    html=source("why/why.html"),
    css=BOARD_CSS + source("why/why.css"),
    js=board_js(("element.js", "replay.js", "words.js", "layout.js", "draw.js", "controls.js"))
    + source("why/lit.js", "why/ruler.js", "why/why.js"),
)


# `st.html` drops SVG, so pictures are a component. What it shows is made here and holds no text of the reader's.
_still = st.components.v2.component(
    "still",
    html='<div class="still"><div></div><p class="pa-save"></p></div>',
    css=css_tokens() + source("document/quiet.css", "why/still.css"),
    js=source("document/buttons.js", "why/still.js"),
)


@dataclass(frozen=True)
class Study:
    """One run, cut.

    Attributes
    ----------
    content : what the component draws from, as JSON
    io : words that the run moves, counted
    phases : how many
    most : most products of S and dP in one of its phases, counted
    optimum : words of a proven optimum at this n, d, M; None where it is not known
    """

    content: str
    io: int
    phases: int
    most: int
    optimum: int | None


@st.cache_data(max_entries=128, show_spinner=False)
def study(run: str, n: int, d: int, memory: int) -> Study:
    """Pebble, cut into phases, find each one's sets."""
    pebbling = pebbling_of(run, n, d, memory)
    facts = facts_of(pebbling, d)
    best = optimum(n, d, memory)
    return Study(
        content=_content(pebbling, facts, the_sum(n, d, memory).cap),
        io=pebbling.io,
        phases=len(facts),
        most=max(each.products for each in facts),
        optimum=None if best is None else sum(move.op in ("load", "store") for move in best),
    )


def _content(pebbling: Pebbling, facts: list[PhaseFacts], cap: int) -> str:
    rows = [number for each in facts for number in _row(each)]
    content = {
        "run": encode_run(pebbling, [], 0, ""),
        "cap": cap,
        "rows": _packed("I", rows),
        "computed": _sets(each.phase.computed for each in facts),
        "dominator": _sets(each.phase.dominator for each in facts),
        "minimum": _sets(each.phase.minimum for each in facts),
    }
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def _row(facts: PhaseFacts) -> tuple[int, ...]:
    """One phase's numbers, in the order that ``assets/why/why.js`` names."""
    phase = facts.phase
    return (
        phase.start, phase.stop, phase.loads, phase.stores, len(phase.at_start), len(phase.loaded),
        len(phase.dominator), len(phase.minimum), facts.seen, facts.products, facts.allowed, facts.pairs, phase.again,
    )  # fmt: skip


def _sets(sets: Iterable[tuple[int, ...]]) -> dict[str, str]:
    """Sets of vertices one after the other, and where each begins."""
    starts, vertices = [0], array("H")
    for each in sets:
        vertices.extend(each)
        starts.append(len(vertices))
    return {"starts": _packed("I", starts), "vertices": b64encode(vertices.tobytes()).decode("ascii")}


def _packed(kind: str, numbers: Iterable[int]) -> str:
    return b64encode(array(kind, numbers).tobytes()).decode("ascii")


def settle(address: Address) -> WhySettings:
    """The settings that can be shown: where this run has no pebbling, the nearest that has, and a sentence about it."""
    asked: WhySettings = address.settings
    least = least_memory(asked.run, asked.n, asked.d)
    if least is None:
        address.correct(Problem("no_optimum", "run", asked.run, used=WhySettings().run), run=WhySettings().run)
        least = least_memory(address.settings.run, asked.n, asked.d)
    if least is not None and asked.memory < least:
        problem = Problem("too_little", "memory", str(asked.memory), str(least), (("least", least),))
        address.correct(problem, memory=least)
    settings: WhySettings = address.settings
    address.at_most("phase", study(settings.run, settings.n, settings.d, settings.memory).phases)
    return replace(settings, phase=address.settings.phase)


def phases_board(settings: WhySettings, t: Texts, on_rest: Callable[[], None]) -> None:
    """Draw the run, cut into phases, at the phase of the settings."""
    found = study(settings.run, settings.n, settings.d, settings.memory)
    revision = "-".join(map(str, (settings.run, settings.n, settings.d, settings.memory)))
    st.session_state[_SHOWN] = revision
    _component(
        key=PLACE,
        data={
            "rev": revision,
            "lang": t.lang,
            "phase": settings.phase,
            "labels": t.group("lab.board") | t.group("why.board"),
            "content": found.content,
        },
        default={"phase": None},
        on_phase_change=on_rest,
        width="stretch",
        height="content",
    )


def still(picture: str, name: str, title: str, t: Texts, numbers: str = "") -> None:
    """Draw one of the pictures of `why_pictures`. It is saved as `name` under the `title` of its section, its `numbers`
    as CSV."""
    labels = {"save": t("curves.save"), "picture": t("why.save"), "csv": t("why.save_csv")}
    title = title.partition(". ")[2]  # without the section's number
    data = {"picture": picture, "name": f"why-{name}", "title": title, "source": t("why.source"), "numbers": numbers}
    _still(
        key=f"why.picture.{name.partition('-')[0]}", data=data | {"labels": labels}, width="stretch", height="content"
    )


# What the reader does becomes the value of a setting's key; `sync` does the rest.


@callback
def adopt_phase() -> None:
    """The reader has come to rest at a phase: it goes into the address."""
    place = parts(PLACE, "phase")
    if place and place.get("rev") == st.session_state.get(_SHOWN):
        st.session_state["why.phase"] = place.get("phase")


@callback
def take(field: str) -> None:
    """A number as it was typed. Another run begins at its first phase."""
    typed = typed_in(f"why.{field}_typed")
    update(WHY, **{field: typed}, **({"phase": 1} if field in TOY else {}))


@callback
def choose() -> None:
    """Another run at the same size. A proven optimum exists for few sizes: then at the largest of them."""
    run, now = st.session_state.get("why.chosen"), st.session_state.get("_settings.why") or WhySettings()
    if run == "optimum" and not has_optimum(now.n, now.d, now.memory):
        show_proven()
    else:
        update(WHY, run=run, phase=1)


@callback
def show_proven() -> None:
    """The largest run whose optimum is known."""
    update(WHY, run="optimum", phase=1, **PROVEN)


@dataclass(frozen=True)
class Column:
    """What is known at one size: the sum, all bounds, the algorithms' closed forms (None where one does not fit)."""

    n: int
    d: int
    memory: int
    io: dict[str, int | None]
    bounds: dict[str, int]

    @property
    def best(self) -> tuple[str, int]:
        """The largest bound: its name and its words."""
        return max(self.bounds.items(), key=lambda item: item[1])


@st.cache_data(max_entries=256, show_spinner=False)
def column(n: int, d: int, memory: int) -> Column:
    """All that is known without a run."""
    io = {name: count(name, n=n, d=d, memory=memory).io for name in ALGORITHM_IDS}
    return Column(n, d, memory, io, lower_bounds_of(n, d, memory))


def sum_table(settings: WhySettings, t: Texts) -> str:
    """The sum in numbers, for the run on the board and at full size: each with the kind of number that it is."""
    found = study(settings.run, settings.n, settings.d, settings.memory)
    toy = column(settings.n, settings.d, settings.memory)
    full = column(settings.full_n, settings.full_d, settings.full_memory)
    sums = [the_sum(each.n, each.d, each.memory) for each in (toy, full)]
    fewest = min((words for words in full.io.values() if words is not None), default=None)
    known = t("why.sum.unknown") if found.optimum is None else grouped(found.optimum)
    rows = [
        ("", t("why.sum.products"), t("kind.closed-form"), *(grouped(each.products) for each in sums)),
        ("", t("why.sum.cap"), t("why.board.bound"), *(grouped(each.cap) for each in sums)),
        ("weak", t("why.sum.most"), t("kind.counted"), grouped(found.most), NOTHING),
        ("", t("why.sum.phases"), t("why.board.bound"), *(grouped(each.phases) for each in sums)),
        ("weak", t("why.sum.phases_counted"), t("kind.counted"), grouped(found.phases), NOTHING),
        ("result", t("why.sum.words"), t("kind.lower-bound"), *(f"<b>{grouped(each.words)}</b>" for each in sums)),
        ("", t("why.sum.floor"), t("kind.lower-bound"), *(grouped(each.floor) for each in sums)),
        ("", t("why.sum.optimum"), t("kind.proven-optimum"), known, t("why.sum.unknown")),
        ("", t("why.sum.io"), t("why.sum.io_kind"), grouped(found.io), NOTHING if fewest is None else grouped(fewest)),
    ]
    return table(("", *_heads((toy, full), t)), rows)


def constants_table(settings: WhySettings, t: Texts) -> str:
    """Both algorithms, the proven optimum where it is known, every bound, and the certified ratios."""
    optimal = study(settings.run, settings.n, settings.d, settings.memory).optimum
    both = (
        column(settings.n, settings.d, settings.memory),
        column(settings.full_n, settings.full_d, settings.full_memory),
    )
    unknown, misfit = t("why.sum.unknown"), t("why.sum.misfit")
    rows: list[tuple[str, ...]] = [("section", t("why.constants.moved"), t("kind.closed-form"))]
    for name in ALGORITHM_IDS:
        moved = (each.io[name] for each in both)
        rows.append(("", t(f"algorithm.{name}"), "", *(misfit if io is None else grouped(io) for io in moved)))
    rows.append(("section", t("why.constants.proven"), t("why.constants.optimum_text")))
    rows.append(("", t("why.constants.any"), "", unknown if optimal is None else grouped(optimal), unknown))
    rows.append(("section", t("why.constants.bounds"), t("why.constants.bounds_text")))
    for name in both[0].bounds:
        cells = []
        for each in both:
            words, best = each.bounds[name], each.best[0] == name
            cells.append(f"<b>{grouped(words)}</b> {t('why.constants.best')}" if best else grouped(words))
        rows.append(("", t(f"why.bound.{name}"), t(f"why.bound.{name}_text"), *cells))
    rows.append(("section", t("why.constants.ratio"), t("why.constants.ratio_text")))
    for name in ALGORITHM_IDS:
        ratios = (None if each.io[name] is None else (each.io[name] or 0) / each.best[1] for each in both)
        cells = [misfit if ratio is None else t("why.constants.times", ratio=_up(ratio)) for ratio in ratios]
        rows.append(("result", t(f"algorithm.{name}"), "", *cells))
    return table(("", *_heads(both, t)), rows)


def _heads(columns: Iterable[Column], t: Texts) -> list[str]:
    heads = []
    for name, each in zip(("toy", "full"), columns, strict=True):
        size = t("why.sum.size", n=grouped(each.n), d=grouped(each.d), memory=grouped(each.memory))
        heads.append(f"{t(f'why.sum.{name}')}<small>{size}</small>")
    return heads


def _up(ratio: float) -> str:
    """Three digits, rounded up: what is "at most" must not be rounded down."""
    unit = 10.0 ** (math.floor(math.log10(ratio)) - 2)
    return rounded(math.ceil(ratio / unit - 1e-9) * unit)


def optimum_known(settings: WhySettings) -> bool:
    """Whether the run's size has a proven optimum."""
    return has_optimum(settings.n, settings.d, settings.memory)
