"""Z_input and Z_QK, and what an instance must move."""

import numpy as np
import pytest

from kernels_ref import (
    ALGORITHMS,
    BadInput,
    backward,
    backward_weights,
    certified_ratio,
    count,
    masks,
    reference,
    run,
    sparse,
)
from kernels_ref.checks import random_problem, random_weights_problem, relative_error
from kernels_ref.counts import COUNTED
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.runs import execute
from kernels_ref.sparse import SPARSE
from tests.unit.kernels.grid import memories

KERNELS = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]
SHAPES = {"Q": (9, 3), "K": (7, 3), "V": (7, 2), "dO": (9, 2), "A1": (9, 3), "A2": (7, 3), "A3": (7, 3)}
SHAPES |= {"X": (3, 3), "Y": (3, 2), "E": (9, 2)}


def random_patterns(names, density, seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.random(SHAPES[name]) < density for name in names}


def test_dense_is_n_d_and_n_squared():
    q, k, v, _ = random_problem(6, 6, 3, 0)
    assert sparse.nonzeros(q, k) == sparse.of_pattern(6, 6, 3) == (18, 36)
    assert sparse.nonzeros(q, k).split == 9, "d^2"
    assert sparse.per_instance_floor(q, k, v) == 7 * 18 + 2 * 6


@pytest.mark.parametrize("name", ["causal", "window:2", "block:3:0.4:1", "random:0.2"])
def test_patterns_against_their_matrices(name):
    mask = masks.named(name, 12, 10)
    matrix = np.zeros((12, 10), bool) | (
        True if mask.kept(slice(0, 12), slice(0, 10)) is None else mask.kept(slice(0, 12), slice(0, 10))
    )
    q, k, v, _ = random_problem(12, 10, 4, 1)
    q[:, 1] = 0
    rows, columns = matrix.any(axis=1), matrix.any(axis=0)
    found = sparse.nonzeros(q, k, mask)
    assert found == (max(3 * rows.sum(), 4 * columns.sum()), matrix.sum())
    assert sparse.of_pattern(12, 10, 4, mask) == (4 * max(rows.sum(), columns.sum()), matrix.sum())
    floor = sparse.per_instance_floor(q, k, v, mask)
    for algorithm in ("flash2", "small-cache", "flash-two-sweep", "fused-split"):
        assert count(algorithm, d=4, memory=4000, n_q=12, n_k=10, mask=mask).io >= floor


def test_identity_needs_few_words():
    """Q = K = I_n: the theorem's expression exceeds what suffices, so it is no bound for this instance."""
    n = 64
    found = sparse.nonzeros(np.eye(n), np.eye(n))
    assert found == (n, n * n)
    assert sparse.Nonzeros(0, 0).split == float("inf")


def test_a_floor_of_what_results_depend_on():
    """Q = K = 0: dQ and dK are zero, dV needs lse and dO; neither D nor V is in any result."""
    q, k, v = np.zeros((5, 2)), np.zeros((4, 2)), np.ones((4, 3))
    assert sparse.per_instance_floor(q, k, v) == 5 * (3 + 1) + q.size + k.size + v.size
    q[1, 0] = 1  # row 1 of dS matters: its D, and all of V
    assert sparse.per_instance_floor(q, k, v) == 1 + v.size + 1 + 5 * (3 + 1) + q.size + k.size + v.size
    diagonal = np.eye(5, 4, dtype=bool)  # query 4 meets no key, and only V[1] meets query 1
    assert sparse.per_instance_floor(q, k, v, diagonal) == 1 + 3 + 1 + 4 * (3 + 1) + q.size + k.size + v.size


def test_no_ratio_to_a_bound_that_does_not_hold():
    with pytest.raises(BadInput, match="inputs without zeros"):
        certified_ratio("flash2", n=9, d=3, memory=60, patterns={"Q": np.zeros((9, 3), bool)})


def test_bad_shapes():
    with pytest.raises(BadInput, match="got"):
        sparse.nonzeros(np.ones((3, 2)), np.ones((3, 3)))


