"""The weights form. ``tile`` holds sizes by keyword. With the target E for dO, dO is made and stored: n_q d_v words."""

from __future__ import annotations

from typing import Any, NamedTuple

from .layout import Layout, largest, least, tiles
from .products import by_columns, by_rows


class Product(NamedTuple):
    """An m x k by k x q product without a mask, and the words of its two factors."""

    m: int
    k: int
    q: int
    left: int
    right: int

    def loads(self, a: Any, b: Any) -> Any:
        """With a x b tiles of the result."""
        return self.left * tiles(self.q, b) + self.right * tiles(self.m, a)


def _products(at: Layout) -> dict[str, Product]:
    """Q = A1 X, h = A3 Y, gX = A1^T T, gY = A3^T U."""
    n_q, n_k, d, d_v = at.shape.sizes
    return {
        "q": Product(n_q, d, d, at.once("A1"), at.once("X")),
        "h": Product(n_k, d, d_v, at.once("A3"), at.once("Y")),
        "gx": Product(d, n_q, d, at.once("A1"), n_q * d),
        "gy": Product(d, n_k, d_v, at.once("A3"), n_k * d_v),
    }


def _square(product: Product, side: Any) -> dict[str, Any]:
    """`blocked_product`, its result stored."""
    a, b, c = least(side, product.m), least(side, product.k), least(side, product.q)
    return {"loads": product.loads(side, side), "peak_fast": a * b + b * c + a * c}


def _outer(product: Product, a: Any, b: Any) -> dict[str, Any]:
    """`outer_product`, its result stored."""
    a, b = least(a, product.m), least(b, product.q)
    return {"loads": product.loads(a, b), "peak_fast": a * b + a + 1}


def _multiplications(at: Layout, *, times_s: int = 1, times_q: int = 1) -> Any:
    """Of everything: S is computed so many times, and q; O, T and U once, and the four n d^2 products."""
    _, _, d, d_v = at.shape.sizes
    kept = times_s * at.terms("A2") + times_q * at.terms("dO")  # Q and h have all of their words
    kept += at.words * d_v + at.terms("A2") + at.terms("dO")  # O = f h, T = p A2, U = f^T dO
    made = at.matches("A1", "X") + at.matches("A3", "Y")
    return kept + made + at.once("A1") * d + at.once("A3") * d_v


def _total(at: Layout, parts: list[dict[str, Any]], *, stores: Any, slow: Any, scores: Any) -> dict[str, Any]:
    """``scores``: multiplications, those of the n d^2 products among them."""
    n_q, n_k, d, d_v = at.shape.sizes
    made = n_q * d_v * at.shape.target
    return {
        "loads": sum(part["loads"] for part in parts),
        "stores": stores + made + n_q * d + n_k * d_v + n_q * d + n_k * d_v + d * d + d * d_v,  # Q, h, T, U, gX, gY
        "multiplications": scores,
        "peak_fast": largest(*(part["peak_fast"] for part in parts)),
        "peak_slow": slow + made + 2 * (n_q * d + n_k * d_v),
    }


def small_cache(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    side, kept = tile["side"], at.words
    rows, columns = at.rows(side, side), at.columns(side, side)
    a2, do = at.passes("A2", side, side), at.passes("dO", side, side)
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
        {"loads": rows * d + a2, "peak_fast": at.largest(pair, side, side)},  # S
        {"loads": n_q + kept * across_v + columns * d_v + at.once(at.given), "peak_fast": r * t_v + 2 * r + 1},  # O, D
        {"loads": (kept + rows) * across_v + do, "peak_fast": s * t_v},  # U
        {"loads": do + columns * d_v + kept + 2 * rows, "peak_fast": 0},  # p
        {"loads": kept * across + a2, "peak_fast": r * t},  # T
    ]
    products = [_square(product, side) for product in _products(at).values()]
    stores, slow = 2 * kept + 2 * n_q, kept + 2 * n_q
    return _total(at, own + products, stores=stores, slow=slow, scores=_multiplications(at))


