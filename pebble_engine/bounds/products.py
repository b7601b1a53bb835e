"""Products of matrices: the bounds with their right constants.

C = A B, A m x k, B k x q, every entry of C a chain of k multiply-adds; without sliding

    matrix-product       2 m q k / sqrt M + m q       for M < min(m q, m k, k q)      [COSMA, theorem 1]
    matrix-product-safe  2 m q k / sqrt M - 2 M       for every M                     [Smith et al.]

A game with sliding at M is a game without at M + 1 (compute into the spare pebble, then delete the operand that would
have slid), so with sliding both hold with M + 1 for M.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pebble_engine.bounds.core import Bound
from pebble_engine.bounds.recognize import as_matmul
from pebble_engine.dag import PebbleDag
from pebble_engine.rules import Rules


def matrix_product(dag: PebbleDag, rules: Rules) -> Iterator[Bound]:
    """The two bounds, where the DAG is a product."""
    sizes = as_matmul(dag)
    if sizes is None:
        return
    m, q, k = sizes
    red = rules.red + 1 if rules.sliding else rules.red
    moved = 2 * m * q * k / math.sqrt(red)
    if red < min(m * q, m * k, k * q):
        yield Bound("matrix-product", moved + m * q, "Kwasniewski et al., COSMA, arXiv 1908.09606, theorem 1")
    yield Bound("matrix-product-safe", moved - 2 * red, "Smith et al., arXiv 1702.02017")
