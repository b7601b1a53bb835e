"""Numbers that never lie: faults that other people reported of attention kernels.

Where a test names a public report, the report is of that fault or of its kind. The cases without one are of this
project's own list.
"""

import numpy as np
import pytest
import torch

from kernels_ref import ALGORITHMS, BadInput, backward, backward_weights, count, forward, masks, reference, run
from kernels_ref.checks import random_problem, random_weights_problem, relative_error
from kernels_ref.numpy_memory import NumpyMemory
from kernels_ref.runs import execute
from tests.unit.kernels.grid import BACKWARD

FORWARD = [name for name, entry in ALGORITHMS.items() if "forward" in entry.forms]


def gradients(done):
    return done.dq, done.dk, done.dv


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_one_query_and_one_key(algorithm):
    """Softmax of one score is 1 whatever it is: dQ = dK = 0 and dV = dO, exactly."""
    q, k, v, dout = (3 * array for array in random_problem(1, 1, 16, 0))
    for memory in (140, 10_000):
        done = backward(algorithm, q, k, v, dout, memory=memory)
        assert float(np.abs(done.dq).max()) < 1e-12
        assert float(np.abs(done.dk).max()) < 1e-12
        assert relative_error((done.dv,), (dout,)) < 1e-14


@pytest.mark.parametrize("factor", [3, 30])
@pytest.mark.parametrize("algorithm", ["flash2", "small-cache-outer"])
def test_large_causal_inputs_at_n_1024(algorithm, factor):
    """Peaked softmax over many keys, causal, against PyTorch in float64 (kind: triton #4174, #5660)."""
    q, k, v, dout = random_problem(1024, 1024, 16, 1)
    q, k, v = factor * q, factor * k, factor * v
    done = backward(algorithm, q, k, v, dout, memory=4096, scale=0.25, mask=masks.causal(1024, 1024))
    tensors = [torch.tensor(array, requires_grad=True) for array in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True, scale=0.25)
    out.backward(torch.tensor(dout))
    assert relative_error(gradients(done), tuple(tensor.grad.numpy() for tensor in tensors)) < 1e-8


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_a_fully_masked_row(algorithm):
    """Fully masked row (pytorch #41508): zero gradients, and the rest equal to the problem without that row."""
    q, k, v, dout = random_problem(6, 7, 3, 2)
    matrix = np.random.default_rng(2).random((6, 7)) < 0.6
    matrix[2] = False
    matrix[0] = True
    done = backward(algorithm, q, k, v, dout, memory=60, mask=matrix)
    assert (done.dq[2] == 0).all()
    rest = [0, 1, 3, 4, 5]
    without = backward(algorithm, q[rest], k, v, dout[rest], memory=60, mask=matrix[rest])
    assert relative_error((done.dq[rest], done.dk, done.dv), gradients(without)) < 1e-12
    nothing = backward(algorithm, q, k, v, dout, memory=60, mask=np.zeros((6, 7), bool))
    assert all((gradient == 0).all() for gradient in gradients(nothing))


@pytest.mark.parametrize("algorithm", FORWARD)
def test_the_output_of_a_fully_masked_row_is_zero(algorithm):
    """pytorch #41508: NaN there. FlashAttention's convention is zero."""
    q, k, v, _ = random_problem(6, 7, 3, 2)
    matrix = np.ones((6, 7), bool)
    matrix[4] = False
    done = forward(algorithm, q, k, v, memory=30, mask=matrix)
    assert (done.out[4] == 0).all()
    assert np.isfinite(done.out).all()


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_extreme_logits_under_the_mask_change_nothing(algorithm):
    """What a mask drops must not set a row's maximum, or all that it keeps underflows (flashinfer PR #4401)."""
    q, k, v, dout = random_problem(8, 8, 4, 3)
    mask = masks.causal(8, 8)
    plain = backward(algorithm, q[:-1], k, v, dout[:-1], memory=80, mask=masks.entries(np.tri(7, 8, dtype=bool)))
    k[-1] *= 1e150
    wild = backward(algorithm, q[:-1], k, v, dout[:-1], memory=80, mask=masks.entries(np.tri(7, 8, dtype=bool)))
    assert relative_error(gradients(wild), gradients(plain)) < 1e-12
    assert mask.words == 36


@pytest.mark.parametrize("algorithm", FORWARD)
@pytest.mark.parametrize("rows_hidden", [4, 16])
def test_minus_infinity_in_a_whole_first_block_of_keys(algorithm, rows_hidden):
    """exp(-inf - (-inf)) is NaN when the first block that a row meets is all masked (flashinfer PR #4401)."""
    q, k, v, _ = random_problem(20, 24, 4, 4)
    matrix = np.ones((20, 24), bool)
    matrix[:, :rows_hidden] = False
    matrix[3:5, :20] = False
    mask = masks.entries(matrix)
    plain = reference.forward(q, k, v, mask=mask)
    for rows_at_once in (1, 4, 512):  # one block at a time, too
        fast = NumpyMemory(80, {"Q": q, "K": k, "V": v}, rows_at_once=rows_at_once)
        execute(algorithm, fast, 20, 24, 4, mask=mask)
        assert relative_error((fast.arrays["O"], fast.arrays["lse"]), plain) < 1e-12


