"""From a path in a state space to the moves of a game."""

from __future__ import annotations

from pebble_engine.rules import Move
from pebble_engine.solver.problem import Problem
from pebble_engine.solver.search import Path
from pebble_engine.solver.space import Entry, Log, Space
from pebble_engine.solver.symmetry import Orbits


def entries_of(path: Path, space: Space, orbits: Orbits, problem: Problem) -> Log:
    """What happens along a path that ends in a goal, in the problem's vertex numbers, without idle moves.

    The states of a path are orbit representatives. `real` takes a state's vertices to the vertices of the game that is
    played; each time a state is replaced by its image under an automorphism, that is undone in `real`.
    """
    real = list(range(len(problem)))
    entries: Log = []
    for state, step in path:
        log: Log = []
        reached = space.play(state, step, log)
        for op, v, u in log:
            if op == "undo":
                _take_back(entries, real[v])
            else:
                entries.append((op, real[v], real[u] if u >= 0 else -1))
        _, automorphism = orbits.mapped(reached)
        moved = real[:]
        for v, image in enumerate(automorphism):
            moved[image] = real[v]
        real = moved
    return _without_idle(entries, problem)


def _take_back(entries: Log, v: int) -> None:
    """Strike out the last compute of v; a slide becomes the delete of its source."""
    for at in range(len(entries) - 1, -1, -1):
        op, w, u = entries[at]
        if w == v and op == "compute":
            del entries[at]
            return
        if w == v and op == "slide":
            entries[at] = ("delete", u, -1)
            return
    raise AssertionError(f"vertex {v} was never computed")


def _without_idle(entries: Log, problem: Problem) -> Log:
    """The same pebbling without values that are deleted and computed again although they could have stayed."""
    if not problem.recompute:
        return entries
    kept = list(entries)
    at = 0
    while at < len(kept):
        op, v, _ = kept[at]
        again = _again(kept, at, v, problem.red) if op == "delete" else -1
        if again < 0:
            at += 1
            continue
        was = kept[again]
        kept[again : again + 1] = [("delete", was[2], -1)] if was[0] == "slide" else []
        del kept[at]
    return kept


def _again(entries: Log, at: int, v: int, red: int) -> int:
    """Where v, deleted at `at`, is computed again with room to spare throughout; -1 if it is not."""
    count = _red_before(entries, at)
    for later in range(at + 1, len(entries)):
        op, w, u = entries[later]
        count += _CHANGE[op]
        if w == v:
            return later if op in ("compute", "slide") else -1
        if u == v or count > red:
            return -1
    return -1


_CHANGE = {"load": 1, "compute": 1, "delete": -1, "store": 0, "slide": 0}


def _red_before(entries: Log, at: int) -> int:
    return sum(_CHANGE[op] for op, _, _ in entries[:at])


def moves_of(entries: Log, labels: list[str]) -> tuple[Move, ...]:
    """Moves by label; `labels[v]` is the label of the problem's vertex v."""
    return tuple(_move(entry, labels) for entry in entries)


def _move(entry: Entry, labels: list[str]) -> Move:
    op, v, u = entry
    return Move(op, labels[v], labels[u] if u >= 0 else None)
