"""How fast curves are, in CPU seconds. Run by hand: ``python -m tests.bench.curves``. Nothing here asserts a time.

closed       closed forms of every dense kernel in every form for 200 memories, together, without what was cached
bounds       the best lower bound at 200 memories, by form
sweep        the DataFrame of every backward kernel at 200 memories, bounds and ratios included
winners      the winner map of every backward kernel, 20 widths by 50 memories
swaps        every exact swap of two curves, n = 2^20
fits         both regimes, every algorithm, the envelope
"""

from __future__ import annotations

from kernels_ref import ALGORITHMS, Shape, fits, log_spaced, swaps, sweep, winner_map
from kernels_ref.bounds import lower_bounds
from kernels_ref.counts import closed_form
from kernels_ref.products import best_tile
from kernels_ref.sweep import _known_swaps
from tests.bench.kernels import BACKWARD, seconds

MEMORIES = log_spaced(1024, 2**20, 200)


def closed() -> None:
    best_tile.cache_clear()
    for name, entry in ALGORITHMS.items():
        for form in entry.forms:
            closed_form(name, 4096, 4096, 64, MEMORIES, form=form)


def find_swaps() -> None:
    _known_swaps.cache_clear()
    best_tile.cache_clear()
    swaps("flash-two-sweep", "small-cache-outer", 2**20, 128)


def fit_all() -> None:
    for regime in fits.REGIMES:
        for name in ALGORITHMS:
            fits.fit(name, regime)
        fits.fit_envelope(regime)


if __name__ == "__main__":
    kernels = sum(len(entry.forms) for entry in ALGORITHMS.values())
    print(f"closed forms, {kernels} kernels x {len(MEMORIES)} memories: {1000 * seconds(closed):.0f} ms")
    for form in ("qkv", "forward", "weights"):
        spent = seconds(lambda form=form: lower_bounds(form, Shape(4096, 4096, 64, 64), MEMORIES))
        print(f"bounds, {form}: {1000 * spent:.0f} ms")
    print(f"sweep, {len(BACKWARD)} kernels: {1000 * seconds(lambda: sweep(BACKWARD, 4096, 64, MEMORIES)):.0f} ms")
    grid = list(range(16, 336, 16)), log_spaced(64, 2**18, 50)
    print(f"winner map, 20 x 50: {1000 * seconds(lambda: winner_map(4096, *grid, BACKWARD)):.0f} ms")
    print(f"swaps: {1000 * seconds(find_swaps):.0f} ms")
    print(f"fits: {1000 * seconds(fit_all):.0f} ms")
