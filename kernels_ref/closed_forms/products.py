"""Algorithm 6 with its three choices of blocks, the split kernel and the baseline. ``tile`` holds sizes by keyword."""

from __future__ import annotations

from typing import Any

from .layout import Layout, largest, least, tiles


def scores(at: Layout) -> Any:
    """Multiplications of S = Q K^T and dP = dO V^T."""
    return at.products("Q", "K") + at.products("dO", "V")


def gradients(at: Layout) -> Any:
    """Multiplications of dV = P^T dO, dK = dS^T Q and dQ = dS K."""
    return at.terms("dO") + at.terms("Q") + at.terms("K")


def small_cache(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    side = tile["side"]
    kept = at.words
    q, k, v, do = (at.passes(name, side, side) for name in ("Q", "K", "V", "dO"))
    made = q + k + v + do + 2 * at.rows(side, side) + kept  # S and dP; lse and D; P again
    used = kept * (tiles(d_v, side) + 2 * tiles(d, side)) + q + do + k
    t = least(side, max(d, d_v))
    peak = at.largest(lambda r, c: largest(r * c + r * t + c * t, 2 * r * c + r), side, side)
    return {
        "loads": made + used,
        "stores": 2 * kept + n_k * (d + d_v) + n_q * d,
        "multiplications": scores(at) + gradients(at),
        "peak_fast": largest(peak, least(side, n_q) * least(side, d), least(side, n_k) * t),
        "peak_slow": 2 * kept,
    }


def by_rows(at: Layout, right: str, a: Any, b: Any) -> dict[str, Any]:
    """dQ = dS K by rank-1 updates: a x b tiles of the result, dS of the mask's pattern. ``right`` is "K" here."""
    q = at.shape.extent(right)[1]
    a, b = least(a, at.shape.n_q), least(b, q)
    return {
        "loads": at.words * tiles(q, b) + at.passes(right, a, 1),
        "peak_fast": largest(a * b, at.largest(lambda r, _: r * b + r + 1, a, 1)),
    }


def by_columns(at: Layout, right: str, a: Any, b: Any) -> dict[str, Any]:
    """dV = P^T dO, dK = dS^T Q by rank-1 updates: a x b tiles of the result. ``right`` is "dO" or "Q"."""
    q = at.shape.extent(right)[1]
    a, b = least(a, at.shape.n_k), least(b, q)
    return {
        "loads": at.words * tiles(q, b) + at.passes(right, 1, a),
        "peak_fast": largest(a * b, at.largest(lambda _, c: c * b + c + 1, 1, a)),
    }


def _gradients(at: Layout, tile: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        by_columns(at, "dO", tile["dv_rows"], tile["dv_columns"]),
        by_columns(at, "Q", tile["dk_rows"], tile["dk_columns"]),
        by_rows(at, "K", tile["dq_rows"], tile["dq_columns"]),
    ]


def small_cache_outer(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    a, b = tile["rows"], tile["columns"]
    made = {
        "loads": sum(at.passes(name, a, b) for name in ("Q", "K", "V", "dO")) + 2 * at.rows(a, b) + at.words,
        "peak_fast": at.largest(lambda r, c: r * c + r + 1, a, b),
    }
    return _five_products(at, made, *_gradients(at, tile))


def small_cache_panel(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, b = tile["rows"], tile["ds_rows"]
    made = {
        "loads": at.once("Q") + at.once("dO") + 2 * n_q + at.passes("K", a, 1) + at.passes("V", b, 1) + at.words,
        "peak_fast": largest(
            least(a, n_q) * (d + 1),
            least(b, n_q) * (d_v + 1),
            at.largest(lambda r, _: r * (d + 2) + 1, a, 1),
            at.largest(lambda r, _: r * (d_v + 2) + 1, b, 1),
        ),
    }
    return _five_products(at, made, *_gradients(at, tile))


def _five_products(at: Layout, *parts: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    return {
        "loads": sum(part["loads"] for part in parts),
        "stores": 2 * at.words + n_k * (d + d_v) + n_q * d,
        "multiplications": scores(at) + gradients(at),
        "peak_fast": largest(*(part["peak_fast"] for part in parts)),
        "peak_slow": at.words,  # dS takes the place of P
    }


def fused_split(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    r, c = tile["rows"], tile["columns"]
    q, k, v, do = (at.passes(name, r, c) for name in ("Q", "K", "V", "dO"))
    # how often a word of dQ, dK, dV is stored: once a tile in which its own row or column keeps a score
    sums = at.rows(1, c) * d + at.columns(r, 1) * (d + d_v)
    met = at.rows_met(1, c) * d + at.columns_met(r, 1) * (d + d_v)
    return {
        "loads": 2 * q + do + 2 * at.rows(r, c) + 2 * k + v + sums - met,
        "stores": sums + n_q * d + n_k * (d + d_v) - met,
        "multiplications": scores(at) + gradients(at),
        "peak_fast": at.largest(lambda r, c: 2 * r * c + r + c, r, c),
        "peak_slow": 0,
    }


def standard(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    a, kept = tile["rows"], at.words
    made = (by_columns(at, "dO", a, d_v), by_columns(at, "Q", a, d), by_rows(at, "K", a, d))
    wide, passed = max(d, d_v), at.passes("K", a, 1) + at.passes("V", a, 1)
    return {
        "loads": at.once("Q") + at.once("dO") + 2 * n_q + passed + 3 * kept + sum(part["loads"] for part in made),
        "stores": 4 * kept + n_k * (d + d_v) + n_q * d,
        "multiplications": scores(at) + gradients(at),
        "peak_fast": largest(
            least(a, n_q) * wide,
            at.largest(lambda r, _: r * (wide + 1) + 1, a, 1),
            3 * (kept > 0),
            *(part["peak_fast"] for part in made),
        ),
        "peak_slow": 4 * kept,
    }
