"""An algorithm's exact counts at a size, without running it: the record, and the closed forms behind one door."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .algorithms import Algorithm, find
from .closed_forms.layout import layout
from .errors import BadInput
from .masks import Mask, MaskLike, as_mask
from .memory import Array
from .sizes import Shape, check
from .sparse import Patterns, with_patterns

COUNTED = ("loads", "stores", "multiplications", "peak_fast", "peak_slow")
BYTES = {"float64": 8, "float32": 4, "float16": 2}


@dataclass(frozen=True, slots=True)
class Counts:
    """What one algorithm costs at one size. Words throughout; all None but ``least_memory`` where it does not fit.

    ``heads`` query heads share ``kv_heads`` heads of keys and values; the counts are those of all heads together.
    ``mask`` is how many scores a mask keeps in each head, ``stored`` the words of those inputs that are stored by their
    nonzeros; None without one.
    """

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
    d_v: int | None = None
    heads: int = 1
    kv_heads: int | None = None
    mask: int | None = None
    dtype: str | None = None
    stored: dict[str, int] | None = None
    target: bool = False

    @property
    def n(self) -> int:
        """Queries; the same number as keys, unless the two were given apart."""
        return self.n_q

    @property
    def io(self) -> int | None:
        return None if self.loads is None or self.stores is None else self.loads + self.stores

    @property
    def bytes(self) -> int | None:
        """I/O in bytes, where a ``dtype`` was given."""
        return None if self.io is None or self.dtype is None else self.io * BYTES[self.dtype]

    def as_dict(self) -> dict[str, Any]:
        """For JSON. What says nothing new is left out: d_v where it is d, one head, no mask, no dtype."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.n_q == self.n_k:
            record = {"algorithm": self.algorithm, "form": self.form, "n": self.n_q} | record
            del record["n_q"], record["n_k"]
        unusual = ("d_v", "kv_heads", "mask", "dtype", "stored")
        for name in [name for name in unusual if record[name] is None] + [
            *["heads"] * (self.heads == 1), *["target"] * (not self.target)
        ]:  # fmt: skip
            del record[name]
        if self.dtype is not None:
            record["bytes"] = self.bytes
        return record | {"io": self.io}


def grouped(shape: Shape, heads: int, kv_heads: int) -> Shape:
    """What one head of keys and values meets: its group's queries, row i of every head before row i + 1 of any."""
    check(heads=heads, kv_heads=kv_heads)
    if heads % kv_heads:
        raise BadInput(f"{heads} heads cannot share {kv_heads} heads of keys and values evenly")
    group = heads // kv_heads
    if group == 1:
        return shape
    mask = None if shape.mask is None else shape.mask.repeated(group)
    return Shape(shape.n_q * group, shape.n_k, shape.d, shape.d_v, mask)


class Wanted(NamedTuple):
    """What is to be counted or run, its sizes checked: ``shape`` of one head, ``one`` head of K, V with its queries."""

    entry: Algorithm
    form: str
    shape: Shape
    one: Shape
    heads: int
    kv_heads: int

    @property
    def least_memory(self) -> int:
        return self.entry.least_memory(self.shape.d, self.shape.d_v, self.form)


def resolve(
    algorithm: str, n: int | None, d: int, memory: int, *, n_q: int | None, n_k: int | None, d_v: int | None,
    form: str | None, mask: MaskLike, heads: int, kv_heads: int | None, dtype: str | None, patterns: Patterns | None,
    target: bool,
) -> Wanted:  # fmt: skip
    """From what a caller of `count` or `run` gives. Raises `BadInput`."""
    entry = find(algorithm)
    form = entry.form if form is None else form
    entry.kernel(form)
    plain = Shape.of(n, d, n_q=n_q, n_k=n_k, d_v=d_v)
    check(memory=memory)
    if dtype is not None and dtype not in BYTES:
        raise BadInput(f"no dtype is called {dtype!r}; there are: {', '.join(BYTES)}")
    shape = Shape(*plain.sizes, as_mask(mask, plain.n_q, plain.n_k), target=aims(form, target))
    times = heads if kv_heads is None else kv_heads
    if patterns:
        one_head(heads)
        shape = with_patterns(shape, patterns, form)
    return Wanted(entry, form, shape, grouped(shape, heads, times), heads, times)


