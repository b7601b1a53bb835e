"""Sums of products as vertices, in one of three granularities.

A cell `X[i,j]` that is a sum of k products a_0 b_0 + ... + a_(k-1) b_(k-1) becomes

    chain    k vertices X[i,j]#0 ... #(k-1), one multiply-add each: step t adds a_t b_t to step t - 1
    tree     2 k - 1 vertices: the products #0 ... #(k-1), then binary sums level by level, a term left over moving up
             unchanged (the summation trees of Hong & Kung); the last step is the cell's value
    entry    1 vertex X[i,j] with all factors as operands

Terms of a plain sum have one factor. A chain still has a vertex for each of them (the first is a copy, as `l = 0;
l += a` makes one), a tree has only the k - 1 sums: the tree of a single term is that term, and no vertex at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pebble_engine.dag import limit_vertices

GRANULARITIES = ("chain", "tree", "entry")


class Sums(NamedTuple):
    """A number of cells that are sums, for counting: `terms` is the total over the cells, none of them empty."""

    cells: int
    terms: int
    factors: int = 2

    def vertices(self, granularity: str) -> int:
        """How many vertices they are."""
        tree = (self.terms if self.factors > 1 else 0) + self.terms - self.cells
        return {"chain": self.terms, "tree": tree, "entry": self.cells}[granularity]


class Sheet:
    """A DAG in the making: label -> operands, and for each cell the vertex that holds its value.

    >>> sheet = Sheet("tree")
    >>> sheet.given("a[0]", "b[0]", "a[1]", "b[1]")
    >>> sheet.sum("c[0]", [("a[0]", "b[0]"), ("a[1]", "b[1]")])
    >>> sheet.entry("e[0]", "c[0]")
    >>> sheet.operands["c[0]#2"], sheet.operands["e[0]"]
    (('c[0]#0', 'c[0]#1'), ('c[0]#2',))
    """

    def __init__(self, granularity: str) -> None:
        self.granularity = granularity
        self.operands: dict[str, tuple[str, ...]] = {}
        self._value: dict[str, str] = {}  # cell -> its vertex, where that is not the cell's own name

    def given(self, *cells: str) -> None:
        """Inputs."""
        self.operands.update((cell, ()) for cell in cells)

    def entry(self, cell: str, *operands: str) -> None:
        """A cell that is one operation on other cells."""
        self.operands[cell] = self.values(operands)

    def sum(self, cell: str, terms: Iterable[tuple[str, ...]]) -> None:
        """A cell that is a sum of terms; each term is the cells that are multiplied."""
        products = [self.values(term) for term in terms]
        if self.granularity == "entry":
            self.operands[cell] = tuple(dict.fromkeys(factor for product in products for factor in product))
        elif self.granularity == "chain":
            before: tuple[str, ...] = ()
            for step, product in enumerate(products):
                self.operands[f"{cell}#{step}"] = (*before, *product)
                before = (f"{cell}#{step}",)
            self._value[cell] = before[0]
        else:
            self._value[cell] = self._tree(cell, products)

    def values(self, cells: Iterable[str]) -> tuple[str, ...]:
        """The vertices that hold these cells' values."""
        return tuple(self._value.get(cell, cell) for cell in cells)

    def _tree(self, cell: str, products: list[tuple[str, ...]]) -> str:
        """Products, then sums in pairs, level by level."""
        step = 0
        level: list[str] = []
        for product in products:
            if len(product) > 1:
                self.operands[f"{cell}#{step}"] = product
                level.append(f"{cell}#{step}")
                step += 1
            else:
                level += product
        while len(level) > 1:
            left_over = level[len(level) // 2 * 2 :]
            above: list[str] = []
            for pair in zip(level[::2], level[1::2], strict=False):
                self.operands[f"{cell}#{step}"] = pair
                above.append(f"{cell}#{step}")
                step += 1
            level = above + left_over
        return level[0]


def limit(granularity: str, entries: int, sums: Iterable[Sums]) -> None:
    """Refuse what would be too many vertices: `entries` of one vertex each, and sums. Raises InvalidDag."""
    limit_vertices(entries + sum(group.vertices(granularity) for group in sums))
