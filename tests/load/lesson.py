"""A lesson: everybody on the server at once, what they did and how long each answer took."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import psutil

from tests.load.acts import ACTS, PAGES, link, named
from tests.load.report import Act
from tests.load.visitor import Visitor

ALONE, ARRIVALS = 24, 6  # acts of a single visitor, and visitors, for the processor time of a page
HEAVIEST = "n=4096&d=512&m=262144"  # of the runs that the curves page takes on
RUNS, RESTS = 20.0, 20.0  # seconds, in turn: so other work on the machine falls on both alike
PATIENCE = 120.0  # seconds until everybody must be in


@dataclass
class Lesson:
    """So many sessions on one server, each with an act every `think` seconds, for `seconds` after all are in."""

    url: str
    server: psutil.Process
    sessions: int
    seconds: float
    think: float
    ramp: float
    acts_a_page: int
    coming_and_going: bool = False  # who has seen every page leaves, and somebody else comes
    acts: list[Act] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    busy: list[tuple[float, float]] = field(default_factory=list)  # when the heaviest run went on
    peak: float = 0.0  # MB of the server, at most
    workers_peak: float = 0.0  # MB of its workers, at most
    begun: float = math.inf  # everybody is in
    _in: int = 0

    async def hold(self, with_run: bool = False) -> None:
        """From the first deep link to the end."""
        others = [asyncio.create_task(self._measure())]
        if with_run:
            others.append(asyncio.create_task(self._run_and_rest()))
        await asyncio.gather(*(self._visit(number) for number in range(self.sessions)))
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def rss(self) -> float:
        """Megabytes (2^20 bytes) that the server holds now."""
        return self.server.memory_info().rss / 2**20

    def workers_rss(self) -> float:
        """Megabytes that processes of its own hold now: runs and searches."""
        total = 0
        for process in self.server.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
        return total / 2**20

    def over(self) -> bool:
        return time.monotonic() > self.begun + self.seconds

    async def _measure(self) -> None:
        while True:
            self.peak, self.workers_peak = max(self.peak, self.rss()), max(self.workers_peak, self.workers_rss())
            await asyncio.sleep(0.5)

    async def _visit(self, number: int) -> None:
        """One visitor, who goes from page to page until the end; or one after the other, each through all pages."""
        chance, visitor, turn = random.Random(number), Visitor(self.url), number
        pages = PAGES[number % len(PAGES) :] + PAGES[: number % len(PAGES)]
        await asyncio.sleep(self.ramp * number / self.sessions)
        try:
            self._note("first", pages[0], await visitor.open(pages[0], link(pages[0], number)))
            self._enter()
            for page, kind in self._tour(pages):
                await asyncio.sleep(self.think * chance.uniform(0.5, 1.5))
                if self.over():
                    break
                turn += 1
                if kind == "first":
                    self.errors += visitor.errors
                    await visitor.close()
                    visitor = Visitor(self.url)
                    answer = visitor.open(page, link(page, turn))
                else:
                    answer = visitor.go(page) if kind == "page" else ACTS[page](visitor, chance, turn)
                self._note(kind, page, await answer)
        except Exception as error:  # counted and printed: one lost visitor does not end the others' lesson
            self.errors.append(f"{named(pages[0])}, visitor {number}: {type(error).__name__}: {error}"[:200])
            self._enter()
        finally:
            self.errors += visitor.errors
            await visitor.close()

    def _tour(self, pages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Pages and what is done: some acts, then on to the next page; for ever."""
        while True:
            for page, following in zip(pages, (*pages[1:], pages[0]), strict=True):
                yield from [(page, "act")] * self.acts_a_page
                yield following, "first" if self.coming_and_going and following == pages[0] else "page"

    def _enter(self) -> None:
        self._in += 1
        if self._in == self.sessions:
            self.begun = time.monotonic()

    def _note(self, kind: str, page: str, seconds: float) -> None:
        self.acts.append(Act(kind, named(page), time.monotonic() - seconds, seconds))

    async def _run_and_rest(self) -> None:
        """One more visitor has the heaviest run made, again and again, with rests between."""
        visitor = Visitor(self.url)
        await visitor.open("curves", HEAVIEST)
        while not self.over():
            await asyncio.sleep(RESTS)
            start = time.monotonic()
            while time.monotonic() < start + RUNS:
                if "curves.run.cancel" in visitor.elements:
                    await visitor.again("curves.run.cancel")
                else:
                    await visitor.press("curves.run")
                await asyncio.sleep(0.5)
            self.busy.append((start, time.monotonic()))
            await visitor.press("curves.run.cancel")
            while "curves.run.cancel" in visitor.elements:
                await asyncio.sleep(0.5)
                visitor.elements.pop("curves.run.cancel")
                await visitor.again("curves.run")
        self.errors += visitor.errors
        await visitor.close()


@dataclass(frozen=True)
class PageCost:
    """What one visitor alone costs on one page. Processor times are the server's, in milliseconds."""

    page: str
    first_cpu: float  # for a first load, once the first visitor of all has been
    first_kb: float
    act_cpu: float
    act_kb: float
    seconds: list[float]


async def alone(url: str, server: psutil.Process, page: str) -> PageCost:
    """A visitor acts on one page, without pauses; before that some come and go."""
    chance = random.Random(page)
    await _leave(await _arrived(url, page, 3))  # the first of all pays for imports and caches
    before = cpu(server)
    for _ in range(ARRIVALS):
        await _leave(await _arrived(url, page, 3))
    first_cpu = (cpu(server) - before) / ARRIVALS
    visitor = await _arrived(url, page, 3)
    first = visitor.received
    await ACTS[page](visitor, chance, 0)
    received, before = visitor.received, cpu(server)
    seconds = [await ACTS[page](visitor, chance, turn) for turn in range(1, ALONE + 1)]
    act_cpu, act_bytes = (cpu(server) - before) / ALONE, (visitor.received - received) / ALONE
    await _leave(visitor)
    return PageCost(named(page), first_cpu, first / 1000, act_cpu, act_bytes / 1000, seconds)


def cpu(server: psutil.Process) -> float:
    """Milliseconds of processor time that the server has used so far."""
    times = server.cpu_times()
    return 1000 * (times.user + times.system)


async def _arrived(url: str, page: str, number: int) -> Visitor:
    visitor = Visitor(url)
    await visitor.open(page, link(page, number))
    return visitor


async def _leave(visitor: Visitor) -> None:
    await visitor.close()
    if visitor.errors:
        raise RuntimeError(visitor.errors[0])
