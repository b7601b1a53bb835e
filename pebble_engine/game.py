"""A game of pebbles in progress: moves are pushed and popped, always checked, and every state can be asked about.

>>> from pebble_engine import PebbleDag
>>> dag = PebbleDag.of({"a": (), "b": (), "a+b": ("a", "b")}, name="sum")
>>> game = Game(dag, Rules(red=3))
>>> for text in ["load a", "load b", "compute a+b", "store a+b"]:
...     game.push(Move.parse(text))
>>> game.io, game.peak, game.is_solved
(3, 3, True)
>>> print(game.outcome)
solved: every output is blue
>>> game.pop()
Move(op='store', vertex='a+b', source=None)
>>> print(game.legal_moves)
store a+b, delete a, delete b, delete a+b
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress
from typing import NamedTuple

from pebble_engine.dag import PebbleDag
from pebble_engine.errors import Fault, IllegalMove, InvalidMove, listed
from pebble_engine.rules import LOAD, OPS, SLIDE, STORE, Code, Move, Position, Rules, encode

__all__ = ["Game", "LegalMoves", "Move", "Outcome", "Rules"]


class Outcome(NamedTuple):
    """How a game ended: `result` is `solved` or `dead_end`, `reason` is why.

    reason      result    vertices
    goal        solved    ()
    value_lost  dead_end  computed once, in neither memory, needed, and the one-shot rule forbids computing it again
    in_degree   dead_end  needed, and M red pebbles do not hold its operands and itself (its operands, when sliding)
    """

    result: str
    reason: str
    vertices: tuple[str, ...]

    def __str__(self) -> str:
        if self.reason == "goal":
            return "solved: every output is blue"
        why = "lost, and may not be computed again" if self.reason == "value_lost" else "too many operands for M"
        return f"dead end: {why}: {listed(self.vertices)}"


class LegalMoves:
    """The legal moves of a game's current state, as a view that is worked out when asked.

    Iterates in the order load, store, compute, slide, delete, and by vertex number within each.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def __iter__(self) -> Iterator[Move]:
        labels = self._game.dag.labels
        for op, v, u in self._codes():
            yield Move(OPS[op], labels[v], None if u < 0 else labels[u])

    def __len__(self) -> int:
        return sum(1 for _ in self._codes())

    def __bool__(self) -> bool:
        return next(self._codes(), None) is not None

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._game.is_legal(move)

    def __str__(self) -> str:
        return ", ".join(map(str, self))

    def __repr__(self) -> str:
        return f"<LegalMoves ({self})>"

    def _codes(self) -> Iterator[Code]:
        position = self._game._position
        for op in range(len(OPS)):
            if op == SLIDE and not position.rules.sliding:
                continue
            for v, operands in enumerate(position.dag.predecessors):
                sources = operands if op == SLIDE else (-1,)
                if sources and not position.broken(op, v, sources[0]):  # of all operands, any may slide if one may
                    for u in sources:
                        yield Code(op, v, u)


