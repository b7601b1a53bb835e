"""The weights form. ``tile`` holds sizes by keyword. dO is given; the target E costs n_q d_v words more (dO stored)."""

from __future__ import annotations

from typing import Any

from .layout import Layout, largest, least, tiles
from .products import by_columns, by_rows


def _square(m: int, k: int, q: int, side: Any) -> dict[str, Any]:
    """`blocked_product` without a mask, its result stored."""
    a, b, c = least(side, m), least(side, k), least(side, q)
    return {"loads": k * (m * tiles(q, side) + q * tiles(m, side)), "peak_fast": a * b + b * c + a * c}


def _outer(m: int, k: int, q: int, a: Any, b: Any) -> dict[str, Any]:
    """`outer_product` without a mask, its result stored."""
    a, b = least(a, m), least(b, q)
    return {"loads": k * (m * tiles(q, b) + q * tiles(m, a)), "peak_fast": a * b + a + 1}


def _total(at: Layout, parts: list[dict[str, Any]], *, stores: Any, slow: Any, scores: int) -> dict[str, Any]:
    """``scores``: multiplications a kept entry; the four n d^2 products come on top."""
    n_q, n_k, d, d_v = at.shape.sizes
    return {
        "loads": sum(part["loads"] for part in parts),
        "stores": stores + n_q * d + n_k * d_v + n_q * d + n_k * d_v + d * d + d * d_v,  # Q, h, T, U, gX, gY
        "multiplications": at.words * scores + 2 * (n_q * d * d + n_k * d * d_v),
        "peak_fast": largest(*(part["peak_fast"] for part in parts)),
        "peak_slow": slow + 2 * (n_q * d + n_k * d_v),
    }


def small_cache(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    side, kept = tile["side"], at.words
    rows, columns = at.rows(side, side), at.columns(side, side)
    r, s, t, t_v = least(side, n_q), least(side, n_k), least(side, d), least(side, d_v)
    across, across_v = tiles(d, side), tiles(d_v, side)

    def pair(r: Any, c: Any) -> Any:
        return largest(
            r * c + (r + c) * t + 2 * r,  # S and its statistics
            r * t_v + r * c + c * t_v + 2 * r,  # O
            2 * r * c + 1,  # p
            r * c + (r + c) * t_v,  # U and q
        )

    own = [
        {"loads": (rows + columns) * d, "peak_fast": at.largest(pair, side, side)},  # S
        {"loads": n_q + kept * across_v + columns * d_v + n_q * d_v, "peak_fast": r * t_v + 2 * r + 1},  # O, D
        {"loads": (kept + rows) * across_v + rows * d_v, "peak_fast": s * t_v},  # U
        {"loads": (rows + columns) * d_v + kept + 2 * rows, "peak_fast": 0},  # p
        {"loads": kept * across + columns * d, "peak_fast": r * t},  # T
    ]
    products = [_square(m, k, q, side) for m, k, q in ((n_q, d, d), (n_k, d, d_v), (d, n_q, d), (d, n_k, d_v))]
    return _total(
        at, own + products, stores=2 * kept + 2 * n_q, slow=kept + 2 * n_q, scores=2 * d + 3 * d_v
    )  # fmt: skip


def flash(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    a, b, c = tile["rows"], tile["t_rows"], tile["columns"]
    wide = d + d_v
    forward, t_own = wide + 2, 2 * d + d_v + 2
    own = [
        {
            "loads": n_q * d + at.columns(a, 1) * wide + n_q * d_v,
            "peak_fast": largest(
                least(a, n_q) * forward, least(a, n_q) * (d_v + 1) + 1,
                at.largest(lambda r, _: r * (forward + 1) + 1, a, 1),
            ),
        },
        {
            "loads": n_q * (wide + 2) + at.columns(b, 1) * wide,
            "peak_fast": largest(least(b, n_q) * t_own, at.largest(lambda r, _: r * (t_own + 2) + d + 1, b, 1)),
        },
        {
            "loads": n_k * d + at.rows(1, c) * (wide + 1),
            "peak_fast": largest(least(c, n_k) * wide, at.largest(lambda _, c: c * (wide + 1) + 1, 1, c)),
        },
    ]  # fmt: skip
    products = [
        _outer(m, k, q, tile[f"{name}_rows"], tile[f"{name}_columns"])
        for name, m, k, q in (("q", n_q, d, d), ("h", n_k, d, d_v), ("gx", d, n_q, d), ("gy", d, n_k, d_v))
    ]
    return _total(at, own + products, stores=2 * n_q, slow=2 * n_q, scores=4 * d + 3 * d_v)


def standard(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    a, kept = tile["rows"], at.words
    across, rows = at.columns(a, 1), least(a, n_q)
    own = [
        {"loads": n_q * d + across * d, "peak_fast": largest(rows * d, at.largest(lambda r, _: r * (d + 1) + 1, a, 1))},
        {"loads": 2 * kept, "peak_fast": 2 + (kept > 0)},  # f
        by_rows(at, d_v, a, d_v),
        {"loads": 2 * n_q * d_v, "peak_fast": 3},  # D
        {
            "loads": n_q * d_v + across * d_v,
            "peak_fast": largest(rows * d_v, at.largest(lambda r, _: r * (d_v + 1) + 1, a, 1)),
        },
        {"loads": n_q + 2 * kept, "peak_fast": 3 * (kept > 0)},  # p
        by_rows(at, d, a, d),
        by_columns(at, d_v, a, d_v),
    ]
    products = [
        _outer(n_q, d, d, a, d), _outer(n_k, d, d_v, a, d_v), _outer(d, n_q, d, a, d), _outer(d, n_k, d_v, a, d_v)
    ]  # fmt: skip
    stores = 4 * kept + n_q + n_q * d_v  # S, f, q, p; D and O
    return _total(at, own + products, stores=stores, slow=stores, scores=2 * d + 3 * d_v)
