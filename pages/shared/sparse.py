"""The sparse page: what a mask leaves of the scores, what both kernels then move, and what Theorem 4.5 says of it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from kernels_ref import Bound, Counts, Shape, count, log_spaced, lower_bound, sparse, sweep, theory
from kernels_ref.masks import Mask
from pages.shared.settings import ALGORITHM_IDS, SPARSE_MEMORY, SparseSettings
from pages.shared.sparse_fields import SIDE, written
from pages.shared.sparse_masks import built, tile_edges

LOW, HIGH = 2**4, 2**20
POINTS = 24  # memories of a curve: under a mask each is counted by itself
# What each mask of the gallery begins with.
START = {
    "none": "none",
    "causal": "causal",
    "window": "window:128",
    "block": "block:16:0.2:0",
    "strided": "strided:32",
    "global": "global:16:32",
    "random": "random:0.05:0",
}


def painted_start() -> str:
    """The painting that the gallery offers: a causal mask with one block of keys that nobody may forget."""
    cells = np.tri(SIDE, SIDE, dtype=bool) & ~np.tri(SIDE, SIDE, -4, dtype=bool)
    cells[:, 0] = True
    return f"painted:{written(cells)}"


@dataclass(frozen=True)
class Point:
    """One mask at one (n, d, M): nonzeros, exact words of both kernels with and without the mask, the lower bound.

    `tiles`: of each kernel that fits, (rows, columns) of a tile, the pairs of tiles that keep anything, and all pairs.
    """

    settings: SparseSettings
    nonzeros: sparse.Nonzeros
    masked: dict[str, Counts]
    dense: dict[str, Counts]
    tiles: dict[str, tuple[int, int, int, int]]
    bound: Bound

    @property
    def kept(self) -> float:
        return self.nonzeros.z_qk / self.settings.n**2


def mask_of(settings: SparseSettings) -> Mask | None:
    """The mask itself; None where every score is kept."""
    mask = built(settings.mask, settings.n)
    return None if mask is None or mask.words == settings.n**2 else mask


def point(settings: SparseSettings) -> Point:
    """Everything that is said beside the picture, counted from the mask."""
    n, d, memory, mask = settings.n, settings.d, settings.memory, mask_of(settings)
    masked = {name: count(name, n=n, d=d, memory=memory, mask=mask) for name in ALGORITHM_IDS}
    dense = {name: count(name, n=n, d=d, memory=memory) for name in ALGORITHM_IDS}
    tiles = {}
    for name, counts in masked.items():
        if counts.tile is not None:
            rows, columns = tile_size(counts.tile, n)
            every = -(-n // rows) * -(-n // columns)
            met = every if mask is None else mask.meetings(tile_edges(n, rows), tile_edges(n, columns)).tiles
            tiles[name] = rows, columns, met, every
    bound = lower_bound("qkv", Shape(n, n, d, d, mask), memory)
    return Point(settings, sparse.of_pattern(n, n, d, mask), masked, dense, tiles, bound)


def tile_size(tile: dict[str, int], n: int) -> tuple[int, int]:
    """Rows and columns of the score tiles of a kernel."""
    rows, columns = (tile["side"], tile["side"]) if "side" in tile else (tile["rows"], tile["columns"])
    return min(rows, n), min(columns, n)


@dataclass(frozen=True)
class Curve:
    """Words against M for one mask: the sweep's frame, masked rows first, then dense; and what is drawn from it."""

    frame: pd.DataFrame
    masked: dict[str, tuple[list[int], list[int]]]
    dense: dict[str, tuple[list[int], list[int]]]
    bound: tuple[list[int], list[int]]
    floor: int
    nonzeros: sparse.Nonzeros


def reach(memory: int, split: float) -> int:
    """The M at which a curve ends: a power of four, at least two million, beyond the split and the reader's M."""
    far = max(HIGH, 2 * memory, 4 * min(int(split), SPARSE_MEMORY) if split != float("inf") else 0)
    return 1 << ((far - 1).bit_length() + 1 & ~1)


@lru_cache(maxsize=128)
def curve(mask: str, n: int, d: int, high: int) -> Curve:
    """Exact counts over M from 16 to `high`, with the mask and without."""
    settings = SparseSettings(mask, n, d)
    kept = mask_of(settings)
    zeros = sparse.of_pattern(n, n, d, kept)
    least = {count(name, n=n, d=d, memory=1).least_memory for name in ALGORITHM_IDS}
    split = {int(zeros.split)} if LOW <= zeros.split <= high else set()
    marks = {words for words in least | split if LOW <= words <= high}
    grid = sorted({*log_spaced(LOW, high, POINTS), *marks})
    masked = sweep(ALGORITHM_IDS, n=n, d=d, memory=grid, mask=kept).assign(mask=mask)
    dense = sweep(ALGORITHM_IDS, n=n, d=d, memory=grid).assign(mask="none")
    frame = masked if kept is None else pd.concat([masked, dense], ignore_index=True)
    first = masked[masked["algorithm"] == ALGORITHM_IDS[0]]
    bound = grid, [int(words) for words in first["bound"]]
    return Curve(frame, _lines(masked), _lines(dense), bound, theory.floor(n, d, mask=kept), zeros)


def _lines(frame: pd.DataFrame) -> dict[str, tuple[list[int], list[int]]]:
    lines = {}
    for name, rows in frame.groupby("algorithm", sort=False):
        fitting = rows[rows["fits"]]
        lines[str(name)] = [int(m) for m in fitting["memory"]], [int(io) for io in fitting["io"]]
    return lines


def csv(settings: SparseSettings) -> str:
    """The counts behind the chart, whole and exact; the column ``mask`` has the mask's name, "none" for dense."""
    zeros = sparse.of_pattern(settings.n, settings.n, settings.d, mask_of(settings))
    frame = curve(settings.mask, settings.n, settings.d, reach(settings.memory, zeros.split)).frame
    return frame.to_csv(index=False, lineterminator="\n")
