"""FlashAttention's backward pass: nothing n x n is ever written to slow memory, scores are computed again instead.

Source: Dao, FlashAttention-2, arXiv 2307.08691, Algorithm 2. Here the forward's ``lse`` and D = rowsum(dO o O) are
inputs, and a first partial sum of dQ is written without loading zeros before it.
"""

from __future__ import annotations

from .elementwise import probability, score_gradient
from .memory import Tensor, TwoLevelMemory


def flash2(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, rows: int, columns: int,
) -> None:  # fmt: skip
    """Outer loop over blocks of K and V, inner loop over blocks of Q. Words: 3nd + T(4nd + 2n), T = ceil(n/columns)."""
    (n_q, d), (n_k, _) = Q.shape, K.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k)) for name in ("S", "P", "dP", "dS"))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d))
    for j in fast.tiles(n_k, columns):
        K_j, V_j = fast.load(K[j]), fast.load(V[j])  # (columns, d) each
        dK_j, dV_j = fast.new(dK[j]), fast.new(dV[j])  # (columns, d) each
        for i in fast.tiles(n_q, rows):
            Q_i, S_ij = fast.load(Q[i]), fast.new(S[i, j])  # (rows, d), (rows, columns)
            S_ij += Q_i @ K_j.T
            lse_i = fast.load(lse[i])  # (rows,)
            P_ij = fast.apply(probability, S_ij, lse_i, into=P[i, j], scale=scale)
            fast.free(lse_i)
            dO_i, dP_ij = fast.load(dO[i]), fast.new(dP[i, j])  # (rows, d), (rows, columns)
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


def flash2_least_memory(d: int) -> int:
    """Words below which not even one key against one query fits: 4d for the key's rows, 2d + 2 for the query's."""
    return 6 * d + 2


def flash2_tile(n_q: int, n_k: int, d: int, memory: int) -> dict[str, int]:
    """The blocks that move the fewest words: as many keys as fit beside one query, then as many queries as still fit.

    Largest at once in fast memory: K, V, dK, dV (4 columns d), Q and dO (2 rows d), P and dP (2 rows columns).
    """
    columns = min(n_k, (memory - 2 * d) // (4 * d + 2))
    rows = min(n_q, (memory - 4 * columns * d) // (2 * d + 2 * columns))
    return {"rows": rows, "columns": columns}
