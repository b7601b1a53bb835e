"""The rules of the red-blue pebble game: the moves, the rule variants, and what makes a move illegal.

A red pebble on a vertex: its value is in fast memory, which holds at most M words. A blue pebble: it is in slow memory,
which is unbounded. Inputs start blue; the goal is a blue pebble on every output.

    load v       v is blue: put a red pebble on it as well                                cost 1 word
    store v      v is red: put a blue pebble on it as well                                cost 1 word
    compute v    all operands of v are red: put a red pebble on v                         free
    slide u v    as compute v, but with the red pebble of v's operand u (sliding rule)    free
    delete v     take the red pebble off v                                                free

A move that changes nothing (a load of a red vertex, a store of a blue one, ...) is illegal. Under the one-shot rule
(`recompute=False`) each vertex is computed at most once. Source: Hong & Kung, I/O complexity, STOC 1981.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress, islice
from typing import NamedTuple

from pebble_engine.dag import MAX_LABEL, PebbleDag
from pebble_engine.errors import Fault, InvalidMove, InvalidRules

OPS = ("load", "store", "compute", "slide", "delete")
LOAD, STORE, COMPUTE, SLIDE, DELETE = range(5)
OP_CODES = {op: code for code, op in enumerate(OPS)}

_TOKEN = re.compile(
    r'\s*(?:(?P<end>;.*|$)|(?P<quoted>"(?:[^"\\]|\\.)*")(?=[\s;]|$)|(?P<plain>[^\s;"][^\s;]*))', re.DOTALL
)
_PLAIN = re.compile(r'[^\s;"][^\s;]*')
_RED_NAMED = 16  # at most so many red vertices are named in a fault


class Move(NamedTuple):
    """One move: a small hashable value whose text form parses back.

    A label with a blank or a semicolon in it, or a quotation mark in front, is written as a JSON string.

    >>> str(Move.slide("S[0,0]#0", "S[0,0]#1"))
    'slide S[0,0]#0 S[0,0]#1'
    >>> Move.parse('load "two words"  ; and a comment')
    Move(op='load', vertex='two words', source=None)
    """

    op: str
    vertex: str
    source: str | None = None  # the operand whose pebble slides; None for every other move

    @classmethod
    def load(cls, vertex: str) -> Move:
        return cls("load", vertex)

    @classmethod
    def store(cls, vertex: str) -> Move:
        return cls("store", vertex)

    @classmethod
    def compute(cls, vertex: str) -> Move:
        return cls("compute", vertex)

    @classmethod
    def slide(cls, source: str, vertex: str) -> Move:
        return cls("slide", vertex, source)

    @classmethod
    def delete(cls, vertex: str) -> Move:
        return cls("delete", vertex)

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read one move. Raises InvalidMove.

        >>> Move.parse("lift a")
        Traceback (most recent call last):
        ...
        pebble_engine.errors.InvalidMove: 'lift a' is not a move: lift is none of load, store, compute, slide, delete
        """
        return cls.of(*tokens(text), text=text)

    @classmethod
    def of(cls, op: str = "", *labels: str, text: str | None = None) -> Move:
        """A move from its words: `Move.of("slide", u, v)`. Raises InvalidMove, which shows `text`."""
        shown = " ".join((op, *labels)) if text is None else text
        if not op:
            raise InvalidMove(shown, "empty", "there is nothing in it")
        if op not in OP_CODES:
            raise InvalidMove(shown, "unknown_op", f"{op:.40} is none of {', '.join(OPS)}")
        wanted = 2 if op == "slide" else 1
        if len(labels) != wanted:
            takes = "two vertices, from and to" if wanted == 2 else "one vertex"
            raise InvalidMove(shown, "vertex_count", f"{op} takes {takes}, got {len(labels)}")
        if max(map(len, labels)) > MAX_LABEL:
            raise InvalidMove(shown, "long_label", f"a label has at most {MAX_LABEL} characters")
        return cls(op, labels[-1], labels[0] if wanted == 2 else None)

    def __str__(self) -> str:
        words = (self.vertex,) if self.source is None else (self.source, self.vertex)
        return " ".join((self.op, *map(_word, words)))


def _word(label: str) -> str:
    return label if _PLAIN.fullmatch(label) else json.dumps(label, ensure_ascii=False)


def tokens(text: str) -> list[str]:
    """The words of a line up to its comment, quotation marks resolved."""
    words: list[str] = []
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None:
            raise InvalidMove(text, "bad_quote", "a quotation mark has no partner")
        if match["end"] is not None:
            return words
        words.append(match["plain"] or _unquoted(match["quoted"], text))
        at = match.end()


def _unquoted(word: str, text: str) -> str:
    try:
        label: str = json.loads(word)
    except ValueError:
        raise InvalidMove(text, "bad_quote", f"{word} is not a JSON string") from None
    return label


@dataclass(frozen=True)
class Rules:
    """A rule set.

    Parameters
    ----------
    red : number of red pebbles M = words of fast memory
    sliding : whether `slide` is allowed (accumulating in place)
    recompute : whether a vertex may be computed more than once; False is the one-shot game

    >>> Rules(red=0)
    Traceback (most recent call last):
    ...
    pebble_engine.errors.InvalidRules: the number of red pebbles must be a whole number of at least 1, got 0
    """

    red: int
    sliding: bool = False
    recompute: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.red, int) or isinstance(self.red, bool) or self.red < 1:
            sentence = f"the number of red pebbles must be a whole number of at least 1, got {self.red!r:.60}"
            raise InvalidRules("bad_red", self.red, sentence)
        for name in ("sliding", "recompute"):
            if not isinstance(getattr(self, name), bool):
                sentence = f"{name} must be true or false, got {getattr(self, name)!r:.60}"
                raise InvalidRules("bad_flag", getattr(self, name), sentence)


