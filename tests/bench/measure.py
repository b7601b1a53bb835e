"""How measurements are taken and printed."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the bench: what was measured, the figure, its unit, and what is wanted of it."""

    what: str
    figure: float
    unit: str
    wanted: str

    def __str__(self) -> str:
        figure = f"{self.figure:,.0f}" if self.figure >= 1000 else f"{self.figure:.3g}"
        return f"{self.what:<72}{figure:>12} {self.unit:<10} {self.wanted}"


def seconds(job: Callable[[], object], times: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median time of a job after one run that does not count. `time.process_time` leaves out other work."""
    job()
    return statistics.median(_once(job, clock) for _ in range(times))


def ratio(job: Callable[[], object], other: Callable[[], object], times: int = 5) -> float:
    """The median of job's time over other's, the two taken in turn so that a drifting machine slows both."""
    job(), other()
    return statistics.median(_once(job) / _once(other) for _ in range(times))


def _once(job: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    gc.collect()
    start = clock()
    job()
    return clock() - start


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]
