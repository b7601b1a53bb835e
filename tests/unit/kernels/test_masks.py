"""Masks by themselves, and every kernel under each of them."""

import numpy as np
import pytest
import torch

from kernels_ref import BadInput, backward, count, masks, reference
from kernels_ref.checks import random_problem, relative_error
from kernels_ref.counts import COUNTED
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.numpy_memory import NumpyMemory
from kernels_ref.runs import execute
from tests.unit.kernels.grid import BACKWARD, memories

rng = np.random.default_rng(0)
GALLERY = {
    "causal": masks.causal,
    "window": lambda n_q, n_k: masks.sliding_window(n_q, n_k, 3),
    "block": lambda n_q, n_k: masks.block(rng.random((min(3, n_q), min(4, n_k))) < 0.5, n_q, n_k),
    "strided": lambda n_q, n_k: masks.strided(n_q, n_k, 3),
    "global": lambda n_q, n_k: masks.global_window(n_q, n_k, 2, 1),
    "random": lambda n_q, n_k: masks.random(n_q, n_k, 0.3),
    "sparse": lambda n_q, n_k: masks.random(n_q, n_k, 0.05, 3),
    "one entry": lambda n_q, n_k: masks.entries(np.arange(n_q * n_k).reshape(n_q, n_k) == n_q * n_k - 1),
    "nothing": lambda n_q, n_k: masks.entries(np.zeros((n_q, n_k), bool)),
    "gaps": lambda n_q, n_k: masks.Band(np.arange(n_q) * 3, np.arange(n_q) * 3 + np.arange(n_q) % 3, n_k),
}


def dense(mask):
    kept = mask.kept(slice(0, mask.shape[0]), slice(0, mask.shape[1]))
    return np.ones(mask.shape, bool) if kept is None else kept


