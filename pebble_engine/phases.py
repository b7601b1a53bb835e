"""Phases of a pebbling, as in the lower-bound proof of Hong & Kung (STOC 1981): what each one sees and what it makes.

Cut a pebbling into phases in which exactly `words` words move, the last one shorter. Leave out computations whose value
is never used: what is left is a pebbling that moves no more. Let V_i be the vertices that phase i computes and no phase
before it did. Then

* D_i, the vertices that are red when the phase starts and those that it loads, is a *dominator* of V_i: every path from
  an input to V_i meets it. |D_i| <= M + words.
* E_i, the *minimum set*: the vertices of V_i that no other one in V_i uses. Each of them is red at the phase's end or
  stored in it, or its value would be lost. |E_i| <= M + words.
* Together they are at most 2 M + words vertices: M red at the start, M at the end, and one for each word that moves.

>>> from pebble_engine import Move, Pebbling, Rules, summation_tree
>>> moves = ["load t[0,0]", "load t[0,1]", "compute t[1,0]", "store t[1,0]"]
>>> run = Pebbling(summation_tree(2), Rules(red=3), tuple(map(Move.parse, moves)))
>>> [(phase.io, phase.computed, phase.dominator, phase.minimum) for phase in phases(run, 2)]
[(2, (2,), (0, 1), (2,)), (1, (), (0, 1, 2), ())]
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pebble_engine.dag import PebbleDag
from pebble_engine.pebbling import Pebbling
from pebble_engine.rules import COMPUTE, DELETE, LOAD, SLIDE, STORE


@dataclass(frozen=True)
class Phase:
    """A stretch of a pebbling. Vertices are numbers, each tuple in ascending order.

    Attributes
    ----------
    start, stop : its moves are ``moves[start:stop]``
    loads, stores : words
    at_start : red when it starts
    loaded : loaded in it
    computed : V_i, the vertices computed in it and in no phase before, computations without use left out
    minimum : those of `computed` that no other one of them uses
    again : how many of its computations with a use repeat one of an earlier phase
    """

    start: int
    stop: int
    loads: int
    stores: int
    at_start: tuple[int, ...]
    loaded: tuple[int, ...]
    computed: tuple[int, ...]
    minimum: tuple[int, ...]
    again: int

    @property
    def io(self) -> int:
        """Words moved."""
        return self.loads + self.stores

    @property
    def dominator(self) -> tuple[int, ...]:
        """D_i: red when it starts, or loaded in it."""
        return tuple(sorted({*self.at_start, *self.loaded}))


def phases(pebbling: Pebbling, words: int | None = None) -> tuple[Phase, ...]:
    """The phases of a legal pebbling, in order; a pebbling that moves no word is one phase.

    A phase ends just before the word that is one too many; what is computed after its last word belongs to it.

    Parameters
    ----------
    pebbling : legal; nothing is checked here (see `replay`)
    words : I/O of each phase but the last; None for M, the number of red pebbles

    Raises
    ------
    ValueError : when `words` is less than 1
    """
    size = pebbling.rules.red if words is None else words
    if size < 1:
        raise ValueError(f"a phase moves at least one word, got {size}")
    ops, vertices, sources = pebbling.codes
    used = useful_computations(pebbling)
    successors = pebbling.dag.successors
    red: set[int] = set()
    known: set[int] = set()  # computed in a phase before
    found: list[Phase] = []
    start, length = 0, len(ops)
    while start < length or not found:
        at_start = tuple(sorted(red))
        loaded: set[int] = set()
        computed: set[int] = set()
        loads = stores = again = 0
        at = start
        while at < length:
            op, v = ops[at], vertices[at]
            if op in (LOAD, STORE) and loads + stores == size:
                break
            if op == LOAD:
                loads += 1
                loaded.add(v)
            elif op == STORE:
                stores += 1
            elif op in (COMPUTE, SLIDE) and used[at]:
                again += v in known
                computed.add(v)
            if op == SLIDE:
                red.discard(sources[at])
            if op == DELETE:
                red.discard(v)
            elif op != STORE:
                red.add(v)
            at += 1
        computed -= known
        known |= computed
        minimum = sorted(v for v in computed if computed.isdisjoint(successors[v]))
        found.append(
            Phase(
                start,
                at,
                loads,
                stores,
                at_start,
                tuple(sorted(loaded)),
                tuple(sorted(computed)),
                tuple(minimum),
                again,
            )
        )
        start = at
    return tuple(found)


def useful_computations(pebbling: Pebbling) -> list[bool]:
    """Move by move: whether it computes a value that an output depends on later. Found by going backwards.

    Other computations can be left out of the pebbling, which stays legal and moves no more words.
    """
    dag = pebbling.dag
    ops, vertices, sources = pebbling.codes
    red = bytearray(len(dag))  # whether the value that is red now is used later
    blue = bytearray(len(dag))
    for v in dag.outputs:
        blue[v] = 1
    useful = [False] * len(ops)
    for at in range(len(ops) - 1, -1, -1):
        op, v = ops[at], vertices[at]
        if op == DELETE:
            red[v] = 0
        elif op == LOAD:
            blue[v] |= red[v]
            red[v] = 0
        elif op == STORE:
            red[v] |= blue[v]
            blue[v] = 0
        else:
            if op == SLIDE:
                red[sources[at]] = 0  # taken off by this move
            if red[v]:
                useful[at] = True
                red[v] = 0
                for u in dag.predecessors[v]:
                    red[u] = 1
    return useful


def dominates(dag: PebbleDag, dominator: Collection[int], vertices: Collection[int]) -> bool:
    """Whether every path from an input to one of the vertices, both ends included, meets the dominator.

    >>> from pebble_engine import chain
    >>> dominates(chain(3), {1}, {2, 3}), dominates(chain(3), {2}, {1, 3}), dominates(chain(3), {3}, {3})
    (True, False, True)
    """
    blocked = set(dominator)
    stack = [v for v in vertices if v not in blocked]
    seen = set(stack)
    while stack:
        operands = dag.predecessors[stack.pop()]
        if not operands:
            return False
        for u in operands:
            if u not in blocked and u not in seen:
                seen.add(u)
                stack.append(u)
    return True
