"""Sizes that a kernel must survive: ragged against every tile, one row, one column, more keys than queries."""

from kernels_ref import ALGORITHMS

SHAPES = [  # n_q, n_k, d, d_v
    (1, 1, 1, 1), (1, 3, 2, 2), (3, 1, 2, 3), (5, 5, 3, 3), (4, 9, 3, 2), (13, 11, 7, 7), (17, 19, 6, 4),
]  # fmt: skip
BACKWARD = [name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms]


def memories(algorithm: str, d: int, d_v: int, form: str = "qkv") -> list[int]:
    """From the least memory up to more than everything: word by word at first, then in leaps."""
    least = ALGORITHMS[algorithm].least_memory(d, d_v, form)
    return [least + step for step in (0, 1, 2, 5, 16, 45, 150, 400, 10_000)]


CASES = [
    (algorithm, n_q, n_k, d, d_v, memory)
    for algorithm in BACKWARD
    for n_q, n_k, d, d_v in SHAPES
    for memory in memories(algorithm, d, d_v)
]
