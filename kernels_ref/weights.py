"""The weights form: gradients by X and Y of L where O = softmax(scale A1 X A2^T) A3 Y, forward pass included.

    Q = A1 X, h = A3 Y, f = softmax(scale Q A2^T), O = f h, q = dO h^T, p = f o (q - D), D = rowsum(dO o O),
    T = p A2, U = f^T dO, gX = A1^T T, gY = A3^T U

Sources: Alman, Song, NeurIPS 2024, for the formulas; Li, Liang, Shi, Song, Yue, Zhang, arXiv 2410.09397, Algorithm 6,
for `small_cache`, whose listing has no maximum taken out of the softmax; here it is. The others put the same phases
together as FlashAttention and as standard attention do. dO is given, or the target E: then dO = O - E (``target``).
Sizes: A1 (n_q, d), A2, A3 (n_k, d), X (d, d), Y (d, d_v), dO or E (n_q, d_v), gX (d, d), gY (d, d_v).
"""

from __future__ import annotations

import math
from typing import Any

from .elementwise import (
    divide_rows,
    fill,
    probability,
    residual,
    row_products,
    score_gradient,
    score_gradient_of_scores,
    softmax_step,
    statistic,
)
from .forward import scores_by_blocks
from .masks import Mask
from .memory import Tensor, TwoLevelMemory
from .products import Blocks, best_tile, blocked_product, outer_product, outer_tile, panel_product
from .sizes import Shape

LEAST = -math.inf


def store_all(fast: TwoLevelMemory, blocks: Blocks) -> None:
    for _, _, block in blocks:
        fast.store(block)
        fast.free(block)


def small_cache(
    fast: TwoLevelMemory, A1: Tensor, A2: Tensor, A3: Tensor, X: Tensor, Y: Tensor, dO: Tensor,
    *, scale: float, mask: Mask | None = None, target: bool = False, side: int,
) -> None:  # fmt: skip
    """Every product in square blocks; S, later p in its place, goes through slow memory.

    Words, leading: 10 n^2 d / side + 3 n^2 + 8 n d^2 / side for both gradients.
    """
    (n_q, d), (n_k, d_v) = A1.shape, (A2.shape[0], Y.shape[1])
    S, A, f, q, p = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A", "f", "q", "p"))
    Q, h = fast.scratch("Q", (n_q, d)), fast.scratch("h", (n_k, d_v))
    lse, D = fast.scratch("lse", (n_q,)), fast.scratch("D", (n_q,))
    O, given = fast.scratch("O", (n_q, d_v)), dO  # noqa: E741
    store_all(fast, blocked_product(fast, Q, A1, X, side))
    store_all(fast, blocked_product(fast, h, A3, Y, side))
    scores_by_blocks(fast, S, A, Q, A2, lse, scale=scale, side=side)
    if target:
        dO = fast.scratch("dO", (n_q, d_v))
    for i in fast.tiles(n_q, side):
        lse_i = fast.load(lse[i])  # (side,)
        D_i = fast.apply(fill, fast.new(D[i]), into=D[i], value=0)  # (side,)
        for c in fast.tiles(d_v, side):
            O_ic = fast.apply(fill, fast.new(O[i, c]), into=O[i, c], value=0)  # (side, side)
            for j in fast.tiles(n_k, side, where=S[i]):
                f_ij = fast.apply(probability, fast.load(S[i, j]), lse_i, into=f[i, j], scale=scale)
                h_jc = fast.load(h[j, c])  # (side, side)
                O_ic += f_ij @ h_jc
                fast.free(f_ij, h_jc)
            if target:
                O_ic = fast.apply(residual, O_ic, D_i, fast.stream(given[i, c]), into=dO[i, c])
                fast.store(O_ic)
            else:
                D_i = fast.apply(row_products, D_i, O_ic, fast.stream(given[i, c]), into=D[i])
            fast.free(O_ic)
        fast.store(D_i)
        fast.free(lse_i, D_i)
    U, T = fast.scratch("U", (n_k, d_v)), fast.scratch("T", (n_q, d))
    for j in fast.tiles(n_k, side):
        for c in fast.tiles(d_v, side):
            U_jc = fast.new(U[j, c])  # (side, side)
            for i in fast.tiles(n_q, side, where=S.T[j]):
                f_ij = fast.apply(probability, fast.load(S[i, j]), fast.stream(lse[i]), into=f[i, j], scale=scale)
                dO_ic = fast.load(dO[i, c])  # (side, side)
                U_jc += f_ij.T @ dO_ic
                fast.free(f_ij, dO_ic)
            fast.store(U_jc)
            fast.free(U_jc)
    for i, j, q_ij in blocked_product(fast, q, dO, h.T, side):
        f_ij = fast.apply(probability, fast.load(S[i, j]), fast.stream(lse[i]), into=f[i, j], scale=scale)
        p_ij = fast.apply(score_gradient, q_ij, f_ij, fast.stream(D[i]), into=p[i, j], scale=scale)
        fast.forget(S[i, j])
        fast.store(p_ij)
        fast.free(p_ij, f_ij)
    store_all(fast, blocked_product(fast, T, p, A2, side))
    store_all(fast, blocked_product(fast, fast.output("gX", (d, d)), A1.T, T, side))
    store_all(fast, blocked_product(fast, fast.output("gY", (d, d_v)), A3.T, U, side))


