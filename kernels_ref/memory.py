"""The two-level memory on which every kernel of this package is written.

A kernel is a plain function over one `TwoLevelMemory`, called ``fast`` inside the kernels because that is what it
manages: M words of fast memory above a slow memory without limit. The kernel loads blocks, multiplies them, stores
them and frees them. This module counts; two subclasses do more with the same calls:

    TwoLevelMemory   counts words (and is the counting machine: it holds no numbers at all)
    NumpyMemory      counts and computes, with NumPy arrays behind the blocks          (numpy_memory.py)
    PebbleMemory     counts and records every word's journey as pebble moves           (pebbling.py)

Cost model: one word is one matrix entry. ``load`` and ``store`` cost one I/O a word; computing and freeing cost
nothing. ``C += A @ B`` accumulates in place.

Masks. A tensor may carry a mask: then only the entries that the mask keeps exist, move and are computed, and a loop
``tiles(..., where=S[i])`` comes by only those tiles that keep something of S beside rows i. A block still takes the
room of its whole tile in fast memory.

Inputs stored by their nonzeros. An input may carry a pattern: then only the entries in the pattern are stored and
move, and only products of two stored entries are multiplications. A word is a value: where it stands (its index) is
not counted, as in Z_input (math.md, Theorem 4.5). A block takes the room of its whole tile here too, so that tiles do
not depend on patterns.

Many tiles at once. A full-size run has millions of tiles and Python is slow, so a machine may hand the kernel several
consecutive tiles of a loop as one `Tile` that knows how many it stands for (and a tile too large to compute with in
pieces). The kernel cannot tell, and the counts do not change: a block that does not follow a loop is moved once for
every tile of that loop. Under a mask the `Tile` also knows which of its tiles meet which tiles of the loop around it,
and "once for every tile" becomes a sum over those pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import CapacityExceeded
from .regions import Array, Region, Tensor, Tile, meeting

if TYPE_CHECKING:
    from .masks import Mask

__all__ = ["Array", "Block", "Product", "Region", "Tensor", "Tile", "TwoLevelMemory"]


class Block:
    """A region's copy in fast memory. ``A @ B`` names a product; ``C += A @ B`` computes it into C, in place."""

    __slots__ = ("data", "memory", "region", "streamed", "transposed")

    def __init__(
        self, memory: TwoLevelMemory, region: Region, data: Any, transposed: bool = False, streamed: bool = False
    ) -> None:
        self.memory, self.region, self.data = memory, region, data
        self.transposed, self.streamed = transposed, streamed

    @property
    def T(self) -> Block:
        return Block(self.memory, self.region, self.data, not self.transposed, self.streamed)

    @property
    def rows(self) -> Tile:
        return self.region.tiles[1 if self.transposed else 0]

    @property
    def columns(self) -> Tile:
        return self.region.tiles[0 if self.transposed else 1]

    def __matmul__(self, other: Block) -> Product:
        return Product(self, other)

    def __iadd__(self, product: Product) -> Block:
        self.memory.accumulate(self, product)
        return self


@dataclass(frozen=True, eq=False, slots=True)
class Product:
    """``left @ right``, not yet computed."""

    left: Block
    right: Block


