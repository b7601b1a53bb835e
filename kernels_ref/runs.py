"""Full-size runs: a kernel executed on the NumPy machine, its words counted, its results returned."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import reference
from .algorithms import find
from .counts import counts_of, grouped, one_head
from .errors import BadInput
from .masks import Mask, MaskLike, as_mask, matrix
from .memory import Array, TwoLevelMemory
from .numpy_memory import WIDE, NumpyMemory
from .sizes import Shape
from .sparse import Patterns, with_patterns

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Run:
    """One executed pass: its results by name, and what was counted while it ran (words, of all heads together).

    Results have attributes too: ``dq``, ``dk``, ``dv`` of a backward pass, ``out`` and ``lse`` of a forward pass,
    ``gx`` and ``gy`` in the weights form.
    """

    outputs: dict[str, Array]
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

    @property
    def not_finite(self) -> tuple[str, ...]:
        """Names of the results that hold a NaN or an infinity, from the inputs or from too narrow a dtype."""
        return tuple(name for name, array in self.outputs.items() if not np.isfinite(array).all())

    @property
    def dq(self) -> Array:
        return self.outputs["dQ"]

    @property
    def dk(self) -> Array:
        return self.outputs["dK"]

    @property
    def dv(self) -> Array:
        return self.outputs["dV"]

    @property
    def out(self) -> Array:
        return self.outputs["O"]

    @property
    def lse(self) -> Array:
        return self.outputs["lse"]

    @property
    def gx(self) -> Array:
        return self.outputs["gX"]

    @property
    def gy(self) -> Array:
        return self.outputs["gY"]


OUTPUTS = {"qkv": ("dQ", "dK", "dV"), "forward": ("O", "lse"), "weights": ("gX", "gY")}


def execute(
    algorithm: str,
    fast: TwoLevelMemory,
    n_q: int,
    n_k: int,
    d: int,
    *,
    d_v: int | None = None,
    scale: float = 1.0,
    form: str | None = None,
    mask: Mask | None = None,
    patterns: Patterns | None = None,
    target: bool = False,
) -> dict[str, int]:
    """Run an algorithm's kernel on any of the machines; returns the tile it used. Raises `DoesNotFit`."""
    shape = Shape(n_q, n_k, d, d if d_v is None else d_v, mask, target=target)
    shape = with_patterns(shape, patterns, find(algorithm).form if form is None else form)
    return run_kernel(algorithm, fast, shape, scale=scale, form=form)


def run_kernel(algorithm: str, fast: TwoLevelMemory, shape: Shape, *, scale: float, form: str | None) -> dict[str, int]:
    """The same for a `Shape`."""
    kernel, tile = find(algorithm).kernel(form), find(algorithm).tile(shape, fast.words, form)
    names = ["E" if shape.target and name == "dO" else name for name in kernel.inputs]
    given: dict[str, Any] = {"target": True} if shape.target else {}
    inputs = [fast.input(name, shape.extent(name), shape.pattern(name)) for name in names]
    kernel.run(fast, *inputs, scale=scale, mask=shape.mask, **tile, **given)
    return tile


def backward(
    algorithm: str,
    q: Array,
    k: Array,
    v: Array,
    dout: Array,
    *,
    memory: int,
    mask: MaskLike = None,
    scale: float = 1.0,
    dtype: str | None = None,
    progress: Progress | None = None,
    patterns: Patterns | None = None,
) -> Run:
    """Gradients of attention by one of the algorithms in ``memory`` words of fast memory.

    Parameters: q (n_q, d), k (n_k, d), v (n_k, d_v), dout (n_q, d_v), floating point; or with heads in front, q and
    dout (heads, ...), k and v (kv_heads, ...). ``mask`` (n_q, n_k) as in `count`. ``dtype`` is what slow memory
    stores, by default the inputs' own; arithmetic is done wider. ``progress``, where given, is called with the share
    done, from 0 to 1; an exception raised in it ends the run. ``patterns``: as in `count`, without heads; the arrays
    must be zero where their pattern has no word. lse and D come from a forward pass outside the counted
    memory, as in practice. Inputs are never modified.
    Raises `DoesNotFit`, `BadInput`.
    """
    _check_floating({"q": q, "k": k, "v": v, "dout": dout})
    if q.shape[:-1] != dout.shape[:-1] or v.shape[-1] != dout.shape[-1]:
        raise BadInput(f"q and dout must be (n_q, d) and (n_q, d_v); got {_shapes(q=q, k=k, v=v, dout=dout)}")
    arrays = {"Q": q, "K": k, "V": v, "dO": dout}
    return _by_heads(algorithm, arrays, "qkv", memory, mask, scale, dtype, progress, patterns)


