"""The weights form: gX and gY, dO or E given, against the reference, autograd and the closed forms."""

import itertools

import numpy as np
import pytest
import torch

from kernels_ref import ALGORITHMS, BadInput, backward_weights, count, masks, reference
from kernels_ref.checks import random_weights_problem, relative_error
from kernels_ref.counts import COUNTED, closed_form
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.runs import execute
from tests.unit.kernels.grid import memories

WEIGHTS = [name for name, entry in ALGORITHMS.items() if "weights" in entry.forms]
SHAPES = [(1, 1, 1, 1), (3, 5, 2, 2), (9, 7, 3, 4), (8, 11, 5, 2)]
MASKS = {"none": lambda n_q, n_k: None, "causal": masks.causal, "sparse": lambda n_q, n_k: masks.random(n_q, n_k, 0.2)}


@pytest.mark.parametrize("algorithm", WEIGHTS)
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(("n_q", "n_k", "d", "d_v"), SHAPES)
def test_gradients_and_counts(algorithm, name, n_q, n_k, d, d_v):
    mask = MASKS[name](n_q, n_k)
    *problem, dout = random_weights_problem(n_q, n_k, d, 2, d_v)
    right = reference.backward_weights(*problem, dout, mask=mask)
    for memory in memories(algorithm, d, d_v, "weights")[::2]:
        closed = count(algorithm, d=d, d_v=d_v, memory=memory, n_q=n_q, n_k=n_k, mask=mask, form="weights")
        done = backward_weights(algorithm, *problem, dout=dout, memory=memory, mask=mask)
        assert relative_error((done.gx, done.gy), right) < 1e-10
        fast = TwoLevelMemory(memory)
        execute(algorithm, fast, n_q, n_k, d, d_v=d_v, mask=mask, form="weights")
        assert fast.in_fast == 0
        for counted in COUNTED:
            assert getattr(closed, counted) == getattr(fast, counted), (counted, memory)
            assert getattr(closed, counted) == getattr(done, counted), (counted, memory)
        assert closed.peak_fast <= memory


@pytest.mark.parametrize("algorithm", WEIGHTS)
@pytest.mark.parametrize("target", [False, True])
def test_autograd(algorithm, target):
    """L = sum(dO o O), or L = 1/2 |O - E|^2, differentiated by PyTorch."""
    *problem, given = random_weights_problem(6, 9, 4, 3)
    a1, a2, a3, x, y = (torch.tensor(array, requires_grad=True) for array in problem)
    out = torch.softmax(0.5 * (a1 @ x @ a2.T), dim=1) @ (a3 @ y)
    loss = 0.5 * ((out - torch.tensor(given)) ** 2).sum() if target else (out * torch.tensor(given)).sum()
    loss.backward()
    right = (x.grad.numpy(), y.grad.numpy())
    for memory in (25, 200, 5000):
        done = backward_weights(
            algorithm, *problem, memory=memory, scale=0.5, **{"target" if target else "dout": given}
        )
        assert relative_error((done.gx, done.gy), right) < 1e-10
        plain = backward_weights(algorithm, *problem, memory=memory, dout=given)
        assert done.io == plain.io + target * given.size, "E costs the words of the dO that it makes"
        closed = count(algorithm, n_q=6, n_k=9, d=4, memory=memory, form="weights", target=target)
        assert {name: getattr(closed, name) for name in COUNTED} == {name: getattr(done, name) for name in COUNTED}


@pytest.mark.parametrize("algorithm", WEIGHTS)
def test_counts_never_rise_with_memory(algorithm):
    least = ALGORITHMS[algorithm].least_memory(5, 5, "weights")
    counted = closed_form(algorithm, 30, 30, 5, range(least, 5000, 3), form="weights")
    io = [int(words) for words in counted["loads"] + counted["stores"]]
    assert all(after <= before for before, after in itertools.pairwise(io))
    assert io[-1] >= 4 * 30 * 5 + 2 * 25 + 2 * 25


def test_leading_constants():
    """10 n^2 d / B + 3 n^2 for small caches and 14 n^2 d^2 / M for FlashAttention, both gradients."""
    n, d, side = 2**16, 512, 32
    io = count("small-cache", n=n, d=d, memory=3 * side**2 + 2 * side, form="weights").io
    assert (io - 3 * n * n) * side / (n * n * d) == pytest.approx(10, rel=0.04)
    outer = count("small-cache-outer", n=n, d=d, memory=4096, form="weights").io
    assert (outer - 3 * n * n) * 64 / (n * n * d) == pytest.approx(10, rel=0.04)
    assert outer < 0.65 * count("small-cache", n=n, d=d, memory=4096, form="weights").io
    io = count("flash2", n=n, d=64, memory=16 * 64**2, form="weights").io
    assert io * 16 / n**2 == pytest.approx(14, rel=0.08)


def test_bad_input():
    *problem, dout = random_weights_problem(3, 4, 2, 0)
    with pytest.raises(BadInput, match="either dout or target"):
        backward_weights("flash2", *problem, memory=99)
    with pytest.raises(BadInput, match=r"got A1 \(3, 2\)"):
        backward_weights("flash2", *problem, dout=dout.T, memory=99)
    with pytest.raises(BadInput, match="flash1 has no 'weights' form; it has: qkv"):
        backward_weights("flash1", *problem, dout=dout, memory=99)
    with pytest.raises(BadInput, match="a target is for the weights form; this is qkv"):
        count("flash2", n=4, d=2, memory=99, target=True)
    with pytest.raises(BadInput, match="floating-point"):
        backward_weights("flash2", *problem, dout=np.ones((3, 2), int), memory=99)
