"""Pebblings for tests and measurements of the board: as long as one likes, legal, and not from a kernel."""

import random
from dataclasses import dataclass, field

from kernels_ref import kernel_source, pebble, theory
from pages.shared.board import Run, encode_run
from pebble_engine import Move, Pebbling


def lengthened(pebbling: Pebbling, moves: int, seed: int = 0) -> Pebbling:
    """A finished pebbling that goes on loading and deleting words from slow memory, up to `moves` moves."""
    dag, memory = pebbling.dag, pebbling.rules.red
    rng = random.Random(seed)
    blue = [dag.labels[v] for v in (*dag.inputs, *dag.outputs)]
    longer = list(pebbling.moves)
    while len(longer) < moves:
        words = rng.sample(blue, min(memory, len(blue), (moves - len(longer) + 1) // 2))
        longer += [Move.load(v) for v in words] + [Move.delete(v) for v in words]
    assert pebbling.lines is not None
    lines = [*pebbling.lines, *([pebbling.lines[-1]] * (len(longer) - len(pebbling.lines)))]
    return Pebbling(dag, pebbling.rules, tuple(longer[:moves]), "lengthened", tuple(lines[:moves]))


def large_run(algorithm: str, moves: int = 50_000, n: int = 8, d: int = 8, memory: int = 64) -> Run:
    """The board's largest case: 2,960 vertices at n = d = 8."""
    longer = lengthened(pebble(algorithm, n=n, d=d, memory=memory), moves)
    return encode_run(longer, kernel_source(algorithm), theory.floor(n, d), algorithm, algorithm)


@dataclass
class Position:
    """Where the pebbles are, played move by move from labels: shares no code with the board."""

    pebbling: Pebbling
    red: set[str] = field(default_factory=set)
    blue: set[str] = field(default_factory=set)
    loads: int = 0
    stores: int = 0
    peak: int = 0

    def __post_init__(self) -> None:
        self.blue |= {self.pebbling.dag.labels[v] for v in self.pebbling.dag.inputs}

    def play(self, move: Move) -> None:
        if move.op == "load":
            self.red.add(move.vertex)
            self.loads += 1
        elif move.op == "store":
            self.blue.add(move.vertex)
            self.stores += 1
        elif move.op == "compute":
            self.red.add(move.vertex)
        elif move.op == "slide":
            assert move.source is not None
            self.red.remove(move.source)
            self.red.add(move.vertex)
        else:
            self.red.remove(move.vertex)
        self.peak = max(self.peak, len(self.red))

    def to(self, t: int) -> "Position":
        """A fresh position after `t` moves."""
        fresh = Position(self.pebbling)
        for move in self.pebbling.moves[:t]:
            fresh.play(move)
        return fresh
