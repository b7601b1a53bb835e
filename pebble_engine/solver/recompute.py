"""The state space where a vertex may be computed again and again.

A state is (red set, blue set, pending set). The blue set holds the outputs that are stored and the intermediate values
that were stored and may still be loaded; inputs are always blue and are left out. *Pending*: intermediate values that
were stored and have not been loaded since; see below. *Missing*: outputs that are not blue. *Useful*
successors of v: those from which a path leads to a missing output (a missing output itself included).

Settling, with proofs. "Simulate" means: play another pebbling move for move with at most as many red pebbles, at no
greater cost and with no more events (see space.py).

a. *Dead.* A red or blue value without useful successors is dropped: an optimal pebbling computes no useless vertices.
b. *Missing outputs at hand.* A missing output that can be computed together with all that it takes (its cone) in the
   free room is computed, stored, and its cone deleted. It costs 1, as it would later; the red set stays as it was.
c. *One use left.* v is red and its only useful successor is w. If w is red too, v is dropped. Simulate a pebbling that
   keeps v: hold w in place of v for as long as v stays; w's own pebble is then not needed. Where v is stored and
   loaded later, store and load w; where v is loaded from an earlier blue pebble, do the same. v's only purpose was
   to compute w. If w is not red but its cone fits (or, when sliding, v's pebble can slide to w at once), compute w and
   then drop v: what is reached is by the same argument worth at least v.
d. *One use left, blue.* v and w are both blue, w the only useful successor of v: v's blue pebble is dropped. Wherever
   v would be loaded to compute w, load w. Likewise an input v is not loaded while w is blue.
e. *Implied.* A red v whose operands are all red is dropped: compute it again when needed. The room it takes is the room
   it had. Any full memory that contained v still appears among the fillings, so nothing is lost; that would not hold
   if v needed other values to be computed and deleted on the way.

Pending values: a pebbling that stores an intermediate value and never loads it again is not optimal, since without that
store it costs 1 less. So each pending value will be loaded, and a state where one has become dead, or is dropped by
(d), is on no optimal path. An optimal path that loads all of its pending values survives (a) to (e): a simulation that
left one of these loads out would be cheaper than an optimal path.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from pebble_engine.solver.problem import Problem, bits
from pebble_engine.solver.space import Log, State, Step, cone, fillings, log_cone, log_delete
from pebble_engine.solver.symmetry import Orbits

MOST_CACHED = 600_000


class _Use(NamedTuple):
    """What is useful while some outputs are missing."""

    successors: list[int]  # useful ones, for each vertex
    live: int  # vertices with a useful successor
    single: int  # vertices with exactly one
    inner: list[int]  # computed vertices that lead to a missing output, ascending


class RecomputeSpace:
    """See the module."""

    def __init__(self, problem: Problem, orbits: Orbits) -> None:
        self.problem = problem
        self._orbits = orbits
        self._uses: dict[int, _Use] = {}
        self._settled: dict[State, State] = {}

    def start(self) -> State:
        return self._orbits.canonical(self._settle(0, 0, 0, None) or (0, 0, 0))

    def is_goal(self, state: State) -> bool:
        return not self.problem.outputs & ~state[1]

    def use(self, missing: int) -> _Use:
        """What is useful while these outputs are missing."""
        found = self._uses.get(missing)
        if found is None:
            operands = self.problem.operands
            needed, todo = 0, missing
            while todo:
                low = todo & -todo
                needed |= low
                todo = (todo ^ low) | (operands[low.bit_length() - 1] & ~needed)
            successors = [users & needed for users in self.problem.users]
            live = single = 0
            for v, useful in enumerate(successors):
                live |= 1 << v if useful else 0
                single |= 1 << v if useful.bit_count() == 1 else 0
            inner = [v for v in self.problem.inner if needed >> v & 1]
            found = self._uses[missing] = _Use(successors, live, single, inner)
        return found

    def _settle(self, red: int, blue: int, pending: int, log: Log | None) -> State | None:
        """The settled state, None if it is on no optimal path. With a log, what happens is written there."""
        outputs = self.problem.outputs
        missing = outputs & ~blue
        if log is not None:
            red, missing = self._settle_red(red, missing, log)
        else:
            key = (red, missing)
            known = self._settled.get(key)
            if known is None:
                if len(self._settled) >= MOST_CACHED:
                    self._settled.clear()
                known = self._settled[key] = self._settle_red(red, missing, None)
            red, missing = known
        stored = outputs & ~missing
        if not missing:
            return None if pending else (0, stored, 0)
        use = self.use(missing)
        spilled = blue & ~outputs & use.live
        maybe = spilled & use.single
        blue = stored | spilled
        while maybe:  # (d)
            low = maybe & -maybe
            maybe ^= low
            if use.successors[low.bit_length() - 1] & blue:
                blue ^= low
        return None if pending & ~blue else (red, blue, pending)

    def _settle_red(self, red: int, missing: int, log: Log | None) -> tuple[int, int]:
        operands, most, sliding = self.problem.operands, self.problem.red, self.problem.sliding
        while missing:
            successors, live, single, inner = self.use(missing)
            if log is not None:
                log_delete(log, red & ~live)
            red &= live  # (a)
            room = most - red.bit_count()
            hand = red
            for v in inner:
                if not operands[v] & ~hand:
                    hand |= 1 << v

            now = 0  # (b)
            maybe = missing & hand
            while maybe:
                low = maybe & -maybe
                maybe ^= low
                takes = cone(operands, low.bit_length() - 1, red)
                if takes.bit_count() <= room:
                    now |= low
                    if log is not None:
                        log_cone(log, takes)
                        log.append(("store", low.bit_length() - 1, -1))
                        log_delete(log, takes)
            if now:
                missing &= ~now
                continue

            changed = False
            maybe = red & single
            while maybe:  # (c)
                low = maybe & -maybe
                maybe ^= low
                v = low.bit_length() - 1
                target = successors[v]
                if target & red:
                    red ^= low
                    changed = True
                    if log is not None:
                        log_delete(log, low)
                    break
                if target & hand:
                    w = target.bit_length() - 1
                    takes = cone(operands, w, red)
                    slides = sliding and takes == target
                    if takes.bit_count() <= room or slides:
                        if log is not None:
                            if slides:
                                log.append(("slide", w, v))
                            else:
                                log_cone(log, takes)
                                log_delete(log, takes & ~target | low)
                            if target & missing:
                                log.append(("store", w, -1))
                        red = (red ^ low) | target
                        missing &= ~target
                        changed = True
                        break
            if changed:
                continue

            maybe = red
            while maybe:  # (e)
                v = maybe.bit_length() - 1
                maybe ^= 1 << v
                if operands[v] and not operands[v] & ~red:
                    red ^= 1 << v
                    changed = True
                    if log is not None:
                        log_delete(log, 1 << v)
            if not changed:
                return red, missing
        if log is not None:
            log_delete(log, red)
        return 0, 0

    def estimate(self, state: State) -> int:
        """Missing outputs + pending values + the least number of other blue values that must be loaded.

        The values that will be loaded and are blue now, together with the red ones, must cut every path from an input
        to a missing output: along a path without them nothing could ever be computed. (Values that are stored later are
        computed from these.) So the least such cut, pending values for nothing, is a bound. It is the number of inputs
        behind red and pending values as long as no other value is blue. Otherwise all cuts with at most two of those
        are tried, and any other cut has at least three.
        """
        red, blue, pending = state
        missing = self.problem.outputs & ~blue
        if not missing:
            return 0
        use = self.use(missing)
        price = missing.bit_count() + pending.bit_count()
        red |= pending
        needed = self._needed(missing, red)
        spilled = needed & blue & ~red & use.live
        inputs = self.problem.inputs
        cut = (needed & inputs).bit_count()
        if spilled:
            certain = (self._needed(missing, red | spilled) & inputs).bit_count()
            extra = cut - certain
            if extra > 1:
                cut = certain + self._least_extra(missing, red, spilled, extra, certain)
        return price + cut

    def _least_extra(self, missing: int, red: int, spilled: int, extra: int, certain: int) -> int:
        """Least number of loads beyond the certain inputs, at most `extra`, by trying one or two spilled values."""
        inputs = self.problem.inputs
        values = list(bits(spilled))
        for size in range(1, min(len(values), extra - 1) + 1):
            if size >= 3:
                return min(extra, 3)
            for chosen in combinations(values, size):
                stop = red
                for v in chosen:
                    stop |= 1 << v
                rest = (self._needed(missing, stop) & inputs).bit_count() - certain
                extra = min(extra, size + rest)
            if extra <= size + 1:
                return extra
        return extra

    def _needed(self, missing: int, stop: int) -> int:
        """All that must be at hand to compute the missing outputs, without what lies behind `stop`."""
        operands = self.problem.operands
        needed, todo = 0, missing
        while todo:
            v = todo.bit_length() - 1
            needed |= 1 << v
            todo = (todo ^ 1 << v) | (operands[v] & ~stop)
        return needed

    def steps(self, state: State) -> Iterator[tuple[State, int, Step]]:
        """See `space.Space`. Costs include the stores that settling makes."""
        red, blue, pending = state
        problem, operands = self.problem, self.problem.operands
        outputs = problem.outputs
        missing = outputs & ~blue
        use = self.use(missing)
        hand = red
        for v in use.inner:
            if not operands[v] & ~hand:
                hand |= 1 << v
        room = problem.red - red.bit_count()
        stored = (outputs & blue).bit_count()
        canonical, settle = self._orbits.canonical, self._settle

        if room:
            for low in self._loads(red, blue, hand, room):
                after = settle(red | low, blue, pending & ~low, None)
                if after is not None:
                    cost = 1 + (outputs & after[1]).bit_count() - stored
                    yield canonical(after), cost, Step(low, 0, 0, 0, 0)

        seen: set[State] = set()
        free = list(bits(hand & ~red & use.live & ~missing))
        keep = problem.inputs | blue
        for full in fillings(operands, red, free, room):
            depended = 0  # a free value on which no other depends leaves nothing behind: not worth a step
            for v in bits(full & ~red):
                depended |= operands[v]
            for low, into in self._leaving(full, red | depended, use.inner, keep):
                now_red = full ^ low | into
                now_blue = blue | (into & missing)
                for spilled in (0, low) if not low & keep else (0,):
                    if not spilled and not into and not low & (red | depended):
                        continue
                    raw = (now_red, now_blue | spilled, pending | spilled)
                    if raw in seen:
                        continue
                    seen.add(raw)
                    after = settle(raw[0], raw[1], raw[2], None)
                    if after is None:
                        continue
                    cost = (1 if spilled else 0) + (outputs & after[1]).bit_count() - stored
                    yield canonical(after), cost, Step(0, full, low, spilled, into)

    def _leaving(self, full: int, worth: int, inner: list[int], keep: int) -> Iterator[tuple[int, int]]:
        """(value that leaves, vertex that it slides to or 0), for a full red set."""
        operands = self.problem.operands
        for v in bits(full):
            if worth >> v & 1 or not keep >> v & 1:
                yield 1 << v, 0
        if self.problem.sliding:
            for v in inner:
                if not full >> v & 1 and not operands[v] & ~full:
                    for u in bits(operands[v]):
                        yield 1 << u, 1 << v

    def _loads(self, red: int, blue: int, hand: int, room: int) -> Iterator[int]:
        """Values worth loading: (3) in space.py, and (d)."""
        problem, operands = self.problem, self.problem.operands
        successors, live, single, inner = self.use(problem.outputs & ~blue)
        loadable = (problem.inputs | blue) & live & ~red
        near = hand | loadable
        found: set[int] = set()
        for w in inner:
            gap = operands[w] & ~hand
            if gap and not operands[w] & ~near and not red >> w & 1 and not (blue >> w & 1 and gap & single):
                found.add(gap & -gap)
        for v in bits(loadable & hand):
            if cone(operands, v, red).bit_count() > room and any(  # else computing it is free
                not operands[w] & ~near for w in bits(successors[v] & ~red)
            ):
                found.add(1 << v)
        yield from found

    def play(self, state: State, step: Step, log: Log) -> State:
        """See `space.Space`. The state that is returned is not moved to its orbit's representative."""
        red, blue, pending = state
        if step.load:
            log.append(("load", step.load.bit_length() - 1, -1))
            return self._settle(red | step.load, blue, pending & ~step.load, log) or state
        log_cone(log, step.full & ~red)
        leaves = step.leaves.bit_length() - 1
        if step.spilled:
            log.append(("store", leaves, -1))
        if step.into:
            into = step.into.bit_length() - 1
            log.append(("slide", into, leaves))
            if step.into & self.problem.outputs & ~blue:
                log.append(("store", into, -1))
                blue |= step.into
        else:
            log_delete(log, step.leaves)
        after = self._settle(step.full ^ step.leaves | step.into, blue | step.spilled, pending | step.spilled, log)
        return after or state
