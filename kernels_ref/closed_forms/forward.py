"""The forward pass's three kernels. ``tile`` holds sizes by the kernels' keywords."""

from __future__ import annotations

from typing import Any

from .layout import Layout, largest, least, tiles
from .products import by_rows


def forward_standard(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, kept = tile["rows"], at.words
    output = by_rows(at, d_v, a, d_v)
    panel = largest(least(a, n_q) * d, at.largest(lambda r, _: r * (d + 1) + 1, a, 1))
    return {
        "loads": n_q * d + at.columns(a, 1) * d + 2 * kept + output["loads"],
        "stores": 2 * kept + n_q * (d_v + 1),
        "multiplications": kept * (d + d_v),
        "peak_fast": largest(panel, output["peak_fast"], 2 + (kept > 0)),
        "peak_slow": 2 * kept,
    }


def forward_flash(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, own = tile["rows"], d + d_v + 2
    return {
        "loads": n_q * d + at.columns(a, 1) * (d + d_v),
        "stores": n_q * (d_v + 1),
        "multiplications": at.words * (d + d_v),
        "peak_fast": largest(least(a, n_q) * own, at.largest(lambda r, _: r * (own + 1) + 1, a, 1)),
        "peak_slow": 0,
    }


def forward_small_cache(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    side, kept = tile["side"], at.words
    rows, columns = at.rows(side, side), at.columns(side, side)
    t, t_v, r = least(side, d), least(side, d_v), least(side, n_q)

    def pair(r: Any, c: Any) -> Any:
        return largest(r * c + (r + c) * t + 2 * r, r * c + (r + c) * t_v + r)

    return {
        "loads": (rows + columns) * d + n_q * tiles(d_v, side) + kept * tiles(d_v, side) + columns * d_v,
        "stores": kept + n_q * (d_v + 1),
        "multiplications": kept * (d + d_v),
        "peak_fast": largest(2 * r, r * t_v + r, at.largest(pair, side, side)),
        "peak_slow": kept,
    }
