"""Lower bounds at sizes and masks that nobody chose."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels_ref import ALGORITHMS, count
from kernels_ref.bounds import all_bounds, lower_bounds
from kernels_ref.sizes import Shape
from kernels_ref.theory import floor

kernels = st.sampled_from([(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms])
sides = st.integers(1, 24)
widths = st.integers(1, 9)
extras = st.one_of(st.integers(0, 60), st.integers(0, 3000))
small = settings(deadline=None, max_examples=120)


@small
@given(kernels, sides, sides, widths, widths, extras, st.none() | st.floats(0, 1), st.integers(0, 99))
def test_no_bound_is_above_a_count(kernel, n_q, n_k, d, d_v, extra, density, seed):
    algorithm, form = kernel
    memory = ALGORITHMS[algorithm].least_memory(d, d_v, form) + extra
    mask = None if density is None else np.random.default_rng(seed).random((n_q, n_k)) < density
    io = count(algorithm, n_q=n_q, n_k=n_k, d=d, d_v=d_v, memory=memory, form=form, mask=mask).io
    for bound in all_bounds(form, Shape(n_q, n_k, d, d_v), memory, mask):
        assert floor(n_q=n_q, n_k=n_k, d=d, d_v=d_v, form=form, mask=mask) <= bound.words <= io


@small
@given(
    st.sampled_from(["flash2", "small-cache", "forward-flash"]),
    sides,
    widths,
    extras,
    st.sampled_from([(1, 1), (4, 4), (4, 2), (6, 1)]),
)
def test_heads(algorithm, n, d, extra, heads):
    entry = ALGORITHMS[algorithm]
    memory = entry.least_memory(d) + extra
    io = count(algorithm, n=n, d=d, memory=memory, heads=heads[0], kv_heads=heads[1]).io
    for bound in all_bounds(entry.form, Shape(n, n, d, d), memory, heads=heads[0], kv_heads=heads[1]):
        assert bound.words <= io


@small
@given(
    st.sampled_from(["qkv", "forward", "weights"]), st.integers(1, 2**40), st.integers(1, 2**12), st.integers(1, 2**40)
)
def test_bounds_of_any_size_are_whole_and_at_least_the_floor(form, n, d, memory):
    shape = Shape(n, n, d, d)
    bounds = all_bounds(form, shape, memory)
    assert all(type(bound.words) is int and bound.words >= floor(n, d, form=form) for bound in bounds)
    assert lower_bounds(form, shape, [memory])[0][0] == bounds[0].words
