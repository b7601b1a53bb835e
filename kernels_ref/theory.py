"""What the theorems say: shapes (Theta, no constants, no unit) and floors (words, exact).

Source: arXiv 2410.09397 for the backward pass. Theta curves are for drawing a slope beside exact counts; only `floor`
is a number of words.
"""

from __future__ import annotations

import math

from . import sizes


def theta_flash(n: int, d: int, memory: float) -> float:
    """The large-cache arm (n^2 d^2 + n d^3) / M."""
    return (n**2 * d**2 + n * d**3) / memory


def theta_small_cache(n: int, d: int, memory: float) -> float:
    """The small-cache arm (n^2 d + n d^2) / sqrt(M)."""
    return (n**2 * d + n * d**2) / math.sqrt(memory)


def theta(n: int, d: int, memory: float) -> float:
    """The theorem's shape: the lower of the two arms. They meet where M = d^2, exactly."""
    return min(theta_flash(n, d, memory), theta_small_cache(n, d, memory))


def crossover_formula(d: int) -> int:
    """Where the two arms of Theta meet: M = d^2 words."""
    return d * d


def floor(n: int | None = None, d: int = 1, *, n_q: int | None = None, n_k: int | None = None) -> int:
    """Words that any schedule must move: every input read once, every output written once.

    Inputs Q, dO (n_q x d), K, V (n_k x d), lse, D (n_q); outputs dQ, dK, dV. 7nd + 2n where n_q = n_k.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    return 3 * n_q * d + 4 * n_k * d + 2 * n_q
