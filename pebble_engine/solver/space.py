"""What the two rule variants' state spaces share: steps, the log from which moves are made, and filling the memory.

A search state stands between two *events*. An event is a load, or the moment at which a value leaves a full memory
(deleted, or slid from, and maybe stored just before). Everything else, computing above all, is free and implied.

Why that is enough, for either variant. Take a pebbling of least cost, and among those one with the fewest events, from
some position on.

1. *Deletes are late.* A delete can be put off until the next load or compute that needs the room. So values leave only
   when memory is full. (A slide with room to spare is a compute and a later delete.)
2. *Loads come first.* Up to the first delete or slide, nothing leaves. A load in that stretch can be moved to its
   front, past computes, with the order of loads kept: the stretch ends with the same red set, and none is larger.
3. *Loads are for the next compute.* A load of x can be put off until a compute that has x as an operand, leaving only
   other loads for that compute between; (1) and (2) keep this order. So x is loaded only where some vertex that is
   still to be computed has x as an operand, and each of its operands can be computed freely from what is red or is
   blue. The loads for one compute can come in any order, so the least of them in vertex order may come first.
4. *Stores of intermediate values are late*: just before the value leaves memory. Outputs are stored when they are first
   computed: it must happen once, costs 1 whenever it happens, and an earlier blue pebble only helps.

So from a state the next event is a load (by 2, from the red set as it is), or memory fills up with freely computed
values, in any way that keeps all of the red set, and then one value leaves. `fillings` lists the ways.

Each space then replaces a state by a *settled* one that is freely reachable, has no greater cost to go, and needs no
more events. The last matters: each step takes one event off, so some optimal path never goes round in circles. (A
removal that needed a delete to be undone would break this: DAGs with five vertices are enough to see it fail.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

State = tuple[int, ...]
Entry = tuple[str, int, int]  # what to do, vertex, slide's source (-1 for all else)
Log = list[Entry]


class Step(NamedTuple):
    """One event. Sets have at most one member, but for `full`."""

    load: int  # the value that is loaded; then everything else is 0
    full: int  # the full red set
    leaves: int  # the value that leaves
    spilled: int  # the same value, if it is stored first
    into: int  # the vertex that takes its pebble, when it slides


class Space(Protocol):
    """The state space of a rule variant. A state's first part is its red set."""

    def start(self) -> State:
        """The settled starting state."""

    def is_goal(self, state: State) -> bool:
        """Whether every output is blue."""

    def estimate(self, state: State) -> int:
        """A lower bound on the cost to go from a settled state."""

    def steps(self, state: State) -> Iterator[tuple[State, int, Step]]:
        """(settled successor, cost, how) for each next event; every optimal way on begins with one of them."""

    def play(self, state: State, step: Step, log: Log) -> State:
        """The successor, and in `log` what happens on the way there."""


def fillings(operands: list[int], red: int, free: list[int], room: int) -> Iterator[int]:
    """All red sets that add `room` of the vertices `free` (ascending) to `red`, each after its operands.

    >>> [bin(full) for full in fillings([0, 1, 1, 0b100], 0b1, [1, 2, 3], 2)]
    ['0b111', '0b1101']
    """
    if not room:
        yield red
        return
    for at in range(len(free) - room + 1):
        v = free[at]
        if not operands[v] & ~red:
            yield from fillings(operands, red | 1 << v, free[at + 1 :], room - 1)


def cone(operands: list[int], v: int, red: int) -> int:
    """v and all of its ancestors that must be computed when only `red` is at hand."""
    found = 1 << v
    todo = operands[v] & ~red
    while todo:
        low = todo & -todo
        found |= low
        todo = (todo ^ low) | (operands[low.bit_length() - 1] & ~red & ~found)
    return found


def log_cone(log: Log, vertices: int) -> None:
    """Compute the vertices, operands first."""
    while vertices:
        low = vertices & -vertices
        vertices ^= low
        log.append(("compute", low.bit_length() - 1, -1))


def log_delete(log: Log, vertices: int) -> None:
    """Take the vertices out of fast memory."""
    while vertices:
        low = vertices & -vertices
        vertices ^= low
        log.append(("delete", low.bit_length() - 1, -1))