def forward(
    algorithm: str,
    q: Array,
    k: Array,
    v: Array,
    *,
    memory: int,
    mask: MaskLike = None,
    scale: float = 1.0,
    dtype: str | None = None,
    progress: Progress | None = None,
    patterns: Patterns | None = None,
) -> Run:
    """Attention's output and row statistics by one of the forward algorithms. Parameters as in `backward`."""
    _check_floating({"q": q, "k": k, "v": v})
    return _by_heads(algorithm, {"Q": q, "K": k, "V": v}, "forward", memory, mask, scale, dtype, progress, patterns)


def backward_weights(
    algorithm: str,
    a1: Array,
    a2: Array,
    a3: Array,
    x: Array,
    y: Array,
    *,
    dout: Array | None = None,
    target: Array | None = None,
    memory: int,
    mask: MaskLike = None,
    scale: float = 1.0,
    dtype: str | None = None,
    progress: Progress | None = None,
    patterns: Patterns | None = None,
) -> Run:
    """Gradients by X and Y of attention with Q = A1 X, K = A2, V = A3 Y: ``.gx`` (d, d), ``.gy`` (d, d_v).

    Parameters: a1 (n_q, d), a2, a3 (n_k, d), x (d, d), y (d, d_v); either ``dout`` (n_q, d_v), or ``target`` E of the
    same shape: then dO = O - E, of L = 1/2 |O - E|^2. The forward pass is part of what is counted. Others as in
    `backward`.
    """
    if (dout is None) == (target is None):
        raise BadInput("give either dout or target")
    given = dout if dout is not None else target
    assert given is not None
    arrays = {"A1": a1, "A2": a2, "A3": a3, "X": x, "Y": y, "E" if dout is None else "dO": given}
    _check_floating(arrays)
    d, d_v = a1.shape[-1], y.shape[-1]
    shapes = [a1.shape, (len(a2), d), (len(a2), d), (d, d), (d, d_v), (len(a1), d_v)]
    if any(array.shape != shape for array, shape in zip(arrays.values(), shapes, strict=True)):
        raise BadInput(
            "a1 must be (n_q, d), a2 and a3 (n_k, d), x (d, d), y (d, d_v), dout or target (n_q, d_v); got "
            + _shapes(**arrays)
        )
    shape = Shape(len(a1), len(a2), d, d_v, as_mask(mask, len(a1), len(a2)), target=dout is None)
    shape = _stored(shape, arrays, patterns, "weights")
    return _run(algorithm, arrays, shape, "weights", memory, scale, dtype, _shares(progress, 1))


def _check_floating(arrays: dict[str, Array]) -> None:
    names = ", ".join(arrays)
    if any(array.ndim not in (2, 3) or array.size == 0 for array in arrays.values()):
        raise BadInput(f"{names} must be matrices with at least one row and one column (or heads of them)")
    if not all(np.issubdtype(array.dtype, np.floating) for array in arrays.values()):
        raise BadInput(f"{names} must hold floating-point numbers")


def _stored(shape: Shape, arrays: dict[str, Array], patterns: Patterns | None, form: str) -> Shape:
    """The shape with its patterns, outside of which the arrays are zero. Raises `BadInput` where they are not."""
    shape = with_patterns(shape, patterns, form)
    for name, pattern in shape.patterns:
        if arrays[name][~matrix(pattern)].any():
            raise BadInput(f"{name} has values that are not zero where its pattern has no word")
    return shape


def _shapes(**arrays: Array) -> str:
    return ", ".join(f"{name} {array.shape}" for name, array in arrays.items())


def _shares(progress: Progress | None, heads: int) -> list[Progress | None]:
    """For each head the part of the progress that is its own."""
    if progress is None:
        return [None] * heads
    report = progress
    return [lambda share, head=head: report((head + share) / heads) for head in range(heads)]  # type: ignore[misc]