def small_cache_least_memory(d: int, d_v: int) -> int:
    return 5


def small_cache_tile(shape: Shape, memory: int) -> dict[str, int]:
    """Three square blocks and two words a row: 3 side^2 + 2 side <= M."""
    return {"side": (math.isqrt(1 + 3 * memory) - 1) // 3}


def small_cache_outer(
    fast: TwoLevelMemory, A1: Tensor, A2: Tensor, A3: Tensor, X: Tensor, Y: Tensor, dO: Tensor,
    *, scale: float, mask: Mask | None = None, target: bool = False, rows: int, columns: int, o_rows: int,
    o_columns: int, u_rows: int, u_columns: int, p_rows: int, p_columns: int, t_rows: int, t_columns: int,
    q_rows: int, q_columns: int, h_rows: int, h_columns: int, gx_rows: int, gx_columns: int, gy_rows: int,
    gy_columns: int,
) -> None:  # fmt: skip
    """The same phases by rank-1 updates, each with the tile a x b that is best for it.

    Words, leading: 10 n^2 d / sqrt(M) + 3 n^2 + 8 n d^2 / sqrt(M). f is made of S where it is used, never stored.
    """
    (n_q, d), (n_k, d_v) = A1.shape, (A2.shape[0], Y.shape[1])
    S, A, f, q, p = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A", "f", "q", "p"))
    Q, h = fast.scratch("Q", (n_q, d)), fast.scratch("h", (n_k, d_v))
    m, l, lse, D = (fast.scratch(name, (n_q,)) for name in ("m", "l", "lse", "D"))  # noqa: E741
    O, given = fast.scratch("O", (n_q, d_v)), dO  # noqa: E741
    store_all(fast, outer_product(fast, Q, A1, X, q_rows, q_columns))
    store_all(fast, outer_product(fast, h, A3, Y, h_rows, h_columns))
    for i in fast.tiles(n_q, rows):
        m_i = fast.apply(fill, fast.new(m[i]), into=m[i], value=LEAST)  # (rows,)
        l_i = fast.apply(fill, fast.new(l[i]), into=l[i], value=0)  # (rows,)
        for j in fast.tiles(n_k, columns, where=S[i]):
            S_ij = fast.new(S[i, j])  # (rows, columns)
            for c in fast.tiles(d, 1):
                Q_ic = fast.load(Q[i, c])  # (rows, 1)
                S_ij += Q_ic @ fast.stream(A2[j, c]).T
                fast.free(Q_ic)
            fast.store(S_ij)
            fast.free(fast.apply(softmax_step, S_ij, m_i, l_i, into=A[i, j], scale=scale))
        lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
        fast.store(lse_i)
        fast.free(lse_i, l_i)
    if target:
        dO = fast.scratch("dO", (n_q, d_v))
    for i in fast.tiles(n_q, o_rows):
        lse_i = fast.load(lse[i])  # (o_rows,)
        D_i = fast.apply(fill, fast.new(D[i]), into=D[i], value=0)  # (o_rows,)
        for c in fast.tiles(d_v, o_columns):
            O_ic = fast.apply(fill, fast.new(O[i, c]), into=O[i, c], value=0)  # (o_rows, o_columns)
            for j in fast.tiles(n_k, 1, where=S[i]):
                f_ij = fast.apply(probability, fast.load(S[i, j]), lse_i, into=f[i, j], scale=scale)  # (o_rows, 1)
                O_ic += f_ij @ fast.stream(h[j, c])
                fast.free(f_ij)
            if target:
                O_ic = fast.apply(residual, O_ic, D_i, fast.stream(given[i, c]), into=dO[i, c])
                fast.store(O_ic)
            else:
                D_i = fast.apply(row_products, D_i, O_ic, fast.stream(given[i, c]), into=D[i])
            fast.free(O_ic)
        fast.store(D_i)
        fast.free(lse_i, D_i)
    U, T = fast.scratch("U", (n_k, d_v)), fast.scratch("T", (n_q, d))
    for j in fast.tiles(n_k, u_rows):
        for c in fast.tiles(d_v, u_columns):
            U_jc = fast.new(U[j, c])  # (u_rows, u_columns)
            for i in fast.tiles(n_q, 1, where=S.T[j]):
                S_ij = fast.load(S[i, j])  # (1, u_rows)
                f_ij = fast.apply(probability, S_ij, fast.stream(lse[i]), into=f[i, j], scale=scale)
                U_jc += f_ij.T @ fast.stream(dO[i, c])
                fast.free(f_ij)
            fast.store(U_jc)
            fast.free(U_jc)
    for i, j, q_ij in outer_product(fast, q, dO, h.T, p_rows, p_columns):
        words = fast.stream(S[i, j]), fast.stream(lse[i]), fast.stream(D[i])
        p_ij = fast.apply(score_gradient_of_scores, q_ij, *words, into=p[i, j], scale=scale)
        fast.forget(S[i, j])
        fast.store(p_ij)
        fast.free(p_ij)
    store_all(fast, outer_product(fast, T, p, A2, t_rows, t_columns))
    store_all(fast, outer_product(fast, fast.output("gX", (d, d)), A1.T, T, gx_rows, gx_columns))
    store_all(fast, outer_product(fast, fast.output("gY", (d, d_v)), A3.T, U, gy_rows, gy_columns))


def small_cache_outer_tile(shape: Shape, memory: int) -> dict[str, int]:
    """For every product the tile of the fewest words: a b + a + 1 <= M, two words a row less beside S and O.

    Beside p three words pass at once, which asks for a b + a + 2 <= M.
    """
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    found: dict[str, int] = {}
    found["rows"], found["columns"] = best_tile(n_q, n_k, n_q * d, n_k * d, memory, _rows_beside_statistics)
    found["o_rows"], found["o_columns"] = best_tile(
        n_q, d_v, n_q * n_k, n_k * d_v, memory, _rows_beside_statistics
    )  # fmt: skip
    found["u_rows"], found["u_columns"] = outer_tile(n_k, n_q, d_v, memory, each=n_q)
    found["p_rows"], found["p_columns"] = outer_tile(n_q, d_v, n_k, memory - 1, extra=2)
    found["t_rows"], found["t_columns"] = outer_tile(n_q, n_k, d, memory)
    return found | _product_tiles(shape, memory)


def _rows_beside_statistics(columns: Any, memory: int) -> Any:
    return (memory - 1) // (columns + 3)


def _product_tiles(shape: Shape, memory: int) -> dict[str, int]:
    """Of the four n d^2 products."""
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    products = {"q": (n_q, d, d), "h": (n_k, d, d_v), "gx": (d, n_q, d), "gy": (d, n_k, d_v)}
    found: dict[str, int] = {}
    for name, (m, k, q) in products.items():
        found[f"{name}_rows"], found[f"{name}_columns"] = outer_tile(m, k, q, memory)
    return found


def flash(
    fast: TwoLevelMemory, A1: Tensor, A2: Tensor, A3: Tensor, X: Tensor, Y: Tensor, dO: Tensor,
    *, scale: float, mask: Mask | None = None, target: bool = False, rows: int, t_rows: int, columns: int,
    q_rows: int, q_columns: int, h_rows: int, h_columns: int, gx_rows: int, gx_columns: int, gy_rows: int,
    gy_columns: int,
) -> None:  # fmt: skip
    """A forward sweep, one for T and one for U: nothing n x n in slow memory. Leading 4 + 6 + 4 = 14 n^2 d^2 / M.

    No gradient by A2 is asked for, so two sweeps that hold their own sums beat FlashAttention's one (4 + 12).
    """
    (n_q, d), (n_k, d_v) = A1.shape, (A2.shape[0], Y.shape[1])
    S, A, f, q, p = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A", "f", "q", "p"))
    Q, h = fast.scratch("Q", (n_q, d)), fast.scratch("h", (n_k, d_v))
    m, l, lse, D = (fast.scratch(name, (n_q,)) for name in ("m", "l", "lse", "D"))  # noqa: E741
    (N, O), given = (fast.scratch(name, (n_q, d_v)) for name in ("N", "O")), dO  # noqa: E741
    store_all(fast, outer_product(fast, Q, A1, X, q_rows, q_columns))
    store_all(fast, outer_product(fast, h, A3, Y, h_rows, h_columns))
    if target:
        dO = fast.scratch("dO", (n_q, d_v))
    for i in fast.tiles(n_q, rows):
        Q_i = fast.load(Q[i])  # (rows, d)
        N_i = fast.apply(fill, fast.new(N[i]), into=N[i], value=0)  # (rows, d_v)
        m_i = fast.apply(fill, fast.new(m[i]), into=m[i], value=LEAST)  # (rows,)
        l_i = fast.apply(fill, fast.new(l[i]), into=l[i], value=0)  # (rows,)
        for j in fast.tiles(n_k, 1, where=S[i]):
            S_ij = fast.new(S[i, j])  # (rows, 1)
            S_ij += Q_i @ fast.stream(A2[j]).T
            A_ij = fast.apply(softmax_step, S_ij, m_i, l_i, N_i, into=A[i, j], scale=scale)
            N_i += A_ij @ fast.stream(h[j])
            fast.free(A_ij)
        O_i = fast.apply(divide_rows, N_i, l_i, into=O[i])
        lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
        fast.store(lse_i)
        fast.free(Q_i, lse_i, l_i)
        D_i = fast.apply(fill, fast.new(D[i]), into=D[i], value=0)  # (rows,)
        if target:
            O_i = fast.apply(residual, O_i, D_i, fast.stream(given[i]), into=dO[i])
            fast.store(O_i)
        else:
            D_i = fast.apply(row_products, D_i, O_i, fast.stream(given[i]), into=D[i])
        fast.store(D_i)
        fast.free(O_i, D_i)
    T = fast.scratch("T", (n_q, d))
    for i in fast.tiles(n_q, t_rows):
        Q_i, dO_i, T_i = fast.load(Q[i]), fast.load(dO[i]), fast.new(T[i])  # (t_rows, d), (.., d_v), (.., d)
        lse_i, D_i = fast.load(lse[i]), fast.load(D[i])  # (t_rows,) each
        for j in fast.tiles(n_k, 1, where=S[i]):
            A2_j, S_ij = fast.load(A2[j]), fast.new(S[i, j])  # (1, d), (t_rows, 1)
            S_ij += Q_i @ A2_j.T
            f_ij = fast.apply(probability, S_ij, lse_i, into=f[i, j], scale=scale)
            q_ij = fast.new(q[i, j])  # (t_rows, 1)
            q_ij += dO_i @ fast.stream(h[j]).T
            p_ij = fast.apply(score_gradient, q_ij, f_ij, D_i, into=p[i, j], scale=scale)
            T_i += p_ij @ A2_j
            fast.free(f_ij, p_ij, A2_j)
        fast.store(T_i)
        fast.free(Q_i, dO_i, T_i, lse_i, D_i)
    U = fast.scratch("U", (n_k, d_v))
    for j in fast.tiles(n_k, columns):
        A2_j, U_j = fast.load(A2[j]), fast.new(U[j])  # (columns, d), (columns, d_v)
        for i in fast.tiles(n_q, 1, where=S.T[j]):
            S_ji = fast.new(S.T[j, i])  # (columns, 1)
            S_ji += A2_j @ fast.stream(Q[i]).T
            f_ij = fast.apply(probability, S_ji, fast.stream(lse[i]), into=f[i, j], scale=scale)
            U_j += f_ij.T @ fast.stream(dO[i])
            fast.free(f_ij)
        fast.store(U_j)
        fast.free(A2_j, U_j)
    store_all(fast, outer_product(fast, fast.output("gX", (d, d)), A1.T, T, gx_rows, gx_columns))
    store_all(fast, outer_product(fast, fast.output("gY", (d, d_v)), A3.T, U, gy_rows, gy_columns))


def flash_least_memory(d: int, d_v: int) -> int:
    """One query's sums, statistics and scores beside one row of A2 and one word of h."""
    return 3 * d + d_v + 5


def flash_tile(shape: Shape, memory: int) -> dict[str, int]:
    """Of every sweep as many resident rows as fit, of every n d^2 product the best a x b tile."""
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    return {
        "rows": min(n_q, (memory - 1) // (d + d_v + 3)),
        "t_rows": min(n_q, (memory - d - 1) // (2 * d + d_v + 4)),
        "columns": min(n_k, (memory - 1) // (d + d_v + 1)),
    } | _product_tiles(shape, memory)


def standard(
    fast: TwoLevelMemory, A1: Tensor, A2: Tensor, A3: Tensor, X: Tensor, Y: Tensor, dO: Tensor,
    *, scale: float, mask: Mask | None = None, target: bool = False, rows: int,
) -> None:  # fmt: skip
    """Every matrix is materialised, every step is a pass of its own, some rows of the d-wide matrices stay."""
    (n_q, d), (n_k, d_v) = A1.shape, (A2.shape[0], Y.shape[1])
    S, A, f, q, p = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A", "f", "q", "p"))
    Q, h = fast.scratch("Q", (n_q, d)), fast.scratch("h", (n_k, d_v))
    m, l, lse, D = (fast.scratch(name, (n_q,)) for name in ("m", "l", "lse", "D"))  # noqa: E741
    O, given = fast.scratch("O", (n_q, d_v)), dO  # noqa: E741
    store_all(fast, outer_product(fast, Q, A1, X, rows, d))
    store_all(fast, outer_product(fast, h, A3, Y, rows, d_v))
    store_all(fast, panel_product(fast, S, Q, A2.T, rows))
    for i in fast.tiles(n_q, 1):
        m_i = fast.apply(fill, fast.new(m[i]), into=m[i], value=LEAST)
        l_i = fast.apply(fill, fast.new(l[i]), into=l[i], value=0)
        for j in fast.tiles(n_k, 1, where=S[i]):
            fast.free(fast.apply(softmax_step, fast.load(S[i, j]), m_i, l_i, into=A[i, j], scale=scale))
        lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
        for j in fast.tiles(n_k, 1, where=S[i]):
            f_ij = fast.apply(probability, fast.load(S[i, j]), lse_i, into=f[i, j], scale=scale)
            fast.store(f_ij)
            fast.free(f_ij)
        fast.free(lse_i, l_i)
    store_all(fast, outer_product(fast, O, f, h, rows, d_v))
    if target:
        dO = fast.scratch("dO", (n_q, d_v))
    for i in fast.tiles(n_q, 1):
        D_i = fast.apply(fill, fast.new(D[i]), into=D[i], value=0)
        for c in fast.tiles(d_v, 1):
            O_ic = fast.load(O[i, c])
            if target:
                O_ic = fast.apply(residual, O_ic, D_i, fast.stream(given[i, c]), into=dO[i, c])
                fast.store(O_ic)
            else:
                D_i = fast.apply(row_products, D_i, O_ic, fast.stream(given[i, c]), into=D[i])
            fast.free(O_ic)
        fast.store(D_i)
        fast.free(D_i)
    store_all(fast, panel_product(fast, q, dO, h.T, rows))
    for i in fast.tiles(n_q, 1):
        D_i = fast.load(D[i])
        for j in fast.tiles(n_k, 1, where=S[i]):
            q_ij, f_ij = fast.load(q[i, j]), fast.stream(f[i, j])
            p_ij = fast.apply(score_gradient, q_ij, f_ij, D_i, into=p[i, j], scale=scale)
            fast.store(p_ij)
            fast.free(p_ij)
        fast.free(D_i)
    T, U = fast.scratch("T", (n_q, d)), fast.scratch("U", (n_k, d_v))
    store_all(fast, outer_product(fast, T, p, A2, rows, d))
    store_all(fast, outer_product(fast, U, f.T, dO, rows, d_v))
    store_all(fast, outer_product(fast, fast.output("gX", (d, d)), A1.T, T, rows, d))
    store_all(fast, outer_product(fast, fast.output("gY", (d, d_v)), A3.T, U, rows, d_v))


def standard_least_memory(d: int, d_v: int) -> int:
    return max(d, d_v) + 2


def standard_tile(shape: Shape, memory: int) -> dict[str, int]:
    """As many rows as fit beside one column of the result and one passing word: rows (d + 1) + 1 <= M."""
    return {"rows": (memory - 1) // (max(shape.d, shape.d_v) + 1)}
