"""A kernel's run as pebbles: the game accepts it, at the same I/O. This is what certifies the count."""

import pytest

from kernels_ref import ALGORITHMS, count, kernel_source, pebble
from kernels_ref.pebbling import QKV_INPUTS
from pebble_engine import replay, schedule_faults
from tests.unit.kernels.grid import BACKWARD, CASES

PLAYABLE = [name for name in BACKWARD if ALGORITHMS[name].kernel("qkv").inputs == QKV_INPUTS]
SMALL = [case for case in CASES if case[0] in PLAYABLE and case[1] * case[2] * case[3] <= 120 and case[3] == case[4]]


@pytest.mark.parametrize(("algorithm", "n_q", "n_k", "d", "d_v", "memory"), SMALL)
def test_the_game_accepts_every_run(algorithm, n_q, n_k, d, d_v, memory):
    pebbling = pebble(algorithm, n_q=n_q, n_k=n_k, d=d, memory=memory)
    counts = count(algorithm, n_q=n_q, n_k=n_k, d=d, memory=memory)
    assert not schedule_faults(pebbling.dag, pebbling.rules, pebbling.moves)
    summary = replay(pebbling)
    assert (summary.io, summary.loads, summary.stores) == (counts.io, counts.loads, counts.stores)
    assert summary.peak <= counts.peak_fast <= memory


@pytest.mark.parametrize("algorithm", PLAYABLE)
def test_every_move_names_the_line_that_made_it(algorithm):
    pebbling = pebble(algorithm, n=3, d=2, memory=30)
    source = kernel_source(algorithm)
    verbs = {"load": ("fast.load", "fast.resume", "fast.stream", "fast.apply"), "store": ("fast.store",)}
    verbs |= {"delete": ("fast.free", "fast.stream", "fast.apply")}
    verbs |= {"compute": ("+=",), "slide": ("+=", "fast.apply")}
    assert len(pebbling.lines) == len(pebbling.moves)
    for move, line in zip(pebbling.moves, pebbling.lines, strict=True):
        assert any(verb in source[line] for verb in verbs[move.op]), (str(move), source[line])


def test_the_listing_begins_with_the_kernel():
    assert kernel_source("flash2")[0].startswith("def flash2(")
    assert any(line.startswith("def blocked_product(") for line in kernel_source("small-cache"))
