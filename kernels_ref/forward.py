"""Attention's forward pass: O = softmax(scale Q K^T) V, and lse = log of each row's denominator.

Sources: Dao et al., FlashAttention, arXiv 2205.14135, Algorithm 0 (`forward_standard`); Dao, FlashAttention-2, arXiv
2307.08691, Algorithm 1 (`forward_flash`); Saha, Ye, arXiv 2402.07443, the square tiling for small caches
(`forward_small_cache`; theirs has no shift by the row's maximum, which costs a word more a row here).
Sizes: Q (n_q, d), K (n_k, d), V (n_k, d_v), O (n_q, d_v), lse (n_q,).
"""

from __future__ import annotations

import math

from .elementwise import divide_rows, fill, probability, softmax_step, statistic
from .masks import Mask
from .memory import Tensor, TwoLevelMemory
from .products import outer_product, panel_product
from .sizes import Shape

LEAST = -math.inf


def forward_standard(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, *, scale: float, mask: Mask | None = None, rows: int
) -> None:
    """S and P are materialised; each row of S is read once for its statistics, once for P. 2 n^2 d^2 / M + 5 n^2."""
    (n_q, _), (n_k, d_v) = Q.shape, V.shape
    S, A, P = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A", "P"))
    m, l = (fast.scratch(name, (n_q,)) for name in ("m", "l"))  # noqa: E741
    O, lse = fast.output("O", (n_q, d_v)), fast.output("lse", (n_q,))  # noqa: E741
    for _, _, S_ij in panel_product(fast, S, Q, K.T, rows):
        fast.store(S_ij)
        fast.free(S_ij)
    for i in fast.tiles(n_q, 1):
        m_i = fast.apply(fill, fast.new(m[i]), into=m[i], value=LEAST)
        l_i = fast.apply(fill, fast.new(l[i]), into=l[i], value=0)
        for j in fast.tiles(n_k, 1, where=S[i]):
            fast.free(fast.apply(softmax_step, fast.load(S[i, j]), m_i, l_i, into=A[i, j], scale=scale))
        lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
        fast.store(lse_i)
        for j in fast.tiles(n_k, 1, where=S[i]):
            P_ij = fast.apply(probability, fast.load(S[i, j]), lse_i, into=P[i, j], scale=scale)
            fast.store(P_ij)
            fast.free(P_ij)
        fast.free(lse_i, l_i)
    for _, _, O_i in outer_product(fast, O, P, V, rows, d_v):
        fast.store(O_i)
        fast.free(O_i)


def forward_standard_least_memory(d: int, d_v: int) -> int:
    return max(d, d_v) + 2


