"""What the curves are made of: one sweep of exact counts for a point of the page, and its landmarks."""

from bisect import bisect
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kernels_ref import ALGORITHMS, Swap, crossover, frame_of, log_spaced, masks, swaps, sweep_columns, theory
from kernels_ref.counts import BYTES
from pages.shared.apart import Limits, apart, once
from pages.shared.curve_fields import NONE
from pages.shared.curve_models import RIDGED, ridge
from pages.shared.fields import Problem
from pages.shared.numbers import grouped
from pages.shared.settings import ALGORITHM_IDS, CURVE_MASKED_N, CurveSettings
from pages.shared.unfinished import wanted

POINTS = 200
MANY_POINTS = 100  # for four kernels and more: a slider's redraw is to stay under a quarter of a second
MAP_POINTS = 60  # beside a map, where they are but the numbers beside it
# From so many rows and algorithms on, counting under a mask takes longer than a slider may: up to two seconds.
HEAVY = 2**15
COUNT_LIMITS = Limits(seconds=60, memory=2 << 30)
MASKED_POINTS = 48  # under a mask every M is counted by itself
# From 16 words (a handful of registers) to four million (the shared memory of a whole accelerator); wider where asked.
LOW, HIGH = 2**4, 2**22
# What is drawn over M: the column of the sweep.
COLUMNS = {"io": "io", "multiplications": "multiplications", "slow": "peak_slow", "roofline": "intensity"}
DEFAULTS = {
    "qkv": ALGORITHM_IDS,
    "weights": ALGORITHM_IDS,
    "forward": ("forward-flash", "forward-small-cache"),
}
View = tuple[int, int]
Number = int | float


@dataclass(frozen=True)
class Curves:
    """Everything that is drawn or said for one point of the page: exact, from the closed forms.

    `columns` are the sweep's. `words` is the plotted quantity by algorithm and M, where the algorithm fits: words
    moved; multiplications; words of slow memory, inputs and outputs among them; flop a byte. `io` is always the words
    moved, `bound` the best lower bound by M, `floor` inputs + outputs.
    `crossing` is the M from which `first` never again moves more words than `second` (None where they do not change
    places, under a mask, or unless two are shown); `changes` every M at which they do.
    """

    settings: CurveSettings
    columns: dict[str, list[Any]]
    words: dict[str, dict[int, Number]]
    io: dict[str, dict[int, int]]
    bound: dict[int, int]
    memory: tuple[int, ...]
    floor: int
    least: dict[str, int]
    first: str = ""
    second: str = ""
    crossing: int | None = None
    changes: tuple[int, ...] = ()


def mask_of(settings: CurveSettings) -> str | None:
    """The mask's name for `kernels_ref`; None without one."""
    return None if settings.mask == NONE else settings.mask


def fitting(algorithms: tuple[str, ...], form: str) -> tuple[str, ...]:
    """Those of the algorithms that there are in this form; where none is, the form's usual two."""
    return tuple(name for name in algorithms if form in ALGORITHMS[name].forms) or DEFAULTS[form]


def settled(settings: CurveSettings) -> tuple[CurveSettings, list[Problem]]:
    """Settings that go together, and a problem for every one that did not: an address may combine anything."""
    problems = []
    used = fitting(settings.algorithms, settings.form)
    if used != settings.algorithms:
        known = ", ".join(name for name, entry in ALGORITHMS.items() if settings.form in entry.forms)
        asked = ", ".join(name for name in settings.algorithms if name not in used)
        problems.append(Problem("no_such_form", "algorithms", asked, ", ".join(used), (("known", known),)))
        settings = replace(settings, algorithms=used)
    if settings.form == "weights" and settings.heads > 1:
        problems.append(Problem("one_head", "heads", grouped(settings.heads), "1"))
        settings = replace(settings, heads=1)
    if mask_of(settings) and settings.n > CURVE_MASKED_N:
        problems.append(Problem("mask_rows", "mask", settings.mask, NONE, (("high", CURVE_MASKED_N),)))
        settings = replace(settings, mask=NONE)
    return settings, problems


def flop_per_byte(multiplications: int, words: int, dtype: str) -> float:
    """Arithmetic intensity; a multiplication and its addition are two operations."""
    return 2 * multiplications / (words * BYTES[dtype])


def least_memories(settings: CurveSettings) -> dict[str, int]:
    """Words below which each algorithm that is shown cannot run."""
    return {name: ALGORITHMS[name].least_memory(settings.d, form=settings.form) for name in settings.algorithms}


def grid(settings: CurveSettings, marks: set[int], view: View | None = None) -> list[int]:
    """The M to count at, `marks` among them; within `view` as finely as over all."""
    low = min(LOW, settings.memory)
    high = max(HIGH, 16 * settings.d**2, _power_of_four(settings.memory))
    points = POINTS if len(settings.algorithms) <= 3 else MANY_POINTS
    points = MAP_POINTS if settings.plot not in COLUMNS else points
    points = min(points, MASKED_POINTS) if mask_of(settings) else points
    finer = log_spaced(*view, points) if view else []
    return sorted({*log_spaced(low, high, points), *(mark for mark in {*marks, *finer} if low <= mark <= high)})


@dataclass(frozen=True)
class Sweep:
    """What does not depend on the reader's M: the columns of a sweep at `memory`, and where curves change places."""

    columns: dict[str, list[Any]]
    memory: tuple[int, ...]
    least: dict[str, int]
    first: str
    second: str
    crossing: int | None
    changes: tuple[int, ...]