def small_cache_outer(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    kept = at.words
    (a, b), (o, o_b), (u, u_b), (p, p_b) = (
        (tile[f"{name}rows"], tile[f"{name}columns"]) for name in ("", "o_", "u_", "p_")
    )
    o_wide, u_wide, rows, keys = least(o_b, d_v), least(u_b, d_v), least(o, n_q), least(u, n_k)
    own = [
        {
            "loads": at.rows(a, b) * d + at.passes("A2", a, b),  # S
            "peak_fast": largest(2 * least(a, n_q), at.largest(lambda r, c: r * c + 3 * r + 1, a, b)),
        },
        {
            "loads": n_q + kept * tiles(d_v, o_b) + at.columns(o, 1) * d_v + at.once(at.given),  # O, D
            "peak_fast": largest(
                rows * (o_wide + 2) + 1, at.largest(lambda r, _: r * (o_wide + 3) + 1, o, 1)
            ),
        },
        {
            "loads": (kept + at.rows(1, u)) * tiles(d_v, u_b) + at.passes("dO", 1, u),  # U
            "peak_fast": largest(keys * u_wide, at.largest(lambda _, c: c * (u_wide + 1) + 1, 1, u)),
        },
        {
            "loads": at.passes("dO", p, p_b) + at.columns(p, p_b) * d_v + kept + 2 * at.rows(p, p_b),  # p
            "peak_fast": at.largest(lambda r, c: largest(r * c + r + 1, r * c + 3), p, p_b),
        },
        by_rows(at, "A2", tile["t_rows"], tile["t_columns"]),
    ]  # fmt: skip
    products = [
        _outer(product, tile[f"{name}_rows"], tile[f"{name}_columns"]) for name, product in _products(at).items()
    ]
    stores, slow = 2 * kept + 2 * n_q, kept + 2 * n_q
    return _total(at, own + products, stores=stores, slow=slow, scores=_multiplications(at))


def flash(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, n_k, d, d_v = at.shape.sizes
    a, b, c = tile["rows"], tile["t_rows"], tile["columns"]
    wide = d + d_v
    forward, t_own = wide + 2, 2 * d + d_v + 2
    own = [
        {
            "loads": n_q * d + at.passes("A2", a, 1) + at.columns(a, 1) * d_v + at.once(at.given),
            "peak_fast": largest(
                least(a, n_q) * forward, least(a, n_q) * (d_v + 1) + 1,
                at.largest(lambda r, _: r * (forward + 1) + 1, a, 1),
            ),
        },
        {
            "loads": n_q * (d + 2) + at.once("dO") + at.passes("A2", b, 1) + at.columns(b, 1) * d_v,
            "peak_fast": largest(least(b, n_q) * t_own, at.largest(lambda r, _: r * (t_own + 2) + d + 1, b, 1)),
        },
        {
            "loads": at.once("A2") + at.rows(1, c) * (d + 1) + at.passes("dO", 1, c),
            "peak_fast": largest(least(c, n_k) * wide, at.largest(lambda _, c: c * (wide + 1) + 1, 1, c)),
        },
    ]  # fmt: skip
    products = [
        _outer(product, tile[f"{name}_rows"], tile[f"{name}_columns"]) for name, product in _products(at).items()
    ]
    return _total(at, own + products, stores=2 * n_q, slow=2 * n_q, scores=_multiplications(at, times_s=3))


def standard(at: Layout, tile: dict[str, Any]) -> dict[str, Any]:
    n_q, _, d, d_v = at.shape.sizes
    a, kept = tile["rows"], at.words
    rows = least(a, n_q)
    panel = n_q * d + at.passes("A2", a, 1)
    own = [
        {"loads": panel, "peak_fast": largest(rows * d, at.largest(lambda r, _: r * (d + 1) + 1, a, 1))},
        {"loads": 2 * kept, "peak_fast": 2 + (kept > 0)},  # f
        by_rows(at, "V", a, d_v),
        {"loads": n_q * d_v + at.once(at.given), "peak_fast": 3},  # D
        {
            "loads": at.once("dO") + at.columns(a, 1) * d_v,
            "peak_fast": largest(rows * d_v, at.largest(lambda r, _: r * (d_v + 1) + 1, a, 1)),
        },
        {"loads": n_q + 2 * kept, "peak_fast": 3 * (kept > 0)},  # p
        by_rows(at, "A2", a, d),
        by_columns(at, "dO", a, d_v),
    ]
    products = [_outer(product, a, product.q) for product in _products(at).values()]
    stores = 4 * kept + n_q + n_q * d_v  # S, f, q, p; D and O
    return _total(at, own + products, stores=stores, slow=stores, scores=_multiplications(at))
