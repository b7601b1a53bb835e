"""The elementwise steps of attention. Each overwrites its first argument, as a kernel would.

Shapes: matrices (rows, columns); ``lse``, ``delta``, ``top`` and ``total`` hold one word a row.
"""

from __future__ import annotations

import numpy as np

from .memory import Array


def probability(s: Array, lse: Array, *, scale: float) -> Array:
    """P = exp(scale S - lse), in the place of S = Q K^T. The forward's ``lse`` keeps every exponent at most 0."""
    s *= scale
    s -= lse[:, None]
    return np.exp(s, out=s)


def score_gradient(dp: Array, p: Array, delta: Array, *, scale: float) -> Array:
    """dS = scale P o (dP - D), in the place of dP: the gradient by the unscaled scores Q K^T."""
    dp -= delta[:, None]
    dp *= p
    dp *= scale
    return dp


def subtract(a: Array, b: Array) -> Array:
    """a - b, in the place of a."""
    a -= b
    return a


def row_products(zero: Array, a: Array, b: Array) -> Array:
    """rowsum(a o b), in the place of zeros: D_i = dO_i . O_i."""
    zero += np.einsum("ij,ij->i", a, b)
    return zero


def statistic(top: Array, total: Array) -> Array:
    """lse = m + log l, in the place of the largest score m of each row; l is the row's sum of exp(S - m)."""
    top += np.log(total)
    return top