@pytest.mark.parametrize("algorithm", ["flash2", "small-cache", "fused-split"])
def test_constant_rows_in_float16(algorithm):
    """n = 4096 equal scores: P = 1/4096 is exact in float16, and no sum of 4096 of them may stagnate at 2^-11.

    Rounding that goes one way on similar rows: arXiv 2510.04212 (flash-attention #2322).
    """
    n, d = 4096, 2
    q, k, dout = np.full((8, d), 0.5), np.full((n, d), 0.25), np.ones((8, d))
    v = np.tile([1.0, 2.0], (n, 1))
    done = backward(algorithm, q, k, v, dout, memory=3000, dtype="float16")
    assert done.dv.dtype == np.float16
    assert relative_error((done.dv.astype(float),), (np.full((n, d), 8 / n),)) < 1e-3
    assert float(np.abs(done.dq.astype(float)).max()) < 1e-3
    out = forward("forward-flash", q, k, v, memory=3000, dtype="float16").out
    assert relative_error((out.astype(float),), (np.tile([1.0, 2.0], (8, 1)),)) < 1e-3


@pytest.mark.parametrize("n", [1, 2, 3, 5, 31, 33, 127])
@pytest.mark.parametrize("algorithm", ["flash2", "flash-two-sweep", "small-cache"])
def test_lengths_around_a_block_of_32(algorithm, n):
    """Lengths that a block does not divide (jax #27224: wrong output; jvp_flash_attention #13)."""
    d = 8
    memory = {"small-cache": 3 * 32**2}.get(algorithm, 4 * 32 * d + 2 * d + 64 + 2)
    problem = random_problem(n, n, d, n)
    for mask in (None, masks.causal(n, n)):
        done = backward(algorithm, *problem, memory=memory, mask=mask)
        assert relative_error(gradients(done), reference.backward(*problem, mask=mask)) < 1e-10


@pytest.mark.parametrize(("n_q", "n_k"), [(2, 5), (5, 2)])
@pytest.mark.parametrize("algorithm", BACKWARD)
def test_causal_with_unequal_lengths(algorithm, n_q, n_k):
    """Bottom-right alignment (flash-attention #517, #951): 5 x 2 leaves three rows that see nothing (#1778)."""
    problem = random_problem(n_q, n_k, 3, 5)
    done = backward(algorithm, *problem, memory=60, mask=masks.causal(n_q, n_k))
    matrix = np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    assert relative_error(gradients(done), reference.backward(*problem, mask=masks.entries(matrix))) < 1e-10
    assert (done.dq[~matrix.any(axis=1)] == 0).all()


