"""The reference itself: against an autograd library, against differences, and under changes whose effect is known."""

import numpy as np
import pytest
import torch

from kernels_ref import reference
from kernels_ref.checks import random_problem, relative_error

SIZES = [(1, 1, 1), (5, 5, 3), (7, 13, 4), (600, 33, 8)]  # 600 rows: more than the reference takes at once


def torch_gradients(q, k, v, dout, scale):
    q, k, v = (torch.tensor(array, requires_grad=True) for array in (q, k, v))
    out = torch.softmax(scale * (q @ k.T), dim=1) @ v
    out.backward(torch.tensor(dout))
    return tuple(tensor.grad.numpy() for tensor in (q, k, v))


@pytest.mark.parametrize(("n_q", "n_k", "d"), SIZES)
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_gradients_are_those_of_autograd(n_q, n_k, d, scale):
    problem = random_problem(n_q, n_k, d, seed=1)
    assert relative_error(reference.backward(*problem, scale=scale), torch_gradients(*problem, scale)) < 1e-10


def test_gradients_are_the_slopes_of_the_forward():
    q, k, v, dout = random_problem(3, 4, 2, seed=2)

    def loss():
        return float((reference.forward(q, k, v, scale=0.7).out * dout).sum())

    gradients = reference.backward(q, k, v, dout, scale=0.7)
    for array, gradient in zip((q, k, v), gradients, strict=True):
        for place in np.ndindex(array.shape):
            kept, step = array[place], 1e-6
            array[place] = kept + step
            above = loss()
            array[place] = kept - step
            below = loss()
            array[place] = kept
            assert gradient[place] == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-8)


def test_large_scores_do_not_overflow():
    q, k, v, dout = random_problem(6, 6, 4, seed=3)
    gradients = reference.backward(100 * q, 100 * k, v, dout)
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_permuting_the_keys_permutes_their_gradients():
    q, k, v, dout = random_problem(5, 7, 3, seed=4)
    order = np.array([3, 0, 6, 1, 5, 2, 4])
    dq, dk, dv = reference.backward(q, k, v, dout)
    moved = reference.backward(q, k[order], v[order], dout)
    assert relative_error(moved, (dq, dk[order], dv[order])) < 1e-12


def test_gradients_are_linear_in_dout():
    q, k, v, dout = random_problem(5, 7, 3, seed=5)
    once, thrice = reference.backward(q, k, v, dout), reference.backward(q, k, v, 3 * dout)
    assert relative_error(thrice, tuple(3 * gradient for gradient in once)) < 1e-12


def test_a_comparison_with_nan_fails():
    """max(0.0, nan) is 0.0 in Python: a helper built on it would call NaN right."""
    right = (np.ones((2, 2)),)
    for wrong in (
        np.full((2, 2), np.nan),
        np.array([[np.nan, 1.0], [1.0, 1.0]]),
        np.array([[1.0, 1.0], [1.0, np.nan]]),
    ):
        assert not relative_error((wrong,), right) < 1e-10
