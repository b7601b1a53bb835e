"""Full-size runs: a kernel executed on the NumPy machine, its words counted, its gradients checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import reference, sizes
from .algorithms import find
from .counts import Counts
from .errors import BadInput
from .memory import Array, NumpyMemory, TwoLevelMemory

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Run:
    """One executed backward pass: gradients dq (n_q, d), dk, dv (n_k, d), and what was counted while it ran (words)."""

    dq: Array
    dk: Array
    dv: Array
    loads: int
    stores: int
    multiplications: int
    peak_fast: int
    peak_slow: int
    tile: dict[str, int]
    seconds: float

    @property
    def io(self) -> int:
        return self.loads + self.stores


def execute(algorithm: str, fast: TwoLevelMemory, n_q: int, n_k: int, d: int, *, scale: float = 1.0) -> dict[str, int]:
    """Run an algorithm's kernel on any of the machines; returns the tile it used. Raises `DoesNotFit`."""
    entry = find(algorithm)
    tile = entry.tile(n_q, n_k, d, fast.words)
    Q, dO = (fast.input(name, (n_q, d)) for name in ("Q", "dO"))
    K, V = (fast.input(name, (n_k, d)) for name in ("K", "V"))
    lse, D = (fast.input(name, (n_q,)) for name in ("lse", "D"))
    entry.kernel(fast, Q, K, V, dO, lse, D, scale=scale, **tile)
    return tile


def backward(
    algorithm: str,
    q: Array,
    k: Array,
    v: Array,
    dout: Array,
    *,
    memory: int,
    scale: float = 1.0,
    progress: Progress | None = None,
) -> Run:
    """Gradients of attention by one of the algorithms in ``memory`` words of fast memory.

    Parameters: q, dout (n_q, d); k, v (n_k, d); floating point. ``progress``, where given, is called with the share
    done, from 0 to 1; an exception raised in it ends the run. lse and D come from a forward pass outside the counted
    memory, as in practice.
    Raises `DoesNotFit`, `BadInput`.
    """
    n_q, n_k, d = _check_arrays(q, k, v, dout)
    out, lse = reference.forward(q, k, v, scale=scale)
    arrays = {"Q": q, "K": k, "V": v, "dO": dout, "lse": lse, "D": (dout * out).sum(axis=1)}
    total = 5 * n_q * n_k * d

    def watch(done: int) -> None:
        if progress is not None:
            progress(min(1.0, done / total))

    fast = NumpyMemory(memory, arrays, watch=watch)
    start = time.perf_counter()
    tile = execute(algorithm, fast, n_q, n_k, d, scale=scale)
    return Run(
        fast.arrays["dQ"], fast.arrays["dK"], fast.arrays["dV"], fast.loads, fast.stores, fast.multiplications,
        fast.peak_fast, fast.peak_slow, tile, time.perf_counter() - start,
    )  # fmt: skip


def _check_arrays(q: Array, k: Array, v: Array, dout: Array) -> tuple[int, int, int]:
    if any(array.ndim != 2 or array.size == 0 for array in (q, k, v, dout)):
        raise BadInput("q, k, v and dout must be matrices with at least one row and one column")
    if not all(np.issubdtype(array.dtype, np.floating) for array in (q, k, v, dout)):
        raise BadInput("q, k, v and dout must hold floating-point numbers")
    if q.shape[1] != k.shape[1] or k.shape != v.shape or q.shape != dout.shape:
        shapes = f"q {q.shape}, k {k.shape}, v {v.shape}, dout {dout.shape}"
        raise BadInput(f"q and dout must be (n_q, d), k and v (n_k, d); got {shapes}")
    return len(q), len(k), q.shape[1]


@dataclass(frozen=True, slots=True)
class Check:
    """A run beside what it is compared with: the closed form's counts and the reference's gradients."""

    counts: Counts
    max_relative_error: float
    seconds: float


def random_problem(n_q: int, n_k: int, d: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """q, k, v, dout with standard normal entries, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((rows, d)) for rows in (n_q, n_k, n_k, n_q))  # type: ignore[return-value]


def run(
    algorithm: str,
    n: int | None = None,
    d: int = 1,
    memory: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Check:
    """Execute an algorithm on random inputs (scale 1/sqrt(d)) and compare its gradients with the reference.

    The counts in the answer are those counted during the run. Raises `DoesNotFit`, `BadInput`.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    sizes.check(n_q=n_q, n_k=n_k, d=d, memory=memory)
    entry = find(algorithm)
    entry.tile(n_q, n_k, d, memory)  # does it fit, before any work is done
    q, k, v, dout = random_problem(n_q, n_k, d, seed)
    scale = 1 / float(np.sqrt(d))
    done = backward(algorithm, q, k, v, dout, memory=memory, scale=scale, progress=progress)
    right = reference.backward(q, k, v, dout, scale=scale)
    counts = Counts(
        algorithm, entry.form, n_q, n_k, d, memory, fits=True, least_memory=entry.least_memory(d), loads=done.loads,
        stores=done.stores, multiplications=done.multiplications, peak_fast=done.peak_fast, peak_slow=done.peak_slow,
        tile=done.tile,
    )  # fmt: skip
    error = relative_error((done.dq, done.dk, done.dv), right)
    return Check(counts, error, done.seconds)


def relative_error(got: tuple[Array, ...], right: tuple[Array, ...]) -> float:
    """The largest difference of any entry, relative to its array's largest entry. NaN if any entry is NaN.

    An array that should be all zero is compared absolutely.
    """
    worst = 0.0
    for a, b in zip(got, right, strict=True):
        size = float(np.max(np.abs(b)))
        error = float(np.max(np.abs(a - b))) / (size if size > 0 else 1.0)
        if not error <= worst:  # also when it is NaN, which max() would lose
            worst = error
        if np.isnan(worst):
            return worst
    return worst
