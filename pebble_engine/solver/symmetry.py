"""Symmetries of a problem, and its canonical form.

An automorphism maps vertices to vertices, operands to operands and outputs to outputs. It maps pebblings to pebblings
of the same cost, so the search needs one state of each orbit only. Any set of automorphisms will do for that, the whole
group or not: the least of a state's images is one of its images.

Both come out of one search, individualisation and refinement: colour the vertices, refine until equal colours have
equally coloured neighbours, single out one vertex of the first colour that several share, and so on. Each leaf numbers
all vertices; leaves that write down the same DAG differ by an automorphism, and the least DAG written is the canonical
form. The search stops after so many leaves; then the automorphisms are those found so far, and there is no form.

Reference: McKay & Piperno, Practical graph isomorphism II, 2014.
"""

from __future__ import annotations

from typing import NamedTuple

from pebble_engine.solver.problem import Problem, bits

MOST_LEAVES = 800
MOST_NUMBERS = 30_000  # leaves times vertices: what byte tables for all of them cost to make
MOST_WORK = 200_000  # vertices coloured, over all refinements: well under a second

Form = tuple[tuple[int, ...], int]  # operands of each vertex, outputs; both in canonical numbers


class Symmetry(NamedTuple):
    """The automorphisms that were found, and the canonical form if the search was completed."""

    automorphisms: list[list[int]]  # vertex -> vertex; without the identity
    form: Form | None
    numbering: list[int]  # vertex -> its number in the canonical form


class _Enough(Exception):
    """The search has used up its work."""


def symmetry(problem: Problem) -> Symmetry:
    """Automorphisms and canonical form.

    >>> from pebble_engine import Rules, matmul, summation_tree
    >>> [len(symmetry(Problem(dag, Rules(red=4))).automorphisms) for dag in (summation_tree(4), matmul(2, 2, 1))]
    [7, 7]
    """
    leaves: list[list[int]] = []
    work = [MOST_WORK]
    start = [
        (problem.operands[v].bit_count(), problem.users[v].bit_count(), problem.outputs >> v & 1)
        for v in range(len(problem))
    ]
    complete = True
    try:
        _visit(problem, _refined(problem, _ranks(start), work), leaves, work)
    except _Enough:
        complete = False
    if not leaves:
        return Symmetry([], None, list(range(len(problem))))

    forms = [_form(problem, numbering) for numbering in leaves]
    least = min(forms) if complete else forms[0]
    same = [numbering for numbering, form in zip(leaves, forms, strict=True) if form == least]
    back = _inverse(same[0])
    found = [[back[number] for number in numbering] for numbering in same[1:]]
    return Symmetry(found, least if complete else None, same[0])


def _visit(problem: Problem, colours: list[int], leaves: list[list[int]], work: list[int]) -> None:
    cells: dict[int, list[int]] = {}
    for v, colour in enumerate(colours):
        cells.setdefault(colour, []).append(v)
    shared = [colour for colour, cell in cells.items() if len(cell) > 1]
    if not shared:
        if len(leaves) >= min(MOST_LEAVES, 1 + MOST_NUMBERS // len(colours)):
            raise _Enough
        leaves.append(colours)
        return
    for v in cells[min(shared)]:
        singled = [2 * colour + 1 for colour in colours]
        singled[v] -= 1
        _visit(problem, _refined(problem, _ranks(singled), work), leaves, work)


def _refined(problem: Problem, colours: list[int], work: list[int]) -> list[int]:
    """Split colours until vertices of one colour have equally coloured operands and users."""
    kinds = len(set(colours))
    while kinds < len(colours):
        work[0] -= len(colours)
        if work[0] < 0:
            raise _Enough
        seen = [
            (
                colours[v],
                tuple(sorted(colours[u] for u in bits(problem.operands[v]))),
                tuple(sorted(colours[u] for u in bits(problem.users[v]))),
            )
            for v in range(len(colours))
        ]
        colours = _ranks(seen)
        before, kinds = kinds, len(set(colours))
        if kinds == before:
            break
    return colours


def _ranks(
    keys: list[int] | list[tuple[int, int, int]] | list[tuple[int, tuple[int, ...], tuple[int, ...]]],
) -> list[int]:
    rank = {key: i for i, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    return [rank[key] for key in keys]


def _form(problem: Problem, numbering: list[int]) -> Form:
    operands = [0] * len(problem)
    for v, number in enumerate(numbering):
        operands[number] = _image(problem.operands[v], numbering)
    return tuple(operands), _image(problem.outputs, numbering)


def _image(vertices: int, numbering: list[int]) -> int:
    found = 0
    for v in bits(vertices):
        found |= 1 << numbering[v]
    return found


def _inverse(numbering: list[int]) -> list[int]:
    back = [0] * len(numbering)
    for v, number in enumerate(numbering):
        back[number] = v
    return back


class Orbits:
    """Picks one state of each orbit: the image whose red set is least, then whose other sets are."""

    def __init__(self, size: int, automorphisms: list[list[int]]) -> None:
        self.automorphisms = [list(range(size)), *automorphisms]
        self._tables = [_byte_tables(size, permutation) for permutation in self.automorphisms]
        self._least: dict[int, tuple[int, list[int]]] = {}

    def canonical(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """The orbit's representative."""
        return self._best(state)[0] if len(self._tables) > 1 else state

    def mapped(self, state: tuple[int, ...]) -> tuple[tuple[int, ...], list[int]]:
        """The orbit's representative, and an automorphism that takes the state there."""
        image, which = self._best(state)
        return image, self.automorphisms[which]

    def _best(self, state: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        red = state[0]
        known = self._least.get(red)
        if known is None:
            images = [_through(tables, red) for tables in self._tables]
            least = min(images)
            known = self._least[red] = least, [k for k, image in enumerate(images) if image == least]
            if len(self._least) > 1_000_000:
                self._least.clear()
        red, candidates = known
        tables = self._tables
        best: tuple[int, ...] = ()
        which = candidates[0]
        if len(candidates) == 1:
            return (red, *[_through(tables[which], part) for part in state[1:]]), which
        for k in candidates:
            image = tuple([_through(tables[k], part) for part in state[1:]])
            if not best or image < best:
                best, which = image, k
        return (red, *best), which


def _byte_tables(size: int, permutation: list[int]) -> list[list[int]]:
    """For each byte of a set of vertices, the image of each of its 256 values."""
    tables = []
    for low in range(0, size, 8):
        table = [0] * 256
        for value in range(1, 256):
            bit = value & -value
            v = low + bit.bit_length() - 1
            table[value] = table[value ^ bit] | (1 << permutation[v] if v < size else 0)
        tables.append(table)
    return tables


def _through(tables: list[list[int]], vertices: int) -> int:
    image = 0
    for table in tables:
        if not vertices:
            break
        image |= table[vertices & 255]
        vertices >>= 8
    return image