class Code(NamedTuple):
    """A move in numbers: position in OPS, vertex number, the slide's source (-1 for every other move)."""

    op: int
    vertex: int
    source: int


def encode(dag: PebbleDag, move: Move) -> Code:
    """A move in numbers; -1 for a label that the DAG does not have. Raises InvalidMove for what is no move at all."""
    op, vertex, source = move
    code = OP_CODES.get(op, -1)
    if code < 0 or (source is None) == (code == SLIDE):
        Move.of(op, *([vertex] if source is None else [source, vertex]))  # raises, and says why
    return Code(code, dag.numbers.get(vertex, -1), -1 if source is None else dag.numbers.get(source, -1))


ABSENT, PRESENT, EITHER = range(3)


class Position:
    """Where the pebbles lie, by vertex number, and what the rules say about a move there.

    A pebble is ABSENT or PRESENT. EITHER satisfies every rule; only `schedule_faults` uses it, for a vertex about which
    it has complained once already.
    """

    __slots__ = ("blue", "computed", "count", "dag", "limit", "red", "rules")

    def __init__(self, dag: PebbleDag, rules: Rules) -> None:
        self.dag = dag
        self.rules = rules
        self.red = bytearray(len(dag))
        self.blue = bytearray(len(dag))
        self.computed = bytearray(len(dag))  # whether the vertex was ever computed
        for v in dag.inputs:
            self.blue[v] = PRESENT
        self.count = 0  # red pebbles that are PRESENT
        self.limit = rules.red

    def broken(self, op: int, v: int, u: int) -> list[tuple[str, tuple[int, ...]]]:
        """Every rule that the move breaks here, as (reason, vertices that break it). Vertices must exist."""
        red = self.red
        found: list[tuple[str, tuple[int, ...]]] = []
        if op == LOAD:
            if not self.blue[v]:
                found.append(("not_blue", (v,)))
            if red[v] == PRESENT:
                found.append(("already_red", (v,)))
            elif self.count >= self.limit:
                found.append(("capacity", ()))
        elif op == STORE:
            if not red[v]:
                found.append(("not_red", (v,)))
            if self.blue[v] == PRESENT:
                found.append(("already_blue", (v,)))
        elif op == DELETE:
            if not red[v]:
                found.append(("not_red", (v,)))
        else:
            operands = self.dag.predecessors[v]
            if op == SLIDE and not self.rules.sliding:
                found.append(("sliding_off", ()))
            if not operands:
                return [*found, ("is_input", (v,))]
            if op == SLIDE and u not in operands:
                found.append(("not_an_operand", (u,)))
            for w in operands:
                if not red[w]:
                    found.append(("operand_not_red", tuple(w for w in operands if not red[w])))
                    break
            if self.computed[v] and not self.rules.recompute:
                found.append(("recompute_off", (v,)))
            if red[v] == PRESENT:
                found.append(("already_red", (v,)))
            elif op == COMPUTE and self.count >= self.limit:
                found.append(("capacity", ()))
        return found

    def play(self, op: int, v: int, u: int) -> None:
        """Carry a move out. Checks nothing."""
        if op == STORE:
            self.blue[v] = PRESENT
        elif op == DELETE:
            self._take(v)
        else:
            if op == SLIDE:
                self._take(u)
            if self.red[v] != PRESENT:
                self.red[v] = PRESENT
                self.count += 1
            if op != LOAD:
                self.computed[v] = 1

    def take_back(self, op: int, v: int, u: int, computed: int) -> None:
        """Undo a legal move, the last one played. `computed` is whether v had been computed before it."""
        if op == STORE:
            self.blue[v] = ABSENT
        elif op == DELETE:
            self.red[v] = PRESENT
            self.count += 1
        else:
            self.red[v] = ABSENT
            self.computed[v] = computed
            if op == SLIDE:
                self.red[u] = PRESENT
            else:
                self.count -= 1

    def _take(self, v: int) -> None:
        if self.red[v] == PRESENT:
            self.count -= 1
        self.red[v] = ABSENT

    def fault(self, step: int, move: Move | None, reason: str, labels: Iterable[str]) -> Fault:
        """A broken rule, and the labels that break it, with everything that explains it."""
        red = islice(compress(self.dag.labels, (pebble == PRESENT for pebble in self.red)), _RED_NAMED)
        return Fault(step, move, reason, tuple(labels), tuple(red), self.count, self.rules.red)

    def faults(self, step: int, move: Move, code: Code) -> list[Fault]:
        """Every rule that the move breaks here, explained. A label that the DAG does not have is one of them."""
        words = [move.vertex] if move.source is None else [move.source, move.vertex]
        unknown = [word for word in words if word not in self.dag]
        if unknown:
            return [self.fault(step, move, "unknown_vertex", unknown)]
        labels = self.dag.labels
        return [self.fault(step, move, reason, (labels[v] for v in vs)) for reason, vs in self.broken(*code)]