@pytest.mark.parametrize("d", [256, 512])
@pytest.mark.parametrize("algorithm", ["flash2", "small-cache", "small-cache-panel", "flash-stored-ds"])
def test_wide_heads_on_both_sides_of_d_squared(algorithm, d):
    """Wrong gradients at head size 256 (flash-attention #1306, TransformerEngine #3216); both sides of M = d^2."""
    problem = random_problem(9, 8, d, 6)
    for memory in (d * d // 8, 2 * d * d):
        done = backward(algorithm, *problem, memory=memory, scale=d**-0.5)
        assert relative_error(gradients(done), reference.backward(*problem, scale=d**-0.5)) < 1e-10


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_views_that_are_not_contiguous(algorithm):
    """q, k, v sliced out of one array, and in Fortran order: dV was wrong (flash-attention #2541)."""
    fused = np.random.default_rng(9).standard_normal((11, 4, 3, 2))  # rows, q k v dO, d, every other word
    views = [fused[:, place, :, 0] for place in range(4)]
    assert not any(view.flags.c_contiguous for view in views)
    right = gradients(backward(algorithm, *(np.ascontiguousarray(view) for view in views), memory=60))
    for arrays in (views, [np.asfortranarray(view) for view in views], [view[::-1][::-1] for view in views]):
        assert relative_error(gradients(backward(algorithm, *arrays, memory=60)), right) < 1e-12


@pytest.mark.parametrize("d_v", [1, 3, 11, 24])
@pytest.mark.parametrize("algorithm", ["flash2", "small-cache-outer", "fused-split"])
def test_values_of_another_width_than_the_keys(algorithm, d_v):
    """dV was wrong where d_v did not divide by the tile that d had chosen (flash-attention #2552)."""
    problem = random_problem(13, 10, 8, 5, d_v)
    for memory in (130, 1000):
        done = backward(algorithm, *problem, memory=memory)
        assert relative_error(gradients(done), reference.backward(*problem)) < 1e-10


def test_no_queries_or_no_keys():
    """A clear error, not NaN from a softmax over nothing (flash-attention PR #2776: a crash)."""
    q, k = np.zeros((0, 3)), np.ones((4, 3))
    for arrays in ((q, k, k, q), (k, q, q, k)):
        with pytest.raises(BadInput, match="at least one row"):
            backward("flash2", *arrays, memory=100)
    with pytest.raises(BadInput, match="n_k must be at least 1, got 0"):
        count("flash2", d=3, memory=100, n_q=4, n_k=0)


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize("place", range(4))
def test_nan_reaches_the_output_and_is_reported(algorithm, place):
    """And a comparison that is fed NaN fails, where others called it close (ngraph PR #2028)."""
    problem = random_problem(5, 6, 3, 7)
    problem[place][1, 1] = np.nan
    done = backward(algorithm, *problem, memory=60)
    assert done.not_finite
    assert not relative_error(gradients(done), reference.backward(*random_problem(5, 6, 3, 7))) < 1e-3


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize("dtype", [None, "float32", "float16"])
def test_inputs_are_never_modified(algorithm, dtype):
    """A caller's q divided in place: pytorch PR #73249."""
    problem = random_problem(9, 8, 3, 7)
    for array in problem:
        array.flags.writeable = False
    kept = [array.copy() for array in problem]
    backward(algorithm, *problem, memory=64, dtype=dtype, mask=masks.causal(9, 8))
    assert all((array == copy).all() for array, copy in zip(problem, kept, strict=True))


@pytest.mark.parametrize("dtype", [None, "float16"])
def test_inputs_of_the_other_forms_are_never_modified(dtype):
    """Read-only arrays: writing to one would be an error."""
    q, k, v, dout = random_problem(9, 8, 3, 7)
    *weights, target = random_weights_problem(9, 8, 3, 7)
    for array in (q, k, v, dout, *weights, target):
        array.flags.writeable = False
    for name, entry in ALGORITHMS.items():
        if "forward" in entry.forms:
            assert np.isfinite(forward(name, q, k, v, memory=64, dtype=dtype).out).all()
        if "weights" in entry.forms:
            for given in ({"dout": dout}, {"target": target}):
                done = backward_weights(name, *weights, **given, memory=64, dtype=dtype, mask=masks.causal(9, 8))
                assert not done.not_finite


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_storage_changes_bytes_and_never_words(algorithm):
    """Error relative to what the storage can hold: float32 1e-5, float16 2e-2."""
    problem = random_problem(20, 24, 4, 8)
    right = reference.backward(*problem, scale=0.5)
    words = backward(algorithm, *problem, memory=90, scale=0.5)
    for dtype, close in (("float32", 1e-5), ("float16", 2e-2)):
        done = backward(algorithm, *problem, memory=90, scale=0.5, dtype=dtype)
        assert done.io == words.io
        assert done.dq.dtype == dtype
        assert relative_error(tuple(array.astype(float) for array in gradients(done)), right) < close
        counts = count(algorithm, d=4, memory=90, n_q=20, n_k=24, dtype=dtype)
        assert (counts.io, counts.bytes) == (done.io, done.io * {"float32": 4, "float16": 2}[dtype])


@pytest.mark.parametrize("algorithm", [*BACKWARD, *FORWARD])
@pytest.mark.parametrize(("heads", "kv_heads"), [(3, 3), (4, 2), (4, 1)])
def test_heads_that_share_keys_and_values(algorithm, heads, kv_heads):
    """MHA, GQA (arXiv 2305.13245) and MQA (arXiv 1911.02150): counts of the run are those of the closed form."""
    options = {"n_q": 7, "n_k": 9, "d": 3, "memory": 60, "heads": heads, "kv_heads": kv_heads}
    for mask in (None, masks.causal(7, 9)):
        check = run(algorithm, **options, mask=mask)
        assert check.max_relative_error < 1e-10
        assert check.counts == count(algorithm, **options, mask=mask)
    single = count(algorithm, n_q=7, n_k=9, d=3, memory=60)
    shared = count(algorithm, **options)
    assert shared.multiplications == heads * single.multiplications
    if heads == kv_heads:
        assert shared.io == heads * single.io
    elif algorithm != "fused-split":  # its partial sums of dK and dV go through slow memory for every head
        assert shared.io <= heads * single.io
    with pytest.raises(BadInput, match="evenly"):
        count(algorithm, n=4, d=2, memory=60, heads=4, kv_heads=3)
