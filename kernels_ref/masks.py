"""Masks: which of the n_q x n_k scores exist. Masked-out entries have S = -inf and P = 0.

Three kinds, all asked the same questions. `Cells`: a grid of rectangles that are kept or dropped whole. `Entries`: a
grid of single entries, any boolean matrix. `Band`: every query keeps one run of keys, known by its two ends, so that a
causal mask of any length costs O(n). The gallery at the end makes the well-known patterns.
"""

from __future__ import annotations

import functools
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .errors import BadInput

Array = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


class Mask(Protocol):
    """``shape`` (n_q, n_k); ``words`` is how many entries it keeps; rows and columns are slices or tiles' edges."""

    shape: tuple[int, int]

    @property
    def words(self) -> int: ...

    @property
    def T(self) -> Mask: ...

    def repeated(self, times: int) -> Mask:
        """Every row ``times`` times, one after the other: the same mask for several heads' queries."""

    def kept(self, rows: slice, columns: slice) -> Booleans | None:
        """The entries of one rectangle; None when all of them are kept."""

    def kept_words(self, rows: slice, columns: slice) -> int:
        """How many entries of one rectangle are kept."""

    def pairs(self, row_edges: Array, column_edges: Array) -> Booleans:
        """Which tiles keep at least one entry. (tiles of rows, tiles of columns)"""

    def meetings(self, row_edges: Array, column_edges: Array) -> Meetings:
        """The same, only counted."""

    def __hash__(self) -> int: ...


MaskLike = Mask | npt.ArrayLike | None


