"""The two-level memory by itself."""

import numpy as np
import pytest

from kernels_ref import CapacityExceeded
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.numpy_memory import NumpyMemory


def test_a_block_costs_its_words_and_takes_its_room():
    fast = TwoLevelMemory(20)
    A = fast.input("A", (5, 4))
    (i,) = fast.tiles(5, 5)
    block = fast.load(A[i])
    assert (fast.loads, fast.stores, fast.in_fast, fast.peak_fast) == (20, 0, 20, 20)
    fast.free(block)
    assert (fast.in_fast, fast.peak_fast) == (0, 20)


def test_more_than_fits_is_refused():
    fast = TwoLevelMemory(7)
    A = fast.input("A", (4, 2))
    (i,) = fast.tiles(4, 4)
    with pytest.raises(CapacityExceeded, match="load A would put 8 words into a fast memory of 7") as caught:
        fast.load(A[i])
    assert (caught.value.needed, caught.value.memory) == (8, 7)


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 5, 100, None])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 10])
def test_tiles_cover_every_row_once_and_count_every_tile_once(rows_at_once, size):
    fast = TwoLevelMemory(100, rows_at_once=rows_at_once)
    tiles = list(fast.tiles(10, size))
    assert [row for tile in tiles for row in range(tile.start, tile.stop)] == list(range(10))
    assert sum(tile.count for tile in tiles) == -(-10 // size)
    assert max(tile.size for tile in tiles) == size


@pytest.mark.parametrize("rows_at_once", [1, 2, None])
def test_a_block_moves_once_for_every_tile_of_a_loop_that_it_does_not_follow(rows_at_once):
    fast = TwoLevelMemory(100, rows_at_once=rows_at_once)
    A, B = fast.input("A", (6, 2)), fast.input("B", (4, 2))
    for i in fast.tiles(6, 2):
        fast.free(fast.load(A[i]))
        for j in fast.tiles(4, 1):
            fast.free(fast.load(B[j]))
            fast.free(fast.load(A[i]))
    assert fast.loads == 12 + 3 * 8 + 4 * 12


@pytest.mark.parametrize("rows_at_once", [1, 2, None])
def test_a_sum_is_loaded_from_its_second_time_on(rows_at_once):
    fast = TwoLevelMemory(100, rows_at_once=rows_at_once)
    C = fast.output("C", (4, 2))
    for _ in fast.tiles(6, 2):
        for i in fast.tiles(4, 2):
            block = fast.resume(C[i])
            fast.store(block)
            fast.free(block)
    assert (fast.loads, fast.stores) == (2 * 8, 3 * 8)
    assert fast.peak_slow == 0, "outputs are not counted"


def test_scratch_takes_slow_memory_once_it_is_stored():
    fast = TwoLevelMemory(100)
    P = fast.scratch("P", (4, 2))
    for i in fast.tiles(4, 2):
        block = fast.new(P[i])
        fast.store(block)
        fast.store(block)
        fast.free(block)
    assert fast.peak_slow == 8


def test_transposed_views_name_the_same_words():
    array = np.arange(6.0).reshape(2, 3)
    fast = NumpyMemory(100, {"A": array})
    A, C = fast.input("A", (2, 3)), fast.output("C", (3, 3))
    (i,), (k,) = fast.tiles(3, 3), fast.tiles(2, 2)
    left, right, sum_ = fast.load(A.T[i, k]), fast.load(A[k, i]), fast.new(C[i, i])
    sum_ += left @ right
    fast.store(sum_)
    assert (fast.arrays["C"] == array.T @ array).all()
    assert (A.T.shape, A.T.T) == ((3, 2), A)
    assert fast.multiplications == 18


def test_a_sum_of_no_terms_is_zero():
    fast = NumpyMemory(10, {"A": np.ones((2, 2))})
    C = fast.output("C", (2, 2))
    fast.arrays["C"][:] = 7
    (i,) = fast.tiles(2, 2)
    fast.store(fast.new(C[i]))
    assert (fast.arrays["C"] == 0).all()