def count(
    algorithm: str,
    n: int | None = None,
    d: int = 1,
    memory: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    d_v: int | None = None,
    form: str | None = None,
    mask: Mask | npt.ArrayLike | None = None,
    heads: int = 1,
    kv_heads: int | None = None,
    dtype: str | None = None,
    patterns: Patterns | None = None,
    target: bool = False,
) -> Counts:
    """One algorithm's counts at one size, without running it.

    Parameters: ``n`` rows of Q and K (or ``n_q`` and ``n_k`` apart), ``d`` columns (``d_v`` of V, where they differ),
    ``memory`` = M words, ``form`` "qkv", "weights" or "forward" (by default the algorithm's first), ``mask`` (a boolean
    matrix or one of `masks`), ``heads`` sharing ``kv_heads`` heads of K and V, ``dtype`` for the bytes, ``patterns``
    of inputs that are stored by their nonzeros (`sparse.patterns`; of one head): only those words move, ``target``: the
    weights form is given E, not dO.
    Where the algorithm does not fit, ``fits`` is False and ``least_memory`` says what would do.
    Raises `BadInput` for an unknown algorithm or a size below 1.

    >>> count("flash2", n=4096, d=64, memory=4096).io
    290340864
    """
    entry, form, shape, one, heads, times = wanted = resolve(
        algorithm, n, d, memory, n_q=n_q, n_k=n_k, d_v=d_v, form=form, mask=mask, heads=heads, kv_heads=kv_heads,
        dtype=dtype, patterns=patterns, target=target,
    )  # fmt: skip
    least = wanted.least_memory
    record: dict[str, Any] = {
        "algorithm": algorithm, "form": form, "n_q": shape.n_q, "n_k": shape.n_k, "d": d, "memory": memory,
        "fits": memory >= least, "least_memory": least, "d_v": None if shape.d_v == d else shape.d_v, "heads": heads,
        "kv_heads": kv_heads, "mask": None if shape.mask is None else shape.mask.words, "dtype": dtype,
        "stored": {name: pattern.words for name, pattern in one.patterns} or None, "target": target,
    }  # fmt: skip
    if memory < least:
        return Counts(**record)
    counted = {name: column[0] for name, column in counts_of(algorithm, one, [memory], form).items()}
    for name in ("loads", "stores", "multiplications"):
        counted[name] *= times
    return Counts(**record, tile=entry.tile(one, memory, form), **counted)


def aims(form: str, target: bool) -> bool:
    """Whether E is given for dO. Raises `BadInput` where the form has no target."""
    if target and form != "weights":
        raise BadInput(f"a target is for the weights form; this is {form}")
    return target


def one_head(heads: int) -> None:
    """Raises `BadInput` where inputs by nonzeros have several heads: each would have a pattern of its own."""
    if heads != 1:
        raise BadInput(f"inputs stored by nonzeros are counted for one head; got {heads}")


def closed_form(
    algorithm: str,
    n_q: int,
    n_k: int,
    d: int,
    memories: Iterable[int],
    *,
    d_v: int | None = None,
    form: str | None = None,
    mask: Mask | npt.ArrayLike | None = None,
) -> dict[str, Array]:
    """Exact counts over an array of memories, in all of which the algorithm must fit: an array a name of `COUNTED`."""
    shape = Shape.of(None, d, n_q=n_q, n_k=n_k, d_v=d_v, mask=as_mask(mask, n_q, n_k))
    return counts_of(algorithm, shape, memories, form)


def counts_of(algorithm: str, shape: Shape, memories: Iterable[int], form: str | None = None) -> dict[str, Array]:
    """The same for a `Shape`."""
    kernel, at = find(algorithm).kernel(form), layout(shape)
    tiles = [kernel.choose_tile(shape, int(memory)) for memory in memories]
    if shape.mask is None and tiles:
        arrays = {name: np.array([tile[name] for tile in tiles], dtype=object) for name in tiles[0]}
        counted = kernel.closed_form(at, arrays)
        return {name: _as_array(counted[name], (len(tiles),)) for name in COUNTED}
    singly = [kernel.closed_form(at, dict(tile)) for tile in tiles]
    return {name: np.array([int(one[name]) for one in singly], dtype=object) for name in COUNTED}


def _as_array(value: Any, shape: tuple[int, ...]) -> Array:
    return value if isinstance(value, np.ndarray) else np.full(shape, value, dtype=object)
