"""A kernel's run as pebbles: the game accepts it, at the same I/O. This is what certifies the count."""

from inspect import signature

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, BadInput, count, kernel_source, masks, pebble
from kernels_ref.pebbling import QKV_INPUTS
from pebble_engine import attention_backward, replay, schedule_faults
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


@pytest.mark.skipif("mask" not in signature(attention_backward).parameters, reason="the DAG builder has no masks yet")
@pytest.mark.parametrize("algorithm", PLAYABLE)
@pytest.mark.parametrize("text", ["causal", "random:0.6:3", "window:2", "strided:2"])
def test_the_game_accepts_every_run_under_a_mask(algorithm, text):
    n, d = 5, 2
    mask = masks.named(text, n, n)
    for extra in (0, 1, 7, 40):
        memory = ALGORITHMS[algorithm].least_memory(d) + extra
        summary = replay(pebble(algorithm, n=n, d=d, memory=memory, mask=mask))
        counts = count(algorithm, n=n, d=d, memory=memory, mask=mask)
        if algorithm in ("fused-split", "small-cache-outer"):
            # They move whole rows and columns of a tile; of these the game moves only what a kept entry needs.
            assert summary.io <= counts.io
        else:
            assert (summary.io, summary.loads, summary.stores) == (counts.io, counts.loads, counts.stores)
        assert summary.peak <= counts.peak_fast <= memory


def test_no_pebbling_of_zeros():
    with pytest.raises(BadInput, match="leaves a query or a key alone"):
        pebble("flash2", n=3, d=2, memory=40, mask=np.zeros((3, 3), bool))
