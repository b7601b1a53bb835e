"""The search: a beam for a good pebbling, then A* to prove that there is no better one.

Where a short proof does not suffice, a local search over orders (from outside, `elsewhere`) and a wider beam come
between: on larger DAGs they find much better pebblings, and A* stores no state that cannot beat them.

A* takes states in the order of cost so far + estimate. The estimate need not be consistent (settling can take a state
to one whose estimate is lower), so a state is opened again when it is reached at less cost. The least sum in the queue
never exceeds the optimum, and it is the bound that is proven so far. States whose sum reaches the cost of the best
pebbling known are never stored; when none is left, that pebbling is optimal.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pebble_engine.solver.space import Space, State, Step

BEAMS = (8, 120)  # widths: at first, and where a short proof does not suffice
SHORT_PROOF = 3_000  # states
CHECK_EVERY = 64  # successors between two looks at the clock


class Progress(NamedTuple):
    """What a progress callback is told."""

    lower_bound: int  # proven so far
    cost: int  # of the best pebbling so far
    states: int  # states stored
    seconds: float  # since the start


class GaveUp(Exception):
    """A limit is reached; `reason` is `time`, `memory` or `cancelled`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Limits:
    """When to give up, and whom to tell."""

    seconds: float | None
    states: int
    progress: Callable[[Progress], object] | None = None
    cancelled: Callable[[], bool] | None = None
    started: float = field(default_factory=time.monotonic)
    _told: float = 0.0
    _calls: int = 0

    def check(self, lower_bound: int, cost: int, states: int) -> None:
        """Called for every successor: raises GaveUp, and reports progress about ten times a second."""
        if states > self.states:
            raise GaveUp("memory")
        self._calls += 1
        if self._calls % CHECK_EVERY:
            return
        seconds = time.monotonic() - self.started
        if self.seconds is not None and seconds > self.seconds:
            raise GaveUp("time")
        if self.cancelled is not None and self.cancelled():
            raise GaveUp("cancelled")
        self.tell(lower_bound, cost, states)

    def tell(self, lower_bound: int, cost: int, states: int) -> None:
        """Report progress, unless that was done a moment ago."""
        seconds = time.monotonic() - self.started
        if self.progress is not None and seconds - self._told > 0.1:
            self._told = seconds
            self.progress(Progress(lower_bound, cost, states, seconds))


Path = list[tuple[State, Step]]  # states and the steps taken from them, up to a goal


@dataclass
class Search:
    """One search in one space.

    Attributes
    ----------
    cost : of the best pebbling known; from outside at first
    elsewhere : looks for a better one by other means; its cost, which replaces `cost` if it is lower
    path : how it goes, None as long as it is the one from outside
    lower_bound : proven so far
    states : states expanded
    """

    space: Space
    limits: Limits
    cost: int
    elsewhere: Callable[[], int]
    path: Path | None = None
    lower_bound: int = 0
    states: int = 0

    def run(self) -> None:
        """Search until the best pebbling is proven optimal. Raises GaveUp."""
        start = self.space.start()
        self.lower_bound = self.space.estimate(start)
        if self.cost > self.lower_bound:
            self._beam(start, BEAMS[0])
        if self.cost > self.lower_bound and not self._prove(start, SHORT_PROOF):
            self.adopt(self.elsewhere())
            if self.cost > self.lower_bound:
                self._beam(start, BEAMS[1])
                self._prove(start, None)
        self.lower_bound = self.cost

    def adopt(self, cost: int) -> None:
        """A pebbling from elsewhere costs so much: from now on better ones are looked for."""
        if cost < self.cost:
            self.cost, self.path = cost, None

    def _beam(self, start: State, width: int) -> None:
        """Cost by cost, keep the `width` states of the least estimate.

        States that are reached from states of the same cost at no cost are taken in as well, until none is new among
        the best.
        """
        space, limits = self.space, self.limits
        parents: dict[State, tuple[State, Step]] = {}
        best = {start: 0}
        levels: dict[int, dict[State, int]] = {0: {start: space.estimate(start)}}  # cost -> state -> estimate
        cost = 0
        while levels:
            level = levels.pop(cost, {})
            expanded: set[State] = set()
            while True:
                chosen = sorted(level, key=level.__getitem__)[:width]
                fresh = [state for state in chosen if state not in expanded]
                if not fresh:
                    break
                for state in fresh:
                    expanded.add(state)
                    if best[state] < cost:
                        continue
                    self.states += 1
                    for after, price, step in space.steps(state):
                        limits.check(self.lower_bound, self.cost, len(best))
                        total = cost + price
                        if total >= best.get(after, self.cost):
                            continue
                        estimate = space.estimate(after)
                        if total + estimate >= self.cost:
                            continue
                        best[after] = total
                        parents[after] = state, step
                        if space.is_goal(after):
                            self.cost = total
                            self.path = _path(parents, start, after)
                        elif price:
                            levels.setdefault(total, {})[after] = estimate
                        else:
                            level[after] = estimate
            cost += 1

    def _prove(self, start: State, most: int | None) -> bool:
        """A*, over at most so many states. Whether it was completed."""
        space, limits = self.space, self.limits
        best = {start: 0}
        estimates = {start: space.estimate(start)}
        parents: dict[State, tuple[State, Step]] = {}
        serial = 0
        queue = [(estimates[start], 0, 0, start)]
        closed: dict[State, int] = {}
        while queue:
            bound, minus_cost, _, state = heapq.heappop(queue)
            cost = -minus_cost
            self.lower_bound = max(self.lower_bound, bound)
            if bound >= self.cost:
                break
            if best[state] < cost or closed.get(state, cost + 1) <= cost:
                continue
            if most is not None and len(closed) >= most:
                return False
            closed[state] = cost
            self.states += 1
            for after, price, step in space.steps(state):
                limits.check(self.lower_bound, self.cost, len(best))
                total = cost + price
                if total >= best.get(after, self.cost):
                    continue
                estimate = estimates.get(after)
                if estimate is None:
                    estimate = estimates[after] = space.estimate(after)
                if total + estimate >= self.cost:
                    continue
                best[after] = total
                parents[after] = state, step
                if space.is_goal(after):
                    self.cost = total
                    self.path = _path(parents, start, after)
                    continue
                serial += 1
                heapq.heappush(queue, (total + estimate, -total, serial, after))
        return True


def _path(parents: dict[State, tuple[State, Step]], start: State, goal: State) -> Path:
    path: Path = []
    state = goal
    while state != start:
        state, step = parents[state]
        path.append((state, step))
    return path[::-1]
