"""Algorithm 6 for small caches: the score matrices are written out, and every product is a blocked matrix product.

Source: Li, Liang, Shi, Song, Yue, Zhang, arXiv 2410.09397. Its listing is for the weights form; this is our
reconstruction of the same phases for given Q, K, V and dO.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from .elementwise import probability, score_gradient
from .memory import Block, Tensor, Tile, TwoLevelMemory


def small_cache(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, side: int,
) -> None:  # fmt: skip
    """Five blocked products; P and dS go through slow memory. Words, leading: 10 n^2 d / side + 3 n^2."""
    (n_q, d), (n_k, _) = Q.shape, K.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k)) for name in ("S", "P", "dP", "dS"))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d))
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


def blocked_product(
    fast: TwoLevelMemory, C: Tensor, A: Tensor, B: Tensor, side: int
) -> Iterator[tuple[Tile, Tile, Block]]:
    """C = A B: yields every block C_ij once it is complete, still in fast memory, with its rows i and columns j."""
    for i in fast.tiles(C.shape[0], side):
        for j in fast.tiles(C.shape[1], side):
            C_ij = fast.new(C[i, j])  # (side, side)
            for k in fast.tiles(A.shape[1], side):
                A_ik, B_kj = fast.load(A[i, k]), fast.load(B[k, j])  # (side, side) each
                C_ij += A_ik @ B_kj
                fast.free(A_ik, B_kj)
            yield i, j, C_ij


def small_cache_least_memory(d: int) -> int:
    """One word of each factor and one of the sum."""
    return 3


def small_cache_tile(n_q: int, n_k: int, d: int, memory: int) -> dict[str, int]:
    """The paper's choice: three square blocks that fill fast memory."""
    return {"side": math.isqrt(memory // 3)}
