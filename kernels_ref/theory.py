"""What the theorems say: shapes (Theta, no constants, no unit) and floors (words, exact).

Sources: arXiv 2410.09397 for the backward pass, dense and sparse (Theorem 4.5); Saha, Ye, arXiv 2402.07443, for the
forward pass. Theta curves are for drawing a slope beside exact counts, and for ``heads`` heads every one of them is
that many times as high. Only `floor` is a number of words; lower bounds with constants are in `bounds`.
"""

from __future__ import annotations

import math

from . import sizes
from .counts import grouped
from .errors import BadInput
from .masks import MaskLike, as_mask
from .sizes import Shape
from .sparse import Nonzeros, rows_met


def theta_flash(n: int, d: int, memory: float, heads: int = 1) -> float:
    """The large-cache arm (n^2 d^2 + n d^3) / M. The n d^3 belongs to the weights form's n d^2 products."""
    return heads * (n**2 * d**2 + n * d**3) / memory


def theta_small_cache(n: int, d: int, memory: float, heads: int = 1) -> float:
    """The small-cache arm (n^2 d + n d^2) / sqrt(M)."""
    return heads * (n**2 * d + n * d**2) / math.sqrt(memory)


def theta(n: int, d: int, memory: float, heads: int = 1) -> float:
    """The theorem's shape, backward: the lower of the two arms. They meet where M = d^2, exactly."""
    return min(theta_flash(n, d, memory, heads), theta_small_cache(n, d, memory, heads))


def theta_forward_flash(n: int, d: int, memory: float, heads: int = 1) -> float:
    """Forward, the large-cache arm n^2 d^2 / M."""
    return heads * n**2 * d**2 / memory


def theta_forward_small_cache(n: int, d: int, memory: float, heads: int = 1) -> float:
    """Forward, the small-cache arm n^2 d / sqrt(M)."""
    return heads * n**2 * d / math.sqrt(memory)


def theta_forward(n: int, d: int, memory: float, heads: int = 1) -> float:
    """The forward pass's shape: the lower of its two arms, which meet where M = d^2 too."""
    return min(theta_forward_flash(n, d, memory, heads), theta_forward_small_cache(n, d, memory, heads))


def theta_sparse(z_input: int, z_qk: int, memory: float) -> float:
    """Sparse, forward and backward: min(Z_input^2 / M, Z_input sqrt(Z_QK) / sqrt(M)).

    The theorem's Omega is a worst case over patterns of so many nonzeros, not a bound for each pattern: with
    Q = K = I_n, 3n words suffice whatever M is. Dense inputs have Z_input = n d and Z_QK = n^2 (`sparse.nonzeros`).

    >>> theta_sparse(64 * 8, 64 * 64, 32) == theta_forward(64, 8, 32)
    True
    """
    return min(z_input**2 / memory, z_input * math.sqrt(z_qk) / math.sqrt(memory))


def sparse_split(z_input: int, z_qk: int) -> float:
    """The M at which the sparse arms meet: Z_input^2 / Z_QK; infinite where no score is kept."""
    return Nonzeros(z_input, z_qk).split


def crossover_formula(d: int) -> int:
    """Where the two arms of Theta meet: M = d^2 words."""
    return d * d


def floor(
    n: int | None = None,
    d: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    d_v: int | None = None,
    form: str = "qkv",
    mask: MaskLike = None,
    heads: int = 1,
    kv_heads: int | None = None,
) -> int:
    """Words that any schedule must move: every input that matters read once, every output written once.

    Inputs Q, dO (n_q rows), K, V (n_k rows), lse, D (n_q); outputs dQ, dK, dV: 7nd + 2n where n_q = n_k and d_v = d.
    ``form`` "forward" has Q, K, V, O, lse; "weights" has A1, A2, A3, X, Y, dO, gX, gY. Under a mask the rows that meet
    no kept score need not be read, while all of the outputs are written.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    shape = Shape.of(None, d, n_q=n_q, n_k=n_k, d_v=d_v, mask=as_mask(mask, n_q, n_k))
    one, times = components(form, shape, heads, kv_heads)
    inputs, outputs = inputs_and_outputs(form, one)
    return times * (inputs + outputs)


def components(form: str, shape: Shape, heads: int = 1, kv_heads: int | None = None) -> tuple[Shape, int]:
    """The problem that one head of K and V makes with its queries, and how many of it there are.

    They share no word, so a schedule of all, looked at in one of them only, is a schedule of that one: I/O adds up.
    """
    if form == "weights" and heads != 1:
        raise BadInput("the weights form is counted for one head: several would share A1, A2 and A3")
    times = heads if kv_heads is None else kv_heads
    return grouped(shape, heads, times), times


def inputs_and_outputs(form: str, shape: Shape) -> tuple[int, int]:
    """Words that must be read at least once, and words that must be written. Raises `BadInput` for an unknown form."""
    n_q, n_k, d, d_v = shape.sizes
    queries, keys = n_q, n_k
    if shape.mask is not None:
        queries, keys = int(rows_met(shape.mask, n_q).sum()), int(rows_met(shape.mask.T, n_k).sum())
    if form == "qkv":
        return queries * (d + d_v + 2) + keys * (d + d_v), n_q * d + n_k * (d + d_v)
    if form == "forward":
        return queries * d + keys * (d + d_v), n_q * (d_v + 1)
    if form == "weights":
        weights = d * d + d * d_v
        return queries * (d + d_v) + keys * 2 * d + (weights if queries else 0), weights
    raise BadInput(f"no form is called {form!r}; there are: qkv, forward, weights")
