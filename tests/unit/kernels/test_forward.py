"""The forward pass: outputs, statistics and counts, dense and masked, on ragged sizes."""

import itertools

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, count, forward, masks, reference
from kernels_ref.checks import random_problem, relative_error
from kernels_ref.counts import COUNTED, closed_form
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.runs import execute
from tests.unit.kernels.grid import SHAPES, memories

FORWARD = [name for name, entry in ALGORITHMS.items() if "forward" in entry.forms]
MASKS = {
    "none": lambda n_q, n_k: None,
    "causal": masks.causal,
    "random": lambda n_q, n_k: masks.random(n_q, n_k, 0.3),
    "one entry": lambda n_q, n_k: masks.entries(np.arange(n_q * n_k).reshape(n_q, n_k) == n_q * n_k - 1),
}


@pytest.mark.parametrize("algorithm", FORWARD)
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(("n_q", "n_k", "d", "d_v"), SHAPES[:-1])
def test_outputs_and_counts(algorithm, name, n_q, n_k, d, d_v):
    mask = MASKS[name](n_q, n_k)
    q, k, v, _ = random_problem(n_q, n_k, d, 1, d_v)
    right = reference.forward(q, k, v, scale=0.6, mask=mask)
    for memory in memories(algorithm, d, d_v, "forward")[::2]:
        closed = count(algorithm, d=d, d_v=d_v, memory=memory, n_q=n_q, n_k=n_k, mask=mask)
        done = forward(algorithm, q, k, v, memory=memory, mask=mask, scale=0.6)
        assert relative_error((done.out, done.lse), right) < 1e-10
        fast = TwoLevelMemory(memory)
        execute(algorithm, fast, n_q, n_k, d, d_v=d_v, mask=mask)
        assert fast.in_fast == 0
        for counted in COUNTED:
            assert getattr(closed, counted) == getattr(fast, counted), (counted, memory)
            assert getattr(closed, counted) == getattr(done, counted), (counted, memory)
        assert closed.peak_fast <= memory
        if mask is None:
            assert closed.io >= (n_q + n_k) * (d + d_v) + n_q


@pytest.mark.parametrize("algorithm", FORWARD)
def test_counts_never_rise_with_memory(algorithm):
    counted = closed_form(algorithm, 40, 40, 8, range(ALGORITHMS[algorithm].least_memory(8), 7000, 3))
    io = [int(words) for words in counted["loads"] + counted["stores"]]
    assert all(after <= before for before, after in itertools.pairwise(io))


def test_leading_constants():
    """4 n^2 d^2 / M for FlashAttention, 4 n^2 d / B + n^2 for square tiles."""
    n, d = 2**16, 64
    io = count("forward-flash", n=n, d=d, memory=16 * d * d).io
    assert io * 16 / n**2 == pytest.approx(4, rel=0.05)
    io = count("forward-small-cache", n=n, d=512, memory=4 * 32**2).io
    assert (io - n * n) * 32 / (n * n * 512) == pytest.approx(4, rel=0.03)
