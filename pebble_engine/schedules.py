"""Pebblings from orders: compute vertices in a given order, keep in fast memory what an eviction rule says.

An order lists the computed vertices that outputs need, operands first, each once. `pebble_order` plays it: operands
that are not red are loaded; when fast memory is full something is evicted, and stored first if it is in no other place
and is still needed. Nothing is computed twice, so every result is legal with and without recomputation. A value that
nothing needs any more is deleted at once, an output stored first. With the sliding rule a vertex takes over the pebble
of an operand that is needed no more, or, when nothing else can go, of the operand that is cheapest to do without.

Eviction rules:

    lru       the value that was touched longest ago (loaded, computed or used)
    belady    write-aware: the value with the largest (moves until it is used) / (words it costs to do without it), that
              is 1 for what slow memory has, 1 for an output (its store is due anyway), 2 for what must be stored and
              loaded. Belady's rule, furthest next use first, is optimal when all cost the same (IBM Systems Journal,
              1966); with writes the best choice is hard to find, and this is a heuristic.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from pebble_engine.dag import PebbleDag
from pebble_engine.errors import PebbleError
from pebble_engine.pebbling import Pebbling, replay
from pebble_engine.rules import COMPUTE, DELETE, LOAD, OPS, SLIDE, STORE, Code, Move, Rules
from pebble_engine.solver.problem import DoesNotFit

EVICTIONS = ("belady", "lru")
ORDERS = ("natural", "depth-first")

_NEVER = 1 << 60


class InvalidOrder(PebbleError):
    """A sequence of vertices that is no order to compute in.

    `reason` is `unknown_vertex`, `repeated`, `operand_later`, `missing` or `unknown_choice`; `vertices` are labels.
    """

    def __init__(self, reason: str, sentence: str, *vertices: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.vertices = vertices


def pebble_order(
    dag: PebbleDag, rules: Rules, order: str | Iterable[int | str] = "natural", evict: str = "belady"
) -> Pebbling:
    """The pebbling that computes in an order and evicts by a rule.

    Parameters
    ----------
    order : `natural`, `depth-first`, or vertices by number or label; inputs and vertices that no output needs are
        passed over
    evict : `belady` or `lru`

    Returns
    -------
    Pebbling : legal under the rules, replayed

    Raises
    ------
    InvalidOrder : the order is none, or there is no such rule
    DoesNotFit : M red pebbles cannot hold some vertex with its operands

    Examples
    --------
    >>> from pebble_engine.examples import matmul
    >>> pebble_order(matmul(2, 2, 2), Rules(red=5), evict="lru")
    <Pebbling of 'matmul chain 2x2x2' by 'natural lru': 46 moves, io 17>
    """
    plan = Plan(dag, rules)
    if isinstance(order, str):
        named, chosen = order, named_order(dag, order)
    else:
        named, chosen = "order", plan.checked(order)
    if evict not in EVICTIONS:
        raise InvalidOrder("unknown_choice", f"evict must be {' or '.join(EVICTIONS)}, got {evict!r:.60}")
    return plan.pebbling(chosen, evict, f"{named} {evict}")


def named_order(dag: PebbleDag, name: str) -> list[int]:
    """`natural`: by vertex number, as far as operands allow. `depth-first`: each output with all it needs, in turn.

    >>> from pebble_engine.examples import matmul
    >>> dag = matmul(1, 2, 2)
    >>> [dag.labels[v] for v in named_order(dag, "depth-first")]
    ['C[0,0]#0', 'C[0,0]#1', 'C[0,1]#0', 'C[0,1]#1']
    """
    if name == "natural":
        return _natural(dag)
    if name == "depth-first":
        return _depth_first(dag)
    raise InvalidOrder("unknown_choice", f"an order is {' or '.join(ORDERS)}, got {name!r:.60}")


def needed(dag: PebbleDag) -> set[int]:
    """Outputs and all that they are computed from."""
    found = set(dag.outputs)
    todo = list(found)
    while todo:
        for u in dag.predecessors[todo.pop()]:
            if u not in found:
                found.add(u)
                todo.append(u)
    return found


def _natural(dag: PebbleDag) -> list[int]:
    wanted = needed(dag)
    waiting = {v: len(dag.predecessors[v]) for v in wanted}
    ready = [v for v, operands in waiting.items() if not operands]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        u = heapq.heappop(ready)
        if dag.predecessors[u]:
            order.append(u)
        for v in dag.successors[u]:
            if v in wanted:
                waiting[v] -= 1
                if not waiting[v]:
                    heapq.heappush(ready, v)
    return order


def _depth_first(dag: PebbleDag) -> list[int]:
    order: list[int] = []
    done = bytearray(len(dag))
    for output in dag.outputs:
        stack = [output]
        while stack:
            v = stack[-1]
            missing = [u for u in dag.predecessors[v] if not done[u]]
            if missing and not done[v]:
                stack += reversed(missing)
                continue
            stack.pop()
            if not done[v]:
                done[v] = 1
                if dag.predecessors[v]:
                    order.append(v)
    return order


class Plan:
    """A DAG and rules, made ready to play many orders on.

    Attributes
    ----------
    inner : the computed vertices that outputs need
    operands, users : vertex -> its operands; its direct successors among those that outputs need
    """

    def __init__(self, dag: PebbleDag, rules: Rules) -> None:
        self.dag, self.rules = dag, rules
        wanted = needed(dag)
        self.operands = dag.predecessors
        self.inner = [v for v in dag.order if v in wanted and dag.predecessors[v]]
        self.users = [[v for v in users if v in wanted] for users in dag.successors]
        own = 0 if rules.sliding else 1
        wide = [v for v in self.inner if len(self.operands[v]) + own > rules.red]
        if wide:
            least = max(len(self.operands[v]) for v in wide) + own
            raise DoesNotFit(tuple(dag.labels[v] for v in wide), rules.red, least)
        self._blue = bytearray(len(dag))
        for v in dag.inputs:
            self._blue[v] = 1
        self._output = bytearray(len(dag))
        for v in dag.outputs:
            self._output[v] = 1

    @property
    def least_words(self) -> int:
        """No pebbling moves fewer: what is computed from must be loaded, what is computed and asked for stored."""
        loaded = {u for v in self.inner for u in self.operands[v] if not self.operands[u]}
        return len(loaded) + sum(1 for v in self.dag.outputs if self.operands[v])

    def checked(self, order: Iterable[int | str]) -> list[int]:
        """An order as vertex numbers, inputs and what is not needed left out. Raises InvalidOrder."""
        labels, numbers = self.dag.labels, self.dag.numbers
        inner, done, found = set(self.inner), set[int](), list[int]()
        for entry in order:
            v = numbers.get(entry, -1) if isinstance(entry, str) else int(entry)
            if not 0 <= v < len(labels):
                raise InvalidOrder("unknown_vertex", f"the DAG has no vertex {entry!r:.130}", str(entry))
            if v in done:
                raise InvalidOrder("repeated", f"{labels[v]} comes twice in the order", labels[v])
            if v not in inner:
                continue
            later = [labels[u] for u in self.operands[v] if u in inner and u not in done]
            if later:
                sentence = f"{labels[v]} comes before its operand {later[0]} in the order"
                raise InvalidOrder("operand_later", sentence, labels[v], *later)
            done.add(v)
            found.append(v)
        missing = [labels[v] for v in self.inner if v not in done]
        if missing:
            sentence = f"{missing[0]} is needed and not in the order ({len(missing)} such vertices)"
            raise InvalidOrder("missing", sentence, *missing)
        return found

    def pebbling(self, order: Sequence[int], evict: str, made_by: str) -> Pebbling:
        """The moves for an order, replayed."""
        log: list[Code] = []
        cost = self.play(order, evict, log)
        labels = self.dag.labels
        moves = tuple(Move(OPS[op], labels[v], None if u < 0 else labels[u]) for op, v, u in log)
        pebbling = Pebbling(self.dag, self.rules, moves, made_by)
        run = replay(pebbling)
        if not run.is_solved or run.io != cost:
            raise AssertionError(f"the schedule's own moves cost {run.io}, solved {run.is_solved}; it claims {cost}")
        return pebbling

    def play(
        self, order: Sequence[int], evict: str = "belady", log: list[Code] | None = None, most: int = _NEVER
    ) -> int:
        """Words that an order moves; its moves go to `log`. Gives up above `most` words, returning what it had."""
        memory = _Memory(self, order, evict == "lru", log)
        for time, v in enumerate(order):
            memory.compute(v, time)
            if memory.words > most:
                break
        return memory.words


class _Memory:
    """Fast memory while an order is played."""

    def __init__(self, plan: Plan, order: Sequence[int], lru: bool, log: list[Code] | None) -> None:
        self.operands, self.output = plan.operands, plan._output
        self.limit, self.sliding, self.lru, self.log = plan.rules.red, plan.rules.sliding, lru, log
        self.blue = bytearray(plan._blue)
        self.red: dict[int, int] = {}  # vertex -> when it was touched
        self.words = 0
        at = [0] * len(plan.dag)
        for time, v in enumerate(order):
            at[v] = time
        # When each vertex is used, the last use first, so that the next one is popped off the end.
        self.uses = [sorted((at[w] for w in users), reverse=True) for users in plan.users]

    def compute(self, v: int, now: int) -> None:
        red, operands, uses = self.red, self.operands[v], self.uses
        for u in operands:
            if u in red:
                red[u] = now
        for u in operands:
            if u not in red:
                if len(red) == self.limit:
                    self._evict(now, operands)
                self._load(u, now)
        for u in operands:
            uses[u].pop()
        source = -1
        if self.sliding:
            source = next((u for u in operands if not uses[u]), -1)
            if source < 0 and len(red) == self.limit:
                victim = self._victim(now, ())
                if victim in operands:
                    source = victim
                    self._save(source)
                else:
                    self._drop(victim)
            elif source >= 0:
                self._save(source)
        elif len(red) == self.limit:
            self._evict(now, operands)
        if source >= 0:
            del red[source]
            self._note(SLIDE, v, source)
        else:
            self._note(COMPUTE, v)
        red[v] = now
        for u in (*operands, v):
            if u in red and not uses[u]:
                self._drop(u)

    def _evict(self, now: int, pinned: Sequence[int]) -> None:
        self._drop(self._victim(now, pinned))

    def _victim(self, now: int, pinned: Sequence[int]) -> int:
        """What to do without. Among equals the smallest number."""
        red, uses, blue, output = self.red, self.uses, self.blue, self.output
        if self.lru:
            return min((touched, u) for u, touched in red.items() if u not in pinned)[1]
        best, found = -1.0, -1
        for u in red:
            if u not in pinned:
                gain = float(uses[u][-1] - now)
                if not blue[u] and not output[u]:
                    gain /= 2
                if gain > best or (gain == best and u < found):
                    best, found = gain, u
        return found

    def _load(self, u: int, now: int) -> None:
        self.red[u] = now
        self.words += 1
        self._note(LOAD, u)

    def _save(self, u: int) -> None:
        """Store what slow memory does not have and somebody still needs."""
        if not self.blue[u] and (self.uses[u] or self.output[u]):
            self.blue[u] = 1
            self.words += 1
            self._note(STORE, u)

    def _drop(self, u: int) -> None:
        self._save(u)
        del self.red[u]
        self._note(DELETE, u)

    def _note(self, op: int, v: int, u: int = -1) -> None:
        if self.log is not None:
            self.log.append(Code(op, v, u))
