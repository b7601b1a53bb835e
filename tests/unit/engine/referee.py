"""A second, tiny implementation of the game for the tests, which shares no code with the engine's.

Written from the rules as they are stated, on sets of labels: a move is a tuple of words, ("load", v), ("store", v),
("compute", v), ("slide", u, v) or ("delete", v). Slow and obvious on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pebble_engine import PebbleDag

Words = tuple[str, ...]


def operands_by_label(dag: PebbleDag) -> dict[str, tuple[str, ...]]:
    """The DAG as the referee wants it: label -> labels of the operands."""
    return {dag.labels[v]: tuple(dag.labels[u] for u in operands) for v, operands in enumerate(dag.predecessors)}


class Referee:
    def __init__(self, operands: Mapping[str, tuple[str, ...]], red: int, sliding: bool, recompute: bool) -> None:
        self.operands = operands
        self.most, self.sliding, self.recompute = red, sliding, recompute
        self.red: frozenset[str] = frozenset()
        self.blue = frozenset(v for v in operands if not operands[v])
        self.made: frozenset[str] = frozenset()  # computed at least once
        self.words_moved = 0

    def allows(self, move: Words) -> bool:
        op, *labels = move
        if any(label not in self.operands for label in labels):
            return False
        v, needs = labels[-1], frozenset(self.operands[labels[-1]])
        is_red, is_blue, room = v in self.red, v in self.blue, len(self.red) < self.most
        once = self.recompute or v not in self.made
        match op:
            case "load":
                return is_blue and not is_red and room
            case "store":
                return is_red and not is_blue
            case "compute":
                return bool(needs) and needs <= self.red and not is_red and once and room
            case "slide":
                return self.sliding and labels[0] in needs and needs <= self.red and not is_red and once
            case "delete":
                return is_red
        return False

    def make(self, move: Words) -> None:
        assert self.allows(move)
        op, v = move[0], move[-1]
        if op in ("load", "store"):
            self.words_moved += 1
        if op == "store":
            self.blue |= {v}
        elif op == "delete":
            self.red -= {v}
        else:
            self.red = (self.red - set(move[1:-1])) | {v}
        if op in ("compute", "slide"):
            self.made |= {v}

    def everything(self) -> Iterator[Words]:
        """Every move that can be written down, legal or not."""
        for op in ("load", "store", "compute", "delete"):
            for v in self.operands:
                yield (op, v)
        for u in self.operands:
            for v in self.operands:
                yield ("slide", u, v)

    def copy(self) -> Referee:
        twin = Referee(self.operands, self.most, self.sliding, self.recompute)
        twin.red, twin.blue, twin.made, twin.words_moved = self.red, self.blue, self.made, self.words_moved
        return twin
