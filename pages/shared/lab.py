"""What the lab page asks for: runs of the chosen algorithms, and what happens when the reader changes something."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import kernels_ref
from kernels_ref import kernel_source, pebble
from pages.shared.board import Run, clock_length, encode_run, misfit, operations, revision
from pages.shared.fault import callback
from pages.shared.fields import IdField, Problem, validate
from pages.shared.said import parts
from pages.shared.settings import LAB, LAB_KERNELS, LAB_VERTICES, ORDER_IDS, LabSettings
from pages.shared.url_state import Address, update
from pebble_engine import (
    PebbleDag,
    Pebbling,
    Rules,
    attention_backward,
    attention_forward,
    pebble_order,
    solve,
    solver,
    write_pebbling,
)
from pebble_engine.sliding import without_sliding

BOARD = "lab_board"  # the component's key
NO_ALGORITHM = "none"
_SHOWN = "_lab_revision"
SOLVED_VERTICES = 24  # up to (1, 2): a fifth of a second at most


def playable(settings: LabSettings) -> tuple[str, ...]:
    """The algorithms that can play the DAG: kernels add up in a chain, so only orders play whole entries."""
    return (LAB_KERNELS[settings.form] if settings.granularity == "chain" else ()) + ORDER_IDS


def fitted(address: Address) -> None:
    """Hold algorithms to the chosen DAG, and the DAG to what the board can draw; say what was changed."""
    settings = address.settings
    possible = playable(settings)
    if any(algorithm not in possible for algorithm in settings.algorithms):
        kept = tuple(algorithm for algorithm in settings.algorithms if algorithm in possible) or possible[:2]
        asked, known = ", ".join(settings.algorithms), (("known", ", ".join(possible)),)
        problem = Problem("not_for_this_dag", "algorithms", asked, ", ".join(kept), known)
        address.correct(problem, algorithms=kept)
    if (size := len(_dag(*_puzzle(address.settings)))) > LAB_VERTICES:
        plain = LabSettings()
        data = (("vertices", size), ("most", LAB_VERTICES))
        problem = Problem("too_many_vertices", "n", f"n = {settings.n}, d = {settings.d}", f"n = {plain.n}", data)
        address.correct(problem, n=plain.n, d=plain.d)


Puzzle = tuple[int, int, str, str, str]  # n, d, form, mask, granularity


def _puzzle(settings: LabSettings) -> Puzzle:
    return settings.n, settings.d, settings.form, settings.mask, settings.granularity


def kept(mask: str, n: int) -> NDArray[np.bool_] | None:
    """The scores that a mask of the lab keeps, (n, n); None for all of them. The window is two keys wide."""
    key, query = np.arange(n), np.arange(n)[:, None]
    return {"none": None, "causal": key <= query, "window": (key <= query) & (key > query - 2)}[mask]


@st.cache_resource(max_entries=16, show_spinner=False)  # at 3,000 vertices one takes two megabytes
def _dag(n: int, d: int, form: str, mask: str, granularity: str) -> PebbleDag:
    """The DAG that orders play. A kernel's own may divide by a softmax's sum earlier or later; it is as large."""
    shape: dict[str, Any] = {"n": n, "d": d, "granularity": granularity, "mask": kept(mask, n)}
    return attention_forward(**shape) if form == "forward" else attention_backward(form=form, **shape)


def pebbling_of(algorithm: str, settings: LabSettings) -> Pebbling:
    """One algorithm's pebbling of the chosen DAG. Without sliding a kernel plans with a word less.

    Raises `kernels_ref.DoesNotFit`, `pebble_engine.solver.DoesNotFit`.
    """
    n, memory, sliding = settings.n, settings.memory, settings.sliding == "yes"
    if algorithm in ORDER_IDS:
        return pebble_order(_dag(*_puzzle(settings)), Rules(red=memory, sliding=sliding), "natural", algorithm)
    plan: dict[str, Any] = {"n": n, "d": settings.d, "form": settings.form, "mask": kept(settings.mask, n)}
    if sliding:
        return pebble(algorithm, memory=memory, **plan)
    return without_sliding(pebble(algorithm, memory=max(1, memory - 1), **plan))


@st.cache_data(max_entries=256, show_spinner=False)
def _run(algorithm: str, settings: LabSettings) -> Run:
    """One algorithm's run, without a title; or what stands in its place when it does not fit."""
    try:
        pebbling = pebbling_of(algorithm, settings)
    except kernels_ref.DoesNotFit as error:
        return misfit(algorithm, "", settings.memory, error.least_memory + (settings.sliding == "no"))
    except solver.DoesNotFit as error:
        return misfit(algorithm, "", settings.memory, error.least)
    code = [] if algorithm in ORDER_IDS else kernel_source(algorithm, settings.form)
    dag = pebbling.dag
    run = encode_run(pebbling, code, len(dag.inputs) + len(dag.outputs), "", algorithm, _optimum(pebbling))
    return run | {"note": algorithm in ORDER_IDS}


