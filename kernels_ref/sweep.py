"""Curves: exact counts over many memories as a DataFrame, and the M at which two curves change places."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from . import sizes
from .algorithms import find
from .counts import COUNTED, closed_form
from .errors import BadInput


def sweep(
    algorithms: Sequence[str],
    n: int | None = None,
    d: int = 1,
    memory: Iterable[int] = (),
    *,
    n_q: int | None = None,
    n_k: int | None = None,
) -> pd.DataFrame:
    """One row an (algorithm, M): exact counts in words, from the closed forms.

    Columns: algorithm, form, n_q, n_k, d, memory, loads, stores, io, multiplications, peak_fast, peak_slow, fits,
    least_memory. Counts are Python ints (dtype object), None where the algorithm does not fit.
    Raises `BadInput` as `count` does.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    memories = [int(words) for words in memory]
    for words in memories or [1]:
        sizes.check(n_q=n_q, n_k=n_k, d=d, memory=words)
    frames = [_curve(name, n_q, n_k, d, memories) for name in algorithms]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _curve(name: str, n_q: int, n_k: int, d: int, memories: list[int]) -> pd.DataFrame:
    entry = find(name)
    least = entry.least_memory(d)
    fits = [words >= least for words in memories]
    counted = closed_form(name, n_q, n_k, d, [words for words in memories if words >= least])
    columns: dict[str, object] = {}
    for column in COUNTED:
        column_values = iter(counted[column])
        columns[column] = pd.Series([next(column_values) if ok else None for ok in fits], dtype=object)
    sums = [a + b for a, b in zip(counted["loads"], counted["stores"], strict=True)]
    totals = iter(sums)
    columns["io"] = pd.Series([next(totals) if ok else None for ok in fits], dtype=object)
    frame = pd.DataFrame(
        {"algorithm": name, "form": entry.form, "n_q": n_q, "n_k": n_k, "d": d}
        | {"memory": pd.Series(memories, dtype=object)}
        | columns
        | {"fits": fits, "least_memory": least}
    )
    order = ["algorithm", "form", "n_q", "n_k", "d", "memory", "loads", "stores", "io", *COUNTED[2:]]
    return frame[[*order, "fits", "least_memory"]]


def log_spaced(low: int, high: int, points: int) -> list[int]:
    """At most ``points`` distinct whole numbers from low to high, evenly spaced on a logarithmic axis, ends included.

    >>> log_spaced(1, 1000, 4)
    [1, 10, 100, 1000]
    """
    if not 1 <= low <= high:
        raise BadInput(f"a range of memories runs from at least 1 up, got {low} to {high}")
    if points < 1 or (points == 1 and low != high):
        raise BadInput(f"{points} points cannot span {low} to {high}")
    return sorted({low, high, *(min(max(round(float(value)), low), high) for value in np.geomspace(low, high, points))})


class Swap(NamedTuple):
    """From this M on (words), ``winner`` is the algorithm that moves fewer words."""

    memory: int
    winner: str


@functools.lru_cache(maxsize=256)
def swaps(
    first: str, second: str, n: int | None = None, d: int = 1, *, n_q: int | None = None, n_k: int | None = None
) -> tuple[Swap, ...]:
    """The winner at the least M at which both fit, and then every M at which it changes, exactly. Ties go to ``first``.

    Counts never rise with M. So a range throughout which one curve stays above the other, or in which neither moves,
    holds no swap; every other range is halved until it is a single step.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    sizes.check(n_q=n_q, n_k=n_k, d=d)
    low = max(find(name).least_memory(d) for name in (first, second))
    high = max(2 * low, 16 * (n_q + n_k) * d, 3 * max(n_q, n_k, d) ** 2)  # from there on neither curve falls

    @functools.cache
    def words(memory: int) -> tuple[int, int]:
        a, b = (closed_form(name, n_q, n_k, d, [memory]) for name in (first, second))
        return a["loads"][0] + a["stores"][0], b["loads"][0] + b["stores"][0]

    def winner(memory: int) -> str:
        a, b = words(memory)
        return first if a <= b else second

    found = [Swap(low, winner(low))]
    ranges = [(low, high)]
    while ranges:
        left, right = ranges.pop()
        (a_most, b_most), (a_least, b_least) = words(left), words(right)
        if a_least > b_most or a_most <= b_least or (a_most, b_most) == (a_least, b_least):
            continue
        if right - left == 1:
            if winner(left) != winner(right):
                found.append(Swap(right, winner(right)))
            continue
        middle = (left + right) // 2
        ranges += [(middle, right), (left, middle)]
    return tuple(found)


def crossover(
    first: str, second: str, n: int | None = None, d: int = 1, *, n_q: int | None = None, n_k: int | None = None
) -> int | None:
    """The M (words) from which ``first`` never again moves more words than ``second``; None if there is none.

    >>> crossover("flash2", "small-cache", n=4096, d=64)
    3224
    """
    last = swaps(first, second, n, d, n_q=n_q, n_k=n_k)[-1]
    return last.memory if last.winner == first else None
