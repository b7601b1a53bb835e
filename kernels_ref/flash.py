"""FlashAttention's backward pass: nothing n x n is ever written to slow memory, scores are computed again instead.

Sources: Dao et al., FlashAttention, arXiv 2205.14135, Algorithm 4 (`flash1`); Dao, FlashAttention-2, arXiv 2307.08691,
Algorithm 2 (`flash2`). In `flash2` and the schedules after it the forward's ``lse`` and D = rowsum(dO o O) are inputs,
and a first partial sum of dQ is written without loading zeros before it.

Under a mask a pair of blocks that keeps nothing is skipped, as block-sparse FlashAttention does (2205.14135, 3.3).
Sizes: Q (n_q, d), K (n_k, d), V (n_k, d_v), dO (n_q, d_v).
"""

from __future__ import annotations

from .elementwise import probability, row_products, score_gradient, statistic
from .masks import Mask
from .memory import Tensor, TwoLevelMemory
from .products import outer_product, outer_tile
from .sizes import Shape


def flash1(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, O: Tensor, dO: Tensor, l: Tensor, m: Tensor,  # noqa: E741
    *, scale: float, mask: Mask | None = None, rows: int, columns: int,
) -> None:  # fmt: skip
    """As printed: zeroed outputs first, O in every pass, D computed again each time. Words: 7nd + T(5nd + 2n).

    The zeros are written one line later than printed: there a word is in fast memory that can be multiplied by 0.
    """
    (n_q, d), (n_k, d_v) = Q.shape, V.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    lse, D = fast.scratch("lse", (n_q,)), fast.scratch("D", (n_q,))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d_v))
    for j in fast.tiles(n_k, columns):
        K_j, V_j = fast.load(K[j]), fast.load(V[j])  # (columns, d), (columns, d_v)
        for zeroed in (dQ, dK, dV) if j.start == 0 else ():
            fast.zero(zeroed, beside=K_j)
        dK_j, dV_j = fast.new(dK[j]), fast.new(dV[j])  # (columns, d), (columns, d_v)
        for i in fast.tiles(n_q, rows, where=S.T[j]):
            Q_i, O_i = fast.load(Q[i]), fast.load(O[i])  # (rows, d), (rows, d_v)
            dO_i, dQ_i = fast.load(dO[i]), fast.resume(dQ[i])  # (rows, d_v), (rows, d)
            m_i, l_i = fast.load(m[i]), fast.load(l[i])  # (rows,) each
            lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
            S_ij = fast.new(S[i, j])  # (rows, columns)
            S_ij += Q_i @ K_j.T
            P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
            dV_j += P_ij.T @ dO_i
            dP_ij = fast.new(dP[i, j])  # (rows, columns)
            dP_ij += dO_i @ V_j.T
            D_i = fast.new(D[i])  # (rows,)
            D_i = fast.apply(row_products, D_i, dO_i, O_i, into=D[i])
            dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
            dQ_i += dS_ij @ K_j
            fast.store(dQ_i)
            dK_j += dS_ij.T @ Q_i
            fast.free(Q_i, O_i, dO_i, dQ_i, lse_i, l_i, P_ij, dS_ij, D_i)
        fast.store(dK_j)
        fast.store(dV_j)
        fast.free(K_j, V_j, dK_j, dV_j)


def flash1_least_memory(d: int, d_v: int) -> int:
    return 4 * d + 4 * d_v + 5


