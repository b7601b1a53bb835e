"""Curves: exact counts over grids as a DataFrame, who wins where, and the M at which two curves change places."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, ParamSpec

import numpy as np
import pandas as pd

from . import masks, sizes
from .algorithms import find
from .bounds import lower_bounds
from .counts import COUNTED, aims, counts_of
from .errors import BadInput
from .masks import Mask, MaskLike, as_mask
from .sizes import Shape
from .theory import components

_Asked = ParamSpec("_Asked")
MaskChoice = MaskLike | str | Sequence[str | None]
EVERY_MEMORY = 20_000  # under a mask counts may rise with M: so many memories are looked at one by one, no more


COLUMNS = (
    "algorithm", "form", "n_q", "n_k", "d", "memory", "loads", "stores", "io", "multiplications", "peak_fast",
    "peak_slow", "fits", "least_memory", "d_v", "heads", "kv_heads", "mask", "target", "kept", "intensity", "bound",
    "bound_name", "ratio",
)  # fmt: skip
_TYPES = {"algorithm": "str", "form": "str", "fits": "bool", "target": "bool"} | dict.fromkeys(
    ("n_q", "n_k", "d", "least_memory", "d_v", "heads", "kv_heads"), "int64"
)


def frame_of(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Columns of a sweep as one DataFrame: joining one for each curve took longer than the counts."""
    return pd.DataFrame({name: pd.Series(values, dtype=_TYPES.get(name, "object")) for name, values in columns.items()})


def sweep_columns(
    algorithms: Sequence[str],
    n: int | Sequence[int] | None = None,
    d: int | Sequence[int] = 1,
    memory: Iterable[int] = (),
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    d_v: int | None = None,
    form: str | Sequence[str] | None = None,
    mask: MaskChoice = None,
    heads: int = 1,
    kv_heads: int | None = None,
    target: bool = False,
) -> dict[str, list[Any]]:
    """One row an (n, d, mask, form, algorithm, M): exact counts in words, from the closed forms. Its columns as lists.

    ``n``, ``d``, ``form`` and ``mask`` may be several; a mask by name (`masks.named`) fits every n. An algorithm that
    has not all of several forms is left out where it has none. Columns: algorithm, form, n_q, n_k, d, memory, loads,
    stores, io, multiplications, peak_fast, peak_slow, fits, least_memory, d_v, heads, kv_heads, mask (its name),
    target (whether E is given), kept (scores a head), intensity (multiplications a word), bound (the best lower bound)
    and its name, ratio (io / bound: at most so many times the optimum). Numbers are Python's own, None where the
    algorithm does not fit. Without a curve there are no columns.
    Raises `BadInput` as `count` does.
    """
    memories = [int(words) for words in memory]
    for words in memories or [1]:
        sizes.check(memory=words)
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    curves = 0
    forms: Sequence[str | None] = [form] if form is None or isinstance(form, str) else form
    many_rows: Sequence[int | None] = [n] if n is None or isinstance(n, int) else n
    for rows, width in itertools.product(many_rows, [d] if isinstance(d, int) else d):
        shape = Shape.of(rows, width, n_q=n_q, n_k=n_k, d_v=d_v)
        for name, kept in _masks(mask, shape):
            problem = Shape(*shape.sizes, kept, target=target)
            for wanted in forms:
                known: dict[str, list[tuple[int, str]]] = {}
                for algorithm in algorithms:
                    entry = find(algorithm)
                    aims(entry.form if wanted is None else wanted, target)
                    if not isinstance(form, str | None) and wanted not in entry.forms:
                        continue
                    curve = _curve(algorithm, wanted, problem, name, memories, heads, kv_heads, known)
                    curves += 1
                    for column, values in columns.items():
                        values += curve[column]
    return columns if curves else {}