def _optimum(pebbling: Pebbling) -> int | None:
    """The proven optimum, where the solver proves it while one waits: on the very smallest DAGs."""
    if len(pebbling.dag) > SOLVED_VERTICES:
        return None
    solution = solve(pebbling.dag, pebbling.rules, time_limit=1.0)
    return solution.cost if solution.proved else None


def runs_of(settings: LabSettings, titles: Mapping[str, str]) -> list[Run]:
    """The runs that the board shows, left to right."""
    same = replace(settings, algorithms=LabSettings.algorithms, step=0)
    runs = [_run(algorithm, same) | {"title": titles[algorithm]} for algorithm in settings.algorithms]
    st.session_state[_SHOWN] = revision(runs)
    return runs


def last_tick(runs: Sequence[Run]) -> int:
    """Where the board's clock ends; 0 when nothing fits."""
    return clock_length([operations(run) for run in runs if run.get("fits") is not False])


def notation(algorithm: str, settings: LabSettings, form: str) -> Callable[[], str]:
    """The pebbling as a file, made when the reader asks for it."""
    return lambda: write_pebbling(pebbling_of(algorithm, settings), form=form)


# What the reader does becomes the value of a setting's key, as if a widget had been moved; `sync` does the rest.


@callback
def choose(side: str) -> None:
    """Another algorithm on one side. The same one on both sides is no comparison: then they change places."""
    before = [*settings_now().algorithms, NO_ALGORITHM][:2]
    after = [str(st.session_state.get(f"lab.{name}", NO_ALGORITHM)) for name in ("left", "right")]
    if after[0] == after[1]:
        changed, other = (0, 1) if side == "left" else (1, 0)
        free = [before[changed], *(a for a in playable(settings_now()) if a != after[changed])]
        after[other] = next(a for a in free if a != NO_ALGORITHM)
    st.session_state["lab.algorithms"] = [a for a in after if a != NO_ALGORITHM]


def settings_now() -> LabSettings:
    """The settings that the session holds."""
    kept: LabSettings | None = st.session_state.get("_settings.lab")
    return kept or LabSettings()


def choices(field: str) -> tuple[str, ...]:
    """The ids that a field of the lab can have."""
    found = LAB.named(field)
    assert isinstance(found, IdField)
    return found.ids


@callback
def choose_dag(field: str) -> None:
    """Another DAG: algorithms that cannot play it make room for those that can."""
    now = settings_now()
    checked, _ = validate(LAB, {field: st.session_state.get(f"lab.{field}_chosen")}, now)
    possible = playable(checked)
    algorithms = [a for a in now.algorithms if a in possible] or list(possible[:2])
    update(LAB, **{field: getattr(checked, field)}, algorithms=algorithms)


@callback
def adopt_place() -> None:
    """The reader has come to rest at a tick: it goes into the address."""
    place = parts(BOARD, "step")
    if place and place.get("rev") == st.session_state.get(_SHOWN):
        st.session_state["lab.step"] = place.get("t")


@callback
def adopt_wish() -> None:
    """The reader takes the memory that a run needs."""
    wish = parts(BOARD, "wish")
    if wish:
        st.session_state["lab.memory"] = wish.get("memory")
