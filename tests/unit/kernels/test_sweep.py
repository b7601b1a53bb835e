"""Curves, and where they cross."""

import pytest

from kernels_ref import BadInput, count, crossover, log_spaced, swaps, sweep, theory


def test_a_row_is_what_count_says():
    memories = [2, 3, 100, 386, 4096]
    frame = sweep(["flash2", "small-cache"], n=100, d=64, memory=memories)
    assert len(frame) == 2 * len(memories)
    for row in frame.itertuples():
        counts = count(row.algorithm, n=100, d=64, memory=row.memory)
        assert row.fits == counts.fits
        assert row.least_memory == counts.least_memory
        for name in ("loads", "stores", "io", "multiplications", "peak_fast", "peak_slow"):
            assert getattr(row, name) == getattr(counts, name)


def test_totals_stay_python_ints():
    frame = sweep(["flash2"], n=2**40, d=64, memory=[1000])
    assert type(frame["io"][0]) is int
    assert frame["io"][0] > 2**80


@pytest.mark.parametrize(("n", "d"), [(5, 3), (64, 8), (200, 6), (37, 16)])
def test_swaps_against_every_memory(n, d):
    low = 6 * d + 2
    high = max(40 * n * d, 3 * n * n + 3 * d * d)
    frame = sweep(["flash2", "small-cache"], n=n, d=d, memory=range(low, high))
    flash, small = (frame[frame.algorithm == name]["io"].tolist() for name in ("flash2", "small-cache"))
    winners = ["flash2" if a <= b else "small-cache" for a, b in zip(flash, small, strict=True)]
    changes = [(low, winners[0])]
    changes += [(low + k, winners[k]) for k in range(1, len(winners)) if winners[k] != winners[k - 1]]
    assert [tuple(swap) for swap in swaps("flash2", "small-cache", n=n, d=d)] == changes
    assert crossover("flash2", "small-cache", n=n, d=d) == changes[-1][0]
    assert changes[-1][1] == "flash2"


@pytest.mark.parametrize("d", [16, 64, 128, 512])
def test_the_crossover_is_near_d_squared(d):
    found = crossover("flash2", "small-cache", n=2**14, d=d)
    assert 0.5 * d * d < found < 1.5 * d * d
    before, after = (
        [count(name, n=2**14, d=d, memory=words).io for name in ("flash2", "small-cache")]
        for words in (found - 1, found)
    )
    assert before[0] > before[1]
    assert after[0] <= after[1]


def test_log_spaced():
    assert log_spaced(1, 8, 4) == [1, 2, 4, 8]
    assert log_spaced(3, 5, 200) == [3, 4, 5]
    assert log_spaced(7, 7, 1) == [7]
    points = log_spaced(512, 2**40, 200)
    assert (points[0], points[-1], len(points)) == (512, 2**40, 200)
    for bad in ((0, 5, 3), (5, 4, 3), (1, 9, 0), (1, 9, 1)):
        with pytest.raises(BadInput):
            log_spaced(*bad)


def test_the_arms_of_theta_meet_at_d_squared():
    for d in (8, 64, 512):
        assert theory.theta_flash(4096, d, d * d) == pytest.approx(theory.theta_small_cache(4096, d, d * d))
        assert theory.theta_flash(4096, d, 4 * d * d) < theory.theta_small_cache(4096, d, 4 * d * d)
        assert theory.theta(4096, d, d * d // 4) == theory.theta_small_cache(4096, d, d * d // 4)
        assert theory.crossover_formula(d) == d * d


def test_the_floor_is_inputs_and_outputs():
    assert theory.floor(4096, 64) == 7 * 4096 * 64 + 2 * 4096
    assert theory.floor(n_q=2, n_k=5, d=3) == (2 * 2 + 2 * 5) * 3 + 2 * 2 + (2 + 2 * 5) * 3
