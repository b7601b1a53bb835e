"""The spectral bound of Jain & Zaharia (SPAA 2020), for games without recomputation.

Put the vertices in the order in which they become red for the first time and cut it into k segments. A segment reads
every earlier vertex that it uses, M of them at most for free, and what it makes and later ones use it writes, M at most
for free. Give each edge leaving u the weight 1 / (number of u's users): then the weight that crosses into a segment, or
out of it, is at most the number of vertices that must be read, or written. Over all segments the crossing weight is
sum of x^T L x over their indicator vectors, L the graph's Laplacian, and for segments of sizes s_1 >= ... >= s_k at
least s_1 lambda_1 + ... + s_k lambda_k, lambda ascending. So

    I/O >= inputs + outputs + max over k of (sum_i s_i lambda_i - 2 k M)

where edges that leave an input count half, since an input is read again but never written, and likewise edges that
leave an output, whose one write is counted among the outputs. Sizes of segments are ours to choose: as equal as can be.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pebble_engine.bounds.core import Bound, Core
from pebble_engine.rules import Rules

MOST_VERTICES = 1_000  # all eigenvalues, n^3


def spectral(core: Core, rules: Rules) -> Iterator[Bound]:
    """The bound, for DAGs that are not too large."""
    if len(core) <= MOST_VERTICES:
        moved = spectral_value(np.linalg.eigvalsh(laplacian(core)), rules.red)
        if moved > 0:
            yield Bound("spectral", core.ends + moved, "Jain & Zaharia, SPAA 2020", recompute=False)


def laplacian(core: Core, halved: bool = True) -> NDArray[np.float64]:
    """The weighted Laplacian, undirected. (n, n)"""
    matrix = np.zeros((len(core), len(core)))
    for u, users in enumerate(core.users):
        half = halved and (core.is_input[u] or core.is_output[u])
        for v in users:
            weight = (0.5 if half else 1.0) / len(users)
            matrix[u, v] -= weight
            matrix[v, u] -= weight
            matrix[u, u] += weight
            matrix[v, v] += weight
    return matrix


def spectral_value(eigenvalues: NDArray[np.floating], red: int) -> float:
    """max over k of (sum_i s_i lambda_i - 2 k M), all eigenvalues given, ascending; not below 0."""
    n = len(eigenvalues)
    sums = np.concatenate([[0.0], np.cumsum(np.maximum(eigenvalues, 0.0))])
    best = 0.0
    for k in range(1, n + 1):
        size, larger = divmod(n, k)  # `larger` segments have one vertex more
        best = max(best, size * sums[k] + sums[larger] - 2 * k * red)
    return float(best)
