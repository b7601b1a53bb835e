"""How often tiles of rows and tiles of columns of the scores meet: everything that a mask changes in a count.

Without a mask every pair of tiles meets and all of it is a line of arithmetic; with one it is counted from the mask.
Sizes are ints, or without a mask object arrays of ints, and so are the answers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..masks import Mask, Meetings, matrix
from ..sizes import OF_QUERIES, Shape


class Layout:
    """Of the scores of one `Shape`. ``words``: kept entries. Rows and columns come in tiles of at most r and c.

    `once`, `passes` and `products` also know which entries of the inputs are stored: all, without a pattern. Other
    tensors, such as Q = A1 X, have all of theirs.
    """

    shape: Shape
    words: int

    @property
    def given(self) -> str:
        """What the weights form has of the output: "dO", or "E" where a target is given."""
        return "E" if self.shape.target else "dO"

    def once(self, name: str) -> int:
        """Words of an input, or of a tensor of its shape."""
        pattern = self.shape.pattern(name)
        rows, columns = self.shape.extent(name)
        return rows * columns if pattern is None else pattern.words

    def passes(self, name: str, r: Any, c: Any) -> Any:
        """Words of an input with a row a query (a key), once for every tile of keys (queries) that its tile meets."""
        if self.shape.pattern(name) is None:
            return (self.rows if name in OF_QUERIES else self.columns)(r, c) * self.shape.extent(name)[1]
        return self._passes(name, r, c)

    def _passes(self, name: str, r: Any, c: Any) -> Any:
        raise NotImplementedError

    def terms(self, name: str) -> Any:
        """Multiplications of a product of scores with an input: one for every kept score of every stored word."""
        if self.shape.pattern(name) is None:
            return self.words * self.shape.extent(name)[1]
        return self._passes(name, 1, 1)

    def products(self, left: str, right: str) -> int:
        """Multiplications of kept scores, left right^T: pairs of stored words that meet in one."""
        a, b = self.shape.pattern(left), self.shape.pattern(right)
        if a is None and b is None:
            return self.words * self.shape.extent(left)[1]
        total, mask, columns = 0, self.shape.mask, _stored(self.shape, right).T
        for start in range(0, self.shape.n_q, 512):
            rows = slice(start, min(start + 512, self.shape.n_q))
            pairs = _stored(self.shape, left)[rows] @ columns
            kept = None if mask is None else mask.kept(rows, slice(0, self.shape.n_k))
            total += int((pairs if kept is None else pairs[kept]).sum())
        return total

    def matches(self, left: str, right: str) -> int:
        """Multiplications of left right, without a mask: pairs of stored words that meet."""
        if self.shape.pattern(left) is None and self.shape.pattern(right) is None:
            return self.once(left) * self.shape.extent(right)[1]
        return int(_stored(self.shape, left).sum(axis=0) @ _stored(self.shape, right).sum(axis=1))

    def rows(self, r: Any, c: Any) -> Any:
        """Rows, counted once for every tile of columns that their tile meets."""
        raise NotImplementedError

    def columns(self, r: Any, c: Any) -> Any:
        """Columns, counted once for every tile of rows that their tile meets."""
        raise NotImplementedError

    def rows_met(self, r: Any, c: Any) -> Any:
        """Rows of those tiles that meet any."""
        raise NotImplementedError

    def columns_met(self, r: Any, c: Any) -> Any:
        """Columns of those tiles that meet any."""
        raise NotImplementedError

    def largest(self, words: Callable[[Any, Any], Any], r: Any, c: Any) -> Any:
        """The largest ``words(rows, columns)`` of any pair of tiles that meets; 0 if none does."""
        raise NotImplementedError


def tiles(extent: int, size: Any) -> Any:
    """T(extent, size) = ceil(extent / size)."""
    return -(-extent // size)


def largest(*values: Any) -> Any:
    """The elementwise maximum."""
    return functools.reduce(np.maximum if any(isinstance(value, np.ndarray) for value in values) else max, values)


def least(*values: Any) -> Any:
    """The elementwise minimum."""
    return functools.reduce(np.minimum if any(isinstance(value, np.ndarray) for value in values) else min, values)


def words_by_row(shape: Shape, name: str) -> Any:
    """Stored words of every row of an input. (rows,)"""
    return _stored(shape, name).sum(axis=1).astype(np.int64)


def _stored(shape: Shape, name: str) -> Any:
    """1 where an input has a word, 0 elsewhere. (rows, columns)"""
    pattern = shape.pattern(name)
    return np.ones(shape.extent(name)) if pattern is None else matrix(pattern).astype(float)


class Dense(Layout):
    def __init__(self, shape: Shape) -> None:
        self.shape, self.words = shape, shape.n_q * shape.n_k

    def rows(self, r: Any, c: Any) -> Any:
        return self.shape.n_q * tiles(self.shape.n_k, c)

    def columns(self, r: Any, c: Any) -> Any:
        return self.shape.n_k * tiles(self.shape.n_q, r)

    def _passes(self, name: str, r: Any, c: Any) -> Any:
        across = tiles(self.shape.n_k, c) if name in OF_QUERIES else tiles(self.shape.n_q, r)
        return self.once(name) * across

    def rows_met(self, r: Any, c: Any) -> Any:
        return self.shape.n_q

    def columns_met(self, r: Any, c: Any) -> Any:
        return self.shape.n_k

    def largest(self, words: Callable[[Any, Any], Any], r: Any, c: Any) -> Any:
        return words(least(r, self.shape.n_q), least(c, self.shape.n_k))


class Masked(Layout):
    """For one size at a time."""

    def __init__(self, shape: Shape, mask: Mask) -> None:
        self.shape, self.words, self._mask = shape, mask.words, mask
        self._known: dict[tuple[int, int], Meetings] = {}

    def _met(self, r: int, c: int) -> Meetings:
        size = least(r, self.shape.n_q), least(c, self.shape.n_k)
        if size not in self._known:
            edges = [np.append(np.arange(0, n, s), n) for n, s in zip(self._mask.shape, size, strict=True)]
            self._known[size] = self._mask.meetings(*edges)
        return self._known[size]

    def _passes(self, name: str, r: Any, c: Any) -> Any:
        met, words = self._met(r, c), words_by_row(self.shape, name)
        sizes, times = (
            (met.row_sizes, met.of_rows) if name in OF_QUERIES else (met.column_sizes, met.of_columns)
        )  # fmt: skip
        return int(np.add.reduceat(words, (np.cumsum(sizes) - sizes).astype(np.intp)) @ times)

    def rows(self, r: Any, c: Any) -> Any:
        return self._met(r, c).rows

    def columns(self, r: Any, c: Any) -> Any:
        return self._met(r, c).columns

    def rows_met(self, r: Any, c: Any) -> Any:
        return self._met(r, c).rows_met

    def columns_met(self, r: Any, c: Any) -> Any:
        return self._met(r, c).columns_met

    def largest(self, words: Callable[[Any, Any], Any], r: Any, c: Any) -> Any:
        return max((words(*size) for size in self._met(r, c).sizes), default=0)


def layout(shape: Shape) -> Layout:
    return Dense(shape) if shape.mask is None else Masked(shape, shape.mask)