@pytest.mark.parametrize("name", GALLERY)
@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (7, 7), (12, 9), (9, 12), (2, 5), (5, 2)])
def test_a_mask_answers_as_its_matrix_does(name, n_q, n_k):
    mask = GALLERY[name](n_q, n_k)
    matrix = dense(mask)
    assert matrix.shape == mask.shape == (n_q, n_k)
    assert mask.words == matrix.sum()
    assert (dense(mask.T) == matrix.T).all()
    assert (dense(mask.repeated(3)) == np.repeat(matrix, 3, axis=0)).all()
    for rows in (slice(0, 1), slice(n_q // 2, n_q)):
        for columns in (slice(0, n_k), slice(n_k - 1, n_k)):
            part, kept = matrix[rows, columns], mask.kept(rows, columns)
            assert (part == (True if kept is None else kept)).all()
            assert mask.kept_words(rows, columns) == part.sum()
    for r in (1, 2, 3, n_q):
        for c in (1, 2, 4, n_k):
            edges = [np.append(np.arange(0, n, s), n) for n, s in ((n_q, r), (n_k, c))]
            tiles = np.logical_or.reduceat(np.logical_or.reduceat(matrix, edges[0][:-1], 0), edges[1][:-1], 1)
            assert (mask.pairs(*edges) == tiles).all()
            assert (mask.pairs(edges[0][1:], edges[1]) == tiles[1:]).all()
            met = mask.meetings(*edges)
            assert met.of_rows.tolist() == tiles.sum(axis=1).tolist()
            assert met.of_columns.tolist() == tiles.sum(axis=0).tolist()
            heights, widths = np.diff(edges[0]), np.diff(edges[1])
            assert set(met.sizes) == {
                (int(heights[a]), int(widths[b])) for a, b in zip(*np.nonzero(tiles), strict=True)
            }


def test_causal_masks_are_aligned_bottom_right():
    """2 x 5 and 5 x 2, as FlashAttention 2.1 and PyTorch's CausalBias.LOWER_RIGHT define them."""
    assert dense(masks.causal(2, 5)).astype(int).tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert dense(masks.causal(5, 2)).astype(int).tolist() == [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]]


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize("name", ["causal", "block", "random", "sparse", "one entry", "nothing", "gaps"])
@pytest.mark.parametrize(("n_q", "n_k", "d", "d_v"), [(9, 7, 2, 3), (5, 8, 3, 1)])
def test_closed_form_equals_machines_and_gradients_are_right(algorithm, name, n_q, n_k, d, d_v):
    mask = GALLERY[name](n_q, n_k)
    problem = random_problem(n_q, n_k, d, 4, d_v)
    right = reference.backward(*problem, scale=0.7, mask=mask)
    for memory in memories(algorithm, d, d_v)[1::3]:
        closed = count(algorithm, d=d, d_v=d_v, memory=memory, n_q=n_q, n_k=n_k, mask=mask)
        done = backward(algorithm, *problem, memory=memory, mask=mask, scale=0.7)
        assert relative_error((done.dq, done.dk, done.dv), right) < 1e-10
        for rows_at_once in (None, 4):
            fast = TwoLevelMemory(memory, rows_at_once=rows_at_once)
            execute(algorithm, fast, n_q, n_k, d, d_v=d_v, mask=mask)
            for counted in COUNTED:
                assert getattr(closed, counted) == getattr(fast, counted), (counted, memory, rows_at_once)
        for counted in COUNTED:
            assert getattr(closed, counted) == getattr(done, counted), (counted, memory)


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize("rows_at_once", [3, 5])
def test_how_numpy_batches_changes_nothing_under_a_mask(algorithm, rows_at_once):
    q, k, v, dout = random_problem(11, 13, 4, 5)
    for name in ("causal", "sparse"):
        mask = GALLERY[name](11, 13)
        out, lse = reference.forward(q, k, v, mask=mask)
        m, total = reference.statistics(q, k, mask=mask)
        arrays = {"Q": q, "K": k, "V": v, "dO": dout, "lse": lse, "D": (dout * out).sum(axis=1), "O": out}
        for memory in (120,):
            fast = NumpyMemory(memory, arrays | {"m": m, "l": total}, rows_at_once=rows_at_once)
            execute(algorithm, fast, 11, 13, 4, mask=mask)
            right = reference.backward(q, k, v, dout, mask=mask)
            assert relative_error(tuple(fast.arrays[name] for name in ("dQ", "dK", "dV")), right) < 1e-10
            thin = TwoLevelMemory(memory)
            execute(algorithm, thin, 11, 13, 4, mask=mask)
            for counted in (*COUNTED, "in_fast"):
                assert getattr(fast, counted) == getattr(thin, counted), (counted, name, memory)


@pytest.mark.parametrize("name", ["causal", "window", "block", "strided", "global", "random"])
def test_the_reference_under_a_mask_is_autograd(name):
    q, k, v, dout = random_problem(6, 8, 3, 7)
    matrix = dense(GALLERY[name](6, 8)).copy()
    matrix[:, 0] = True  # torch gives NaN for a row that keeps nothing
    tensors = [torch.tensor(array, requires_grad=True) for array in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=torch.tensor(matrix), scale=0.5)
    out.backward(torch.tensor(dout))
    right = tuple(tensor.grad.numpy() for tensor in tensors)
    assert relative_error(reference.backward(q, k, v, dout, scale=0.5, mask=masks.entries(matrix)), right) < 1e-10
    forward = reference.forward(q, k, v, scale=0.5, mask=masks.entries(matrix))
    assert relative_error((forward.out,), (out.detach().numpy(),)) < 1e-10


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_a_mask_that_keeps_everything_costs_what_none_does(algorithm):
    everything = masks.block([[True]], 12, 10)
    assert (
        count(algorithm, d=3, memory=90, n_q=12, n_k=10, mask=everything).io
        == count(algorithm, d=3, memory=90, n_q=12, n_k=10).io
    )
    half = masks.causal(12, 12)
    assert count(algorithm, 12, d=3, memory=90, mask=half).io < count(algorithm, 12, d=3, memory=90).io


def test_names_of_the_gallery():
    for text in (
        "causal",
        "window:3",
        "block:4:0.5",
        "block:4:0.5:7",
        "strided:3",
        "global:1:2",
        "random:0.5",
        "random:0.5:3",
    ):
        assert masks.named(text, 9, 8).shape == (9, 8)
    for text in ("", "caus", "window", "window:0", "window:x", "random", "block:0:1", "strided:0"):
        with pytest.raises(BadInput, match="there are: causal, window:KEYS"):
            masks.named(text, 9, 8)


def test_what_is_no_mask():
    with pytest.raises(BadInput, match="the mask is 3 x 3; the scores are 3 x 4"):
        count("flash2", d=2, memory=100, n_q=3, n_k=4, mask=np.ones((3, 3), bool))
    with pytest.raises(BadInput, match="boolean matrix"):
        count("flash2", d=2, memory=100, n_q=3, n_k=4, mask=np.ones((3, 4)))
    with pytest.raises(BadInput, match="never fall"):
        masks.Band([0, 2, 1], [3, 3, 3], 4)