class Game:
    """A red-blue pebble game on a DAG.

    Parameters
    ----------
    dag : the DAG
    rules : the rule set
    moves : moves to make at once

    Raises
    ------
    IllegalMove, InvalidMove : as `push`

    Notes
    -----
    Two games are equal when DAG, rules and moves are. `str(game)` is the game in text notation, one move a line, which
    `pebble_engine.notation.parse_moves` reads back.
    """

    def __init__(self, dag: PebbleDag, rules: Rules, moves: Iterable[Move] = ()) -> None:
        self._position = Position(dag, rules)
        self._moves: list[Move] = []
        self._undo: list[tuple[Code, int, int]] = []  # (code, whether its vertex had been computed, peak before)
        self._words = [0, 0]  # loaded, stored
        self._peak = 0
        for move in moves:
            self.push(move)

    @property
    def dag(self) -> PebbleDag:
        return self._position.dag

    @property
    def rules(self) -> Rules:
        return self._position.rules

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves made so far."""
        return tuple(self._moves)

    @property
    def loads(self) -> int:
        """Words loaded so far."""
        return self._words[LOAD]

    @property
    def stores(self) -> int:
        """Words stored so far."""
        return self._words[STORE]

    @property
    def io(self) -> int:
        """Words moved so far: loads + stores."""
        return self.loads + self.stores

    @property
    def peak(self) -> int:
        """The most words that fast memory has held so far."""
        return self._peak

    @property
    def red(self) -> frozenset[str]:
        """Labels of the vertices in fast memory."""
        return frozenset(compress(self.dag.labels, self._position.red))

    @property
    def blue(self) -> frozenset[str]:
        """Labels of the vertices in slow memory."""
        return frozenset(compress(self.dag.labels, self._position.blue))

    @property
    def legal_moves(self) -> LegalMoves:
        """A view of the moves that are legal now: iterate, count, test membership, print."""
        return LegalMoves(self)

    def push(self, move: Move) -> None:
        """Make a move.

        Raises
        ------
        IllegalMove : the rules forbid it; the game is as it was
        InvalidMove : it is no move at all (an operation that does not exist, a slide without a source)
        """
        position = self._position
        code = encode(position.dag, move)
        op, v, u = code
        if v < 0 or position.broken(op, v, u):
            raise IllegalMove(position.faults(len(self._moves) + 1, move, code)[0])
        self._undo.append((code, position.computed[v], self._peak))
        self._moves.append(move)
        position.play(op, v, u)
        if op <= STORE:
            self._words[op] += 1
        self._peak = max(self._peak, position.count)

    def pop(self) -> Move:
        """Take the last move back and return it. Raises IndexError where there is none."""
        if not self._moves:
            raise IndexError("there is no move to take back")
        (op, v, u), computed, self._peak = self._undo.pop()
        self._position.take_back(op, v, u, computed)
        if op <= STORE:
            self._words[op] -= 1
        return self._moves.pop()

    def peek(self) -> Move:
        """The last move. Raises IndexError where there is none."""
        if not self._moves:
            raise IndexError("no move has been made")
        return self._moves[-1]

    def is_legal(self, move: Move) -> bool:
        """Whether `push(move)` would be accepted."""
        try:
            op, v, u = encode(self.dag, move)
        except InvalidMove:
            return False
        return v >= 0 and not self._position.broken(op, v, u)

    def faults(self, move: Move) -> list[Fault]:
        """Every rule that the move would break now; empty for a legal one. Raises InvalidMove."""
        return self._position.faults(len(self._moves) + 1, move, encode(self.dag, move))

    @property
    def is_solved(self) -> bool:
        """Whether every output is blue."""
        blue = self._position.blue
        return all(blue[v] for v in self.dag.outputs)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while the goal can still be reached.

        Exact: say that a vertex is *at hand* when it is red or blue, or may be computed and all its operands are at
        hand. If some output that is not blue is not at hand, no sequence of moves makes it so. If all are, store what
        is red, delete everything, and compute what is missing in topological order, storing each: that takes no more
        red pebbles than one vertex and its operands.
        """
        if self.is_solved:
            return Outcome("solved", "goal", ())
        position, rules = self._position, self.rules
        most_operands = rules.red if rules.sliding else rules.red - 1
        lost: set[int] = set()
        wide: set[int] = set()
        seen: set[int] = set()
        todo = list(self.dag.outputs)
        while todo:
            v = todo.pop()
            if v in seen or position.red[v] or position.blue[v]:
                continue
            seen.add(v)
            operands = self.dag.predecessors[v]
            if position.computed[v] and not rules.recompute:
                lost.add(v)
            elif len(operands) > most_operands:
                wide.add(v)
            else:
                todo.extend(operands)
        for reason, vertices in (("value_lost", lost), ("in_degree", wide)):
            if vertices:
                return Outcome("dead_end", reason, tuple(self.dag.labels[v] for v in sorted(vertices)))
        return None

    def copy(self) -> Game:
        """An independent game in the same state, with the same history."""
        return Game(self.dag, self.rules, self._moves)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self._moves, self.rules, self.dag) == (other._moves, other.rules, other.dag)

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def __str__(self) -> str:
        return "\n".join(map(str, self._moves))

    def __repr__(self) -> str:
        done = f"{len(self._moves)} moves, io {self.io}, {self._position.count} of {self.rules.red} red"
        return f"<Game on {self.dag.name!r}: {done}>"
