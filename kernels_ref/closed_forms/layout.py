"""How often tiles of rows and tiles of columns of the scores meet: everything that a mask changes in a count.

Without a mask every pair of tiles meets and all of it is a line of arithmetic; with one it is counted from the mask.
Sizes are ints, or without a mask object arrays of ints, and so are the answers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..masks import Mask, Meetings
from ..sizes import Shape


class Layout(Protocol):
    """Of the scores of one `Shape`. ``words``: kept entries. Rows and columns come in tiles of at most r and c."""

    shape: Shape
    words: int

    def rows(self, r: Any, c: Any) -> Any:
        """Rows, counted once for every tile of columns that their tile meets."""

    def columns(self, r: Any, c: Any) -> Any:
        """Columns, counted once for every tile of rows that their tile meets."""

    def rows_met(self, r: Any, c: Any) -> Any:
        """Rows of those tiles that meet any."""

    def columns_met(self, r: Any, c: Any) -> Any:
        """Columns of those tiles that meet any."""

    def largest(self, words: Callable[[Any, Any], Any], r: Any, c: Any) -> Any:
        """The largest ``words(rows, columns)`` of any pair of tiles that meets; 0 if none does."""


def tiles(extent: int, size: Any) -> Any:
    """T(extent, size) = ceil(extent / size)."""
    return -(-extent // size)


def largest(*values: Any) -> Any:
    """The elementwise maximum."""
    return functools.reduce(np.maximum if any(isinstance(value, np.ndarray) for value in values) else max, values)


def least(*values: Any) -> Any:
    """The elementwise minimum."""
    return functools.reduce(np.minimum if any(isinstance(value, np.ndarray) for value in values) else min, values)


class Dense:
    def __init__(self, shape: Shape) -> None:
        self.shape, self.words = shape, shape.n_q * shape.n_k

    def rows(self, r: Any, c: Any) -> Any:
        return self.shape.n_q * tiles(self.shape.n_k, c)

    def columns(self, r: Any, c: Any) -> Any:
        return self.shape.n_k * tiles(self.shape.n_q, r)

    def rows_met(self, r: Any, c: Any) -> Any:
        return self.shape.n_q

    def columns_met(self, r: Any, c: Any) -> Any:
        return self.shape.n_k

    def largest(self, words: Callable[[Any, Any], Any], r: Any, c: Any) -> Any:
        return words(least(r, self.shape.n_q), least(c, self.shape.n_k))


class Masked:
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
