"""How fast the machines are, as ratios. Run by hand: ``python -m tests.bench.kernels``. Nothing here asserts a time.

plain        the NumPy machine against the reference's plain NumPy backward pass (n = 2048, d = 64)
closed       closed forms of every dense kernel for 200 memories, together
masked       counts at n = 16,384 under a mask of 64 x 64 blocks, and of 64 x 64 entries a block
replay       the counting machine against replaying the same word accesses through an LRU cache of M words (n = 512)
resident     this process's memory after a flash run at n = 16,384, d = 64 (``--large``; minutes of work)
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

import numpy as np

from kernels_ref import ALGORITHMS, backward, count, log_spaced, masks, reference
from kernels_ref.checks import random_problem
from kernels_ref.counts import closed_form
from kernels_ref.pebbling import PebbleMemory
from kernels_ref.products import best_tile
from kernels_ref.runs import execute

BACKWARD = [name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms]


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """CPU seconds of the quickest of some runs: wall time says little on a shared machine."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def plain(n: int = 2048, d: int = 64) -> None:
    problem = random_problem(n, n, d, 0)
    base = seconds(lambda: (reference.forward(*problem[:3]), reference.backward(*problem)))
    print(f"plain NumPy, forward and backward, n = {n}, d = {d}: {base:.2f} s")
    for memory in (d * d // 16, d * d, 4 * d * d):
        for name in BACKWARD:
            if memory >= ALGORITHMS[name].least_memory(d):
                spent = seconds(lambda name=name, memory=memory: backward(name, *problem, memory=memory), 2)
                print(f"  M = {memory:>6}  {name:<18} {spent:6.2f} s  {spent / base:5.2f} x")


def closed() -> None:
    def work() -> None:
        best_tile.cache_clear()
        for name in BACKWARD:
            closed_form(name, 4096, 4096, 64, log_spaced(1024, 2**20, 200))

    print(f"closed forms of {len(BACKWARD)} kernels at 200 memories: {1000 * seconds(work):.0f} ms")


def masked(n: int = 16384, d: int = 64) -> None:
    for blocks in (64, n // 64):
        mask = masks.block(np.random.default_rng(0).random((blocks, blocks)) < 0.3, n, n)
        for name in BACKWARD:
            for memory in (1024, 4096, 65536):
                spent = seconds(partial(count, name, n=n, d=d, memory=memory, mask=mask), 1)
                print(f"  {blocks} x {blocks} blocks  M = {memory:>6}  {name:<18} {1000 * spent:6.1f} ms")


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


def replay(n: int = 512, d: int = 8, memory: int = 1024) -> None:
    """The replay itself is measured at n / 8, and scaled by its accesses (64 times as many)."""
    for name in ("flash2", "small-cache"):
        spent = seconds(lambda name=name: execute(name, LruReplay(memory), n // 8, n // 8, d), 1) * 64
        quick = seconds(lambda name=name: [count(name, n=n, d=d, memory=memory) for _ in range(100)]) / 100
        print(f"  n = {n}  {name:<12} LRU replay {spent:.1f} s, count {1e6 * quick:.0f} us: {spent / quick:,.0f} x")


def resident(n: int = 16384, d: int = 64) -> None:
    problem = random_problem(n, n, d, 0)
    for name in ("flash2", "flash-two-sweep"):
        start = time.process_time()
        backward(name, *problem, memory=d * d)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"  n = {n}  {name:<16} {time.process_time() - start:.0f} s, resident at most {peak:.2f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Speed of the kernels' machines, as ratios.")
    parser.add_argument("--large", action="store_true", help="also measure memory at n = 16,384")
    large = parser.parse_args().large
    closed()
    masked()
    replay()
    plain()
    if large:
        resident()
