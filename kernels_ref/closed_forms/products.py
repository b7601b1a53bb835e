"""Algorithm 6 with its three choices of blocks, the split kernel and the baseline. ``tile`` holds sizes by keyword."""

from __future__ import annotations

from typing import Any

from .layout import Layout, largest, least, tiles


def small_cache(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    side = tile["side"]
    rows, columns, kept = at.rows(side, side), at.columns(side, side), at.words
    scores = (rows + columns) * (d + d_v) + 2 * rows + kept  # S and dP; lse and D; P again
    gradients = kept * (tiles(d_v, side) + 2 * tiles(d, side)) + rows * (d + d_v) + columns * d
    t = least(side, max(d, d_v))
    peak = at.largest(lambda r, c: largest(r * c + r * t + c * t, 2 * r * c + r), side, side)
    return {
        "loads": scores + gradients,
        "stores": 2 * kept + n_k * (d + d_v) + n_q * d,
        "multiplications": kept * (3 * d + 2 * d_v),
        "peak_fast": largest(peak, least(side, n_q) * least(side, d), least(side, n_k) * t),
        "peak_slow": 2 * kept,
    }


def by_rows(at: Layout, q: int, a: Any, b: Any) -> dict[str, Any]:
    """dQ = dS K by rank-1 updates: a x b tiles of an n_q x q result, dS of the mask's pattern."""
    a, b = least(a, at.shape.n_q), least(b, q)
    return {
        "loads": at.words * tiles(q, b) + at.columns(a, 1) * q,
        "peak_fast": largest(a * b, at.largest(lambda r, _: r * b + r + 1, a, 1)),
    }


def by_columns(at: Layout, q: int, a: Any, b: Any) -> dict[str, Any]:
    """dV = P^T dO, dK = dS^T Q by rank-1 updates: a x b tiles of an n_k x q result."""
    a, b = least(a, at.shape.n_k), least(b, q)
    return {
        "loads": at.words * tiles(q, b) + at.rows(1, a) * q,
        "peak_fast": largest(a * b, at.largest(lambda _, c: c * b + c + 1, 1, a)),
    }


def _gradients(at: Layout, tile: dict[str, Any]) -> list[dict[str, Any]]:
    d, d_v = at.shape.d, at.shape.d_v
    return [
        by_columns(at, d_v, tile["dv_rows"], tile["dv_columns"]),
        by_columns(at, d, tile["dk_rows"], tile["dk_columns"]),
        by_rows(at, d, tile["dq_rows"], tile["dq_columns"]),
    ]


def small_cache_outer(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    a, b = tile["rows"], tile["columns"]
    d, d_v = at.shape.d, at.shape.d_v
    rows, columns = at.rows(a, b), at.columns(a, b)
    scores = {
        "loads": (rows + columns) * (d + d_v) + 2 * rows + at.words,
        "peak_fast": at.largest(lambda r, c: r * c + r + 1, a, b),
    }
    return _five_products(at, scores, *_gradients(at, tile))


def small_cache_panel(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, b = tile["rows"], tile["ds_rows"]
    scores = {
        "loads": n_q * (d + d_v + 2) + at.columns(a, 1) * d + at.columns(b, 1) * d_v + at.words,
        "peak_fast": largest(
            least(a, n_q) * (d + 1),
            least(b, n_q) * (d_v + 1),
            at.largest(lambda r, _: r * (d + 2) + 1, a, 1),
            at.largest(lambda r, _: r * (d_v + 2) + 1, b, 1),
        ),
    }
    return _five_products(at, scores, *_gradients(at, tile))


def _five_products(at: Layout, *parts: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    return {
        "loads": sum(part["loads"] for part in parts),
        "stores": 2 * at.words + n_k * (d + d_v) + n_q * d,
        "multiplications": at.words * (3 * d + 2 * d_v),
        "peak_fast": largest(*(part["peak_fast"] for part in parts)),
        "peak_slow": at.words,  # dS takes the place of P
    }


def fused_split(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    r, c = tile["rows"], tile["columns"]
    rows, columns = at.rows(r, c), at.columns(r, c)
    # how often a word of dQ, dK, dV is stored: once a tile in which its own row or column keeps a score
    sums = at.rows(1, c) * d + at.columns(r, 1) * (d + d_v)
    met = at.rows_met(1, c) * d + at.columns_met(r, 1) * (d + d_v)
    return {
        "loads": rows * (2 * d + d_v + 2) + columns * (2 * d + d_v) + sums - met,
        "stores": sums + n_q * d + n_k * (d + d_v) - met,
        "multiplications": at.words * (3 * d + 2 * d_v),
        "peak_fast": at.largest(lambda r, c: 2 * r * c + r + c, r, c),
        "peak_slow": 0,
    }


def standard(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    a, kept = tile["rows"], at.words
    across, gradients = at.columns(a, 1), (by_columns(at, d_v, a, d_v), by_columns(at, d, a, d), by_rows(at, d, a, d))
    wide = max(d, d_v)
    return {
        "loads": n_q * (d + d_v + 2) + across * (d + d_v) + 3 * kept + sum(part["loads"] for part in gradients),
        "stores": 4 * kept + n_k * (d + d_v) + n_q * d,
        "multiplications": kept * (3 * d + 2 * d_v),
        "peak_fast": largest(
            least(a, n_q) * wide,
            at.largest(lambda r, _: r * (wide + 1) + 1, a, 1),
            3 * (kept > 0),
            *(part["peak_fast"] for part in gradients),
        ),
        "peak_slow": 4 * kept,
    }
