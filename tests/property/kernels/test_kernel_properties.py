"""Kernels at sizes that nobody chose."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels_ref import (
    ALGORITHMS,
    backward,
    backward_weights,
    count,
    forward,
    masks,
    pebble,
    reference,
    run,
    sparse,
    theory,
)
from kernels_ref.checks import random_problem, random_weights_problem, relative_error
from kernels_ref.counts import COUNTED
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.runs import execute
from kernels_ref.sizes import Shape
from pebble_engine import replay
from tests.unit.kernels.grid import BACKWARD

algorithms = st.sampled_from(sorted(BACKWARD))
settings.register_profile("kernels", deadline=None, max_examples=60)  # a shared machine keeps no deadline
settings.load_profile("kernels")
extras = st.one_of(st.integers(0, 60), st.integers(0, 3000))


@given(algorithms, st.integers(1, 16), st.integers(1, 16), st.integers(1, 6), extras, st.integers(1, 20))
def test_machines_and_closed_form_agree(algorithm, n_q, n_k, d, extra, rows_at_once):
    memory = ALGORITHMS[algorithm].least_memory(d) + extra
    closed = count(algorithm, n_q=n_q, n_k=n_k, d=d, memory=memory)
    fast = TwoLevelMemory(memory, rows_at_once=rows_at_once)
    execute(algorithm, fast, n_q, n_k, d)
    assert {name: getattr(fast, name) for name in COUNTED} == {name: getattr(closed, name) for name in COUNTED}
    assert closed.io >= theory.floor(n_q=n_q, n_k=n_k, d=d)
    assert closed.peak_fast <= memory


@given(algorithms, st.integers(1, 30), st.integers(1, 30), st.integers(1, 12), extras, st.floats(0.05, 3))
def test_gradients_are_right(algorithm, n_q, n_k, d, extra, scale):
    memory = ALGORITHMS[algorithm].least_memory(d) + extra
    problem = random_problem(n_q, n_k, d, seed=extra)
    done = backward(algorithm, *problem, memory=memory, scale=scale)
    q, k, v, dout = problem
    size = max(1.0, float(np.abs(dout @ v.T).max() * max(np.abs(q).max(), np.abs(k).max())))  # of terms that may cancel
    for got, right in zip((done.dq, done.dk, done.dv), reference.backward(*problem, scale=scale), strict=True):
        assert float(np.abs(got - right).max()) < 1e-10 * float(np.abs(right).max()) + 1e-13 * size


@given(
    st.sampled_from(sorted(ALGORITHMS)), st.data(), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3),
    st.integers(0, 60), st.floats(0.1, 1), st.integers(0, 99),
)  # fmt: skip
def test_runs_are_legal_pebblings(algorithm, data, n_q, n_k, d, extra, density, seed):
    """In every form, under any mask that leaves nobody alone."""
    form = data.draw(st.sampled_from(sorted(ALGORITHMS[algorithm].forms)))
    kept = np.random.default_rng(seed).random((n_q, n_k)) < density
    kept[:, 0] |= ~kept.any(axis=1)
    kept[0] |= ~kept.any(axis=0)
    memory = ALGORITHMS[algorithm].least_memory(d, d, form) + extra
    options = {"n_q": n_q, "n_k": n_k, "d": d, "memory": memory, "form": form, "mask": kept}
    summary, counts = replay(pebble(algorithm, **options)), count(algorithm, **options)
    assert (summary.loads, summary.stores) == (counts.loads, counts.stores)
    assert summary.peak <= counts.peak_fast <= memory


@given(algorithms, st.integers(1, 12), st.integers(1, 8), st.integers(0, 200))
def test_more_memory_never_costs_more(algorithm, n, d, extra):
    memory = ALGORITHMS[algorithm].least_memory(d) + extra
    assert count(algorithm, n=n, d=d, memory=memory + 1).io <= count(algorithm, n=n, d=d, memory=memory).io


@given(algorithms, st.sampled_from(["one-hot", "peaked", "repeated", "zero", "huge"]), st.integers(0, 100))
def test_inputs_that_are_not_gaussian(algorithm, kind, seed):
    q, k, v, dout = random_problem(11, 13, 4, seed=seed)
    if kind == "one-hot":
        q, k = np.eye(11, 4), np.eye(13, 4)
    elif kind == "peaked":
        q = q * 40
    elif kind == "repeated":
        q[:], k[:] = q[0], k[0]
    elif kind == "zero":
        q[:] = 0
        dout[::2] = 0
    else:
        v, dout = v * 1e8, dout * 1e-8
    done = backward(algorithm, q, k, v, dout, memory=90)
    right = reference.backward(q, k, v, dout)
    assert relative_error((done.dv,), (right.dv,)) < 1e-10
    for got, wanted in ((done.dq, right.dq), (done.dk, right.dk)):
        scale = max(float(np.abs(wanted).max()), float(np.abs(dout @ v.T).max() * np.abs(q).max() * 1e-3), 1e-12)
        assert float(np.abs(got - wanted).max()) / scale < 1e-9


@given(
    st.sampled_from(sorted(ALGORITHMS)), st.data(), st.integers(1, 9), st.integers(1, 9), st.integers(1, 4),
    st.integers(1, 4), st.floats(0, 1), st.integers(0, 99), st.integers(0, 200),
)  # fmt: skip
def test_every_form_under_any_mask(algorithm, data, n_q, n_k, d, d_v, density, seed, extra):
    """Machines, closed forms and the reference agree for whatever a mask keeps."""
    form = data.draw(st.sampled_from(sorted(ALGORITHMS[algorithm].forms)))
    mask = masks.random(n_q, n_k, density, seed)
    memory = ALGORITHMS[algorithm].least_memory(d, d_v, form) + extra
    options = {"n_q": n_q, "n_k": n_k, "d": d, "d_v": d_v, "memory": memory, "form": form, "mask": mask}
    options["target"] = form == "weights" and data.draw(st.booleans())
    check = run(algorithm, **options, seed=seed)
    assert check.max_relative_error < 1e-6  # dP - D may cancel; test_gradients_are_right measures that
    assert check.counts == count(algorithm, **options)


@given(
    st.sampled_from(sorted(ALGORITHMS)), st.data(), st.integers(1, 9), st.integers(1, 9), st.integers(1, 4),
    st.integers(1, 4), st.floats(0, 1), st.none() | st.floats(0, 1), st.integers(0, 99), st.integers(0, 200),
    st.integers(1, 20),
)  # fmt: skip
def test_every_form_on_inputs_by_nonzeros(
    algorithm, data, n_q, n_k, d, d_v, density, kept, seed, extra, rows_at_once
):  # fmt: skip
    """Any inputs with zeros, any mask: machines, closed forms and the reference agree, and no more moves than dense."""
    form = data.draw(st.sampled_from(sorted(ALGORITHMS[algorithm].forms)))
    names = data.draw(st.sets(st.sampled_from(sparse.SPARSE[form])))
    rng, shape = np.random.default_rng(seed), Shape(n_q, n_k, d, d_v)
    patterns = {name: rng.random(shape.extent(name)) < density for name in sorted(names)}
    mask = None if kept is None else masks.random(n_q, n_k, kept, seed)
    memory = ALGORITHMS[algorithm].least_memory(d, d_v, form) + extra
    options = {"n_q": n_q, "n_k": n_k, "d": d, "d_v": d_v, "memory": memory, "form": form, "mask": mask}
    closed, dense = count(algorithm, **options, patterns=patterns), count(algorithm, **options)
    check = run(algorithm, **options, patterns=patterns, seed=seed)
    assert check.max_relative_error < 1e-6
    assert check.counts == closed
    fast = TwoLevelMemory(memory, rows_at_once=rows_at_once)
    execute(algorithm, fast, n_q, n_k, d, d_v=d_v, form=form, mask=shape_mask(mask), patterns=patterns)
    assert {name: getattr(fast, name) for name in COUNTED} == {name: getattr(closed, name) for name in COUNTED}
    assert closed.loads <= dense.loads
    assert (closed.stores, closed.tile) == (dense.stores, dense.tile)
    if form == "qkv" and "dO" not in names:
        q, k, v = (patterns.get(name, np.ones(shape.extent(name))) for name in ("Q", "K", "V"))
        assert closed.io >= sparse.per_instance_floor(q, k, v, mask)


def shape_mask(mask):
    return None if mask is None else masks.as_mask(mask, *mask.shape)


@given(
    st.sampled_from(sorted(ALGORITHMS)), st.data(), st.integers(1, 9), st.integers(1, 9), st.integers(1, 5),
    st.integers(1, 5), st.none() | st.sampled_from(["causal", "window:2", "block:3:0.5", "strided:2", "random:0.4"]),
    st.integers(0, 99), st.integers(0, 300),
)  # fmt: skip
def test_every_form_under_every_mask_is_autograds(algorithm, data, n_q, n_k, d, d_v, name, seed, extra):
    """PyTorch's gradients; a row that keeps nothing has the output 0 there too."""
    form = data.draw(st.sampled_from(sorted(ALGORITHMS[algorithm].forms)))
    mask = None if name is None else masks.named(name, n_q, n_k)
    kept = torch.ones(n_q, n_k) if mask is None else torch.tensor(masks.matrix(mask)).double()
    memory = ALGORITHMS[algorithm].least_memory(d, d_v, form) + extra

    def attend(q, k, v):
        s = torch.where(kept > 0, 0.5 * q @ k.T, -torch.inf)
        weight = torch.exp(s - torch.where(kept.any(1), s.max(1).values, 0).detach()[:, None])
        total = weight.sum(1, keepdim=True)
        return weight / torch.where(total == 0, 1, total) @ v

    if form == "weights":
        *inputs, dout = random_weights_problem(n_q, n_k, d, seed, d_v)
        tensors = [torch.tensor(array, requires_grad=True) for array in inputs]
        a1, a2, a3, x, y = tensors
        out, wanted = attend(a1 @ x, a2, a3 @ y), [x, y]
        done = backward_weights(algorithm, *inputs, dout=dout, memory=memory, scale=0.5, mask=mask)
    else:
        *inputs, dout = random_problem(n_q, n_k, d, seed, d_v)
        wanted = [torch.tensor(array, requires_grad=True) for array in inputs]
        out = attend(*wanted)
        if form == "forward":
            done = forward(algorithm, *inputs, memory=memory, scale=0.5, mask=mask)
            assert relative_error((done.out,), (out.detach().numpy(),)) < 1e-10
            return
        done = backward(algorithm, *inputs, dout, memory=memory, scale=0.5, mask=mask)
    out.backward(torch.tensor(dout))
    right = [tensor.grad.numpy() for tensor in wanted]
    for got, gradient in zip(done.outputs.values(), right, strict=True):
        assert float(np.abs(got - gradient).max()) < 1e-10 * max(1.0, float(np.abs(gradient).max()))
