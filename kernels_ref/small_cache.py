"""Algorithm 6 for small caches: the score matrices are written out, and every product is a blocked matrix product.

Source: Li, Liang, Shi, Song, Yue, Zhang, arXiv 2410.09397. Its listing is for the weights form; this is our
reconstruction of the same phases for given Q, K, V and dO, with three choices of blocks.

Under a mask only kept entries of P and dS are computed, written and read; of Q, K, V and dO whole rows of a tile are
read where the tile keeps anything. Sizes: Q (n_q, d), K (n_k, d), V (n_k, d_v), dO (n_q, d_v).
"""

from __future__ import annotations

import math

from .elementwise import probability, score_gradient
from .masks import Mask
from .memory import Tensor, TwoLevelMemory
from .products import blocked_product, outer_product, outer_tile
from .sizes import Shape


def small_cache(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, side: int,
) -> None:  # fmt: skip
    """Five blocked products; P and dS go through slow memory. Words, leading: 10 n^2 d / side + 3 n^2."""
    (n_q, d), (n_k, d_v) = Q.shape, V.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d_v))
    for i, j, S_ij in blocked_product(fast, S, Q, K.T, side):
        lse_i = fast.load(lse[i])  # (side,)
        P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
        fast.store(P_ij)
        fast.free(P_ij, lse_i)
    for i, j, dP_ij in blocked_product(fast, dP, dO, V.T, side):
        P_ij, D_i = fast.load(P[i, j]), fast.load(D[i])  # (side, side), (side,)
        dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
        fast.store(dS_ij)
        fast.free(dS_ij, P_ij, D_i)
    for _, _, dV_jc in blocked_product(fast, dV, P.T, dO, side):
        fast.store(dV_jc)
        fast.free(dV_jc)
    for _, _, dK_jc in blocked_product(fast, dK, dS.T, Q, side):
        fast.store(dK_jc)
        fast.free(dK_jc)
    for _, _, dQ_ic in blocked_product(fast, dQ, dS, K, side):
        fast.store(dQ_ic)
        fast.free(dQ_ic)


def small_cache_least_memory(d: int, d_v: int) -> int:
    """One word of each factor and one of the sum."""
    return 3


