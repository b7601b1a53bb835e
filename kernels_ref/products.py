"""C = A B in little fast memory, three ways. Each yields every block of C complete and still in fast memory.

Which operand stays put decides what moves, for C of m x q and an inner size k:

    blocked_product   three square blocks of side B     k (m T(q, B) + q T(m, B)), leading 2 m k q / B, B = sqrt(M/3)
    outer_product     an a x b block of C stays         k (m T(q, b) + q T(m, a)), leading 2 m k q / sqrt(M)
    panel_product     a rows of A stay, whole           k (m + q T(m, a)),         leading m q k^2 / M

The second is the tile of COSMA (arXiv 1908.09606): a column of A (a words) meets a row of B that passes word by word,
a b + a + 1 <= M. The third beats it as soon as M > k^2 / 4, because no word of A moves twice.
Masks: where C has one only its kept entries are made, where A has one only its kept entries are read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .memory import Block, Tensor, Tile, TwoLevelMemory

Blocks = Iterator[tuple[Tile, Tile, Block]]


def blocked_product(fast: TwoLevelMemory, C: Tensor, A: Tensor, B: Tensor, side: int) -> Blocks:
    """C = A B: yields every block C_ij once it is complete, still in fast memory, with its rows i and columns j."""
    for i in fast.tiles(C.shape[0], side):
        for j in fast.tiles(C.shape[1], side, where=C[i]):
            C_ij = fast.new(C[i, j])  # (side, side)
            for k in fast.tiles(A.shape[1], side, where=A[i]):
                A_ik, B_kj = fast.load(A[i, k]), fast.load(B[k, j])  # (side, side) each
                C_ij += A_ik @ B_kj
                fast.free(A_ik, B_kj)
            yield i, j, C_ij


def outer_product(fast: TwoLevelMemory, C: Tensor, A: Tensor, B: Tensor, rows: int, columns: int) -> Blocks:
    """C = A B by rank-1 updates: a column of A against a row of B, of which one word at a time is in fast memory."""
    for i in fast.tiles(C.shape[0], rows):
        for j in fast.tiles(C.shape[1], columns, where=C[i]):
            C_ij = fast.new(C[i, j])  # (rows, columns)
            for k in fast.tiles(A.shape[1], 1, where=A[i]):
                A_ik = fast.load(A[i, k])  # (rows, 1)
                C_ij += A_ik @ fast.stream(B[k, j])  # (1, columns)
                fast.free(A_ik)
            yield i, j, C_ij


def panel_product(fast: TwoLevelMemory, C: Tensor, A: Tensor, B: Tensor, rows: int) -> Blocks:
    """C = A B with some rows of A resident: every column of B passes them word by word and leaves a column of C."""
    for i in fast.tiles(C.shape[0], rows):
        A_i = fast.load(A[i])  # (rows, k)
        for j in fast.tiles(C.shape[1], 1, where=C[i]):
            C_ij = fast.new(C[i, j])  # (rows, 1)
            C_ij += A_i @ fast.stream(B.T[j]).T
            yield i, j, C_ij
        fast.free(A_i)


def outer_tile(m: int, k: int, q: int, memory: int, extra: int = 0, each: int = 0) -> tuple[int, int]:
    """The tile a x b, a b + a + 1 <= M, of the fewest words for an m x k x q product: (a, b).

    ``extra``: words that are read once a row of every tile, besides; ``each``: once every tile. A tie goes to
    the smaller b.

    >>> outer_tile(4096, 64, 4096, 4096)
    (63, 64)
    """
    return best_tile(m, q, m * (k + extra), q * k, memory, _rows_beside_column, each)


def _rows_beside_column(b: Any, memory: int) -> Any:
    return (memory - 1) // (b + 1)


@functools.lru_cache(maxsize=64)
def _widths(q: int) -> tuple[Any, Any]:
    """Every b <= q that is the least for its number of tiles, rising, and these numbers."""
    small = np.arange(1, math.isqrt(q) + 2, dtype=np.int64)
    widths = np.unique(np.minimum(np.concatenate([small, -(-q // small)]), q))
    return widths, -(-q // widths)


@functools.lru_cache(maxsize=4096)
def best_tile(
    m: int, q: int, across: int, down: int, memory: int, most_rows: Callable[[Any, int], Any], each: int = 0
) -> tuple[int, int]:
    """(a, b) for which ``across`` T(q, b) + ``down`` T(m, a) is least, with a <= ``most_rows(b, memory)``.

    Where ``each`` is given ``each`` T(q, b) T(m, a) comes on top.

    Tries every b that is the least for its number of tiles: others cost as much and leave less room. Floating point
    picks the candidates, whole numbers decide.
    """
    widths, across_tiles = _widths(q)
    heights = np.asarray(most_rows(widths, memory), np.float64)
    possible = int(np.count_nonzero(heights >= 1))  # they fall
    widths, across_tiles = widths[:possible], across_tiles[:possible]
    heights = np.minimum(heights[:possible], m)
    down_tiles = np.ceil(m / heights)
    words = float(across) * across_tiles + float(down) * down_tiles + float(each) * across_tiles * down_tiles
    near = np.flatnonzero(words <= words.min() * (1 + 1e-9))

    def exact(place: int) -> tuple[int, int]:
        a, b = int(heights[place]), int(widths[place])
        return across * -(-q // b) + down * -(-m // a) + each * -(-q // b) * -(-m // a), b

    _, b = min(exact(int(place)) for place in near)
    return min(m, int(most_rows(b, memory))), b