def _in_a_frame(columns: Callable[_Asked, dict[str, list[Any]]]) -> Callable[_Asked, pd.DataFrame]:
    @functools.wraps(columns)
    def sweep(*args: _Asked.args, **options: _Asked.kwargs) -> pd.DataFrame:
        found = columns(*args, **options)
        return frame_of(found) if found else pd.DataFrame()

    signature = inspect.signature(columns).replace(return_annotation="pd.DataFrame")
    sweep.__signature__ = signature  # type: ignore[attr-defined]
    sweep.__name__ = sweep.__qualname__ = "sweep"
    sweep.__doc__ = (columns.__doc__ or "").replace("Its columns as lists.", "A DataFrame; numbers have dtype object.")
    return sweep


sweep = _in_a_frame(sweep_columns)


def _masks(mask: MaskChoice, shape: Shape) -> list[tuple[str | None, Mask | None]]:
    """Each mask and what the column says: its name, "given" for an array, None without one."""
    if mask is None or isinstance(mask, str):
        mask = [mask]
    if isinstance(mask, Sequence) and all(name is None or isinstance(name, str) for name in mask):
        names = [None if name is None else str(name) for name in mask]
        return [(name, None if name is None else masks.named(name, shape.n_q, shape.n_k)) for name in names]
    return [("given", as_mask(mask, shape.n_q, shape.n_k))]  # type: ignore[arg-type]


def _curve(
    algorithm: str, form: str | None, shape: Shape, mask: str | None, memories: list[int], heads: int,
    kv_heads: int | None, known: dict[str, list[tuple[int, str]]],
) -> dict[str, list[Any]]:  # fmt: skip
    """One algorithm's rows, column by column. ``known``: bounds by form, the same for every algorithm of the form."""
    entry = find(algorithm)
    form = entry.form if form is None else form
    one, times = components(form, shape, heads, kv_heads)
    least = entry.least_memory(shape.d, shape.d_v, form)
    fits = [words >= least for words in memories]
    counted = counts_of(algorithm, one, [words for words in memories if words >= least], form)
    columns: dict[str, list[Any]] = {"memory": memories, "fits": fits}
    for column in COUNTED:
        factor = times if column in ("loads", "stores", "multiplications") else 1
        values = iter(counted[column])
        columns[column] = [factor * next(values) if ok else None for ok in fits]
    if form not in known:
        known[form] = lower_bounds(form, shape, memories, heads=heads, kv_heads=kv_heads)
    io = [None if a is None else a + b for a, b in zip(columns["loads"], columns["stores"], strict=True)]
    made = zip(io, columns["multiplications"], strict=True)
    same = {
        "algorithm": algorithm, "form": form, "n_q": shape.n_q, "n_k": shape.n_k, "d": shape.d, "d_v": shape.d_v,
        "least_memory": least, "heads": heads, "kv_heads": heads if kv_heads is None else kv_heads, "mask": mask,
        "target": shape.target, "kept": shape.n_q * shape.n_k if shape.mask is None else shape.mask.words,
    }  # fmt: skip
    return (
        columns
        | {name: [value] * len(memories) for name, value in same.items()}
        | {
            "io": io,
            "intensity": [None if words is None else products / words for words, products in made],
            "bound": [bound for bound, _ in known[form]],
            "bound_name": [name for _, name in known[form]],
            "ratio": [None if w is None else w / bound for w, (bound, _) in zip(io, known[form], strict=True)],
        }
    )


