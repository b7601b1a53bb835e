"""How fast curves are, in CPU seconds. ``python -m tests.bench curves``.

bounds       the best lower bound at 200 memories, by form
sweep        the DataFrame of every backward kernel at 200 memories, bounds and ratios included
winners      the winner map of every backward kernel, 20 widths by 50 memories
swaps        every exact swap of two curves, n = 2^20
fits         both regimes, every algorithm, the envelope
answers      what the server does for a move of a slider: counts, figure and words, nothing known before
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from kernels_ref import ALGORITHMS, Shape, fits, log_spaced, swaps, sweep, winner_map
from kernels_ref.bounds import lower_bounds
from kernels_ref.products import best_tile
from kernels_ref.sweep import _known_swaps
from pages.shared import curve_data, curves
from pages.shared.settings import ALGORITHM_IDS, CurveSettings
from tests.bench.kernels import BACKWARD, seconds
from tests.bench.measure import Row

MEMORIES = log_spaced(1024, 2**20, 200)


def find_swaps() -> None:
    _known_swaps.cache_clear()
    best_tile.cache_clear()
    swaps("flash-two-sweep", "small-cache-outer", 2**20, 128)


def fit_all() -> None:
    for regime in fits.REGIMES:
        for name in ALGORITHMS:
            fits.fit(name, regime)
        fits.fit_envelope(regime)


def answer(algorithms: tuple[str, ...]) -> None:
    for cached in (best_tile, curve_data.curves, curves.payload):
        cached.cache_clear()
    curves.payload(CurveSettings(algorithms=algorithms), "en")


def rows() -> Iterator[Row]:
    shape = Shape(4096, 4096, 64, 64)
    for form in ("qkv", "forward", "weights"):
        yield milliseconds(f"best lower bound, {form}", partial(lower_bounds, form, shape, MEMORIES))
    yield milliseconds(f"sweep, {len(BACKWARD)} kernels, with bounds", lambda: sweep(BACKWARD, 4096, 64, MEMORIES))
    grid = list(range(16, 336, 16)), log_spaced(64, 2**18, 50)
    yield milliseconds("winner map, 20 widths x 50 memories", lambda: winner_map(4096, *grid, BACKWARD))
    yield milliseconds("every swap of two curves, n = 2^20", find_swaps)
    yield milliseconds("fits, both regimes, all algorithms", fit_all)
    for algorithms in (ALGORITHM_IDS, tuple(BACKWARD)):
        yield milliseconds(f"an answer of the page, {len(algorithms)} kernels", partial(answer, algorithms))


def milliseconds(what: str, work: Callable[[], object]) -> Row:
    return Row(what, 1000 * seconds(work), "ms", "")