def _by_heads(
    algorithm: str, arrays: dict[str, Array], form: str, memory: int, mask: MaskLike, scale: float,
    dtype: str | None, progress: Progress | None, patterns: Patterns | None,
) -> Run:  # fmt: skip
    """One run a head of K and V, with the queries of its group row by row; results and counts put together."""
    q, k, v = arrays["Q"], arrays["K"], arrays["V"]
    if q.shape[-1] != k.shape[-1] or k.shape[:-1] != v.shape[:-1] or q.ndim != k.ndim:
        raise BadInput(f"q must be (n_q, d), k (n_k, d) and v (n_k, d_v); got {_shapes(q=q, k=k, v=v)}")
    n_q, n_k, d, d_v = q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1]
    shape = Shape(n_q, n_k, d, d_v, as_mask(mask, n_q, n_k))
    if patterns:
        one_head(1 if q.ndim == 2 else len(q))
        shape = _stored(shape, arrays, patterns, form)
    if q.ndim == 2:
        (share,) = _shares(progress, 1)
        return _run(algorithm, arrays, shape, form, memory, scale, dtype, [share])
    heads, kv_heads = len(q), len(k)
    one, group = grouped(shape, heads, kv_heads), heads // kv_heads

    def gathered(array: Array, head: int) -> Array:
        """The rows of a group's heads, row i of each before row i + 1 of any."""
        part = array[head * group : (head + 1) * group]
        return part.swapaxes(0, 1).reshape(-1, array.shape[-1])

    runs = []
    for head, share in enumerate(_shares(progress, kv_heads)):
        own = {name: array[head] if name in ("K", "V") else gathered(array, head) for name, array in arrays.items()}
        runs.append(_run(algorithm, own, one, form, memory, scale, dtype, [share]))
    outputs: dict[str, Array] = {}
    for name in OUTPUTS[form]:
        parts = [run.outputs[name] for run in runs]
        if name not in ("dK", "dV"):
            parts = [part.reshape(n_q, group, *part.shape[1:]).swapaxes(0, 1) for part in parts]
            outputs[name] = np.concatenate(parts)
        else:
            outputs[name] = np.stack(parts)
    return Run(
        outputs, sum(run.loads for run in runs), sum(run.stores for run in runs),
        sum(run.multiplications for run in runs), runs[0].peak_fast, runs[0].peak_slow, runs[0].tile,
        sum(run.seconds for run in runs),
    )  # fmt: skip


def _run(
    algorithm: str, arrays: dict[str, Array], shape: Shape, form: str, memory: int, scale: float,
    dtype: str | None, shares: list[Progress | None],
) -> Run:  # fmt: skip
    entry = find(algorithm)
    kernel = entry.kernel(form)
    entry.tile(shape, memory, form)  # does it fit, before any work is done
    (share,) = shares
    total = 0 if share is None else counts_of(algorithm, shape, [memory], form)["multiplications"][0]

    def watch(done: int) -> None:
        if share is not None:
            share(min(1.0, done / max(total, 1)))

    stored = np.dtype(dtype) if dtype is not None else np.result_type(*arrays.values())
    arrays = {name: array.astype(stored, copy=False) for name, array in arrays.items()}
    if form == "qkv":
        arrays = _with_statistics(arrays, kernel.inputs, shape, scale, stored)
    fast = NumpyMemory(memory, arrays, watch=None if share is None else watch, dtype=stored)
    start = time.perf_counter()
    tile = run_kernel(algorithm, fast, shape, scale=scale, form=form)
    return Run(
        {name: fast.arrays[name] for name in OUTPUTS[form]}, fast.loads, fast.stores, fast.multiplications,
        fast.peak_fast, fast.peak_slow, tile, time.perf_counter() - start,
    )  # fmt: skip


def _with_statistics(
    arrays: dict[str, Array], wanted: tuple[str, ...], shape: Shape, scale: float, stored: np.dtype[Any]
) -> dict[str, Array]:
    """The inputs and what a kernel wants of the forward pass besides them, computed in the wide type."""
    wide = WIDE.get(stored.name, stored.name)
    q, k, v, dout = (arrays[name].astype(wide, copy=False) for name in ("Q", "K", "V", "dO"))
    out, lse = reference.forward(q, k, v, scale=scale, mask=shape.mask)
    found = arrays | {"lse": lse, "D": (dout * out).sum(axis=1), "O": out}
    if "m" in wanted:
        m, total = reference.statistics(q, k, scale=scale, mask=shape.mask)
        found |= {"m": m, "l": total}
    return {name: found[name] for name in wanted}
