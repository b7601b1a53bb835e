"""The machine that computes: blocks are NumPy arrays, slow memory holds arrays by their tensors' names.

Storage may be narrower than arithmetic: slow memory keeps every tensor in ``dtype``, blocks that are summed into are
of the ``wide`` type beside it in `WIDE`, and storing a block rounds it. The row statistics lse and D are always kept
wide, as FlashAttention keeps them. None of this changes a count: a word is a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .memory import Array, Block, Region, Tensor, TwoLevelMemory

WIDE: dict[str, str] = {"float16": "float32", "float32": "float64", "float64": "float64"}
STATISTICS = ("lse", "D", "l", "m")


class NumpyMemory(TwoLevelMemory):
    """``arrays`` maps each input's name to its array, which is never written to; outputs appear in it too.

    ``watch(multiplications so far)``, where given, is called after every product; an exception in it ends the run.
    ``dtype`` is what slow memory stores (by default what the inputs have in common).
    """

    def __init__(
        self,
        words: int,
        arrays: dict[str, Array],
        *,
        rows_at_once: int | None = 512,
        watch: Callable[[int], None] | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> None:
        super().__init__(words, rows_at_once=rows_at_once)
        stored = np.dtype(dtype) if dtype is not None else np.result_type(*arrays.values())
        self._dtype, self._wide = stored, np.dtype(WIDE.get(stored.name, stored.name))
        self.arrays = {name: array.astype(self._type_of(name), copy=False) for name, array in arrays.items()}
        self._watch = watch

    def _type_of(self, name: str) -> np.dtype[Any]:
        return self._wide if name in STATISTICS else self._dtype

    def output(self, name: str, shape: tuple[int, ...]) -> Tensor:
        self.arrays[name] = np.zeros(shape, self._type_of(name))
        return super().output(name, shape)

    def _view(self, region: Region) -> Array:
        view: Array = self.arrays[region.tensor.name][region.slices]
        return view

    def _loaded(self, region: Region) -> Array:
        """Read-only, and so a copy is made where a function would put its result there."""
        view = self._view(region).astype(self._wide, copy=False)
        view.flags.writeable = False
        return view

    def _resumed(self, region: Region) -> Array:
        return self._view(region).astype(self._wide, copy=False)

    def _stored(self, block: Block) -> None:
        tensor = block.region.tensor
        if tensor.name not in self.arrays:
            self.arrays[tensor.name] = np.zeros(tensor.shape, self._type_of(tensor.name))
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
        if block.data is None:
            block.data = np.zeros([tile.length for tile in block.region.tiles], self._wide)
        if not block.data.flags.writeable:
            block.data = block.data.copy()
        mask = into.tensor.mask
        kept = None if mask is None else mask.kept(*into.slices)
        if kept is None:
            return function(block.data, *(other.data for other in others), **options)
        block.data[~kept] = -np.inf  # as scores that are masked out are, and 0 as their probability and gradient
        with np.errstate(invalid="ignore"):
            result = function(block.data, *(other.data for other in others), **options)
        result[~kept] = 0
        return result
