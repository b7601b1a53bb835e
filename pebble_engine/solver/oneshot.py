"""The state space of the one-shot game: every vertex is computed once.

A state is (red set, blue set, computed set); inputs are always blue and are left out of the blue set. *Users* of v:
its successors that are still to be computed. After pruning every vertex has to be computed: the goal is that all are.

Settling, with proofs; "simulate" as in recompute.py.

a. *Dead.* A red or blue value without users is dropped.
b. *Now or later.* Let K be w and all that must be computed for it. If K fits in the free room, and afterwards no value
   of K but w has users outside K, and w has none, then K is computed now and deleted: each of K is to be computed once
   anyhow, and computing it now leaves the red set as it was. (Its outputs are stored, which costs the same later.)
c. *One use left.* v is red, its only user is w, K as in (b) but w may have users, and v is in no slow memory, or w has
   no users, or w is an output. Then K is computed now, and w takes v's place. Simulate a pebbling that keeps v until it
   computes w: hold w in place of v. Where v is stored and loaded again, store and load w; v's store cost 1, so does
   w's (nothing if w is an output: it is blue). If v had been blue already, giving it up would have been free where
   giving w up costs 1: hence the condition. When sliding, v's pebble can slide to w when K is w alone.
d. *Not yet.* A red value v, not blue, no output, with no successor computed and all operands red, is taken back: it
   has been red since it was computed and has not been used, so it can be computed later, when it is needed. If its
   pebble was slid from u, that move becomes a delete of u. `play` writes ("undo", v) to the log for this.
   As with (e) in recompute.py, every full memory with v in it still appears among the fillings.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble_engine.solver.problem import Problem, bits
from pebble_engine.solver.space import Log, State, Step, cone, fillings, log_delete
from pebble_engine.solver.symmetry import Orbits


class OneShotSpace:
    """See the module."""

    def __init__(self, problem: Problem, orbits: Orbits) -> None:
        self.problem = problem
        self._orbits = orbits
        self._all = problem.everything & ~problem.inputs

    def start(self) -> State:
        return self._orbits.canonical(self._settle(0, 0, 0, None))

    def is_goal(self, state: State) -> bool:
        return state[2] == self._all

    def _settle(self, red: int, blue: int, computed: int, log: Log | None) -> State:
        """The settled state. With a log, everything that happens is written there."""
        problem, operands, users = self.problem, self.problem.operands, self.problem.users
        outputs, inputs = problem.outputs, problem.inputs
        while True:
            live = 0
            for v in bits(red | blue):
                if users[v] & ~computed:
                    live |= 1 << v
            if log is not None:
                log_delete(log, red & ~live)
            red, blue = red & live, blue & live  # (a)
            room = problem.red - red.bit_count()
            hand = self._hand(red, computed)
            changed = False

            for w in bits(hand & ~red):  # (b)
                if not users[w] & ~computed:
                    takes = cone(operands, w, red)
                    if takes.bit_count() <= room and not self._used_outside(takes, computed):
                        if log is not None:
                            self._log_computes(log, takes)
                            log_delete(log, takes)
                        computed |= takes
                        changed = True
                        break
            if changed:
                continue

            for v in bits(red):  # (c)
                target = users[v] & ~computed
                if target & (target - 1) or not target & hand:
                    continue
                w = target.bit_length() - 1
                takes = cone(operands, w, red)
                slides = problem.sliding and takes == target
                if takes.bit_count() > room and not slides:
                    continue
                stays = bool(users[w] & ~computed)
                if (inputs | blue) >> v & 1 and stays and not outputs & target:
                    continue
                if self._used_outside(takes & ~target, computed | target):
                    continue
                if log is not None:
                    if slides:
                        log.append(("slide", w, v))
                        if target & outputs:
                            log.append(("store", w, -1))
                    else:
                        self._log_computes(log, takes)
                        log_delete(log, takes & ~target | 1 << v)
                red = red & ~(1 << v) | target
                blue |= target & outputs
                computed |= takes
                changed = True
                break
            if changed:
                continue

            maybe = red & computed & ~blue & ~outputs
            while maybe:  # (d)
                v = maybe.bit_length() - 1
                maybe ^= 1 << v
                if not users[v] & computed and not operands[v] & ~red:
                    red ^= 1 << v
                    computed ^= 1 << v
                    changed = True
                    if log is not None:
                        log.append(("undo", v, -1))
            if not changed:
                return red, blue, computed

    def _hand(self, red: int, computed: int) -> int:
        """What is red, and what can be computed from it for the first time."""
        operands = self.problem.operands
        hand = red
        for v in bits(self._all & ~computed):
            if not operands[v] & ~hand:
                hand |= 1 << v
        return hand

    def _used_outside(self, vertices: int, computed: int) -> bool:
        """Whether a user of one of the vertices is neither among them nor computed."""
        users = self.problem.users
        inside = vertices | computed
        return any(users[v] & ~inside for v in bits(vertices))

    def _log_computes(self, log: Log, vertices: int) -> None:
        """Compute the vertices, operands first, and store those that are outputs."""
        for v in bits(vertices):
            log.append(("compute", v, -1))
            if self.problem.outputs >> v & 1:
                log.append(("store", v, -1))

    def estimate(self, state: State) -> int:
        """Outputs to come + live values that are not red.

        An input or a spilled value with users is an operand of something that will be computed, cannot be computed
        itself, and is not red: it will be loaded, once at least.
        """
        red, blue, computed = state
        users = self.problem.users
        cost = (self.problem.outputs & ~computed).bit_count()
        for v in bits((self.problem.inputs | blue) & ~red):
            if users[v] & ~computed:
                cost += 1
        return cost

    def steps(self, state: State) -> Iterator[tuple[State, int, Step]]:
        """See `space.Space`. Costs include the stores of outputs that are computed on the way."""
        red, blue, computed = state
        problem, operands = self.problem, self.problem.operands
        outputs = problem.outputs
        hand = self._hand(red, computed)
        room = problem.red - red.bit_count()
        done = (outputs & computed).bit_count()
        canonical, settle = self._orbits.canonical, self._settle

        def priced(raw: State, cost: int, step: Step) -> tuple[State, int, Step]:
            after = settle(raw[0], raw[1], raw[2], None)
            return canonical(after), cost + (outputs & after[2]).bit_count() - done, step

        if not self._all & ~computed & ~hand and (hand & ~red).bit_count() <= room:
            # Everything is at hand and fits: memory will never be full. Only this step makes no value leave.
            yield priced((0, 0, self._all), 0, Step(0, hand, 0, 0, 0))
            return

        if room:
            loadable = (problem.inputs | blue) & ~red
            near = hand | loadable
            loads: set[int] = set()
            for w in bits(self._all & ~computed):
                gap = operands[w] & ~hand
                if gap and not operands[w] & ~near:
                    loads.add(gap & -gap)
            for low in loads:
                yield priced((red | low, blue, computed), 1, Step(low, 0, 0, 0, 0))

        seen: set[State] = set()
        free = list(bits(hand & ~red))
        for full in fillings(operands, red, free, room):
            new = full & ~red
            now_computed = computed | new
            now_blue = blue | (new & outputs)
            for v in bits(full):
                raw, cost = self._without(v, full, now_blue, now_computed)
                if raw not in seen:
                    seen.add(raw)
                    yield priced(raw, cost, Step(0, full, 1 << v, 1 << v if cost else 0, 0))
            if problem.sliding:
                for w in bits(self._hand(full, now_computed) & ~full):
                    if operands[w] & ~full:
                        continue
                    into = 1 << w
                    for v in bits(operands[w]):
                        # Stored before the slide if it has another user to come.
                        raw, cost = self._without(v, full | into, now_blue | (into & outputs), now_computed | into)
                        if raw not in seen:
                            seen.add(raw)
                            yield priced(raw, cost, Step(0, full, 1 << v, 1 << v if cost else 0, into))

    def _without(self, v: int, red: int, blue: int, computed: int) -> tuple[State, int]:
        """(red, blue, computed) after v leaves, and the cost: a value with users that is not blue is stored first."""
        low = 1 << v
        if (self.problem.inputs | blue) & low or not self.problem.users[v] & ~computed:
            return (red & ~low, blue, computed), 0
        return (red & ~low, blue | low, computed), 1

    def play(self, state: State, step: Step, log: Log) -> State:
        """See `space.Space`. The state that is returned is not moved to its orbit's representative."""
        red, blue, computed = state
        outputs = self.problem.outputs
        if step.load:
            log.append(("load", step.load.bit_length() - 1, -1))
            return self._settle(red | step.load, blue, computed, log)
        new = step.full & ~red
        self._log_computes(log, new)
        red = step.full
        blue |= new & outputs
        computed |= new
        if not step.leaves:
            return self._settle(red, blue, computed, log)
        leaves = step.leaves.bit_length() - 1
        if step.spilled:
            log.append(("store", leaves, -1))
        if step.into:
            into = step.into.bit_length() - 1
            log.append(("slide", into, leaves))
            if step.into & outputs:
                log.append(("store", into, -1))
            return self._settle(
                red & ~step.leaves | step.into, blue | step.spilled | (step.into & outputs), computed | step.into, log
            )
        log_delete(log, step.leaves)
        return self._settle(red & ~step.leaves, blue | step.spilled, computed, log)
