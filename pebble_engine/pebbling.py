"""Whole pebblings: a record of moves with its DAG and rules, replayed fast, and all of its faults listed.

`replay` answers "is it legal, and what does it cost?"; it works on move numbers and stops at the first illegal move.
`schedule_faults` answers "what is wrong with it?"; it lists everything, without cascades.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pebble_engine.dag import PebbleDag
from pebble_engine.errors import Fault, IllegalMove, InvalidPebbling
from pebble_engine.rules import (
    COMPUTE,
    DELETE,
    EITHER,
    LOAD,
    OP_CODES,
    OPS,
    SLIDE,
    STORE,
    Code,
    Move,
    Position,
    Rules,
    encode,
)


@dataclass(frozen=True)
class Pebbling:
    """A sequence of moves with the DAG and the rules that it is for. Making one checks no move: see `replay`.

    Attributes
    ----------
    dag, rules, moves
    made_by : who or what made it
    lines : for each move the line of the kernel that caused it (0 is the `def` line), or None. Not written to files,
        and not compared.
    """

    dag: PebbleDag
    rules: Rules
    moves: tuple[Move, ...]
    made_by: str = ""
    lines: tuple[int, ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", tuple(self.moves))
        if self.lines is None:
            return
        object.__setattr__(self, "lines", tuple(self.lines))
        if len(self.lines) != len(self.moves):
            raise InvalidPebbling("bad_lines", f"{len(self.moves)} moves have {len(self.lines)} line numbers")

    def __len__(self) -> int:
        return len(self.moves)

    def __repr__(self) -> str:
        return f"<Pebbling of {self.dag.name!r} by {self.made_by!r}: {len(self)} moves, io {self.io}>"

    @cached_property
    def io(self) -> int:
        """Words that the moves load and store, legal or not."""
        return sum(move[0] == "load" or move[0] == "store" for move in self.moves)

    @cached_property
    def codes(self) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        """The moves in numbers: operations (position in OPS), vertices, sources; -1 for no or an unknown vertex.

        Raises InvalidMove for what is no move at all.
        """
        return encode_moves(self.dag, self.moves)


@dataclass(frozen=True, eq=False)
class Replay:
    """What a legal sequence of moves does.

    Attributes
    ----------
    loads, stores, io, peak : words
    is_solved : whether every output is blue at the end
    red, io_at : int64 arrays, one entry more than there are moves: red vertices and words moved after each number of
        moves, from 0
    """

    loads: int
    stores: int
    io: int
    peak: int
    is_solved: bool
    red: NDArray[np.int64]  # (moves + 1,)
    io_at: NDArray[np.int64]  # (moves + 1,)


_RED_CHANGE = np.array([{"load": 1, "compute": 1, "delete": -1}.get(op, 0) for op in OPS])


def replay(pebbling: Pebbling) -> Replay:
    """Check every move and count.

    Raises
    ------
    IllegalMove : at the first move that the rules forbid

    Examples
    --------
    >>> from pebble_engine.examples import chain
    >>> moves = ["load x[0]", "slide x[0] x[1]", "store x[1]"]
    >>> run = replay(Pebbling(chain(1), Rules(red=1, sliding=True), tuple(map(Move.parse, moves))))
    >>> run.io, run.peak, run.red.tolist(), run.io_at.tolist()
    (2, 1, [0, 1, 1, 1], [0, 1, 1, 2])
    """
    dag, moves = pebbling.dag, pebbling.moves
    ops, vertices, sources = pebbling.codes
    position = Position(dag, pebbling.rules)
    legal = _play_legal(position, ops, vertices, sources)
    if legal < len(moves):
        code = Code(ops[legal], vertices[legal], sources[legal])
        raise IllegalMove(position.faults(legal + 1, moves[legal], code)[0])

    codes = np.asarray(ops, dtype=np.int64)
    red = np.concatenate([[0], np.cumsum(_RED_CHANGE[codes], dtype=np.int64)])
    io_at = np.concatenate([[0], np.cumsum(codes <= STORE, dtype=np.int64)])
    loads, stores = ops.count(LOAD), ops.count(STORE)
    solved = all(position.blue[v] for v in dag.outputs)
    return Replay(loads, stores, loads + stores, int(red.max()), solved, red, io_at)


def _play_legal(position: Position, ops: Sequence[int], vertices: Sequence[int], sources: Sequence[int]) -> int:
    """Play moves for as long as they are legal, from the start, and say how many were."""
    legal = _legal_prefix(position, ops, vertices, sources)
    position.count = sum(position.red)
    return legal


def _legal_prefix(position: Position, ops: Sequence[int], vertices: Sequence[int], sources: Sequence[int]) -> int:
    """The same rules as `Position.broken`, which explains; here one pass over numbers, with a yes or a no."""
    red, blue, computed = position.red, position.blue, position.computed
    predecessors = position.dag.predecessors
    limit, sliding, recompute = position.limit, position.rules.sliding, position.rules.recompute
    count = step = 0
    for op, v, u in zip(ops, vertices, sources, strict=True):
        if v < 0:
            return step  # no such vertex
        if op == LOAD:
            if red[v] or not blue[v] or count == limit:
                return step
            red[v] = 1
            count += 1
        elif op == STORE:
            if blue[v] or not red[v]:
                return step
            blue[v] = 1
        elif op == DELETE:
            if not red[v]:
                return step
            red[v] = 0
            count -= 1
        else:
            operands = predecessors[v]
            if red[v] or not operands or (computed[v] and not recompute):
                return step
            for w in operands:
                if not red[w]:
                    return step
            if op == COMPUTE:
                if count == limit:
                    return step
                count += 1
            elif sliding and u in operands:
                red[u] = 0
            else:
                return step
            red[v] = computed[v] = 1
        step += 1
    return step


def schedule_faults(dag: PebbleDag, rules: Rules, moves: Iterable[Move]) -> list[Fault]:
    """Every fault of a sequence of moves, in order; empty for a legal pebbling that reaches the goal.

    The first fault is the one that a `Game` would raise. A fault is reported once, where it shows first, and then
    forgiven, so that one slip does not drag a tail of complaints behind it:

    - a faulty move is carried out all the same; only a move with an unknown vertex is passed over;
    - a vertex that should have been red (blue) and was not counts as both from then on, until a move sets its pebble
      anew;
    - a count above M is tolerated at that height until it is back to M.

    A move that breaks several rules has several faults. Outputs that are not blue at the end are one last fault,
    `output_not_blue`, without a move.

    Raises
    ------
    InvalidMove : for what is no move at all

    Examples
    --------
    >>> from pebble_engine.examples import summation_tree
    >>> moves = map(Move.parse, ["load t[0,0]", "compute t[1,0]", "store t[1,0]", "store t[1,0]"])
    >>> for fault in schedule_faults(summation_tree(2), Rules(red=3), moves):
    ...     print(fault)
    step 2, compute t[1,0]: t[0,1] is not red (red: t[0,0]; 1 of 3)
    step 4, store t[1,0]: t[1,0] is blue already (red: t[0,0], t[1,0]; 2 of 3)
    """
    moves = tuple(moves)
    ops, vertices, sources = encode_moves(dag, moves)
    position = Position(dag, rules)
    found: list[Fault] = []
    for at in range(_play_legal(position, ops, vertices, sources), len(moves)):
        code = Code(ops[at], vertices[at], sources[at])
        op, v, u = code
        faults = position.faults(at + 1, moves[at], code)
        if faults and faults[0].reason == "unknown_vertex":
            found += faults
            continue
        for fault in faults:
            found.append(fault)
            pebbles = position.blue if fault.reason == "not_blue" else position.red
            for label in fault.vertices if fault.reason in _FORGIVEN else ():
                pebbles[dag.index(label)] = EITHER
        position.play(op, v, u)
        position.limit = max(position.limit, position.count) if position.count > rules.red else rules.red
    missing = [dag.labels[v] for v in dag.outputs if not position.blue[v]]
    if missing:
        found.append(position.fault(len(moves), None, "output_not_blue", missing))
    return found


_FORGIVEN = ("not_blue", "not_red", "operand_not_red")  # a missing pebble


def encode_moves(dag: PebbleDag, moves: Sequence[Move]) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Operations, vertices and sources of moves, in numbers, as `Pebbling.codes`. Raises InvalidMove."""
    if not moves:
        return [], [], []
    kinds, vertices, origins = zip(*moves, strict=True)  # by columns: a quarter less time than move by move
    ops, number = list(map(OP_CODES.get, kinds, repeat(-1))), dag.numbers.get
    if -1 in ops or [op == SLIDE for op in ops] != [u is not None for u in origins]:
        for move in moves:
            encode(dag, move)  # raises at the first that is none, and says why
    return ops, list(map(number, vertices, repeat(-1))), list(map(number, origins, repeat(-1)))
