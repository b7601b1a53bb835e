"""How many words each algorithm moves, in closed form: equal to what the counting machine counts, at any size.

Every function takes a whole array of memories at once. The arrays hold Python ints (dtype object), so that no total
is ever too large: n^2 d^2 passes 2^63 at n = 2^22, d = 2^12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import sizes
from .algorithms import find
from .memory import Array

_isqrt = np.frompyfunc(math.isqrt, 1, 1)
COUNTED = ("loads", "stores", "multiplications", "peak_fast", "peak_slow")


@dataclass(frozen=True, slots=True)
class Counts:
    """What one algorithm costs at one size. Words throughout; all None but ``least_memory`` where it does not fit."""

    algorithm: str
    form: str
    n_q: int
    n_k: int
    d: int
    memory: int
    fits: bool
    least_memory: int
    loads: int | None = None
    stores: int | None = None
    multiplications: int | None = None
    peak_fast: int | None = None
    peak_slow: int | None = None
    tile: dict[str, int] | None = None

    @property
    def n(self) -> int:
        """Queries; the same number as keys, unless the two were given apart."""
        return self.n_q

    @property
    def io(self) -> int | None:
        return None if self.loads is None or self.stores is None else self.loads + self.stores

    def as_dict(self) -> dict[str, Any]:
        record = asdict(self)
        if self.n_q == self.n_k:
            record = {"algorithm": self.algorithm, "form": self.form, "n": self.n_q} | record
            del record["n_q"], record["n_k"]
        return record | {"io": self.io}


def count(
    algorithm: str,
    n: int | None = None,
    d: int = 1,
    memory: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
) -> Counts:
    """One algorithm's counts at one size, without running it.

    Parameters: ``n`` rows of Q and K (or ``n_q`` and ``n_k`` apart), ``d`` columns, ``memory`` = M words.
    Where the algorithm does not fit, ``fits`` is False and ``least_memory`` says what would do.
    Raises `BadInput` for an unknown algorithm or a size below 1.

    >>> count("flash2", n=4096, d=64, memory=4096).io
    290340864
    """
    entry = find(algorithm)
    n_q, n_k = sizes.rows(n, n_q, n_k)
    sizes.check(n_q=n_q, n_k=n_k, d=d, memory=memory)
    least = entry.least_memory(d)
    if memory < least:
        return Counts(algorithm, entry.form, n_q, n_k, d, memory, fits=False, least_memory=least)
    columns = closed_form(algorithm, n_q, n_k, d, [memory])
    return Counts(
        algorithm, entry.form, n_q, n_k, d, memory, fits=True, least_memory=least,
        tile=entry.tile(n_q, n_k, d, memory), **{name: column[0] for name, column in columns.items()},
    )  # fmt: skip


def closed_form(algorithm: str, n_q: int, n_k: int, d: int, memories: Iterable[int]) -> dict[str, Array]:
    """Exact counts over an array of memories, in all of which the algorithm must fit: an array a name of `COUNTED`."""
    words = np.array([int(memory) for memory in memories], dtype=object)
    counted = _CLOSED_FORMS[algorithm](n_q, n_k, d, words)
    return {name: _as_array(counted[name], words.shape) for name in COUNTED}


def _as_array(value: int | Array, shape: tuple[int, ...]) -> Array:
    return value if isinstance(value, np.ndarray) else np.full(shape, value, dtype=object)


def tiles(extent: int, size: Array) -> Array:
    """T(extent, size) = ceil(extent / size)."""
    count: Array = -(-extent // size)
    return count


def _flash2(n_q: int, n_k: int, d: int, memory: Array) -> dict[str, Any]:
    columns = np.minimum(n_k, (memory - 2 * d) // (4 * d + 2))
    rows = np.minimum(n_q, (memory - 4 * d * columns) // (2 * d + 2 * columns))
    passes = tiles(n_k, columns)
    # K, V once; in every pass Q, dO, lse, D, and from the second on the dQ summed so far
    loads = 2 * n_k * d + passes * (2 * n_q * d + 2 * n_q) + (passes - 1) * n_q * d
    stores = 2 * n_k * d + passes * n_q * d
    return {
        "loads": loads,
        "stores": stores,
        "multiplications": 5 * n_q * n_k * d,
        "peak_fast": 4 * columns * d + 2 * rows * d + 2 * rows * columns,
        "peak_slow": 0,
    }


def _small_cache(n_q: int, n_k: int, d: int, memory: Array) -> dict[str, Any]:
    side = _isqrt(memory // 3)

    def product(m: int, k: int, q: int) -> Array:
        """Words loaded for an m x q product of inner size k: each factor once for every tile of the other's side."""
        words: Array = k * (m * tiles(q, side) + q * tiles(m, side))
        return words

    scores = n_q * n_k
    loads = 2 * product(n_q, d, n_k) + 2 * product(n_k, n_q, d) + product(n_q, n_k, d)
    loads = loads + scores + 2 * n_q * tiles(n_k, side)  # P again for dS; lse and D beside every tile of a row
    stores = 2 * scores + 2 * n_k * d + n_q * d
    r, s, t = np.minimum(side, n_q), np.minimum(side, n_k), np.minimum(side, d)
    return {
        "loads": loads,
        "stores": stores,
        "multiplications": 5 * scores * d,
        "peak_fast": np.maximum(r * s + r * t + s * t, 2 * r * s + r),
        "peak_slow": 2 * scores,
    }


_CLOSED_FORMS: dict[str, Callable[[int, int, int, Array], dict[str, Any]]] = {
    "flash2": _flash2,
    "small-cache": _small_cache,
}
