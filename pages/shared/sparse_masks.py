"""The masks of the sparse page: named by text, built once, counted fast, and made into pictures."""

import functools
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels_ref import masks
from kernels_ref.masks import Array, Band, Cells, Mask
from pages.shared.sparse_fields import cells_of

Floats = npt.NDArray[np.float32]
BUILT = 16  # masks kept for everybody; one that is drawn entry by entry takes 5 MB
THUMB = 24  # side of a gallery picture, in cells


@functools.lru_cache(maxsize=BUILT)
def built(name: str, n: int) -> Mask | None:
    """The mask called `name` for n queries and n keys: "none", "painted:<text>", or as `kernels_ref.masks.named`."""
    if name == "none":
        return None
    kind, _, rest = name.partition(":")
    if kind == "painted":
        return masks.block(cells_of(rest), n, n)
    return masks.named(name, n, n)


def shares(mask: Mask | None, n: int, side: int) -> Floats:
    """How much of each cell of a side x side picture is kept, 0 to 1. (side, side)"""
    edges = picture_edges(n, side)
    if isinstance(mask, Band):
        kept = np.zeros((side, side), np.float32)
        for cell, (first, last) in enumerate(itertools.pairwise(edges)):
            low, high = mask.low[first:last], mask.high[first:last]
            begun, ended = (np.cumsum(np.bincount(ends.astype(np.intp), minlength=n + 1)[:n]) for ends in (low, high))
            kept[cell] = np.add.reduceat(begun - ended, edges[:-1].astype(np.intp))
        kept /= np.outer(np.diff(edges), np.diff(edges))
        return kept
    if isinstance(mask, Cells):
        rows, columns = (_overlap(edges, own) for own in (mask.row_edges, mask.column_edges))
        found: Floats = rows @ mask.keep.astype(np.float32) @ columns.T
        return found
    return np.ones((side, side), np.float32)


def _overlap(edges: Array, cells: Array) -> Floats:
    """The share of each part between `edges` that lies in each cell. (parts, cells)"""
    low = np.maximum(edges[:-1, None], cells[None, :-1])
    high = np.minimum(edges[1:, None], cells[None, 1:])
    found: Floats = (np.maximum(high - low, 0) / np.diff(edges)[:, None]).astype(np.float32)
    return found


def picture_edges(n: int, side: int) -> Array:
    """Where the cells of a picture of n rows begin and end."""
    return np.arange(side + 1, dtype=np.int64) * n // side


def tile_edges(n: int, size: int) -> Array:
    """Where tiles of `size` rows begin and end; the last may be smaller."""
    return np.append(np.arange(0, n, size, dtype=np.int64), n)


def met_shares(mask: Mask, n: int, rows: int, columns: int, side: int) -> Floats:
    """Of every strip of `columns` keys, and of each of a picture's rows: the share of tiles that keeps anything.

    (side or tiles of rows, strips). Tiles that are taller than a picture's row have a row each.
    """
    met = mask.pairs(tile_edges(n, rows), tile_edges(n, columns)).astype(np.float32)
    if len(met) <= side:
        return met
    starts = np.minimum(picture_edges(n, side)[:-1] // rows, len(met) - 1)
    found: Floats = np.add.reduceat(met, starts.astype(np.intp), axis=0)
    found /= np.maximum(np.diff(np.append(starts, len(met))), 1)[:, None]
    return np.minimum(found, 1)


@functools.cache
def thumbnails() -> dict[str, Floats]:
    """A small picture of every mask of the gallery, by its kind. (24, 24) each"""
    names = {
        "none": "none",
        "causal": "causal",
        "window": "window:6",
        "block": "block:6:0.4:5",
        "strided": "strided:5",
        "global": "global:3:2",
        "random": "random:0.2:1",
    }
    return {kind: shares(built(name, THUMB), THUMB, THUMB) for kind, name in names.items()}


def as_bytes(share: npt.NDArray[Any]) -> bytes:
    """Shares from 0 to 1 as bytes of ink. The square root keeps a share of a few hundredths visible."""
    ink: bytes = np.ceil(np.sqrt(share) * 255).astype(np.uint8).tobytes()
    return ink
