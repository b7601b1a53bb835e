"""Proven optimal pebblings.

>>> from pebble_engine import Rules, matmul
>>> solution = solve(matmul(2, 2, 1), Rules(red=3))
>>> solution.cost, solution.proved
(9, True)

How it works: computing is free, so the search goes over what leaves and enters fast memory (`space`), from states that
are reduced as far as can be proven (`recompute`, `oneshot`), one for each orbit of the DAG's symmetries (`symmetry`). A
beam finds a good pebbling, A* proves that there is no better one (`search`); where that takes long, and on giving up,
`local_search` improves what is returned. The moves are replayed before they are returned.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pebble_engine.dag import PebbleDag
from pebble_engine.errors import PebbleError
from pebble_engine.pebbling import Pebbling, replay
from pebble_engine.rules import Move, Rules
from pebble_engine.solver.greedy import greedy
from pebble_engine.solver.oneshot import OneShotSpace
from pebble_engine.solver.problem import DoesNotFit, Problem
from pebble_engine.solver.realize import entries_of, moves_of
from pebble_engine.solver.recompute import RecomputeSpace
from pebble_engine.solver.search import GaveUp, Limits, Progress, Search
from pebble_engine.solver.space import Log, Space
from pebble_engine.solver.symmetry import Form, Orbits, symmetry

__all__ = ["DoesNotFit", "Progress", "SearchLimit", "Solution", "clear_cache", "solve"]

MOST_STATES = 2_000_000  # by default; about 1 kB each
CACHED = 256  # solutions
IMPROVE_SEEDS = range(3)
IMPROVE_WORK = 300_000  # rounds of local search x vertices, for each seed: about half a second
QUICK_WORK = 100_000  # the same, once, on giving up before that
IMPROVE_SHARE = 0.25  # of the time limit, at most


@dataclass(frozen=True)
class Solution:
    """The best pebbling found, and what is proven.

    Attributes
    ----------
    dag, rules : what was solved
    moves : a legal pebbling that reaches the goal
    cost : its I/O, words
    lower_bound : no pebbling costs less; equal to `cost` if `proved`
    states : states that the search expanded
    stopped : why the search gave up: `time`, `memory` or `cancelled`; None if it did not
    """

    dag: PebbleDag
    rules: Rules
    moves: tuple[Move, ...]
    cost: int
    lower_bound: int
    states: int
    stopped: str | None = None

    @property
    def proved(self) -> bool:
        """Whether no pebbling costs less."""
        return self.cost == self.lower_bound

    @property
    def pebbling(self) -> Pebbling:
        """The moves with their DAG and rules, as for a file."""
        return Pebbling(self.dag, self.rules, self.moves, made_by="solver")

    def __repr__(self) -> str:
        known = "optimal" if self.proved else f"at least {self.lower_bound}"
        return f"<Solution of {self.dag.name!r}: cost {self.cost}, {known}, {len(self.moves)} moves>"


class SearchLimit(PebbleError):
    """A limit was reached before the optimum was proven. `solution` is what is known, `reason` its `stopped`."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(
            f"gave up ({solution.stopped}): the best pebbling so far costs {solution.cost}, "
            f"and none costs less than {solution.lower_bound}"
        )
        self.solution = solution
        self.reason = solution.stopped or ""


