"""What the lab page asks for: runs of the chosen algorithms, and what happens when the reader changes something."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from kernels_ref import count, kernel_source, pebble, theory
from pages.shared.board import Run, clock_length, encode_run, misfit, operations, revision
from pages.shared.settings import ALGORITHM_IDS, LAB, LabSettings
from pages.shared.url_state import update
from pebble_engine import write_pebbling

BOARD = "lab_board"  # the component's key
NO_ALGORITHM = "none"
_SHOWN = "_lab_revision"


@st.cache_data(max_entries=128, show_spinner=False)
def _run(algorithm: str, n: int, d: int, memory: int) -> Run:
    """One algorithm's run, without a title; or what stands in its place when it does not fit."""
    closed = count(algorithm, n=n, d=d, memory=memory)
    if not closed.fits:
        return misfit(algorithm, "", memory, closed.least_memory)
    pebbling = pebble(algorithm, n=n, d=d, memory=memory)
    return encode_run(pebbling, kernel_source(algorithm), theory.floor(n, d), "", algorithm)


def runs_of(settings: LabSettings, titles: Mapping[str, str]) -> list[Run]:
    """The runs that the board shows, left to right."""
    runs = [
        _run(algorithm, settings.n, settings.d, settings.memory) | {"title": titles[algorithm]}
        for algorithm in settings.algorithms
    ]
    st.session_state[_SHOWN] = revision(runs)
    return runs


def last_tick(runs: Sequence[Run]) -> int:
    """Where the board's clock ends; 0 when nothing fits."""
    return clock_length([operations(run) for run in runs if run.get("fits") is not False])


def notation(algorithm: str, settings: LabSettings, form: str) -> Callable[[], str]:
    """The pebbling as a file, made when the reader asks for it."""
    n, d, memory = settings.n, settings.d, settings.memory
    return lambda: write_pebbling(pebble(algorithm, n=n, d=d, memory=memory), form=form)


# What the reader does becomes the value of a setting's key, as if a widget had been moved; `sync` does the rest.


def take(field: str) -> None:
    """A number as it was typed: a number field would turn 2.5 or 1e30 into something else without a word."""
    update(LAB, **{field: st.session_state[f"lab.{field}_typed"].strip()})


def choose(side: str) -> None:
    """Another algorithm on one side. The same one on both sides is no comparison: then they change places."""
    before = [*st.session_state["lab.algorithms"], NO_ALGORITHM][:2]
    after = [st.session_state["lab.left"], st.session_state["lab.right"]]
    if after[0] == after[1]:
        changed, other = (0, 1) if side == "left" else (1, 0)
        free = [before[changed], *(a for a in ALGORITHM_IDS if a != after[changed])]
        after[other] = next(a for a in free if a != NO_ALGORITHM)
    st.session_state["lab.algorithms"] = [a for a in after if a != NO_ALGORITHM]


def adopt_place() -> None:
    """The reader has come to rest at a tick: it goes into the address."""
    place = st.session_state[BOARD]["step"]
    if place and place["rev"] == st.session_state.get(_SHOWN):
        st.session_state["lab.step"] = place["t"]


def adopt_wish() -> None:
    """The reader takes the memory that a run needs."""
    wish = st.session_state[BOARD]["wish"]
    if wish:
        st.session_state["lab.memory"] = wish["memory"]
