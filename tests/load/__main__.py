"""`make loadtest`: a class on a freshly started server, and whether the promises hold. Exit status 1 when one does not.

    make loadtest                                100 visitors, every page in turn, an act every 5 seconds
    make loadtest ARGS="--sessions 300"
    make loadtest ARGS=--with-run                one more visitor has the heaviest run made, with rests between
    make loadtest ARGS="--soak 60 --csv soak.csv"
    make loadtest ARGS=--pages                   only what one visitor alone costs, page by page
    make loadtest ARGS=--malformed               10,000 malformed messages, 1,000 malformed links (`tests.load.siege`)

Every visitor is a websocket that opens a deep link, moves something there, goes on to the next page (`tests.load.acts`
says what is moved). Server and visitors share this machine. The load average stands beside the figures: on a machine
that does other work too, processor time says more than the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import psutil

from tests.bench.measure import percentile
from tests.load.acts import PAGES
from tests.load.lesson import Lesson, alone, cpu
from tests.load.report import GROWTH, RISE, growth, milliseconds, missed, rise, table, targets_for
from tests.load.siege import Siege, tracebacks
from tests.server import Server, running_server

MOST = 500  # sessions: more than that is another kind of test


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make loadtest", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120, help="how long, once everybody is in")
    parser.add_argument("--think", type=float, default=5, help="seconds between two acts of a visitor, on average")
    parser.add_argument("--ramp", type=float, default=5, help="seconds in which everybody comes in")
    parser.add_argument("--acts", type=int, default=2, help="acts on a page before the next page")
    parser.add_argument("--with-run", action="store_true", help="and what the heaviest run does to the others")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="this long; visitors come and go")
    parser.add_argument("--csv", type=Path, help="where the soak's minutes go")
    parser.add_argument("--pages", action="store_true", help="no class: processor time and bytes page by page")
    parser.add_argument("--malformed", action="store_true", help="no class: what no browser of ours would send")
    parser.add_argument("--messages", type=int, default=10_000, help="malformed ones")
    parser.add_argument("--links", type=int, default=1_000, help="malformed ones")
    parser.add_argument("--seed", type=int, default=1, help="of what is malformed")
    asked = parser.parse_args()
    if not 1 <= asked.sessions <= MOST:
        parser.error(f"between 1 and {MOST} sessions, not {asked.sessions}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} (runnable processes), {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), strict=not asked.malformed) as server:
        process = psutil.Process(server.process.pid)
        idle = process.memory_info().rss / 2**20
        if asked.malformed:
            broken = asyncio.run(besieged(asked, server, process))
        else:
            broken = [] if asked.pages else asyncio.run(classroom(asked, server.url, process, idle))
        if not asked.soak and not asked.malformed:
            asyncio.run(pages(server.url, process))
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    for sentence in broken:
        print(f"MISSED: {sentence}")
    sys.exit(1 if broken else 0)


async def classroom(asked: argparse.Namespace, url: str, server: psutil.Process, idle: float) -> list[str]:
    """Hold the lesson, print what it was like; the targets that were missed."""
    seconds = 60 * asked.soak if asked.soak else 2 * asked.seconds if asked.with_run else asked.seconds
    lesson = Lesson(url, server, asked.sessions, seconds, asked.think, asked.ramp, asked.acts, bool(asked.soak))
    before = cpu(server)
    minutes: list[tuple[int, float]] = []
    clock = asyncio.create_task(soak(lesson, minutes, asked.csv)) if asked.soak else None
    await lesson.hold(asked.with_run)
    if clock:
        clock.cancel()
        await asyncio.gather(clock, return_exceptions=True)
    used = cpu(server) - before
    rows = [("", "count", "p50 ms", "p95 ms", "worst ms")]
    for kind, words in (("first", "first load, deep link"), ("page", "another page"), ("act", "a slider, a move")):
        figures = [f"{milliseconds(lesson.acts, share, kind):.0f}" for share in (0.5, 0.95, 1)]
        rows.append((words, str(sum(act.kind == kind for act in lesson.acts)), *figures))
    pages = sorted({act.page for act in lesson.acts})
    for page in pages:
        here = [act for act in lesson.acts if act.page == page]
        figures = [f"{milliseconds(here, share, 'act'):.0f}" for share in (0.5, 0.95, 1)]
        rows.append((f"  {page}", str(sum(act.kind == "act" for act in here)), *figures))
    print(f"\n{asked.sessions} sessions, {seconds:.0f} s, an act every {asked.think:g} s\n{table(rows)}")
    workers = f"; its workers {lesson.workers_peak:.0f} MB" if lesson.workers_peak else ""
    print(f"server memory: {idle:.0f} MB idle, {lesson.peak:.0f} MB at most{workers}")
    print(f"server processor time: {used / max(1, len(lesson.acts)):.1f} ms a run of a page, all told")
    print(f"errors: {len(lesson.errors)}")
    for error in dict.fromkeys(lesson.errors[:5]):
        print(f"  {error}")
    p95 = milliseconds(lesson.acts, 0.95, "act")
    first = milliseconds(lesson.acts, 0.95, "first")
    broken = missed(targets_for(asked.sessions), p95, first, lesson.peak, len(lesson.errors))
    if asked.with_run:
        broken += beside_a_run(lesson, asked.think)
    if asked.soak:
        grown = growth(minutes)
        print(f"growth of memory after the first ten minutes: {100 * grown:.1f} %")
        if grown > GROWTH:
            broken.append(f"memory grew by {100 * grown:.1f} %, at most {100 * GROWTH:.0f} % wanted")
    return broken


async def besieged(asked: argparse.Namespace, server: Server, process: psutil.Process) -> list[str]:
    """Hold the siege, print what came of it; what did not hold."""
    siege = Siege(server.url, process, asked.messages, asked.links, asked.seed)
    await siege.hold()
    rows = [("what was sent", "came of it", "times")]
    rows += [(kind, came, str(times)) for (kind, came), times in sorted(siege.results.items())]
    ours, others = tracebacks(server.printed())
    print(f"{table(rows)}\n\nexceptions shown to who sent them: {len(siege.shown)}, by their type alone")
    for kind, times in Counter(words.split(":")[1].strip() for words in siege.shown).most_common():
        print(f"  {times} {kind}")
    print(f"tracebacks in the log: {len(ours)} of ours, {others} of Streamlit's; {len(server.printed()) / 1e6:.1f} MB")
    print(f"the good visitor: {siege.acts} acts; errors: {len(siege.errors)}")
    print(f"server memory, MB: {' '.join(f'{rss:.0f}' for _, rss in siege.memory)}")
    print(f"growth over the second half: {100 * siege.growth:.1f} %")
    broken = [*dict.fromkeys(siege.errors[:20]), *(f"in the log: {block[-600:]}" for block in ours[:5])]
    if server.process.poll() is not None:
        broken.append("the server has died")
    elif left := await siege.left():
        broken.append(f"{left} connections are left")
    if not siege.growth <= GROWTH:
        broken.append(f"memory grew by {100 * siege.growth:.1f} %, at most {100 * GROWTH:.0f} % wanted")
    return broken


def beside_a_run(lesson: Lesson, think: float) -> list[str]:
    """What one visitor's heaviest run did to the others."""
    rest, busy = rise(lesson.acts, lesson.busy, warm=lesson.begun + 2 * think)
    by = busy / rest - 1
    print(f"p95 of the others: {rest:.0f} ms without a run, {busy:.0f} ms beside the heaviest one ({100 * by:+.0f} %)")
    return (
        [] if by <= RISE else [f"a run raises the others' p95 by {100 * by:.0f} %, at most {100 * RISE:.0f} % wanted"]
    )


