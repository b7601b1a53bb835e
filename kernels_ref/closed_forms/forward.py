"""The forward pass's three kernels. ``tile`` holds sizes by the kernels' keywords."""

from __future__ import annotations

from typing import Any

from .layout import Layout, largest, least, tiles
from .products import by_rows


def forward_standard(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, kept = tile["rows"], at.words
    output = by_rows(at, "V", a, d_v)
    panel = largest(least(a, n_q) * d, at.largest(lambda r, _: r * (d + 1) + 1, a, 1))
    return {
        "loads": at.once("Q") + at.passes("K", a, 1) + 2 * kept + output["loads"],
        "stores": 2 * kept + n_q * (d_v + 1),
        "multiplications": at.products("Q", "K") + at.terms("V"),
        "peak_fast": largest(panel, output["peak_fast"], 2 + (kept > 0)),
        "peak_slow": 2 * kept,
    }


def forward_flash(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, own = tile["rows"], d + d_v + 2
    return {
        "loads": at.once("Q") + at.passes("K", a, 1) + at.passes("V", a, 1),
        "stores": n_q * (d_v + 1),
        "multiplications": at.products("Q", "K") + at.terms("V"),
        "peak_fast": largest(least(a, n_q) * own, at.largest(lambda r, _: r * (own + 1) + 1, a, 1)),
        "peak_slow": 0,
    }


def forward_small_cache(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    side, kept = tile["side"], at.words
    q, k, v = (at.passes(name, side, side) for name in ("Q", "K", "V"))
    t, t_v, r = least(side, d), least(side, d_v), least(side, n_q)

    def pair(r: Any, c: Any) -> Any:
        return largest(r * c + (r + c) * t + 2 * r, r * c + (r + c) * t_v + r)

    return {
        "loads": q + k + v + (n_q + kept) * tiles(d_v, side),
        "stores": kept + n_q * (d_v + 1),
        "multiplications": at.products("Q", "K") + at.terms("V"),
        "peak_fast": largest(2 * r, r * t_v + r, at.largest(pair, side, side)),
        "peak_slow": kept,
    }
