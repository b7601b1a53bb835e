"""A run beside what it is compared with: random problems, the reference's results, the error between the two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import masks, reference
from .counts import Counts, count, resolve
from .errors import BadInput
from .masks import MaskLike
from .memory import Array
from .runs import Progress, Run, backward, backward_weights, forward
from .sizes import Shape
from .sparse import Patterns


@dataclass(frozen=True, slots=True)
class Check:
    """A run beside what it is compared with: the counts that it made and its distance from the reference."""

    counts: Counts
    max_relative_error: float
    seconds: float


def random_problem(n_q: int, n_k: int, d: int, seed: int, d_v: int | None = None) -> tuple[Array, Array, Array, Array]:
    """q, k, v, dout with standard normal entries, always the same for a seed."""
    rng = np.random.default_rng(seed)
    d_v = d if d_v is None else d_v
    shapes = ((n_q, d), (n_k, d), (n_k, d_v), (n_q, d_v))
    return tuple(rng.standard_normal(shape) for shape in shapes)  # type: ignore[return-value]


def random_weights_problem(n_q: int, n_k: int, d: int, seed: int, d_v: int | None = None) -> tuple[Array, ...]:
    """a1, a2, a3, x, y, dout with normal entries; x and y scaled so that scores stay of order sqrt(d)."""
    rng = np.random.default_rng(seed)
    d_v = d if d_v is None else d_v
    a1, a2, a3 = (rng.standard_normal((n, d)) for n in (n_q, n_k, n_k))
    x, y = rng.standard_normal((d, d)) / np.sqrt(d), rng.standard_normal((d, d_v)) / np.sqrt(d)
    return a1, a2, a3, x, y, rng.standard_normal((n_q, d_v))


def run(
    algorithm: str,
    n: int | None = None,
    d: int = 1,
    memory: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    d_v: int | None = None,
    form: str | None = None,
    mask: MaskLike = None,
    heads: int = 1,
    kv_heads: int | None = None,
    dtype: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    patterns: Patterns | None = None,
    target: bool = False,
) -> Check:
    """Execute an algorithm on random inputs (scale 1/sqrt(d)) and compare its results with the reference.

    Parameters as in `count`; inputs are zero where their ``patterns`` have no word. The counts in the answer are those
    counted during the run; the reference works in float64 whatever ``dtype`` is.
    Raises `DoesNotFit`, `BadInput`.
    """
    sizes: dict[str, Any] = {
        "n_q": n_q, "n_k": n_k, "d_v": d_v, "form": form, "mask": mask, "heads": heads, "kv_heads": kv_heads,
        "dtype": dtype, "patterns": patterns, "target": target,
    }  # fmt: skip
    entry, form, shape, one, _, kv_heads = resolve(algorithm, n, d, memory, **sizes)
    entry.tile(one, memory, form)  # does it fit, before any work is done
    planned = count(algorithm, n, d, memory, **sizes)
    scale = 1 / float(np.sqrt(d))
    options: dict[str, Any] = {
        "memory": memory, "mask": shape.mask, "scale": scale, "dtype": dtype, "progress": progress,
        "patterns": patterns,
    }  # fmt: skip
    if form == "weights" and heads != 1:
        raise BadInput("the weights form is run one head at a time; `count` takes any number")
    if form == "weights":
        problem = random_weights_problem(shape.n_q, shape.n_k, d, seed, d_v)
        a1, a2, a3, x, y, given = _zeroed(problem, ("A1", "A2", "A3", "X", "Y", "E" if target else "dO"), shape)
        options["target" if target else "dout"] = given
        done: Run = backward_weights(algorithm, a1, a2, a3, x, y, **options)
        dout = reference.forward(a1 @ x, a2, a3 @ y, scale=scale, mask=shape.mask).out - given if target else given
        right: tuple[Array, ...] = reference.backward_weights(a1, a2, a3, x, y, dout, scale=scale, mask=shape.mask)
    else:
        done, right = _attention(algorithm, form, shape, heads, kv_heads, seed, options)
    counts = _counted(planned, done)
    return Check(counts, relative_error(tuple(done.outputs.values()), right), done.seconds)


def _zeroed(problem: tuple[Array, ...], names: tuple[str, ...], shape: Shape) -> tuple[Array, ...]:
    """The arrays, zero where their patterns have no word."""
    arrays = dict(zip(names, problem, strict=True))
    for name, pattern in shape.patterns:
        arrays[name] = np.where(masks.matrix(pattern), arrays[name], 0)
    return tuple(arrays.values())


def _attention(
    algorithm: str, form: str, shape: Shape, heads: int, kv_heads: int, seed: int, options: dict[str, Any]
) -> tuple[Run, tuple[Array, ...]]:
    """Forward or backward pass of random heads, and the reference's results head by head."""
    problems = [random_problem(shape.n_q, shape.n_k, shape.d, seed + head, shape.d_v) for head in range(heads)]
    problems = [_zeroed(problem, ("Q", "K", "V", "dO"), shape) for problem in problems]  # type: ignore[misc]
    q, dout = (np.stack([problem[place] for problem in problems]) for place in (0, 3))
    k, v = (np.stack([problem[place] for problem in problems[:kv_heads]]) for place in (1, 2))
    group, kept, scale = heads // kv_heads, options["mask"], options["scale"]
    given = (q, k, v, dout) if form == "qkv" else (q, k, v)
    run_pass = backward if form == "qkv" else forward
    done = run_pass(algorithm, *(array[0] if heads == 1 else array for array in given), **options)
    results: list[tuple[Array, ...]] = []
    for head in range(heads):
        own = (q[head], k[head // group], v[head // group])
        if form == "qkv":
            results.append(reference.backward(*own, dout[head], scale=scale, mask=kept))
        else:
            results.append(reference.forward(*own, scale=scale, mask=kept))
    if heads == 1:
        return done, results[0]
    stacked = [np.stack(parts) for parts in zip(*results, strict=True)]
    if form == "qkv":  # keys and values gather the gradients of their group
        stacked[1:] = [part.reshape(kv_heads, group, *part.shape[1:]).sum(axis=1) for part in stacked[1:]]
    return done, tuple(stacked)


def _counted(planned: Counts, done: Run) -> Counts:
    return replace(
        planned, loads=done.loads, stores=done.stores, multiplications=done.multiplications,
        peak_fast=done.peak_fast, peak_slow=done.peak_slow, tile=done.tile,
    )  # fmt: skip


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
