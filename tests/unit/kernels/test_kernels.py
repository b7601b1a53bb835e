"""Kernels against what is right, and against themselves on another machine."""

from contextlib import nullcontext

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, BadInput, Cancelled, CapacityExceeded, DoesNotFit, backward, count, reference, run
from kernels_ref.checks import random_problem, relative_error
from kernels_ref.counts import COUNTED
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.numpy_memory import NumpyMemory
from kernels_ref.runs import execute
from kernels_ref.sizes import Shape
from tests.unit.kernels.grid import BACKWARD, SHAPES, memories
from tests.unit.kernels.test_reference import torch_gradients


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize(("n_q", "n_k", "d", "d_v"), SHAPES)
def test_gradients(algorithm, n_q, n_k, d, d_v):
    """At every memory of the grid: equal to the reference, and to autograd, to 1e-10; words and tile as `count` has."""
    problem = random_problem(n_q, n_k, d, n_q + n_k + d, d_v)
    scale = 1 / np.sqrt(d)
    right = reference.backward(*problem, scale=scale)
    autograd = torch_gradients(*problem, scale)
    for memory in memories(algorithm, d, d_v):
        done = backward(algorithm, *problem, memory=memory, scale=scale)
        assert relative_error((done.dq, done.dk, done.dv), right) < 1e-10, memory
        assert relative_error((done.dq, done.dk, done.dv), autograd) < 1e-10, memory
        closed = count(algorithm, d=d, d_v=d_v, memory=memory, n_q=n_q, n_k=n_k)
        assert done.tile == closed.tile
        for name in COUNTED:
            assert getattr(closed, name) == getattr(done, name), (name, memory)


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize(
    ("rows_at_once", "memory"),
    [(1, 130), (2, 1000), (3, 45), (7, 130), (7, 100_000), (16, 1000), (10**9, 45), (10**9, 1000)],
)
def test_how_numpy_batches_changes_nothing(algorithm, rows_at_once, memory):
    """Pieces of a tile, several tiles, and the whole loop at once."""
    q, k, v, dout = random_problem(23, 19, 5, seed=6)
    out, lse = reference.forward(q, k, v, scale=0.5)
    m, total = reference.statistics(q, k, scale=0.5)
    arrays = {"Q": q, "K": k, "V": v, "dO": dout, "lse": lse, "D": (dout * out).sum(axis=1), "O": out}
    fast = NumpyMemory(memory, arrays | {"m": m, "l": total}, rows_at_once=rows_at_once)
    execute(algorithm, fast, 23, 19, 5, scale=0.5)
    right = reference.backward(q, k, v, dout, scale=0.5)
    assert relative_error(tuple(fast.arrays[name] for name in ("dQ", "dK", "dV")), right) < 1e-10
    thin = TwoLevelMemory(memory)
    execute(algorithm, thin, 23, 19, 5)
    for name in (*COUNTED, "in_fast"):
        assert getattr(fast, name) == getattr(thin, name), name


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_everything_is_freed_and_inputs_stay_as_they_were(algorithm):
    q, k, v, dout = random_problem(9, 8, 3, seed=7)
    before = [array.copy() for array in (q, k, v, dout)]
    backward(algorithm, q, k, v, dout, memory=64)
    assert all((array == copy).all() for array, copy in zip((q, k, v, dout), before, strict=True))
    fast = TwoLevelMemory(64)
    execute(algorithm, fast, 9, 8, 3)
    assert fast.in_fast == 0


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_a_constant_added_to_every_score_of_a_row_changes_nothing(algorithm):
    """q and k gain a column whose product is the same for every key: softmax does not see it."""
    q, k, v, dout = random_problem(8, 6, 3, seed=8)
    widened = [np.hstack([array, column]) for array, column in ((q, 2 * np.ones((8, 1))), (k, np.ones((6, 1))))]
    padded = [np.hstack([array, np.zeros((len(array), 1))]) for array in (v, dout)]
    plain = backward(algorithm, q, k, v, dout, memory=100)
    shifted = backward(algorithm, *widened, *padded, memory=100)
    assert (
        relative_error((shifted.dq[:, :3], shifted.dk[:, :3], shifted.dv[:, :3]), (plain.dq, plain.dk, plain.dv))
        < 1e-10
    )


@pytest.mark.parametrize(("algorithm", "d", "memory", "least"), [("flash2", 64, 385, 386), ("small-cache", 64, 2, 3)])
def test_what_does_not_fit_says_what_would(algorithm, d, memory, least):
    with pytest.raises(
        DoesNotFit, match=f"{algorithm} with d = {d} needs at least {least} words of fast memory"
    ) as caught:
        run(algorithm, n=8, d=d, memory=memory)
    assert caught.value.least_memory == least
    run(algorithm, n=8, d=d, memory=least)


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_the_least_memory_is_the_least(algorithm):
    """With one word less than it claims to need, the kernel itself runs out of room, whatever its tile."""
    for d, d_v in ((5, 5), (1, 1), (2, 7), (7, 2)):
        kernel = ALGORITHMS[algorithm].kernel("qkv")
        least = kernel.least_memory(d, d_v)
        shape = Shape(6, 6, d, d_v)
        tile = dict.fromkeys(kernel.choose_tile(shape, least), 1)
        shapes = {"Q": (6, d), "K": (6, d), "V": (6, d_v), "O": (6, d_v), "dO": (6, d_v)}
        for words, trouble in ((least, nullcontext()), (least - 1, pytest.raises(CapacityExceeded))):
            fast = TwoLevelMemory(words)
            tensors = [fast.input(name, shapes.get(name, (6,))) for name in kernel.inputs]
            with trouble:
                kernel.run(fast, *tensors, scale=1.0, **tile)


def test_a_watcher_sees_progress_and_can_stop_the_run():
    seen = []
    run("flash2", n=64, d=4, memory=100, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def stop(share):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        run("flash2", n=64, d=4, memory=100, progress=stop)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n": 0, "d": 4, "memory": 100}, "n_q must be at least 1, got 0"),
        ({"n": 4, "d": -1, "memory": 100}, "d must be at least 1, got -1"),
        ({"n": "x", "d": 4, "memory": 100}, "n_q must be a whole number, got 'x'"),
        ({"n": 4.5, "d": 4, "memory": 100}, "n_q must be a whole number, got 4.5"),
        ({"n": 4, "d": 4, "memory": 1e30}, "memory must be a whole number"),
        ({"n": None, "d": 4, "memory": 100}, "give n, or both n_q and n_k"),
    ],
)
def test_bad_sizes(arguments, sentence):
    with pytest.raises(BadInput, match=sentence):
        run("flash2", **arguments)


def test_bad_arrays():
    q = np.zeros((4, 3))
    with pytest.raises(BadInput, match=r"got q \(4, 3\), k \(4, 2\)"):
        backward("flash2", q, np.zeros((4, 2)), np.zeros((4, 2)), q, memory=100)
    with pytest.raises(BadInput, match="floating-point"):
        backward("flash2", *[np.zeros((4, 3), int)] * 4, memory=100)
    with pytest.raises(BadInput, match="at least one row"):
        backward("flash2", *[np.zeros((0, 3))] * 4, memory=100)
    with pytest.raises(BadInput, match="there are: flash2, small-cache"):
        backward("flash9", q, q, q, q, memory=100)