@pytest.mark.parametrize("density", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("mask", [None, "causal", "block:3:0.5", "random:0.2"])
@pytest.mark.parametrize(("algorithm", "form"), KERNELS)
def test_inputs_by_nonzeros(algorithm, form, mask, density):
    """Closed form, counting machine (one tile or several at once) and NumPy agree; numbers are the reference's."""
    sizes = {"n_q": 9, "n_k": 7, "d": 3, "d_v": 2, "form": form}
    kept = None if mask is None else masks.named(mask, 9, 7)
    patterns = random_patterns(SPARSE[form], density)
    for memory in memories(algorithm, 3, 2, form)[1::3]:
        closed = count(algorithm, **sizes, memory=memory, mask=kept, patterns=patterns)
        check = run(algorithm, **sizes, memory=memory, mask=kept, patterns=patterns)
        assert check.max_relative_error < 1e-10
        assert check.counts == closed
        for rows_at_once in (None, 4):
            fast = TwoLevelMemory(memory, rows_at_once=rows_at_once)
            execute(algorithm, fast, 9, 7, 3, d_v=2, form=form, mask=kept, patterns=patterns)
            assert {name: getattr(fast, name) for name in COUNTED} == {name: getattr(closed, name) for name in COUNTED}


@pytest.mark.parametrize(("algorithm", "form"), KERNELS)
def test_a_pattern_without_zeros_costs_what_none_does(algorithm, form):
    options = {"n_q": 9, "n_k": 7, "d": 3, "d_v": 2, "form": form, "memory": 60}
    dense = count(algorithm, **options)
    assert count(algorithm, **options, patterns=random_patterns(SPARSE[form], 1.1)) == dense
    half = count(algorithm, **options, patterns=random_patterns(SPARSE[form], 0.5))
    assert half.io < dense.io
    assert half.multiplications < dense.multiplications
    assert (half.peak_fast, half.tile, half.stores) == (dense.peak_fast, dense.tile, dense.stores)


def test_words_that_each_input_moves():
    """flash2, by hand: K once, Q once for each of ceil(n / columns) blocks of keys; d_v = d, no mask."""
    n, d, memory = 12, 2, 40
    dense = count("flash2", n=n, d=d, memory=memory)
    passes = -(-n // dense.tile["columns"])
    for name, times in (("K", 1), ("V", 1), ("Q", passes), ("dO", passes)):
        patterns = {name: np.zeros((n, d), bool)}
        assert dense.io - count("flash2", n=n, d=d, memory=memory, patterns=patterns).io == times * n * d
    assert passes > 1


@pytest.mark.parametrize("algorithm", [name for name, form in KERNELS if form == "weights"])
def test_a_sparse_target_and_sparse_inputs_of_the_weights_form(algorithm):
    *problem, given = random_weights_problem(9, 7, 3, 1, 2)
    kept = random_patterns(("A1", "A2", "A3", "E"), 0.4)
    problem[:3] = [np.where(kept[name], array, 0) for name, array in zip(("A1", "A2", "A3"), problem[:3], strict=True)]
    target = np.where(kept["E"], given, 0)
    done = backward_weights(algorithm, *problem, target=target, memory=70, patterns=kept)
    plain = backward_weights(algorithm, *problem, target=target, memory=70)
    assert relative_error((done.gx, done.gy), (plain.gx, plain.gy)) == 0
    assert done.io < plain.io


def test_sparse_inputs_of_a_run_of_ones_own():
    q, k, v, dout = random_problem(9, 7, 3, 2, 2)
    q, k = np.where(abs(q) < 0.7, 0, q), np.where(abs(k) < 0.7, 0, k)
    patterns = sparse.patterns(Q=q, K=k)
    done = backward("flash2", q, k, v, dout, memory=60, patterns=patterns)
    assert relative_error((done.dq, done.dk, done.dv), reference.backward(q, k, v, dout)) < 1e-10
    assert done.io == count("flash2", n_q=9, n_k=7, d=3, d_v=2, memory=60, patterns=patterns).io
    assert done.io >= sparse.per_instance_floor(q, k, v)
    with pytest.raises(BadInput, match="Q has values that are not zero"):
        backward("flash2", q, k, v, dout, memory=60, patterns={"Q": ~patterns["Q"]})


@pytest.mark.parametrize(
    ("patterns", "options", "sentence"),
    [
        ({"lse": np.ones(9, bool)}, {}, "no matrix 'lse' to store by nonzeros; it has: Q, K, V, dO"),
        ({"A1": np.ones((9, 3), bool)}, {}, "the qkv form has no matrix 'A1'"),
        ({"Q": np.ones((3, 9), bool)}, {}, r"of Q \(9, 3\); got bool of \(3, 9\)"),
        ({"Q": np.ones((9, 3))}, {}, "got float64"),
        ({"Q": np.ones((9, 3), bool)}, {"heads": 2}, "counted for one head; got 2"),
    ],
)
def test_what_is_no_pattern(patterns, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        count("flash2", n=9, d=3, memory=60, patterns=patterns, **options)