def curves(settings: CurveSettings, view: View | None = None) -> Curves:
    """The sweep over M and its landmarks. The grid holds M itself, d^2, the least memories and the crossings.

    `view` is the range of M that the reader has zoomed into: there the grid is as fine as it was before over all.
    """
    # Far out an M widens the axis, and under a mask one more M may be a process more: such a sweep is its own.
    common = LOW <= settings.memory <= max(HIGH, 16 * settings.d**2) and not mask_of(settings)
    sweep = _sweep(replace(settings, memory=max(settings.d**2, LOW)) if common else settings, view)
    memory, columns = sweep.memory, sweep.columns
    if settings.memory not in memory:
        memory, columns = _with(settings, sweep)
    column = COLUMNS.get(settings.plot, "io")
    words: dict[str, dict[int, Number]] = {name: {} for name in settings.algorithms}
    io: dict[str, dict[int, int]] = {name: {} for name in settings.algorithms}
    n, d, form, heads = settings.n, settings.d, settings.form, settings.heads
    held = theory.floor(n, d, form=form, heads=heads)  # inputs and outputs lie in slow memory all the while
    rows = zip(*(columns[name] for name in ("algorithm", "memory", column, "io", "multiplications")), strict=True)
    for name, at, value, moved, products in rows:
        if moved is not None:
            io[name][at] = moved
            words[name][at] = value + held if column == "peak_slow" else value
            if column == "intensity":
                words[name][at] = flop_per_byte(products, moved, settings.dtype)
    bound = dict(zip(memory, columns["bound"][: len(memory)], strict=True))
    mask = mask_of(settings)
    floor = theory.floor(n, d, form=form, mask=None if mask is None else masks.named(mask, n, n), heads=heads)
    return Curves(
        settings, columns, words, io, bound, memory, floor, sweep.least, sweep.first, sweep.second, sweep.crossing,
        sweep.changes,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _sweep(settings: CurveSettings, view: View | None) -> Sweep:
    least = least_memories(settings)
    first, second, crossing, changes = _crossing(settings, least)
    memory = tuple(grid(settings, {settings.memory, settings.d**2, *least.values(), *changes}, view))
    return Sweep(_columns(settings, memory), memory, least, first, second, crossing, changes)


def _with(settings: CurveSettings, sweep: Sweep) -> tuple[tuple[int, ...], dict[str, list[Any]]]:
    """The grid and the columns with M among them: counts at one more M, put where they belong."""
    one = _columns(settings, (settings.memory,))
    place, length = bisect(sweep.memory, settings.memory), len(sweep.memory)
    columns: dict[str, list[Any]] = {}
    for name, values in sweep.columns.items():
        columns[name] = joined = []
        for k, value in enumerate(one[name]):  # a row an algorithm
            block = values[k * length : (k + 1) * length]
            joined += [*block[:place], value, *block[place:]]
    return (*sweep.memory[:place], settings.memory, *sweep.memory[place:]), columns


def _columns(settings: CurveSettings, memory: tuple[int, ...]) -> dict[str, list[Any]]:
    """The sweep at these M; where it takes long, in a process of its own."""
    s, mask = settings, mask_of(settings)
    asked: dict[str, Any] = {"n": s.n, "d": s.d, "memory": memory, "form": s.form, "mask": mask, "heads": s.heads}
    heavy = mask is not None and s.n * len(s.algorithms) > HEAVY
    return (_columns_apart if heavy else sweep_columns)(algorithms=s.algorithms, **asked)


@once(16, wanted)
def _columns_apart(**asked: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = apart("kernels_ref:sweep_columns", asked, COUNT_LIMITS, wanted)
    return found


def _crossing(settings: CurveSettings, least: dict[str, int]) -> tuple[str, str, int | None, tuple[int, ...]]:
    """Of two algorithms: the one that wins in the end, the other, from which M on, and every change of places."""
    if len(settings.algorithms) != 2 or mask_of(settings):
        return "", "", None, ()
    first, second = settings.algorithms
    if ends_with(settings, first, second) != first:
        first, second = second, first
    found = changes_of_places(settings, first, second)
    crossing = crossover(first, second, n=settings.n, d=settings.d, form=settings.form)
    if crossing is None or crossing <= max(least.values()):
        return first, second, None, ()
    return first, second, crossing, tuple(swap.memory for swap in found[1:])


def changes_of_places(settings: CurveSettings, first: str, second: str) -> tuple[Swap, ...]:
    """`kernels_ref.swaps` of two algorithms. Heads multiply both sides and change nothing."""
    return swaps(first, second, settings.n, settings.d, form=settings.form)


def ends_with(settings: CurveSettings, first: str, second: str) -> str:
    """Which of two moves fewer words however large M becomes; of a tie the one whose id stands first in the tables."""
    order = list(ALGORITHMS)
    one, other = sorted((first, second), key=order.index)
    return changes_of_places(settings, one, other)[-1].winner


def _power_of_four(words: int) -> int:
    return 1 << ((max(words, 1) - 1).bit_length() + 1 & ~1)


def csv(settings: CurveSettings, view: View | None = None) -> str:
    """The sweep behind a chart over M, whole and exact, as CSV; for a roofline flop a byte and the ridge besides."""
    data = curves(settings, view)
    frame = frame_of(data.columns)
    if settings.plot == "roofline":
        values: Any = [
            None if io is None else flop_per_byte(products, io, settings.dtype)
            for io, products in zip(frame["io"], frame["multiplications"], strict=True)
        ]
        device = RIDGED[settings.device]
        frame = frame.assign(dtype=settings.dtype, flop_per_byte=values, device=device.name, ridge=ridge(device))
    return str(frame.to_csv(index=False, lineterminator="\n"))
