"""How fast the machines are, as ratios, in CPU time where the work is one process's. ``python -m tests.bench kernels``.

plain        the NumPy machine against the reference's plain NumPy, forward and backward each (n = 2048, d = 64)
closed       closed forms of every dense kernel in every form for 200 memories, together
masked       counts at n = 16,384 under a mask of 64 x 64 blocks
replay       counting against replaying the same word accesses through an LRU cache of M words (n = 512)
resident     this process's memory after a flash run at n = 16,384, d = 64 (minutes of work)
"""

from __future__ import annotations

import resource
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from kernels_ref import ALGORITHMS, backward, count, log_spaced, masks, reference
from kernels_ref.checks import random_problem
from kernels_ref.counts import closed_form
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.pebbling import PebbleMemory
from kernels_ref.products import best_tile
from kernels_ref.runs import execute
from tests.bench.measure import Row

BACKWARD = [name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms]


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """CPU seconds of the quickest of some runs: wall time says little on a shared machine."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def rows() -> Iterator[Row]:
    yield from closed()
    yield from masked()
    yield from replay()
    yield from plain()
    if "large" in sys.argv:
        yield from resident()


def plain(n: int = 2048, d: int = 64) -> Iterator[Row]:
    problem = random_problem(n, n, d, 0)
    base = seconds(lambda: (reference.forward(*problem[:3]), reference.backward(*problem)))
    for memory in (d * d // 16, d * d, 4 * d * d):
        for name in BACKWARD:
            if memory >= ALGORITHMS[name].least_memory(d):
                spent = seconds(lambda name=name, memory=memory: backward(name, *problem, memory=memory), 2)
                wanted = "<= 6" if memory < d * d else "<= 1.3" if "flash" in name else "<= 1.5"
                wanted = "" if name == "standard" else wanted  # the baseline, of neither family
                yield Row(f"{name}, n = {n}, d = {d}, M = {memory}, against plain NumPy", spent / base, "x", wanted)


def closed() -> Iterator[Row]:
    def work() -> None:
        best_tile.cache_clear()
        for name, form in kernels:
            closed_form(name, 4096, 4096, 64, memories, form=form)

    kernels = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]
    memories = log_spaced(1024, 2**20, 200)
    yield Row(f"closed forms of {len(kernels)} dense kernels at 200 memories", 1000 * seconds(work), "ms", "under 100")


def masked(n: int = 16384, d: int = 64) -> Iterator[Row]:
    mask = masks.block(np.random.default_rng(0).random((64, 64)) < 0.3, n, n)
    for name, entry in ALGORITHMS.items():
        for form in entry.forms:
            spent = seconds(partial(count, name, n=n, d=d, memory=4096, form=form, mask=mask), 1)
            yield Row(f"masked count, {name} ({form}), n = {n}, 64 x 64 blocks", 1000 * spent, "ms", "under 500")


class LruReplay(PebbleMemory):
    """Replays every word access of a kernel through one LRU cache: what a cache simulator would do."""

    def __init__(self, words: int) -> None:
        super().__init__(words)
        self.cache: OrderedDict[object, None] = OrderedDict()
        self.misses = 0

    def _touch(self, word: object) -> None:
        if word in self.cache:
            self.cache.move_to_end(word)
            return
        self.misses += 1
        self.cache[word] = None
        if len(self.cache) > self.words:
            self.cache.popitem(last=False)

    def _multiplied(self, target, left, right) -> None:  # type: ignore[no-untyped-def]
        names = [block.region.tensor.name for block in (target, left, right)]
        rows, columns, inner = (range(tile.start, tile.stop) for tile in (left.rows, right.columns, left.columns))
        for row in rows:
            for column in columns:
                for k in inner:
                    self._touch((names[1], row, k))
                    self._touch((names[2], k, column))
                    self._touch((names[0], row, column))

    def _loaded(self, region):  # type: ignore[no-untyped-def]
        return {}

    _resumed = _streamed = _loaded


def replay(n: int = 512, d: int = 8, memory: int = 1024) -> Iterator[Row]:
    """The project's own LRU, products only, measured at n / 8 and scaled by its accesses (64 times as many).

    Against it the closed form, and the counting machine with several tiles at once, which runs the kernel's own lines.
    """
    for name in ("flash2", "small-cache"):
        spent = seconds(lambda name=name: execute(name, LruReplay(memory), n // 8, n // 8, d), 1) * 64
        quick = seconds(lambda name=name: [count(name, n=n, d=d, memory=memory) for _ in range(100)]) / 100
        yield Row(
            f"replay through an LRU cache against the closed form, {name}, n = {n}", spent / quick, "x", ">= 1000"
        )
        quick = seconds(
            lambda name=name: [execute(name, TwoLevelMemory(memory, rows_at_once=512), n, n, d) for _ in range(20)]
        ) / 20  # fmt: skip
        yield Row(
            f"replay through an LRU cache against the counting machine, {name}, n = {n}", spent / quick, "x", ">= 1000"
        )


def resident(n: int = 16384, d: int = 64) -> Iterator[Row]:
    problem = random_problem(n, n, d, 0)
    for name in ("flash2", "flash-two-sweep"):
        backward(name, *problem, memory=d * d)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        yield Row(f"{name}, n = {n}: resident at most", peak, "GB", "under 1")
