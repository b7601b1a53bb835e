"""Sweeps over grids, who wins where, and swaps in every form, under masks and with heads."""

import itertools

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, BadInput, count, crossover, lower_bound, masks, swaps, sweep, winner_map
from kernels_ref.counts import closed_form
from kernels_ref.sizes import Shape

KERNELS = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]
NAMED = {"loads", "stores", "io", "multiplications", "peak_fast", "peak_slow", "fits", "least_memory"}


def test_a_grid_has_one_row_a_combination():
    frame = sweep(
        ["flash2", "small-cache", "flash1"], n=[10, 20], d=[3, 4], memory=[9, 100, 1000], form=["qkv", "weights"],
        mask=[None, "causal", "window:3"],
    )  # fmt: skip
    assert len(frame) == 2 * 2 * 3 * 3 * (3 + 2), "flash1 has no weights form"
    keys = ["algorithm", "form", "n_q", "d", "memory", "mask"]
    assert not frame.duplicated(keys).any()
    for row in frame.sample(40, random_state=1).itertuples():
        mask = None if row.mask is None else masks.named(row.mask, row.n_q, row.n_k)
        counts = count(row.algorithm, n=row.n_q, d=row.d, memory=row.memory, form=row.form, mask=mask)
        assert {name: getattr(row, name) for name in NAMED} == {name: getattr(counts, name) for name in NAMED}
        assert row.kept == (row.n_q**2 if mask is None else mask.words)
        bound = lower_bound(row.form, Shape(row.n_q, row.n_k, row.d, row.d, mask), row.memory)
        assert (row.bound, row.bound_name) == (bound.words, bound.name)
        if counts.fits:
            assert row.intensity == counts.multiplications / counts.io
            assert row.ratio == counts.io / bound.words >= 1
        else:
            assert row.intensity is row.ratio is None


def test_the_old_columns_come_first():
    frame = sweep(["flash2"], n=8, d=2, memory=[100])
    assert list(frame)[:14] == [
        "algorithm", "form", "n_q", "n_k", "d", "memory", "loads", "stores", "io", "multiplications", "peak_fast",
        "peak_slow", "fits", "least_memory",
    ]  # fmt: skip
    assert sweep([], n=8, d=2, memory=[100]).empty
    assert sweep(["flash2"], n=8, d=2).empty


def test_heads_and_a_mask_by_itself():
    keep = np.tri(6, 6, dtype=bool)
    frame = sweep(["flash2"], n=6, d=2, memory=[60], heads=4, kv_heads=2, mask=keep)
    assert frame["io"][0] == count("flash2", n=6, d=2, memory=60, heads=4, kv_heads=2, mask=keep).io
    assert (frame["mask"][0], frame["kept"][0], frame["heads"][0], frame["kv_heads"][0]) == ("given", 21, 4, 2)
    assert frame["ratio"][0] >= 1


def test_bad_grids():
    for options, sentence in (
        ({"n": [4, 0]}, "n_q must be at least 1"), ({"n": 4, "d": [1, -1]}, "d must be at least 1"),
        ({"n": 4, "mask": "nope"}, "no mask is called"), ({"n": 4, "form": "sideways"}, "no 'sideways' form"),
        ({"n": 4, "memory": [0]}, "memory must be at least 1"), ({"n": 4, "heads": 2, "form": "weights"}, "one head"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=sentence):
            sweep(["flash2"], **({"memory": [99]} | options))


def test_winner_map():
    names = ["flash2", "small-cache", "small-cache-outer"]
    found = winner_map(64, [4, 8], [2, 10, 60, 64, 10**6], names)
    assert list(zip(found["d"], found["memory"], strict=True)) == list(
        itertools.product([4, 8], [2, 10, 60, 64, 10**6])
    )
    for row in found.itertuples():
        io = {name: count(name, n=64, d=row.d, memory=row.memory).io for name in names}
        assert row.fits == tuple(name for name in names if io[name] is not None)
        if not row.fits:
            assert (row.winner, row.io, row.runner_up, row.ratio, row.tied) == (None, None, None, None, ())
            continue
        assert row.io == min(io[name] for name in row.fits)
        assert row.tied == tuple(name for name in names if io[name] == row.io)
        assert row.winner == row.tied[0]
        others = [words for words in io.values() if words is not None and words > row.io]
        assert row.runner_up_io == (min(others) if others else None)
        assert row.ratio == row.io / row.bound >= 1
    both = winner_map(16, [4], [2000], ["small-cache", "flash2", "flash2"])
    assert both["tied"][0] == ("flash2", "flash2")
    with pytest.raises(BadInput, match="one form"):
        winner_map(16, [4], [99], ["flash2", "forward-flash"])


@pytest.mark.parametrize(("algorithm", "form"), KERNELS)
@pytest.mark.parametrize(("n_q", "n_k", "d", "d_v"), [(1, 1, 1, 1), (6, 6, 3, 3), (5, 13, 3, 2), (12, 7, 5, 9)])
def test_counts_never_rise_without_a_mask(algorithm, form, n_q, n_k, d, d_v):
    """What exact swaps rest on, and that nothing falls where they stop looking."""
    low = ALGORITHMS[algorithm].least_memory(d, d_v, form)
    most = max(n_q, n_k, d, d_v)
    high = max(2 * low, 8 * (n_q + n_k) * (d + d_v), 4 * most * (most + 1))
    counted = closed_form(algorithm, n_q, n_k, d, [*range(low, high + 1), 100 * high], d_v=d_v, form=form)
    io = (counted["loads"] + counted["stores"]).tolist()
    assert all(after <= before for before, after in itertools.pairwise(io))
    assert io[-1] == io[-2]


def changes(first, second, low, high, **options):
    found = []
    for memory in range(low, high):
        a, b = (count(name, memory=memory, **options).io for name in (first, second))
        winner = first if a <= b else second
        if not found or found[-1][1] != winner:
            found.append((memory, winner))
    return found


@pytest.mark.parametrize(
    ("first", "second", "options"),
    [
        ("flash-two-sweep", "small-cache-outer", {"n": 12, "d": 4}),
        ("forward-flash", "forward-small-cache", {"n_q": 9, "n_k": 14, "d": 3, "d_v": 4}),
        ("flash2", "small-cache", {"n": 9, "d": 4, "form": "weights"}),
        ("flash2", "small-cache", {"n": 6, "d": 3, "heads": 4, "kv_heads": 2}),
        ("flash2", "fused-split", {"n": 9, "d": 3, "mask": masks.causal(9, 9)}),
    ],
)
def test_swaps_everywhere_are_exact(first, second, options):
    d, d_v = options["d"], options.get("d_v", options["d"])
    low = max(ALGORITHMS[name].least_memory(d, d_v, options.get("form")) for name in (first, second))
    found = swaps(first, second, **options)
    assert [tuple(swap) for swap in found] == changes(first, second, low, low + 1200, **options)
    assert crossover(first, second, **options) == (found[-1].memory if found[-1].winner == first else None)


def test_swaps_by_a_masks_name():
    named, given = (swaps("flash2", "small-cache", 9, 3, mask=mask) for mask in ("causal", np.tri(9, dtype=bool)))
    assert named == given


def test_no_crossover():
    with pytest.raises(BadInput, match="do not do the same: qkv and forward"):
        crossover("flash2", "forward-flash", 9, 3)
    with pytest.raises(BadInput, match="every M is looked at"):
        crossover("flash2", "small-cache", 1000, 8, mask="causal")
    assert crossover("small-cache", "flash2", n=64, d=8) is None
