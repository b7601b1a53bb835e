"""Sizes that a kernel must survive: ragged against every tile, one row, one column, more keys than queries."""

from kernels_ref import ALGORITHMS

SHAPES = [
    (1, 1, 1), (2, 2, 1), (1, 3, 2), (3, 1, 2), (4, 4, 2), (5, 5, 3), (7, 4, 5), (4, 9, 3), (8, 8, 4), (13, 11, 7),
    (31, 33, 6), (33, 31, 16),
]  # fmt: skip


def memories(algorithm: str, n_q: int, n_k: int, d: int) -> list[int]:
    """From the least memory up to more than everything: word by word at first, then in leaps."""
    least = ALGORITHMS[algorithm].least_memory(d)
    steps = [0, 1, 2, 3, 5, 9, 16, 27, 45, 80, 150, 400, 1500, 10_000]
    return [least + step for step in steps]


CASES = [
    (algorithm, n_q, n_k, d, memory)
    for algorithm in ALGORITHMS
    for n_q, n_k, d in SHAPES
    for memory in memories(algorithm, n_q, n_k, d)
]
