"""The two elementwise steps of attention's backward pass. Each overwrites its first argument, as a kernel would.

Shapes: matrices (rows, columns); ``lse`` and ``delta`` hold one word a row.
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
