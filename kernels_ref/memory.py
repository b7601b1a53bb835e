"""The two-level memory on which every kernel of this package is written.

A kernel is a plain function over one `TwoLevelMemory`, called ``fast`` inside the kernels because that is what it
manages: M words of fast memory above a slow memory without limit. The kernel loads blocks, multiplies them, stores
them and frees them. This module counts; two subclasses do more with the same calls:

    TwoLevelMemory   counts words (and is the counting machine: it holds no numbers at all)
    NumpyMemory      counts and computes, with NumPy arrays behind the blocks          (this module)
    PebbleMemory     counts and records every word's journey as pebble moves           (pebbling.py)

Cost model: one word is one matrix entry. ``load`` and ``store`` cost one I/O a word; computing and freeing cost
nothing. ``C += A @ B`` accumulates in place.

Many tiles at once. A full-size run has millions of tiles and Python is slow, so a machine may hand the kernel several
consecutive tiles of a loop as one `Tile` that knows how many it stands for (and a tile too large to compute with in
pieces). The kernel cannot tell, and the counts do not change: a block that does not follow a loop is moved once for
every tile of that loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import CapacityExceeded

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, slots=True)
class Tile:
    """Rows (or columns) ``start`` to ``stop`` of a loop: ``count`` consecutive tiles of at most ``size`` rows each.

    ``count`` is 0 for the second and later pieces of one tile that is too large to compute with in one go.
    """

    start: int
    stop: int
    size: int
    count: int

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)

    @property
    def length(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, eq=False, slots=True)
class Tensor:
    """A matrix or vector with a name and a place in slow memory. ``tensor[i]``, ``tensor[i, j]`` name its regions."""

    name: str
    shape: tuple[int, ...]
    transposed: bool = False
    base: Tensor | None = None  # of a transposed view: the tensor that it views

    @property
    def T(self) -> Tensor:
        if self.base is not None:
            return self.base
        return Tensor(self.name, self.shape[::-1], transposed=True, base=self)

    def __getitem__(self, index: Tile | tuple[Tile, ...]) -> Region:
        tiles = index if isinstance(index, tuple) else (index,)
        whole = tuple(Tile(0, extent, extent, 1) for extent in self.shape[len(tiles) :])
        tiles = tiles + whole
        if self.base is not None:
            return Region(self.base, tiles[::-1], flipped=True)
        return Region(self, tiles)


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """The part of a tensor that one `Tile` a dimension cuts out; ``flipped`` when it was named through ``tensor.T``."""

    tensor: Tensor
    tiles: tuple[Tile, ...]
    flipped: bool = False

    @property
    def words(self) -> int:
        return math.prod(tile.length for tile in self.tiles)

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


class Block:
    """A region's copy in fast memory. ``A @ B`` names a product; ``C += A @ B`` computes it into C, in place."""

    __slots__ = ("data", "memory", "region", "transposed")

    def __init__(self, memory: TwoLevelMemory, region: Region, data: Any, transposed: bool = False) -> None:
        self.memory, self.region, self.data, self.transposed = memory, region, data, transposed

    @property
    def T(self) -> Block:
        return Block(self.memory, self.region, self.data, not self.transposed)

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

    @property
    def io(self) -> int:
        return self.loads + self.stores

    # What lives in slow memory

    def input(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor that slow memory holds from the start."""
        self._kept.add(name)
        return Tensor(name, shape)

    def output(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor that slow memory must hold in the end. It starts out as nothing: no zeros are written."""
        self._kept.add(name)
        return Tensor(name, shape)

    def scratch(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor in between: it takes up slow memory only as far as it is ever stored."""
        return Tensor(name, shape)

    # Loops

    def tiles(self, extent: int, size: int) -> Iterator[Tile]:
        """The tiles of at most ``size`` rows that cover ``extent`` rows, in order, possibly several at once."""
        size = min(size, extent)
        for tile in self._tiles(extent, size):
            self._loops.append(tile)
            try:
                yield tile
            finally:
                self._loops.remove(tile)

    def _tiles(self, extent: int, size: int) -> Iterator[Tile]:
        most = self.rows_at_once or size
        if size <= most:
            step = most // size * size
            for start in range(0, extent, step):
                stop = min(start + step, extent)
                yield Tile(start, stop, min(size, stop - start), -(-(stop - start) // size))
        else:  # pieces of one tile: the first of them counts
            for first in range(0, extent, size):
                last = min(first + size, extent)
                for start in range(first, last, most):
                    yield Tile(start, min(start + most, last), last - first, int(start == first))

    def _times(self, *regions: Region) -> int:
        """How many times the kernel would come by here: once a tile of every running loop that no region follows."""
        followed = {id(tile) for region in regions for tile in region.tiles}
        return math.prod(tile.count for tile in self._loops if id(tile) not in followed)

    # Moving words

    def load(self, region: Region) -> Block:
        """Copy a region into fast memory: one I/O a word."""
        self._occupy(region, "load")
        self.loads += region.words * self._times(region)
        return Block(self, region, self._loaded(region), region.flipped)

    def new(self, region: Region) -> Block:
        """Room in fast memory for a region whose sum starts here: no I/O."""
        self._occupy(region, "new")
        return Block(self, region, self._empty(region), region.flipped)

    def resume(self, region: Region) -> Block:
        """Go on with a sum: load what was stored of it; the first time there is nothing to load."""
        first = region.key not in self._written
        self._occupy(region, "resume")
        self.loads += region.words * (self._times(region) - first)
        return Block(self, region, self._empty(region) if first else self._resumed(region), region.flipped)

    def store(self, block: Block) -> None:
        """Copy a block back to its place in slow memory: one I/O a word. It stays in fast memory too."""
        region = block.region
        self.stores += region.words * self._times(region)
        if region.key not in self._written:
            self._written.add(region.key)
            if region.tensor.name not in self._kept:
                self.in_slow += region.words
                self.peak_slow = max(self.peak_slow, self.in_slow)
        self._stored(block)

    def free(self, *blocks: Block) -> None:
        """Give up blocks' room in fast memory: no I/O."""
        for block in blocks:
            self.in_fast -= block.region.fast_words
            self._freed(block)
            block.data = None

    def _occupy(self, region: Region, what: str) -> None:
        self.in_fast += region.fast_words
        if self.in_fast > self.words:
            raise CapacityExceeded(f"{what} {region.tensor.name}", needed=self.in_fast, memory=self.words)
        self.peak_fast = max(self.peak_fast, self.in_fast)

    # Computing

    def accumulate(self, target: Block, product: Product) -> None:
        """``target += left @ right``, in place."""
        left, right = product.left, product.right
        size = left.rows.length * left.columns.length * right.columns.length
        self.multiplications += size * self._times(left.region, right.region)
        self._multiplied(target, left, right)

    def apply(
        self, function: Callable[..., Array], block: Block, *others: Block, into: Region, **options: Any
    ) -> Block:
        """An elementwise function of ``block`` and others, put in the place of ``block``, which is gone afterwards.

        ``function(block, *others, **options)`` may overwrite its first array and returns the result. A vector among
        the others holds one word a row.
        """
        result = Block(self, into, self._applied(function, block, others, into, options))
        block.data = None
        return result

    # What the other machines do with it

    def _loaded(self, region: Region) -> Any:
        return None

    def _empty(self, region: Region) -> Any:
        return None

    def _resumed(self, region: Region) -> Any:
        return None

    def _stored(self, block: Block) -> None:
        pass

    def _freed(self, block: Block) -> None:
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


class NumpyMemory(TwoLevelMemory):
    """The machine that also computes. ``arrays`` maps each input's name to its array; outputs appear in it too.

    ``watch(multiplications so far)``, where given, is called after every product; an exception in it ends the run.
    """

    def __init__(
        self,
        words: int,
        arrays: dict[str, Array],
        *,
        rows_at_once: int | None = 512,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(words, rows_at_once=rows_at_once)
        self.arrays = dict(arrays)
        self._dtype = np.result_type(*arrays.values())
        self._watch = watch

    def output(self, name: str, shape: tuple[int, ...]) -> Tensor:
        self.arrays[name] = np.zeros(shape, self._dtype)
        return super().output(name, shape)

    def _view(self, region: Region) -> Array:
        view: Array = self.arrays[region.tensor.name][region.slices]
        return view

    def _loaded(self, region: Region) -> Array:
        return self._view(region)  # never written to: products and functions only write blocks that they own

    def _resumed(self, region: Region) -> Array:
        return self._view(region)

    def _stored(self, block: Block) -> None:
        name = block.region.tensor.name
        if name not in self.arrays:
            self.arrays[name] = np.empty(block.region.tensor.shape, self._dtype)
        place = self._view(block.region)
        if block.data is None:
            place[...] = 0  # a sum of no terms
        elif block.data is not place:
            place[...] = block.data

    def _multiplied(self, target: Block, left: Block, right: Block) -> None:
        a, b = (block.data.T if block.transposed else block.data for block in (left, right))
        if target.transposed:
            a, b = b.T, a.T
        if target.data is None:
            target.data = a @ b
        else:
            target.data += a @ b
        if self._watch is not None:
            self._watch(self.multiplications)

    def _applied(
        self,
        function: Callable[..., Array],
        block: Block,
        others: tuple[Block, ...],
        into: Region,
        options: dict[str, Any],
    ) -> Array:
        return function(block.data, *(other.data for other in others), **options)