class TwoLevelMemory:
    """M words of fast memory over an unbounded slow one; by itself the machine that only counts.

    Parameters: ``words`` is M; ``rows_at_once`` is how many rows one `Tile` hands to the kernel, several tiles' or a
    piece of one's (None: always one whole tile). Counts, all in words: ``loads``, ``stores``, ``io``, ``peak_fast``,
    ``peak_slow`` (held in slow memory besides inputs and outputs). ``multiplications``: those of the matrix products.
    """

    def __init__(self, words: int, *, rows_at_once: int | None = None) -> None:
        self.words = words
        self.rows_at_once = rows_at_once
        self.loads = self.stores = self.multiplications = 0
        self.in_fast = self.peak_fast = 0
        self.in_slow = self.peak_slow = 0
        self._loops: list[Tile] = []
        self._kept: set[str] = set()  # inputs and outputs: not counted in peak_slow
        self._written: set[tuple[str, tuple[int, ...]]] = set()
        self._begun: dict[tuple[str, tuple[int, ...]], Array] = {}  # rows whose sums were stored in between

    @property
    def io(self) -> int:
        return self.loads + self.stores

    # What lives in slow memory

    def input(self, name: str, shape: tuple[int, ...], pattern: Mask | None = None) -> Tensor:
        """A tensor that slow memory holds from the start: all of it, or the entries in ``pattern``."""
        self._kept.add(name)
        return Tensor(name, shape, pattern=pattern)

    def output(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor that slow memory must hold in the end. It starts out as nothing: no zeros are written."""
        self._kept.add(name)
        return Tensor(name, shape)

    def scratch(self, name: str, shape: tuple[int, ...], mask: Mask | None = None) -> Tensor:
        """A tensor in between: it takes up slow memory only as far as it is ever stored."""
        return Tensor(name, shape, mask)

    # Loops

    def tiles(self, extent: int, size: int, *, where: Region | None = None) -> Iterator[Tile]:
        """The tiles of at most ``size`` rows that cover ``extent`` rows, in order, possibly several at once.

        With ``where=S[i]`` (or ``S.T[j]``) only those that keep something of S beside the tile i (or j).
        """
        size = max(1, min(size, extent))
        for tile in self._tiles(extent, size):
            met = tile if where is None else meeting(tile, where)
            if met is None:
                continue
            self._loops.append(met)
            try:
                yield met
            finally:
                self._loops.remove(met)

    def _tiles(self, extent: int, size: int) -> Iterator[Tile]:
        most = self.rows_at_once or size
        if size <= most:
            step, full = most // size * size, extent // size * size
            for start in [*range(0, full, step), *range(full, extent, size)]:  # a smaller last tile comes by itself
                stop = min(start + step, full) if start < full else extent
                yield Tile(start, stop, min(size, stop - start), -(-(stop - start) // size), start, stop, size)
        else:  # pieces of one tile: the first of them counts
            for first in range(0, extent, size):
                last = min(first + size, extent)
                for start in range(first, last, most):
                    yield Tile(start, min(start + most, last), last - first, int(start == first), first, last, size)

    def _times(self, *regions: Region) -> int:
        """How many times the kernel would come by here: once a tile of every running loop that no region follows."""
        followed = {id(tile) for region in regions for tile in region.tiles}
        return math.prod(tile.count for tile in self._loops if id(tile) not in followed)

    def _moved(self, region: Region) -> int:
        """Words that move when a region does: its own, as often as the kernel would come by here."""
        pair = next((tile for tile in self._loops if tile.pairs is not None), None)
        if pair is None or pair.met is None or pair.pairs is None:
            return region.words * self._times(region)
        followed = {id(tile) for tile in region.tiles}
        both = {id(pair), id(pair.met)}
        times = math.prod(tile.count for tile in self._loops if id(tile) not in followed | both)
        if both <= followed:
            if region.tensor.mask is not None:
                return region.words * times
            rest = math.prod(tile.length for tile in region.tiles if id(tile) not in both)
            return int(pair.lengths @ pair.pairs @ pair.met.lengths) * rest * times
        if not both & followed:
            return int(pair.counts @ pair.pairs @ pair.met.counts) * region.words * times
        here, there = (region.words_of(tile) if id(tile) in followed else tile.counts for tile in (pair, pair.met))
        return int(here @ pair.pairs @ there) * times

    # Moving words

    def load(self, region: Region) -> Block:
        """Copy a region into fast memory: one I/O a word."""
        self._occupy(region.fast_words, f"load {region.tensor.name}")
        self.loads += self._moved(region)
        return Block(self, region, self._loaded(region), region.flipped)

    def stream(self, region: Region) -> Block:
        """A region for one product or function only, whose words pass one by one through one word of fast memory.

        One I/O a word. As the right factor of ``C += A @ B`` each word of B meets its column of A and is dropped.
        """
        self._occupy(1, f"stream {region.tensor.name}")
        self.loads += self._moved(region)
        return Block(self, region, self._streamed(region), region.flipped, streamed=True)

    def new(self, region: Region) -> Block:
        """Room in fast memory for a region whose sum starts here: no I/O."""
        self._occupy(region.fast_words, f"new {region.tensor.name}")
        return Block(self, region, self._empty(region), region.flipped)

    def resume(self, region: Region) -> Block:
        """Go on with the sums of some rows: load what was stored of them; the first time there is nothing to load.

        Under a mask only of those rows that keep a score in a tile here: the sums of the others do not change. `store`
        stores no others either.
        """
        rows, *others = region.tiles
        begun = self._begun.setdefault(_sums(region), np.zeros(region.tensor.shape[0], bool))[rows.slice]
        times = self._rows_moved(region)
        self._occupy(region.fast_words, f"resume {region.tensor.name}")
        self.loads += int(times.sum() - ((times > 0) & ~begun).sum()) * math.prod(tile.length for tile in others)
        first = not begun.any()
        begun |= times > 0
        return Block(self, region, self._empty(region) if first else self._resumed(region), region.flipped)

    def _rows_moved(self, region: Region) -> Array:
        """How many times each row of sums is moved here: once a tile in which it keeps a score. (rows,)"""
        rows = region.tiles[0]
        for tile in self._loops:
            if tile.mask is None or tile.pairs is None or tile.met is None or rows not in (tile, tile.met):
                continue
            mask, pairs, other = tile.mask, tile.pairs, tile.met
            if rows is not tile:
                mask, pairs, other = mask.T, pairs.T, tile
            if rows.step > 1:
                pairs = mask.pairs(np.arange(rows.start, rows.stop + 1), other.edges)
            followed = {id(own) for own in (*region.tiles, tile, tile.met)}
            times = math.prod(own.count for own in self._loops if id(own) not in followed)
            here: Array = pairs @ other.counts * times
            return here
        return np.full(rows.length, self._times(region))

    def store(self, block: Block) -> None:
        """Copy a block back to its place in slow memory: one I/O a word. It stays in fast memory too."""
        region = block.region
        if _sums(region) in self._begun:
            self.stores += int(self._rows_moved(region).sum()) * math.prod(tile.length for tile in region.tiles[1:])
        else:
            self.stores += self._moved(region)
        if region.key not in self._written:
            self._written.add(region.key)
            if region.tensor.name not in self._kept:
                self.in_slow += region.words
                self.peak_slow = max(self.peak_slow, self.in_slow)
        self._stored(block)

    def zero(self, tensor: Tensor, beside: Block) -> None:
        """Store zeros in all of a tensor: one I/O a word. A zero is 0 times a word of ``beside``."""
        self._occupy(1, f"zero {tensor.name}")
        self.stores += math.prod(tensor.shape)
        self._begun[tensor.name, (0,)] = np.ones(tensor.shape[0], bool)
        self._zeroed(tensor, beside)
        self.in_fast -= 1

    def complete(self, tensor: Tensor) -> None:
        """Store zeros in those rows whose sums have not begun: what a mask left."""
        rows = np.zeros(tensor.shape[0], bool)
        for (name, _), begun in self._begun.items():
            if name == tensor.name:
                rows |= begun
        self.stores += int((~rows).sum()) * math.prod(tensor.shape[1:])
        self._begun[tensor.name, (0,)] = np.ones(tensor.shape[0], bool)

    def forget(self, region: Region) -> None:
        """What slow memory holds of a scratch region, all of it, may be overwritten from here on: no I/O."""
        self.in_slow -= region.words

    def free(self, *blocks: Block) -> None:
        """Give up blocks' room in fast memory: no I/O."""
        for block in blocks:
            self.in_fast -= block.region.fast_words
            self._freed(block)
            block.data = None

    def _occupy(self, words: int, what: str) -> None:
        self.in_fast += words
        if self.in_fast > self.words:
            raise CapacityExceeded(what, needed=self.in_fast, memory=self.words)
        self.peak_fast = max(self.peak_fast, self.in_fast)

    # Computing

    def accumulate(self, target: Block, product: Product) -> None:
        """``target += left @ right``, in place."""
        left, right = product.left, product.right
        self.multiplications += self._products(target, left, right)
        self._multiplied(target, left, right)
        self._used(left, right)

    def apply(
        self, function: Callable[..., Array], block: Block, *others: Block, into: Region, **options: Any
    ) -> Block:
        """An elementwise function of ``block`` and others, put in the place of ``block``, which is gone afterwards.

        ``function(block, *others, **options)`` may overwrite its first array, and others that were not loaded, and
        returns the result. A vector among the others holds one word a row.
        """
        result = Block(self, into, self._applied(function, block, others, into, options))
        block.data = None
        self._used(*others)
        return result

    def _products(self, target: Block, left: Block, right: Block) -> int:
        """Multiplications of ``left @ right``: under a mask those that have to do with a kept entry."""
        tiles = (left.rows, left.columns, right.columns)
        times = self._times(left.region, right.region)
        if left.region.tensor.pattern or right.region.tensor.pattern:
            return _nonzero_products(target, left, right) * times
        for region in (target.region, left.region, right.region):
            if region.tensor.mask is not None:
                third = (tile.length for tile in tiles if all(tile is not own for own in region.tiles))
                return region.words * math.prod(third) * times
        return math.prod(tile.length for tile in tiles) * times

    def _used(self, *blocks: Block) -> None:
        self.in_fast -= sum(block.streamed for block in blocks)

    # What the other machines do with it

    def _loaded(self, region: Region) -> Any:
        return None

    def _streamed(self, region: Region) -> Any:
        return self._loaded(region)

    def _empty(self, region: Region) -> Any:
        return None

    def _resumed(self, region: Region) -> Any:
        return None

    def _stored(self, block: Block) -> None:
        pass

    def _freed(self, block: Block) -> None:
        pass

    def _zeroed(self, tensor: Tensor, beside: Block) -> None:
        pass

    def _multiplied(self, target: Block, left: Block, right: Block) -> None:
        pass

    def _applied(
        self,
        function: Callable[..., Array],
        block: Block,
        others: tuple[Block, ...],
        into: Region,
        options: dict[str, Any],
    ) -> Any:
        return None


def _nonzero_products(target: Block, left: Block, right: Block) -> int:
    """Products of two stored entries that have to do with a kept one, of ``target += left @ right``."""
    rows, inner, columns = left.rows.length, left.columns.length, right.columns.length
    a, b, c = _stored(left, (rows, inner)), _stored(right, (inner, columns)), _stored(target, (rows, columns))
    return int((a @ b)[c > 0].sum())


def _stored(block: Block, shape: tuple[int, int]) -> Array:
    """1 where a block has a word, 0 elsewhere."""
    stored = block.region.tensor.stored
    kept = None if stored is None else stored.kept(*block.region.slices)
    return np.ones(shape) if kept is None else (kept.T if block.transposed else kept).astype(float)


def _sums(region: Region) -> tuple[str, tuple[int, ...]]:
    """Which columns of which tensor: the sums of their rows are begun one by one."""
    return region.tensor.name, tuple(tile.start for tile in region.tiles[1:])
