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


def score_gradient_of_scores(dp: Array, s: Array, lse: Array, delta: Array, *, scale: float) -> Array:
    """The same from S: P = exp(scale S - lse), word by word."""
    p = scale * s
    p -= lse[:, None]
    return score_gradient(dp, np.exp(p, out=p), delta, scale=scale)


def fill(a: Array, *, value: float) -> Array:
    """One value everywhere."""
    a.fill(value)
    return a


def softmax_step(s: Array, top: Array, total: Array, *sums: Array, scale: float) -> Array:
    """One block of scores of an online softmax: exp(scale S - m) in the place of S, for the new row maxima m.

    ``top``, ``total`` and every row of ``sums`` (the output so far) are brought to the new maxima in place. Rows that
    have met no score yet have m = -inf and total 0.
    """
    s *= scale
    largest = np.maximum(top, s.max(axis=1))
    shift = np.where(np.isneginf(largest), 0, largest)
    before = np.exp(top - shift)  # exp(-inf) = 0 at the first block
    top[:] = largest
    s -= shift[:, None]
    np.exp(s, out=s)
    total *= before
    total += s.sum(axis=1)
    for rows in sums:
        rows *= before[:, None]
    return s


def divide_rows(sums: Array, total: Array) -> Array:
    """O = O / l; a row that met no score stays 0."""
    sums /= np.where(total == 0, 1, total)[:, None]
    return sums


def residual(out: Array, delta: Array, target: Array) -> Array:
    """dO = O - E in the place of O; D = rowsum(dO o O) is added to ``delta``."""
    delta += np.einsum("ij,ij->i", out, out - target)
    out -= target
    return out


def row_products(zero: Array, a: Array, b: Array) -> Array:
    """rowsum(a o b), in the place of zeros: D_i = dO_i . O_i."""
    zero += np.einsum("ij,ij->i", a, b)
    return zero


def statistic(top: Array, total: Array) -> Array:
    """lse = m + log l, in the place of the row maxima m; l is the row's sum of exp(S - m). 0 for a row of no score."""
    empty = total == 0
    top += np.log(np.where(empty, 1, total))
    top[empty] = 0
    return top