class Meetings:
    """Of a tiling: for every tile of rows how many tiles of columns it meets, and the other way round.

    ``corner``: whether the last tiles of both meet.
    """

    def __init__(self, of_rows: Array, of_columns: Array, row_sizes: Array, column_sizes: Array, corner: bool) -> None:
        self.of_rows, self.of_columns = of_rows, of_columns
        self.row_sizes, self.column_sizes, self.corner = row_sizes, column_sizes, corner

    @property
    def rows(self) -> int:
        """Rows, once for every tile of columns that their tile meets."""
        return int(self.row_sizes @ self.of_rows)

    @property
    def columns(self) -> int:
        return int(self.column_sizes @ self.of_columns)

    @property
    def tiles(self) -> int:
        return int(self.of_rows.sum())

    @property
    def rows_met(self) -> int:
        """Rows of the tiles that meet any."""
        return int(self.row_sizes @ (self.of_rows > 0))

    @property
    def columns_met(self) -> int:
        return int(self.column_sizes @ (self.of_columns > 0))

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The sizes (rows, columns) that meeting pairs come in: at most four."""
        (r, r_last), (c, c_last) = ((int(sizes[0]), int(sizes[-1])) for sizes in (self.row_sizes, self.column_sizes))
        in_last_row, in_last_column = int(self.of_rows[-1]), int(self.of_columns[-1])
        inner = self.tiles - in_last_row - in_last_column + self.corner
        found = [((r, c), inner), ((r_last, c), in_last_row - self.corner), ((r, c_last), in_last_column - self.corner)]
        return [size for size, tiles in [*found, ((r_last, c_last), self.corner)] if tiles]


class Cells:
    """A grid: ``keep[a, b]`` decides about rows ``row_edges[a]`` to ``row_edges[a + 1]`` and columns likewise."""

    def __init__(self, keep: npt.ArrayLike, row_edges: npt.ArrayLike, column_edges: npt.ArrayLike) -> None:
        self.keep = np.asarray(keep, bool)
        self.row_edges, self.column_edges = np.asarray(row_edges, np.int64), np.asarray(column_edges, np.int64)
        self.shape = (int(self.row_edges[-1]), int(self.column_edges[-1]))

    @functools.cached_property
    def words(self) -> int:
        return int(np.diff(self.row_edges) @ self.keep.astype(np.int64) @ np.diff(self.column_edges))

    @functools.cached_property
    def T(self) -> Cells:
        return Cells(self.keep.T, self.column_edges, self.row_edges)

    def repeated(self, times: int) -> Cells:
        return Cells(self.keep, self.row_edges * times, self.column_edges)

    def _rectangle(self, rows: slice, columns: slice) -> tuple[Booleans, Array, Array]:
        """The cells that a rectangle touches, and how many of its rows and columns lie in each."""
        parts, lengths = [], []
        for edges, part in ((self.row_edges, rows), (self.column_edges, columns)):
            first = int(np.searchsorted(edges, part.start, "right")) - 1
            last = int(np.searchsorted(edges, part.stop, "left"))
            parts.append(slice(first, last))
            lengths.append(np.diff(np.clip(edges[first : last + 1], part.start, part.stop)))
        cells: Booleans = self.keep[parts[0], parts[1]]
        return cells, lengths[0].astype(np.int64), lengths[1].astype(np.int64)

    def kept(self, rows: slice, columns: slice) -> Booleans | None:
        cells, heights, widths = self._rectangle(rows, columns)
        if cells.all():
            return None
        if cells.shape == (rows.stop - rows.start, columns.stop - columns.start):
            return cells
        return np.repeat(np.repeat(cells, heights.astype(np.intp), axis=0), widths.astype(np.intp), axis=1)

    def kept_words(self, rows: slice, columns: slice) -> int:
        cells, heights, widths = self._rectangle(rows, columns)
        if cells.shape == (rows.stop - rows.start, columns.stop - columns.start):
            return int(np.count_nonzero(cells))
        return int(heights @ cells.astype(np.int64) @ widths)

    def pairs(self, row_edges: Array, column_edges: Array) -> Booleans:
        found = _any_between(self.keep, *_cells_of(self.row_edges, row_edges))
        return _any_between(found.T, *_cells_of(self.column_edges, column_edges)).T

    def meetings(self, row_edges: Array, column_edges: Array) -> Meetings:
        """Tiles that touch the same cells are looked at once, however many they are."""
        rows, row_of, row_times = _classes(*_cells_of(self.row_edges, row_edges))
        columns, column_of, column_times = _classes(*_cells_of(self.column_edges, column_edges))
        met = _any_between(_any_between(self.keep, *rows).T, *columns).T.astype(np.int64)
        return Meetings(
            (met @ column_times)[row_of], (row_times @ met)[column_of], np.diff(row_edges), np.diff(column_edges),
            bool(met[row_of[-1], column_of[-1]]),
        )  # fmt: skip


class Entries(Cells):
    """A boolean matrix. A table of sums, made when it is first needed, answers for every tile of a tiling at once."""

    def __init__(self, keep: Booleans) -> None:
        super().__init__(keep, *(np.arange(side + 1) for side in keep.shape))

    @functools.cached_property
    def sums(self) -> npt.NDArray[np.int32]:
        """How many entries are kept above and left of each corner. (n_q + 1, n_k + 1)"""
        found = np.zeros((self.shape[0] + 1, self.shape[1] + 1), np.int32)
        np.cumsum(self.keep, axis=0, dtype=np.int32, out=found[1:, 1:])
        return np.cumsum(found, axis=1, out=found)

    @functools.cached_property
    def T(self) -> Entries:
        turned = Entries(self.keep.T)
        turned.sums = self.sums.T
        return turned

    def repeated(self, times: int) -> Cells:
        return self if times == 1 else super().repeated(times)

    def pairs(self, row_edges: Array, column_edges: Array) -> Booleans:
        above = np.diff(self.sums[np.ix_(row_edges, column_edges)], axis=0)
        found: Booleans = above[:, 1:] != above[:, :-1]
        return found

    def meetings(self, row_edges: Array, column_edges: Array) -> Meetings:
        met = self.pairs(row_edges, column_edges)
        sizes = np.diff(row_edges), np.diff(column_edges)
        return Meetings(met.sum(axis=1), met.sum(axis=0), *sizes, bool(met[-1, -1]))


def _cells_of(edges: Array, tiles: Array) -> tuple[Array, Array]:
    """The first cell that each tile touches, and the one after its last."""
    return np.searchsorted(edges, tiles[:-1], "right") - 1, np.searchsorted(edges, tiles[1:], "left")


def _classes(first: Array, last: Array) -> tuple[tuple[Array, Array], Array, Array]:
    """Distinct (first, last), which of them each tile has, and how many tiles have it. Both are sorted already."""
    new = np.append(True, (np.diff(first) > 0) | (np.diff(last) > 0))
    which = np.cumsum(new) - 1
    return (first[new], last[new]), which, np.bincount(which)


def _any_between(keep: Booleans, first: Array, last: Array) -> Booleans:
    """Whether any of the rows first[t] to last[t] of ``keep`` is kept, by column. (tiles, columns)"""
    if np.array_equal(last, first + 1):
        return keep[first]
    below = np.zeros((len(keep) + 1, keep.shape[1]), np.int32)
    np.cumsum(keep, axis=0, out=below[1:])
    found: Booleans = below[last] > below[first]
    return found


class Band:
    """Query i keeps keys ``low[i]`` to ``high[i] - 1``. Both never fall from one query to the next."""

    def __init__(self, low: npt.ArrayLike, high: npt.ArrayLike, n_k: int) -> None:
        low, high = np.clip(np.asarray(low, np.int64), 0, n_k), np.clip(np.asarray(high, np.int64), 0, n_k)
        self.low, self.high = np.minimum(low, high), high
        if (np.diff(self.low) < 0).any() or (np.diff(self.high) < 0).any():
            raise BadInput("a band's ends never fall from one query to the next")
        self.shape = (len(high), n_k)

    @functools.cached_property
    def words(self) -> int:
        return int((self.high - self.low).sum())

    @functools.cached_property
    def T(self) -> Band:
        """Of a key: the first query whose run has not ended before it, and the first whose run begins after it."""
        keys = np.arange(self.shape[1])
        return Band(np.searchsorted(self.high, keys, "right"), np.searchsorted(self.low, keys, "right"), self.shape[0])

    def repeated(self, times: int) -> Band:
        return Band(np.repeat(self.low, times), np.repeat(self.high, times), self.shape[1])

    def kept(self, rows: slice, columns: slice) -> Booleans | None:
        low, high = self.low[rows, None], self.high[rows, None]
        if low[-1] <= columns.start and high[0] >= columns.stop:
            return None
        keys = np.arange(columns.start, columns.stop)
        kept: Booleans = (keys >= low) & (keys < high)
        return kept

    def kept_words(self, rows: slice, columns: slice) -> int:
        runs = np.minimum(self.high[rows], columns.stop) - np.maximum(self.low[rows], columns.start)
        return int(np.maximum(runs, 0).sum())

    def pairs(self, row_edges: Array, column_edges: Array) -> Booleans:
        rows = np.arange(row_edges[0], row_edges[-1])
        low = np.maximum(self.low[rows], column_edges[0])
        high = np.minimum(self.high[rows], column_edges[-1])
        rows, low, high = rows[high > low], low[high > low], high[high > low]
        tile = np.searchsorted(row_edges, rows, "right") - 1
        steps = np.zeros((len(row_edges) - 1, len(column_edges)), np.int64)
        np.add.at(steps, (tile, np.searchsorted(column_edges, low, "right") - 1), 1)
        np.add.at(steps, (tile, np.searchsorted(column_edges, high, "left")), -1)
        found: Booleans = np.cumsum(steps, axis=1)[:, :-1] > 0
        return found

    def meetings(self, row_edges: Array, column_edges: Array) -> Meetings:
        of_rows = _tiles_met(self.low, self.high, row_edges, column_edges)
        turned = self.T
        of_columns = _tiles_met(turned.low, turned.high, column_edges, row_edges)
        corner = self.kept_words(slice(row_edges[-2], row_edges[-1]), slice(column_edges[-2], column_edges[-1])) > 0
        return Meetings(of_rows, of_columns, np.diff(row_edges), np.diff(column_edges), corner)


def _tiles_met(low: Array, high: Array, row_edges: Array, column_edges: Array) -> Array:
    """How many tiles of columns each tile of rows meets: row by row, those that the rows before have not met yet."""
    rows = np.flatnonzero(high > low)
    tile = np.searchsorted(row_edges, rows, "right") - 1
    first = np.searchsorted(column_edges, low[rows], "right") - 1
    last = np.searchsorted(column_edges, high[rows], "left")
    before = np.append(0, np.where(np.diff(tile) == 0, last[:-1], 0))[: len(rows)]
    met = np.bincount(tile, np.maximum(last - np.maximum(first, before), 0), len(row_edges) - 1)
    return met.astype(np.int64)


def causal(n_q: int, n_k: int) -> Band:
    """Query i sees keys up to its own, aligned bottom-right: the last query sees the last key.

    >>> causal(2, 3).kept(slice(0, 2), slice(0, 3)).astype(int).tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    high = np.arange(n_q) + 1 + n_k - n_q
    return Band(np.zeros(n_q), high, n_k)