def winner_map(
    n: int,
    ds: Sequence[int],
    memories: Sequence[int],
    algorithms: Sequence[str],
    *,
    form: str | None = None,
    mask: MaskChoice = None,
    heads: int = 1,
    kv_heads: int | None = None,
) -> pd.DataFrame:
    """Who moves the fewest words at every (d, M): one row each.

    Columns: d, memory, winner (of several, the first as given), tied (all that move as few), io, runner_up and its
    runner_up_io (the best that moves more), fits (all that run at all), bound, ratio. Where none fits winner and
    runner_up are None, io and ratio too; where all that fit tie there is no runner_up.
    """
    frame = sweep(algorithms, n, list(ds), memories, form=form, mask=mask, heads=heads, kv_heads=kv_heads)
    if frame["form"].nunique() > 1:
        raise BadInput(f"a winner is one of one form; these have {', '.join(frame['form'].unique())}")
    rows = []
    for (d, memory), group in frame.groupby(["d", "memory"], sort=True):
        found = [(io, name) for name, io in zip(group["algorithm"], group["io"], strict=True) if io is not None]
        least = min((io for io, _ in found), default=None)
        more = min((pair for pair in found if pair[0] != least), key=lambda pair: pair[0], default=(None, None))
        tied = tuple(name for io, name in found if io == least)
        bound = group["bound"].iloc[0]
        rows.append(
            {
                "d": d, "memory": memory, "winner": tied[0] if tied else None, "tied": tied, "io": least,
                "runner_up": more[1], "runner_up_io": more[0], "fits": tuple(name for _, name in found),
                "bound": bound, "ratio": None if least is None else least / bound,
            }
        )  # fmt: skip
    columns = ["d", "memory", "winner", "tied", "io", "runner_up", "runner_up_io", "fits", "bound", "ratio"]
    return pd.DataFrame([[row[name] for name in columns] for row in rows], columns=columns, dtype=object)


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


def swaps(
    first: str,
    second: str,
    n: int | None = None,
    d: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    d_v: int | None = None,
    form: str | None = None,
    mask: MaskLike | str = None,
    heads: int = 1,
    kv_heads: int | None = None,
) -> tuple[Swap, ...]:
    """The winner at the least M at which both fit, and then every M at which it changes, exactly. Ties go to ``first``.

    Without a mask counts never rise with M. So a range throughout which one curve stays above the other, or in which
    neither moves, holds no swap; every other range is halved until it is a single step. Under a mask they can rise
    (larger tiles may meet the mask less well), so every M is looked at; `BadInput` where that is more than 20,000.
    """
    shape = Shape.of(n, d, n_q=n_q, n_k=n_k, d_v=d_v)
    ((_, kept),) = _masks(mask, shape)
    find_them = _known_swaps if kept is None else _find_swaps
    return find_them(first, second, Shape(*shape.sizes, kept), form, heads, kv_heads)


def _find_swaps(
    first: str, second: str, shape: Shape, form: str | None, heads: int, kv_heads: int | None
) -> tuple[Swap, ...]:
    names = {name: find(name).form if form is None else form for name in (first, second)}
    if len(set(names.values())) > 1:
        raise BadInput(f"{first} and {second} do not do the same: " + " and ".join(names.values()))
    one, _ = components(names[first], shape, heads, kv_heads)
    low = max(find(name).least_memory(shape.d, shape.d_v, own) for name, own in names.items())
    n_q, n_k, d, d_v = one.sizes
    most = max(one.sizes)
    high = max(2 * low, 8 * (n_q + n_k) * (d + d_v), 4 * most * (most + 1))  # from there on neither curve falls

    @functools.cache
    def words(memory: int) -> tuple[int, int]:
        a, b = (counts_of(name, one, [memory], own) for name, own in names.items())
        return a["loads"][0] + a["stores"][0], b["loads"][0] + b["stores"][0]

    if first == second:
        return (Swap(low, first),)
    if one.mask is None:
        return _halving(first, second, words, low, high)
    if high - low > EVERY_MEMORY:
        raise BadInput(
            f"under a mask every M is looked at, here {high - low} of them, {EVERY_MEMORY} at most; try a smaller n"
        )
    found: list[Swap] = []
    for memory in range(low, high + 1):
        a, b = words(memory)
        winner = first if a <= b else second
        if not found or found[-1].winner != winner:
            found.append(Swap(memory, winner))
    return tuple(found)


_known_swaps = functools.lru_cache(maxsize=256)(_find_swaps)


def _halving(first: str, second: str, words: Callable[[int], tuple[int, int]], low: int, high: int) -> tuple[Swap, ...]:
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


def crossover(first: str, second: str, n: int | None = None, d: int = 1, **options: Any) -> int | None:
    """The M (words) from which ``first`` never again moves more words than ``second``; None if there is none.

    Options as in `swaps`.

    >>> crossover("flash2", "small-cache", n=4096, d=64)
    3224
    """
    last = swaps(first, second, n, d, **options)[-1]
    return last.memory if last.winner == first else None
