"""FlashAttention's schedules. ``tile`` holds sizes by the kernels' keywords."""

from __future__ import annotations

from typing import Any

from .layout import Layout, largest, least
from .products import by_rows, gradients, scores


def flash1(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    r, c, wide = tile["rows"], tile["columns"], 2 * (d + d_v)
    passed = at.rows(r, c)
    streamed = at.passes("Q", r, c) + at.passes("dO", r, c) + passed * (d + d_v + 2)  # dQ and O; l and m
    return {
        "loads": at.once("K") + at.once("V") + streamed,
        "stores": n_q * d + 2 * n_k * (d + d_v) + passed * d,  # zeros first
        "multiplications": scores(at) + gradients(at),
        "peak_fast": largest(wide * least(c, n_k), at.largest(lambda r, c: wide * (r + c) + (2 * c + 3) * r, r, c)),
        "peak_slow": 0,
    }


def flash2(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, _ = at.shape.sizes
    r, c = tile["rows"], tile["columns"]
    passed, met = at.rows(r, c), at.rows_met(r, c)
    sweep = key_sweep(at, r, c)
    return sweep | {
        "loads": sweep["loads"] + (passed - met) * d,  # dQ from its second time on
        "stores": sweep["stores"] + (passed + n_q - met) * d,
        "multiplications": sweep["multiplications"] + at.terms("K"),
    }


def key_sweep(at: Layout, r: Any, c: Any) -> dict[str, Any]:
    """K, V, dK, dV resident; Q, dO, lse, D pass once for every block of keys that they meet."""
    _, n_k, d, d_v = at.shape.sizes
    own, wide = 2 * (d + d_v), d + d_v
    return {
        "loads": at.once("K") + at.once("V") + at.passes("Q", r, c) + at.passes("dO", r, c) + 2 * at.rows(r, c),
        "stores": n_k * wide,
        "multiplications": scores(at) + at.terms("dO") + at.terms("Q"),
        "peak_fast": largest(own * least(c, n_k), at.largest(lambda r, c: own * c + (wide + 2 * c) * r, r, c)),
        "peak_slow": 0,
    }


def flash_two_sweep(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    sweep = key_sweep(at, tile["rows"], tile["columns"])
    r, own = tile["dq_rows"], 2 * d + d_v + 2
    peak = largest(own * least(r, n_q), at.largest(lambda r, _: (own + 2) * r + d + 1, r, 1))
    return {
        "loads": sweep["loads"] + at.once("Q") + at.once("dO") + 2 * n_q + at.passes("K", r, 1) + at.passes("V", r, 1),
        "stores": sweep["stores"] + n_q * d,
        "multiplications": sweep["multiplications"] + scores(at) + at.terms("K"),
        "peak_fast": largest(sweep["peak_fast"], peak),
        "peak_slow": 0,
    }


def flash_stored_ds(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, _ = at.shape.sizes
    sweep = key_sweep(at, tile["rows"], tile["columns"])
    product = by_rows(at, "K", tile["dq_rows"], tile["dq_columns"])
    return {
        "loads": sweep["loads"] + product["loads"],
        "stores": sweep["stores"] + at.words + n_q * d,
        "multiplications": sweep["multiplications"] + at.terms("K"),
        "peak_fast": largest(sweep["peak_fast"], product["peak_fast"]),
        "peak_slow": at.words,
    }