def sliding_window(n_q: int, n_k: int, window: int) -> Band:
    """Causal, and only the last ``window`` keys."""
    high = np.arange(n_q) + 1 + n_k - n_q
    return Band(high - window, high, n_k)


def block(keep: npt.ArrayLike, n_q: int, n_k: int) -> Cells:
    """An even grid of blocks, ``keep`` says which: block-sparse FlashAttention (arXiv 2205.14135, section 3.3)."""
    keep = np.asarray(keep, bool)
    sides = zip(keep.shape, (n_q, n_k), strict=True)
    rows, columns = (np.arange(parts + 1, dtype=np.int64) * n // parts for parts, n in sides)
    return Cells(keep, rows, columns)


def strided(n_q: int, n_k: int, stride: int) -> Entries:
    """Causal: the last ``stride`` keys, and every ``stride``-th before. Sparse Transformer, arXiv 1904.10509."""
    behind = np.arange(n_q)[:, None] + n_k - n_q - np.arange(n_k)
    return entries((behind >= 0) & ((behind < stride) | (behind % stride == 0)))


def global_window(n_q: int, n_k: int, tokens: int, window: int) -> Entries:
    """The first ``tokens`` see all and are seen by all, others see ``window`` keys either side. arXiv 2004.05150."""
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return entries((abs(i + n_k - n_q - j) <= window) | (i < tokens) | (j < tokens))


def random(n_q: int, n_k: int, density: float, seed: int = 0) -> Entries:
    """Each entry by itself, with probability ``density``."""
    return entries(np.random.default_rng(seed).random((n_q, n_k)) < density)


def entries(keep: npt.ArrayLike) -> Entries:
    """An arbitrary boolean matrix (n_q, n_k)."""
    keep = np.asarray(keep)
    if keep.ndim != 2 or keep.dtype != bool:
        raise BadInput(f"a mask is a boolean matrix (n_q, n_k); got {keep.dtype} of shape {keep.shape}")
    return Entries(keep)


GALLERY = {
    "causal": "causal",
    "window": "window:KEYS",
    "block": "block:BLOCKS:DENSITY[:SEED]",
    "strided": "strided:STRIDE",
    "global": "global:TOKENS:WINDOW",
    "random": "random:DENSITY[:SEED]",
}


def named(text: str, n_q: int, n_k: int) -> Mask:
    """A mask of the gallery from its name and numbers, such as ``window:128`` or ``random:0.1``. See `GALLERY`.

    >>> named("window:2", 4, 4).words
    7
    """
    name, *numbers = text.split(":")
    try:
        match name, [float(number) for number in numbers]:
            case "causal", []:
                return causal(n_q, n_k)
            case "window", [keys] if keys >= 1:
                return sliding_window(n_q, n_k, int(keys))
            case "block", [blocks, density, *seed] if blocks >= 1 and len(seed) <= 1:
                grid = (min(int(blocks), n_q), min(int(blocks), n_k))
                return block(np.random.default_rng(int(sum(seed))).random(grid) < density, n_q, n_k)
            case "strided", [stride] if stride >= 1:
                return strided(n_q, n_k, int(stride))
            case "global", [tokens, window] if tokens >= 0 and window >= 0:
                return global_window(n_q, n_k, int(tokens), int(window))
            case "random", [density, *seed] if len(seed) <= 1:
                return random(n_q, n_k, density, int(sum(seed)))
    except ValueError:
        pass
    raise BadInput(f"no mask is called {text!r}; there are: {', '.join(GALLERY.values())}")


def matrix(mask: Mask) -> Booleans:
    """All of a mask as booleans. (n_q, n_k)"""
    kept = mask.kept(*(slice(0, extent) for extent in mask.shape))
    return np.ones(mask.shape, bool) if kept is None else kept


def as_mask(mask: MaskLike, n_q: int, n_k: int) -> Mask | None:
    """A mask, a boolean matrix, or nothing; None when all is kept. Raises `BadInput` when the shape is another."""
    if mask is None:
        return None
    found = mask if isinstance(mask, Cells | Band) else entries(np.asarray(mask))
    if found.shape != (n_q, n_k):
        raise BadInput(f"the mask is {found.shape[0]} x {found.shape[1]}; the scores are {n_q} x {n_k}")
    return None if found.words == n_q * n_k else found
