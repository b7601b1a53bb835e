"""Z_input and Z_QK, and what an instance must move."""

import numpy as np
import pytest

from kernels_ref import BadInput, count, masks, sparse
from kernels_ref.checks import random_problem


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


def test_bad_shapes():
    with pytest.raises(BadInput, match="got"):
        sparse.nonzeros(np.ones((3, 2)), np.ones((3, 3)))
