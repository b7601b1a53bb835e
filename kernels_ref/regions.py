"""What a kernel names before it moves it: tiles of a loop, tensors, and the regions that tiles cut out of them.

Counting is the memory's part (`memory.py`); a region only knows how many words it has.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .masks import Mask

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, slots=True)
class Tile:
    """Rows (or columns) ``start`` to ``stop`` of a loop: ``count`` consecutive tiles of at most ``size`` rows each.

    ``count`` is 0 for the second and later pieces of one tile that is too large to compute with in one go; ``first``
    and ``last`` are then where that whole tile starts and stops, otherwise ``start`` and ``stop``. Of a loop with
    ``where``: ``met`` is the tile of the loop around it, and ``pairs[a, b]`` says whether the mask (its rows those of
    this loop) keeps anything of the a-th tile here beside the b-th tile there.
    """

    start: int
    stop: int
    size: int
    count: int
    first: int
    last: int
    step: int
    met: Tile | None = None
    pairs: Array | None = None
    mask: Mask | None = None

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)

    @property
    def length(self) -> int:
        return self.stop - self.start

    @property
    def edges(self) -> Array:
        """Where its tiles start, and where the last of them stops. (tiles + 1,)"""
        return np.append(np.arange(self.first, self.last, self.step, dtype=np.int64), self.last)

    @property
    def lengths(self) -> Array:
        """Rows of each of its tiles that are here. (tiles,)"""
        if (self.first, self.last) != (self.start, self.stop):
            return np.array([self.length], np.int64)
        return np.diff(self.edges)

    @property
    def counts(self) -> Array:
        """1 for each of its tiles, 0 for a later piece of one. (tiles,)"""
        return np.full(max(self.count, 1), min(self.count, 1))


@dataclass(frozen=True, eq=False, slots=True)
class Tensor:
    """A matrix or vector with a name and a place in slow memory. ``tensor[i]``, ``tensor[i, j]`` name its regions.

    With a ``mask`` (of its own shape) only the kept entries exist. With a ``pattern`` (an input's) only its entries
    are stored; the others are zero.
    """

    name: str
    shape: tuple[int, ...]
    mask: Mask | None = None
    transposed: bool = False
    base: Tensor | None = None  # of a transposed view: the tensor that it views
    pattern: Mask | None = None

    @property
    def stored(self) -> Mask | None:  # None: all
        return self.mask if self.pattern is None else self.pattern

    @property
    def T(self) -> Tensor:
        if self.base is not None:
            return self.base
        return Tensor(self.name, self.shape[::-1], self.mask, True, self, self.pattern)

    def __getitem__(self, index: Tile | tuple[Tile, ...]) -> Region:
        tiles = index if isinstance(index, tuple) else (index,)
        whole = tuple(whole_tile(extent) for extent in self.shape[len(tiles) :])
        tiles = tiles + whole
        if self.base is not None:
            return Region(self.base, tiles[::-1], flipped=True)
        return Region(self, tiles)


def whole_tile(extent: int) -> Tile:
    return Tile(0, extent, extent, 1, 0, extent, max(extent, 1))


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """The part of a tensor that one `Tile` a dimension cuts out; ``flipped`` when it was named through ``tensor.T``."""

    tensor: Tensor
    tiles: tuple[Tile, ...]
    flipped: bool = False

    @property
    def words(self) -> int:
        if self.tensor.stored is not None:
            return self.tensor.stored.kept_words(*self.slices)
        return math.prod(tile.length for tile in self.tiles)

    def words_of(self, tile: Tile) -> Array:
        """Its words in each of the tiles that one of its `Tile`s stands for. (tiles,)"""
        axis, edges = self.tiles.index(tile), tile.edges - tile.first
        stored = None if self.tensor.stored is None else self.tensor.stored.kept(*self.slices)
        if stored is None:
            return tile.lengths * math.prod(own.length for own in self.tiles if own is not tile)
        lines = stored.sum(axis=1 - axis)
        if len(lines) < edges[-1]:  # a piece of one tile
            return np.array([lines.sum()])
        return np.asarray(np.add.reduceat(lines, edges[:-1].astype(np.intp)))

    @property
    def fast_words(self) -> int:
        """Words of the largest single block in it: what one tile of each dimension takes up in fast memory."""
        return math.prod(tile.size for tile in self.tiles)

    @property
    def slices(self) -> tuple[slice, ...]:
        return tuple(tile.slice for tile in self.tiles)

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        return self.tensor.name, tuple(tile.start for tile in self.tiles)


def meeting(tile: Tile, where: Region) -> Tile | None:
    """A tile that knows which of its tiles keep something of the region's tensor; None when none of them does."""
    mask = where.tensor.mask
    if mask is None:
        return tile
    met = where.tiles[1 if where.flipped else 0]
    mask = mask if where.flipped else mask.T
    pairs = mask.pairs(tile.edges, met.edges)
    if not pairs.any():
        return None
    size = int(np.diff(tile.edges)[pairs.any(axis=1)].max())
    return dataclasses.replace(tile, size=size, met=met, pairs=pairs, mask=mask)