def solve(
    dag: PebbleDag,
    rules: Rules,
    *,
    time_limit: float | None = None,
    max_states: int = MOST_STATES,
    progress: Callable[[Progress], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    must_prove: bool = False,
) -> Solution:
    """An optimal pebbling, or within the limits the best one and the bound that is proven.

    Parameters
    ----------
    time_limit : seconds on the clock; None for no limit
    max_states : states that the search may store
    progress : called about ten times a second
    cancelled : asked often; when it says True the search gives up
    must_prove : raise SearchLimit rather than return what is not proven

    Returns
    -------
    Solution : deterministic, unless a time limit or a cancellation cut it short. Proven ones are remembered by the
        DAG's canonical form and the rules, and looked up whatever the labels.

    Raises
    ------
    DoesNotFit : no pebbling exists
    SearchLimit : with `must_prove`
    """
    limits = Limits(time_limit, max_states, progress, cancelled)
    problem = Problem(dag, rules)
    symmetric = symmetry(problem)
    labels = [dag.labels[v] for v in problem.vertices]

    key = None if symmetric.form is None else (symmetric.form, rules)
    found = None if key is None else _recall(key, symmetric.numbering)
    if found is None:
        found = _search(problem, Orbits(len(problem), symmetric.automorphisms), limits)
        if key is not None and found.stopped is None:
            _remember(key, symmetric.numbering, found)

    moves = moves_of(found.log, labels)
    run = replay(Pebbling(dag, rules, moves))
    if not run.is_solved or run.io != found.cost:
        raise AssertionError(f"the solver's own moves cost {run.io}, solved {run.is_solved}; it claims {found.cost}")
    solution = Solution(dag, rules, moves, found.cost, found.lower_bound, found.states, found.stopped)
    if must_prove and not solution.proved:
        raise SearchLimit(solution)
    return solution


@dataclass(frozen=True)
class _Found:
    """A solution in a problem's vertex numbers."""

    log: Log
    cost: int
    lower_bound: int
    states: int
    stopped: str | None


def _search(problem: Problem, orbits: Orbits, limits: Limits) -> _Found:
    known = _Known(problem, limits)
    space: Space = RecomputeSpace(problem, orbits) if problem.recompute else OneShotSpace(problem, orbits)
    search = Search(space, limits, known.cost, lambda: known.improved(search))
    stopped = None
    try:
        search.run()
    except GaveUp as limit:
        stopped = limit.reason
        search.adopt(known.improved_quickly())
    log = known.log if search.path is None else entries_of(search.path, space, orbits, problem)
    return _Found(log, search.cost, search.lower_bound, search.states, stopped)


class _Known:
    """The best pebbling that does not come from the search: greedy at first, improved when the search takes long."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.log, self.cost = greedy(problem)
        self._tried = False

    def improved(self, search: Search) -> int:
        """Its cost after a local search, which may take a share of the time limit."""
        limits = self.limits
        seconds = None if limits.seconds is None else limits.seconds * IMPROVE_SHARE / len(IMPROVE_SEEDS)
        for seed in IMPROVE_SEEDS:
            self._improve(
                IMPROVE_WORK,
                seed=seed,
                time_limit=seconds,
                cancelled=limits.cancelled,
                progress=lambda now: limits.tell(
                    search.lower_bound, min(search.cost, self.cost, now.io), search.states
                ),
            )
            if self.cost <= search.lower_bound:
                break
        return self.cost

    def improved_quickly(self) -> int:
        """Its cost after a local search that no limit shortens, unless there has been one."""
        if not self._tried:
            self._improve(QUICK_WORK, time_limit=None)
        return self.cost

    def _improve(self, work: int, **options: Any) -> None:
        from pebble_engine.local_search import improve  # it builds on `schedules`, which builds on `problem`

        self._tried = True
        problem = self.problem
        rounds = max(20, work // len(problem))
        found = improve(problem.dag, problem.rules, rounds=rounds, **options)
        if found.io < self.cost:
            number = {problem.dag.labels[v]: i for i, v in enumerate(problem.vertices)}
            self.cost = found.io
            self.log = [
                (move.op, number[move.vertex], -1 if move.source is None else number[move.source])
                for move in found.moves
            ]


Key = tuple[Form, Rules]
_remembered: OrderedDict[Key, _Found] = OrderedDict()  # the least recently used first
_lock = threading.Lock()


def _remember(key: Key, numbering: list[int], found: _Found) -> None:
    log = [(op, numbering[v], numbering[u] if u >= 0 else -1) for op, v, u in found.log]
    with _lock:
        _remembered[key] = _Found(log, found.cost, found.lower_bound, found.states, found.stopped)
        _remembered.move_to_end(key)
        while len(_remembered) > CACHED:
            _remembered.popitem(last=False)


def _recall(key: Key, numbering: list[int]) -> _Found | None:
    with _lock:
        found = _remembered.get(key)
        if found is None:
            return None
        _remembered.move_to_end(key)
    back = [0] * len(numbering)
    for v, number in enumerate(numbering):
        back[number] = v
    log = [(op, back[v], back[u] if u >= 0 else -1) for op, v, u in found.log]
    return _Found(log, found.cost, found.lower_bound, found.states, found.stopped)


def clear_cache() -> None:
    """Forget the solutions that are remembered."""
    with _lock:
        _remembered.clear()
