"""What a class saw, in numbers: percentiles, a table, which targets were missed. Reads no clock, sends nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.bench.measure import percentile

SETTLED = 10  # minutes of a soak after which memory should no longer grow


class Act(NamedTuple):
    """One thing that a visitor did."""

    kind: str  # "first" (the deep link), "page" (another page), "act" (a slider, a move)
    page: str
    at: float  # when it began, in seconds of one clock
    seconds: float


@dataclass(frozen=True)
class Targets:
    """What is promised. Milliseconds and megabytes (2^20 bytes); None where nothing is."""

    p95: float | None
    first_p95: float | None = None
    rss: float | None = None
    errors: int = 0


TARGETS = {100: Targets(p95=250, first_p95=2000, rss=400), 300: Targets(p95=1000)}
RISE = 0.5  # the most that one visitor's run may add to the p95 of the others
GROWTH = 0.05  # the most that resident memory may grow in a soak, once settled


def targets_for(sessions: int) -> Targets:
    """The promise for so many sessions: that of the next larger class; none beyond the largest."""
    larger = [size for size in sorted(TARGETS) if size >= sessions]
    return TARGETS[larger[0]] if larger else Targets(p95=None)


def milliseconds(acts: Iterable[Act], share: float, *kinds: str) -> float:
    """A percentile of the acts of these kinds; NaN when there are none."""
    found = [1000 * act.seconds for act in acts if act.kind in kinds]
    return percentile(found, share) if found else float("nan")


def missed(targets: Targets, p95: float, first_p95: float, rss: float, errors: int) -> list[str]:
    """Every target that does not hold, a sentence each. A measurement that is NaN holds nothing."""
    checks = (
        ("p95", p95, targets.p95, "ms"),
        ("first load p95", first_p95, targets.first_p95, "ms"),
        ("server memory", rss, targets.rss, "MB"),
        ("errors", float(errors), float(targets.errors), ""),
    )
    return [
        f"{name} {found:.0f} {unit}".strip() + f", at most {most:.0f} wanted"
        for name, found, most, unit in checks
        if most is not None and not found <= most
    ]


def rise(acts: Sequence[Act], busy: Sequence[tuple[float, float]], warm: float) -> tuple[float, float]:
    """p95 in ms of what began outside the `busy` intervals, after `warm`, and of what began inside them."""
    later = [act for act in acts if act.at >= warm and act.kind == "act"]
    inside = [act for act in later if any(start <= act.at < end for start, end in busy)]
    outside = [act for act in later if act not in set(inside)]
    return milliseconds(outside, 0.95, "act"), milliseconds(inside, 0.95, "act")


def growth(minutes: Sequence[tuple[int, float]], settled: int = SETTLED) -> float:
    """Growth of memory (minute, MB) from `settled` to the last minute, as a share; NaN before that.

    Each end is the middle of three minutes, so that one moment decides nothing.
    """
    later = [rss for minute, rss in minutes if minute >= settled]
    if len(later) < 2:
        return float("nan")
    first, last = sorted(later[:3]), sorted(later[-3:])
    return last[len(last) // 2] / first[len(first) // 2] - 1


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    )
    return "\n".join("  ".join(line) for line in lines)