def forward_standard_tile(shape: Shape, memory: int) -> dict[str, int]:
    return {"rows": (memory - 1) // (max(shape.d, shape.d_v) + 1)}


def forward_flash(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, *, scale: float, mask: Mask | None = None, rows: int
) -> None:
    """Queries and their outputs stay, keys and values pass word by word under an online softmax. 4 n^2 d^2 / M."""
    (n_q, _), (n_k, d_v) = Q.shape, V.shape
    S, A = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A"))
    m, l = (fast.scratch(name, (n_q,)) for name in ("m", "l"))  # noqa: E741
    N, O, lse = fast.scratch("N", (n_q, d_v)), fast.output("O", (n_q, d_v)), fast.output("lse", (n_q,))  # noqa: E741
    for i in fast.tiles(n_q, rows):
        Q_i = fast.load(Q[i])  # (rows, d)
        N_i = fast.apply(fill, fast.new(N[i]), into=N[i], value=0)  # (rows, d_v)
        m_i = fast.apply(fill, fast.new(m[i]), into=m[i], value=LEAST)  # (rows,)
        l_i = fast.apply(fill, fast.new(l[i]), into=l[i], value=0)  # (rows,)
        for j in fast.tiles(n_k, 1, where=S[i]):
            S_ij = fast.new(S[i, j])  # (rows, 1)
            S_ij += Q_i @ fast.stream(K[j]).T
            A_ij = fast.apply(softmax_step, S_ij, m_i, l_i, N_i, into=A[i, j], scale=scale)
            N_i += A_ij @ fast.stream(V[j])
            fast.free(A_ij)
        O_i = fast.apply(divide_rows, N_i, l_i, into=O[i])
        lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
        fast.store(O_i)
        fast.store(lse_i)
        fast.free(Q_i, O_i, lse_i, l_i)


def forward_flash_least_memory(d: int, d_v: int) -> int:
    return d + d_v + 4


def forward_flash_tile(shape: Shape, memory: int) -> dict[str, int]:
    """As many queries as fit beside one passing word: rows (d + d_v + 3) + 1 <= M."""
    return {"rows": min(shape.n_q, (memory - 1) // (shape.d + shape.d_v + 3))}


def scores_by_blocks(
    fast: TwoLevelMemory, S: Tensor, A: Tensor, Q: Tensor, K: Tensor, lse: Tensor, *, scale: float, side: int
) -> None:
    """S = Q K^T in square blocks, stored, and lse on the way; A = exp(S - m) is used for that and dropped."""
    (n_q, d), n_k = Q.shape, K.shape[0]
    m, l = (fast.scratch(name, (n_q,)) for name in ("m", "l"))  # noqa: E741
    for i in fast.tiles(n_q, side):
        m_i = fast.apply(fill, fast.new(m[i]), into=m[i], value=LEAST)  # (side,)
        l_i = fast.apply(fill, fast.new(l[i]), into=l[i], value=0)  # (side,)
        for j in fast.tiles(n_k, side, where=S[i]):
            S_ij = fast.new(S[i, j])  # (side, side)
            for c in fast.tiles(d, side):
                Q_ic, K_jc = fast.load(Q[i, c]), fast.load(K[j, c])  # (side, side) each
                S_ij += Q_ic @ K_jc.T
                fast.free(Q_ic, K_jc)
            fast.store(S_ij)
            fast.free(fast.apply(softmax_step, S_ij, m_i, l_i, into=A[i, j], scale=scale))
        lse_i = fast.apply(statistic, m_i, l_i, into=lse[i])
        fast.store(lse_i)
        fast.free(lse_i, l_i)


def forward_small_cache(
    fast: TwoLevelMemory, Q: Tensor, K: Tensor, V: Tensor, *, scale: float, mask: Mask | None = None, side: int
) -> None:
    """Two blocked products; S goes through slow memory and P is made from it where it is used. 4 n^2 d / side + n^2."""
    (n_q, _), (n_k, d_v) = Q.shape, V.shape
    S, A, P = (fast.scratch(name, (n_q, n_k), mask) for name in ("S", "A", "P"))
    O, lse = fast.output("O", (n_q, d_v)), fast.output("lse", (n_q,))  # noqa: E741
    scores_by_blocks(fast, S, A, Q, K, lse, scale=scale, side=side)
    for i in fast.tiles(n_q, side):
        for c in fast.tiles(d_v, side):
            lse_i, O_ic = fast.load(lse[i]), fast.new(O[i, c])  # (side,), (side, side)
            for j in fast.tiles(n_k, side, where=S[i]):
                P_ij = fast.apply(probability, fast.load(S[i, j]), lse_i, into=P[i, j], scale=scale)
                V_jc = fast.load(V[j, c])  # (side, side)
                O_ic += P_ij @ V_jc
                fast.free(P_ij, V_jc)
            fast.store(O_ic)
            fast.free(O_ic, lse_i)


def forward_small_cache_least_memory(d: int, d_v: int) -> int:
    return 5


def forward_small_cache_tile(shape: Shape, memory: int) -> dict[str, int]:
    """Three square blocks and two words a row in four blocks' room, as arXiv 2402.07443 has it: floor(sqrt(M / 4))."""
    return {"side": math.isqrt(memory // 4)}
