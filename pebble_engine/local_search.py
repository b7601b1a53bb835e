"""A search that improves an order: simulated annealing, the same for the same seed.

A round changes the order in one of three ways, always into another topological order, plays it (`schedules`), and keeps
it if it moves no more words, or else with a probability that falls as the search cools:

    pull     choose two vertices; compute the later one right after the earlier one, together with those of its
             ancestors that are still to come. Half the time the two use the same operand, for then it is loaded once.
    shift    move a vertex to another place between its last operand and its first user
    swap     exchange two neighbouring blocks, where no vertex of the second needs one of the first

It recomputes nothing, so it cannot reach optima that need recomputation: what it finds is what it is, a legal pebbling.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pebble_engine.dag import PebbleDag
from pebble_engine.pebbling import Pebbling
from pebble_engine.rules import Rules
from pebble_engine.schedules import ORDERS, Plan, named_order

_WARM, _COLD = 1.5, 0.15  # words that a round may lose, about, at the start and at the end
_TELL = 0.1  # seconds between two reports


class Improvement(NamedTuple):
    """What a progress callback is told."""

    io: int  # words of the best order so far
    rounds: int
    seconds: float


def improve(
    dag: PebbleDag,
    rules: Rules,
    *,
    order: Iterable[int | str] | None = None,
    seed: int = 0,
    rounds: int | None = None,
    time_limit: float | None = 5.0,
    progress: Callable[[Improvement], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Pebbling:
    """The best pebbling found from an order, with write-aware Belady eviction.

    Parameters
    ----------
    order : where to start, as for `pebble_order`; by default the better of the named orders
    seed : of the random numbers
    rounds : stop after so many; with `time_limit=None` the result depends on nothing but the arguments
    time_limit : seconds on the clock, None for no limit; one of the two limits must be given
    progress : called about ten times a second, and at the end
    cancelled : asked after every round; when it says True the best so far is returned

    Returns
    -------
    Pebbling : legal, replayed, never worse than the start

    Raises
    ------
    InvalidOrder, DoesNotFit : as `pebble_order`

    Examples
    --------
    >>> from pebble_engine.examples import matmul
    >>> improve(matmul(2, 2, 2), Rules(red=4), rounds=300, time_limit=None).io
    17
    """
    if rounds is None and time_limit is None:
        raise ValueError("give rounds or time_limit")
    plan = Plan(dag, rules)
    starts = [named_order(dag, name) for name in ORDERS] if order is None else [plan.checked(order)]
    search = _Annealing(plan, min(starts, key=plan.play), random.Random(seed))
    started = told = time.monotonic()
    done = 0
    while not search.finished and (rounds is None or done < rounds):
        now = time.monotonic()
        if progress is not None and now - told > _TELL:
            told = now
            progress(Improvement(search.best_words, done, now - started))
        if cancelled is not None and cancelled():
            break
        if time_limit is not None and now - started >= time_limit:
            break
        clock = (now - started) / time_limit if time_limit else 0.0
        search.round(max(clock, done / rounds if rounds else 0.0))
        done += 1
    if progress is not None:
        progress(Improvement(search.best_words, done, time.monotonic() - started))
    return plan.pebbling(search.best, "belady", f"improve seed={seed}")


class _Annealing:
    def __init__(self, plan: Plan, order: list[int], chance: random.Random) -> None:
        self.plan, self.chance = plan, chance
        self.order = self.best = order
        self.words = self.best_words = plan.play(order)
        inner = set(plan.inner)
        self.operands = {v: [u for u in plan.operands[v] if u in inner] for v in order}
        self.users = {v: plan.users[v] for v in order}
        shared = {u for v in order for u in plan.operands[v] if len(plan.users[u]) > 1}
        self.shared = [plan.users[u] for u in sorted(shared)]  # lists of vertices with a common operand
        self.least = plan.least_words
        self.changes: list[Callable[[], list[int] | None]] = [self._pull, self._pull, self._shift, self._swap]

    @property
    def finished(self) -> bool:
        """Nothing can be better, or there is nothing to change."""
        return self.best_words <= self.least or len(self.order) < 2

    def round(self, cooled: float) -> None:
        """One change, at a temperature that falls as `cooled` goes from 0 to 1."""
        order = self.chance.choice(self.changes)()
        if order is None:
            return
        warmth = _WARM * (_COLD / _WARM) ** min(cooled, 1.0)
        most = self.words + int(-warmth * math.log(1.0 - self.chance.random()))
        words = self.plan.play(order, most=most)
        if words > most:
            return
        self.order, self.words = order, words
        if words < self.best_words:
            self.best, self.best_words = order, words

    def _pull(self) -> list[int] | None:
        order, chance = self.order, self.chance
        at = {v: time for time, v in enumerate(order)}
        if self.shared and chance.random() < 0.5:
            first, second = sorted(chance.sample(chance.choice(self.shared), 2), key=at.__getitem__)
        else:
            first, second = sorted(chance.sample(order, 2), key=at.__getitem__)
        start, end = at[first] + 1, at[second] + 1
        wanted = {second}
        for v in reversed(order[start:end]):
            if v in wanted:
                wanted.update(u for u in self.operands[v] if at[u] >= start)
        if len(wanted) == end - start:
            return None
        pulled = [v for v in order[start:end] if v in wanted]
        return order[:start] + pulled + [v for v in order[start:end] if v not in wanted] + order[end:]

    def _shift(self) -> list[int] | None:
        order = self.order
        at = {v: time for time, v in enumerate(order)}
        here = self.chance.randrange(len(order))
        v = order[here]
        low = max((at[u] + 1 for u in self.operands[v]), default=0)
        high = min((at[w] for w in self.users[v]), default=len(order))
        there = self.chance.randrange(low, high)
        if there == here:
            return None
        rest = order[:here] + order[here + 1 :]
        return [*rest[:there], v, *rest[there:]]

    def _swap(self) -> list[int] | None:
        order, chance = self.order, self.chance
        longest = max(1, min(len(order) // 2, 12))
        size, other = chance.randint(1, longest), chance.randint(1, longest)
        if size + other > len(order):
            return None
        start = chance.randrange(len(order) - size - other + 1)
        block, after = order[start : start + size], order[start + size : start + size + other]
        if self._needs(after, set(block)):
            return None
        return order[:start] + after + block + order[start + size + other :]

    def _needs(self, vertices: Sequence[int], block: set[int]) -> bool:
        return any(u in block for v in vertices for u in self.operands[v])