def small_cache_tile(shape: Shape, memory: int) -> dict[str, int]:
    """The paper's choice: three square blocks that fill fast memory."""
    return {"side": math.isqrt(memory // 3)}


def small_cache_outer(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int, columns: int, dv_rows: int, dv_columns: int,
    dk_rows: int, dk_columns: int, dq_rows: int, dq_columns: int,
) -> None:  # fmt: skip
    """The same five products by rank-1 updates, each with the tile a x b that is best for it, a b + a + 1 <= M.

    Words, leading: 10 n^2 d / sqrt(M) + 3 n^2. dV comes before dS, so that dS takes the place of P in slow memory.
    """
    n_q, n_k = Q.shape[0], K.shape[0]
    S, P = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P"))
    for i, j, S_ij in outer_product(fast, S, Q, K.T, rows, columns):
        P_ij = fast.apply(probability, S_ij, fast.stream(lse[i]), into=P[i, j], scale=scale)
        fast.store(P_ij)
        fast.free(P_ij)
    dV = fast.output("dV", V.shape)
    for _, _, dV_jc in outer_product(fast, dV, P.T, dO, dv_rows, dv_columns):
        fast.store(dV_jc)
        fast.free(dV_jc)
    dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("dP", "dS"))
    for i, j, dP_ij in outer_product(fast, dP, dO, V.T, rows, columns):
        P_ij, D_i = fast.stream(P[i, j]), fast.stream(D[i])  # a word at a time
        dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
        fast.forget(P[i, j])
        fast.store(dS_ij)
        fast.free(dS_ij)
    finish_by_outer_products(fast, Q, K, dS, dk_rows, dk_columns, dq_rows, dq_columns)


def finish_by_outer_products(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, dS: Tensor,
    dk_rows: int, dk_columns: int, dq_rows: int, dq_columns: int,
) -> None:  # fmt: skip
    """dK = dS^T Q and dQ = dS K."""
    dQ, dK = fast.output("dQ", Q.shape), fast.output("dK", K.shape)
    for _, _, dK_jc in outer_product(fast, dK, dS.T, Q, dk_rows, dk_columns):
        fast.store(dK_jc)
        fast.free(dK_jc)
    for _, _, dQ_ic in outer_product(fast, dQ, dS, K, dq_rows, dq_columns):
        fast.store(dQ_ic)
        fast.free(dQ_ic)


def small_cache_outer_tile(shape: Shape, memory: int) -> dict[str, int]:
    """For every product the tile that moves the fewest words, lse and D (a word a row of every tile) included."""
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    rows, columns = outer_tile(n_q, d + d_v, n_k, memory, extra=2)
    return {"rows": rows, "columns": columns} | _gradient_tiles(shape, memory)


def _gradient_tiles(shape: Shape, memory: int) -> dict[str, int]:
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    tiles = {"dv": (n_k, n_q, d_v), "dk": (n_k, n_q, d), "dq": (n_q, n_k, d)}
    found: dict[str, int] = {}
    for name, (m, k, q) in tiles.items():
        found[f"{name}_rows"], found[f"{name}_columns"] = outer_tile(m, k, q, memory)
    return found


def small_cache_panel(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int, ds_rows: int, dv_rows: int, dv_columns: int,
    dk_rows: int, dk_columns: int, dq_rows: int, dq_columns: int,
) -> None:  # fmt: skip
    """As `small_cache_outer`, with S and dP made by panels: whole rows of Q (of dO) stay while the keys pass.

    Why it wins between M = 0.27 d^2 and about 1.1 d^2. S = Q K^T has a large result and a small inner size d. An
    a x b block of S that stays costs 2 n^2 d / sqrt(M): every row of Q comes back for every b keys. But if M / d whole
    rows of Q stay, a passing key (d words) finishes M / d scores at once and no word of Q ever moves twice:
    n^2 d^2 / M, which is less as soon as sqrt(M) > d / 2. The same for dP = dO V^T. The scores themselves leave for
    slow memory as they do in Algorithm 6 anyway, so nothing is lost by not holding them. The three products with an
    n-sized inner dimension keep their a x b tiles (as wide as d where that is best).
    Per n^2 words, with x = d / sqrt(M): 2 x^2 + 6 x + 3 (1 <= x <= 2) and 5 x^2 + 6 (x <= 1), against 10 x + 3.
    """
    n_q, n_k = Q.shape[0], K.shape[0]
    S, P = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P"))
    for i in fast.tiles(n_q, rows):
        Q_i, lse_i = fast.load(Q[i]), fast.load(lse[i])  # (rows, d), (rows,)
        for j in fast.tiles(n_k, 1, where=S[i]):
            S_ij = fast.new(S[i, j])  # (rows, 1)
            S_ij += Q_i @ fast.stream(K[j]).T
            P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
            fast.store(P_ij)
            fast.free(P_ij)
        fast.free(Q_i, lse_i)
    dV = fast.output("dV", V.shape)
    for _, _, dV_jc in outer_product(fast, dV, P.T, dO, dv_rows, dv_columns):
        fast.store(dV_jc)
        fast.free(dV_jc)
    dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("dP", "dS"))
    for i in fast.tiles(n_q, ds_rows):
        dO_i, D_i = fast.load(dO[i]), fast.load(D[i])  # (ds_rows, d_v), (ds_rows,)
        for j in fast.tiles(n_k, 1, where=S[i]):
            dP_ij = fast.new(dP[i, j])  # (ds_rows, 1)
            dP_ij += dO_i @ fast.stream(V[j]).T
            dS_ij = fast.apply(score_gradient, dP_ij, fast.stream(P[i, j]), D_i, into=dS[i, j], scale=scale)
            fast.forget(P[i, j])
            fast.store(dS_ij)
            fast.free(dS_ij)
        fast.free(dO_i, D_i)
    finish_by_outer_products(fast, Q, K, dS, dk_rows, dk_columns, dq_rows, dq_columns)


def small_cache_panel_least_memory(d: int, d_v: int) -> int:
    """A row of Q or dO, its statistic, one score and the word that passes."""
    return max(d, d_v) + 3


def small_cache_panel_tile(shape: Shape, memory: int) -> dict[str, int]:
    """Panels as tall as fit, rows (d + 2) + 1 <= M, and the outer products' tiles."""
    rows, ds_rows = (min(shape.n_q, (memory - 1) // (wide + 2)) for wide in (shape.d, shape.d_v))
    return {"rows": rows, "ds_rows": ds_rows} | _gradient_tiles(shape, memory)