async def soak(lesson: Lesson, minutes: list[tuple[int, float]], path: Path | None) -> None:
    """A line a minute: memory, answers, errors. Kept as it goes, so that a soak cut short is not lost."""
    head = ("minute", "rss_mb", "acts", "p50_ms", "p95_ms", "errors", "load_average")
    lines = [head]
    print("  ".join(head))
    seen, minute = 0, 0
    while True:
        await asyncio.sleep(60)
        minute += 1
        acts, seen = lesson.acts[seen:], len(lesson.acts)
        rss = lesson.rss()
        minutes.append((minute, rss))
        answers = [f"{milliseconds(acts, share, 'act', 'page'):.1f}" for share in (0.5, 0.95)]
        load = f"{os.getloadavg()[0]:.1f}"
        lines.append((str(minute), f"{rss:.1f}", str(len(acts)), *answers, str(len(lesson.errors)), load))
        print("  ".join(lines[-1]), flush=True)
        if path:
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)


async def pages(url: str, server: psutil.Process) -> None:
    """What one visitor alone costs on each page."""
    rows = [("one visitor alone", "CPU ms: first load", "an act", "kB: first load", "an act", "act p50 ms", "p95 ms")]
    for page in PAGES:
        cost = await alone(url, server, page)
        figures = (cost.first_cpu, cost.act_cpu, cost.first_kb, cost.act_kb)
        answers = (1000 * percentile(cost.seconds, share) for share in (0.5, 0.95))
        rows.append((cost.page, *(f"{figure:.1f}" for figure in figures), *(f"{answer:.0f}" for answer in answers)))
    print(f"\n{table(rows)}")


if __name__ == "__main__":
    main()