def flash1_tile(shape: Shape, memory: int) -> dict[str, int]:
    """The largest blocks that fit: 2 (d + d_v) (columns + rows) + 2 rows columns + 3 rows <= M."""
    wide = 2 * (shape.d + shape.d_v)
    columns = min(shape.n_k, (memory - wide - 3) // (wide + 2))
    rows = min(shape.n_q, (memory - columns * wide) // (wide + 2 * columns + 3)) if shape.mask is None else 1
    return {"rows": rows, "columns": columns}


def flash1_printed(d: int, memory: int) -> dict[str, int]:
    """The printed block sizes and the words that they take (d_v = d): always more than M, which is why `flash1_tile`.

    >>> flash1_printed(64, 4096)
    {'rows': 16, 'columns': 16, 'words': 8752}
    """
    columns = -(-memory // (4 * d))
    rows = min(columns, d)
    return {"rows": rows, "columns": columns, "words": 4 * d * (columns + rows) + 2 * rows * columns + 3 * rows}


def flash2(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int, columns: int,
) -> None:  # fmt: skip
    """Outer loop over blocks of K and V, inner loop over blocks of Q. Words: 3nd + T(4nd + 2n), T = ceil(n/columns)."""
    (n_q, d), (n_k, d_v) = Q.shape, V.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d_v))
    for j in fast.tiles(n_k, columns):
        K_j, V_j = fast.load(K[j]), fast.load(V[j])  # (columns, d), (columns, d_v)
        dK_j, dV_j = fast.new(dK[j]), fast.new(dV[j])  # (columns, d), (columns, d_v)
        for i in fast.tiles(n_q, rows, where=S.T[j]):
            Q_i, S_ij = fast.load(Q[i]), fast.new(S[i, j])  # (rows, d), (rows, columns)
            S_ij += Q_i @ K_j.T
            lse_i = fast.load(lse[i])  # (rows,)
            P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
            fast.free(lse_i)
            dO_i, dP_ij = fast.load(dO[i]), fast.new(dP[i, j])  # (rows, d_v), (rows, columns)
            dV_j += P_ij.T @ dO_i
            dP_ij += dO_i @ V_j.T
            fast.free(dO_i)
            D_i = fast.load(D[i])  # (rows,)
            dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
            fast.free(P_ij, D_i)
            dK_j += dS_ij.T @ Q_i
            fast.free(Q_i)
            dQ_i = fast.resume(dQ[i])  # (rows, d)
            dQ_i += dS_ij @ K_j
            fast.free(dS_ij)
            fast.store(dQ_i)
            fast.free(dQ_i)
        fast.store(dK_j)
        fast.store(dV_j)
        fast.free(K_j, V_j, dK_j, dV_j)
    fast.complete(dQ)


def flash2_least_memory(d: int, d_v: int) -> int:
    """Words below which not even one key against one query fits: 2(d + d_v) for the key's rows, d + d_v + 2 beside."""
    return 3 * (d + d_v) + 2


def flash2_tile(shape: Shape, memory: int) -> dict[str, int]:
    """The blocks that move the fewest words: as many keys as fit beside one query, then as many queries as still fit.

    Largest at once in fast memory: K, V, dK, dV (4 columns d), Q and dO (2 rows d), P and dP (2 rows columns). More
    rows save no word; under a mask one at a time is best, for then only queries that meet the block are read at all.
    """
    wide = shape.d + shape.d_v
    columns = min(shape.n_k, (memory - wide) // (2 * wide + 2))
    rows = min(shape.n_q, (memory - 2 * columns * wide) // (wide + 2 * columns)) if shape.mask is None else 1
    return {"rows": rows, "columns": columns}


def flash_two_sweep(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int, columns: int, dq_rows: int,
) -> None:  # fmt: skip
    """dK and dV in one sweep, dQ in another that computes P and dS again: no partial sum ever leaves fast memory.

    Leading 8 n^2 d^2 / M for the first sweep and 6 for the second, with 7 n^2 d multiplications instead of 5.
    """
    (n_q, d), (n_k, _) = Q.shape, V.shape
    key_sweep(fast, Q, K, V, dO, lse, D, scale=scale, mask=mask, rows=rows, columns=columns)
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    dQ = fast.output("dQ", (n_q, d))
    for i in fast.tiles(n_q, dq_rows):
        Q_i, dO_i, dQ_i = fast.load(Q[i]), fast.load(dO[i]), fast.new(dQ[i])  # (dq_rows, d), (.., d_v), (.., d)
        lse_i, D_i = fast.load(lse[i]), fast.load(D[i])  # (dq_rows,) each
        for j in fast.tiles(n_k, 1, where=S[i]):
            K_j, S_ij = fast.load(K[j]), fast.new(S[i, j])  # (1, d), (dq_rows, 1)
            S_ij += Q_i @ K_j.T
            P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
            dP_ij = fast.new(dP[i, j])  # (dq_rows, 1)
            dP_ij += dO_i @ fast.stream(V[j]).T
            dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
            fast.free(P_ij)
            dQ_i += dS_ij @ K_j
            fast.free(dS_ij, K_j)
        fast.store(dQ_i)
        fast.free(Q_i, dO_i, dQ_i, lse_i, D_i)


def key_sweep(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None, rows: int, columns: int, keep_dS: bool = False,
) -> Tensor:  # fmt: skip
    """dK and dV with K, V resident and Q, dO passing by; dS goes to slow memory where ``keep_dS`` is set."""
    (n_q, d), (n_k, d_v) = Q.shape, V.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    dK, dV = fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d_v))
    for j in fast.tiles(n_k, columns):
        K_j, V_j = fast.load(K[j]), fast.load(V[j])  # (columns, d), (columns, d_v)
        dK_j, dV_j = fast.new(dK[j]), fast.new(dV[j])  # (columns, d), (columns, d_v)
        for i in fast.tiles(n_q, rows, where=S.T[j]):
            Q_i, S_ij = fast.load(Q[i]), fast.new(S[i, j])  # (rows, d), (rows, columns)
            S_ij += Q_i @ K_j.T
            lse_i = fast.load(lse[i])  # (rows,)
            P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
            fast.free(lse_i)
            dO_i, dP_ij = fast.load(dO[i]), fast.new(dP[i, j])  # (rows, d_v), (rows, columns)
            dV_j += P_ij.T @ dO_i
            dP_ij += dO_i @ V_j.T
            fast.free(dO_i)
            D_i = fast.load(D[i])  # (rows,)
            dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
            fast.free(P_ij, D_i)
            dK_j += dS_ij.T @ Q_i
            if keep_dS:
                fast.store(dS_ij)
            fast.free(Q_i, dS_ij)
        fast.store(dK_j)
        fast.store(dV_j)
        fast.free(K_j, V_j, dK_j, dV_j)
    return dS


def flash_two_sweep_tile(shape: Shape, memory: int) -> dict[str, int]:
    """The first sweep as in `flash2`; in the second as many queries as fit beside one key and one word of V.

    Largest at once there: Q, dQ, dO, lse, D (rows (2d + d_v + 2)), one row of K, one word of V, P and dP (2 rows).
    """
    dq_rows = min(shape.n_q, (memory - shape.d - 1) // (2 * shape.d + shape.d_v + 4))
    return flash2_tile(shape, memory) | {"dq_rows": dq_rows}


def flash_two_sweep_least_memory(d: int, d_v: int) -> int:
    return max(flash2_least_memory(d, d_v), 3 * d + d_v + 5)


def flash_stored_ds(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int, columns: int, dq_rows: int, dq_columns: int,
) -> None:  # fmt: skip
    """FlashAttention's sweep for dK and dV, Algorithm 6's product for dQ: dS, and only dS, goes through slow memory.

    Why it wins around M = d^2. Per n^2 words, with x = d / sqrt(M):
      two sweeps              14 x^2          every product is paid for by passing d-wide rows
      Algorithm 6, outer      10 x + 3        every product is a tile product, P and dS are written and read
      this                    8 x^2 + 2 x + 1  (x >= 1),  9 x^2 + 2  (x <= 1)
    The sweep for dK and dV costs 8 x^2 because S, dP, dV and dK share one passing of Q and dO. What made FlashAttention
    dear is dQ: 8 x^2 more as partial sums, 6 x^2 more as a sweep of its own. Writing dS once (n^2) and multiplying
    dS K by tiles (2 x, or x^2 + 1 with a tile as wide as d) is cheaper than either while M < 2.5 d^2; above, the 2 n^2
    words of dS lose to 6 x^2. Below M = d^2 the first sweep is the dearer part and products by tiles take over
    (`small-cache-panel`). The price is n_q n_k words of slow memory.
    """
    dS = key_sweep(fast, Q, K, V, dO, lse, D, scale=scale, mask=mask, rows=rows, columns=columns, keep_dS=True)
    dQ = fast.output("dQ", Q.shape)
    for _, _, dQ_ic in outer_product(fast, dQ, dS, K, dq_rows, dq_columns):
        fast.store(dQ_ic)
        fast.free(dQ_ic)


def flash_stored_ds_tile(shape: Shape, memory: int) -> dict[str, int]:
    """The sweep's blocks as in `flash2`, the product's tile as in `small-cache-outer`."""
    rows, columns = outer_tile(shape.n_q, shape.n_k, shape.d, memory)
    return flash2_tile(shape, memory) | {"dq_rows": rows, "dq_columns": columns}
