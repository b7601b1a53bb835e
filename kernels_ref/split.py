"""The backward pass with tiles of scores resident and every column of Q, K, V, dO passing by: no n x n matrix stored.

Ours: the order of Algorithm 6 (n^2 d / sqrt(M)) in FlashAttention's O(n d) slow memory, at a larger constant.
Under a mask whole rows of a tile of Q, K, V, dO pass, and of dQ, dK, dV those rows whose sums the tile changes.
"""

from __future__ import annotations

from typing import Any

from .elementwise import probability, score_gradient
from .masks import Mask
from .memory import Tensor, TwoLevelMemory
from .products import best_tile
from .sizes import Shape


def fused_split(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, dO: Tensor, lse: Tensor, D: Tensor,
    *, scale: float, mask: Mask | None = None, rows: int, columns: int,
) -> None:  # fmt: skip
    """Words, leading: 12 n^2 d / B for square tiles of side B, about 2 B^2 words of fast memory.

    Per tile and column: 2 loads for S; 2 for dP; dV shares dO with dP and is only read and written; dK and dQ take one
    load each and are read and written.
    """
    (n_q, d), (n_k, d_v) = Q.shape, V.shape
    S, P, dP, dS = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "P", "dP", "dS"))
    dQ, dK, dV = fast.output("dQ", (n_q, d)), fast.output("dK", (n_k, d)), fast.output("dV", (n_k, d_v))
    for i in fast.tiles(n_q, rows):
        for j in fast.tiles(n_k, columns, where=S[i]):
            S_ij, dP_ij = fast.new(S[i, j]), fast.new(dP[i, j])  # (rows, columns) each
            for c in fast.tiles(d, 1):
                Q_ic = fast.load(Q[i, c])  # (rows, 1)
                S_ij += Q_ic @ fast.stream(K[j, c]).T
                fast.free(Q_ic)
            P_ij = fast.apply(probability, S_ij, fast.stream(lse[i]), into=P[i, j], scale=scale)
            for c in fast.tiles(d_v, 1):
                dO_ic = fast.load(dO[i, c])  # (rows, 1)
                dP_ij += dO_ic @ fast.stream(V[j, c]).T
                dV_jc = fast.resume(dV[j, c])  # (columns, 1)
                dV_jc += P_ij.T @ dO_ic
                fast.store(dV_jc)
                fast.free(dO_ic, dV_jc)
            dS_ij = fast.apply(score_gradient, dP_ij, P_ij, fast.stream(D[i]), into=dS[i, j], scale=scale)
            fast.free(P_ij)
            for c in fast.tiles(d, 1):
                dK_jc = fast.resume(dK[j, c])  # (columns, 1)
                dK_jc += dS_ij.T @ fast.stream(Q[i, c])
                fast.store(dK_jc)
                fast.free(dK_jc)
                dQ_ic = fast.resume(dQ[i, c])  # (rows, 1)
                dQ_ic += dS_ij @ fast.stream(K[j, c])
                fast.store(dQ_ic)
                fast.free(dQ_ic)
            fast.free(dS_ij)
    for gradient in (dQ, dK, dV):
        fast.complete(gradient)


def fused_split_least_memory(d: int, d_v: int) -> int:
    return 4


def fused_split_tile(shape: Shape, memory: int) -> dict[str, int]:
    """The tile of the fewest words with 2 rows columns + rows + columns <= M."""
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    across, down = n_q * (4 * d + d_v + 2), n_k * (4 * d + 3 * d_v)
    rows, columns = best_tile(n_q, n_k, across, down, memory, _rows_beside_two_tiles)
    return {"rows": rows, "columns": columns}


def _rows_beside_two_tiles(columns: Any, memory: int) -> Any:
    return (memory - columns) // (2 * columns + 1)
