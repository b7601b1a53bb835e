"""The naive baseline: every matrix is materialised in slow memory, every step is a pass of its own.

Source: Dao et al., FlashAttention, arXiv 2205.14135, Algorithm 3, with P = softmax(S) computed from the given lse.
"""

from __future__ import annotations

from .elementwise import probability, score_gradient
from .masks import Mask
from .memory import Tensor, TwoLevelMemory
from .products import outer_product, panel_product
from .sizes import Shape


def standard(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int,
) -> None:  # fmt: skip
    """Seven passes; some rows of the d-wide operand or result stay, the n x n matrices pass. 5 n^2 d^2 / M + 10 n^2."""
    (n_q, d), (n_k, d_v) = Q.shape, V.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d_v))
    for _, _, S_ij in panel_product(fast, S, Q, K.T, rows):
        fast.store(S_ij)
        fast.free(S_ij)
    for i in fast.tiles(n_q, 1):
        lse_i = fast.load(lse[i])
        for j in fast.tiles(n_k, 1, where=S[i]):
            P_ij = fast.apply(probability, fast.load(S[i, j]), lse_i, into=P[i, j], scale=scale)
            fast.store(P_ij)
            fast.free(P_ij)
        fast.free(lse_i)
    for _, _, dV_j in outer_product(fast, dV, P.T, dO, rows, d_v):
        fast.store(dV_j)
        fast.free(dV_j)
    for _, _, dP_ij in panel_product(fast, dP, dO, V.T, rows):
        fast.store(dP_ij)
        fast.free(dP_ij)
    for i in fast.tiles(n_q, 1):
        D_i = fast.load(D[i])
        for j in fast.tiles(n_k, 1, where=S[i]):
            dP_ij, P_ij = fast.load(dP[i, j]), fast.stream(P[i, j])
            dS_ij = fast.apply(score_gradient, dP_ij, P_ij, D_i, into=dS[i, j], scale=scale)
            fast.store(dS_ij)
            fast.free(dS_ij)
        fast.free(D_i)
    for _, _, dQ_i in outer_product(fast, dQ, dS, K, rows, d):
        fast.store(dQ_i)
        fast.free(dQ_i)
    for _, _, dK_j in outer_product(fast, dK, dS.T, Q, rows, d):
        fast.store(dK_j)
        fast.free(dK_j)


def standard_least_memory(d: int, d_v: int) -> int:
    return max(d, d_v) + 2


def standard_tile(shape: Shape, memory: int) -> dict[str, int]:
    """As many rows as fit beside one column of the result and one passing word: rows (d + 1) + 1 <= M."""
    return {"rows": (memory - 1) // (max(shape.d, shape.d_v) + 1)}
