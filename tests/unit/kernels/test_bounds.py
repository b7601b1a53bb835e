"""Lower bounds against every algorithm's exact counts, against proven optima, and their proofs' inequalities."""

import itertools
import json
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, BadInput, count, masks, theory
from kernels_ref.bounds import (
    BACKWARD_ALPHA,
    all_bounds,
    certified_ratio,
    lower_bound,
    lower_bounds,
    matrix_product,
    most_products,
)
from kernels_ref.counts import closed_form
from kernels_ref.sizes import Shape
from tests.unit.kernels.grid import SHAPES, memories

OPTIMAL = json.loads((Path(__file__).parents[2] / "data" / "optimal.json").read_text())
KERNELS = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]
MASKS = [None, "causal", "window:3", "random:0.3", "block:3:0.5", "strided:2"]


@pytest.mark.parametrize(("algorithm", "form"), KERNELS)
@pytest.mark.parametrize("name", MASKS)
def test_no_count_is_below_a_bound(algorithm, form, name):
    for n_q, n_k, d, d_v in SHAPES:
        mask = None if name is None else masks.named(name, n_q, n_k)
        shape = Shape(n_q, n_k, d, d_v, mask)
        grid = memories(algorithm, d, d_v, form)
        counted = closed_form(algorithm, n_q, n_k, d, grid, d_v=d_v, form=form, mask=mask)
        for memory, io, (words, bound) in zip(
            grid, counted["loads"] + counted["stores"], lower_bounds(form, shape, grid), strict=True
        ):
            assert words <= io, (bound, shape, memory)


@pytest.mark.parametrize(("algorithm", "form"), KERNELS)
def test_no_count_is_below_a_bound_at_full_size(algorithm, form):
    least = ALGORITHMS[algorithm].least_memory
    for n, d in ((300, 8), (4096, 64), (2**16, 64), (2**16, 512), (2**20, 128), (2**30, 16)):
        grid = [3, 8, 100, d * d // 16, d * d // 2, d * d, 4 * d * d, 100 * d * d, n * d, 8 * n * d]
        grid = [memory for memory in grid if memory >= least(d, d, form)]
        counted = closed_form(algorithm, n, n, d, grid, form=form)
        found = lower_bounds(form, Shape(n, n, d, d), grid)
        assert all(words <= io for (words, _), io in zip(found, counted["loads"] + counted["stores"], strict=True))


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize("form", ["qkv", "forward"])
def test_heads(form, kv_heads):
    mask = masks.causal(9, 11)
    shape = Shape(9, 11, 3, 3, mask)
    options = {"heads": 4, "kv_heads": kv_heads}
    assert (
        theory.floor(n_q=9, n_k=11, d=3, mask=mask, form=form, **options)
        == all_bounds(form, shape, 10**9, **options)[0].words
    )
    for algorithm in (name for name, own in KERNELS if own == form):
        for memory in (20, 30, 100, 1000):
            done = certified_ratio(algorithm, n_q=9, n_k=11, d=3, memory=memory, mask=mask, form=form, **options)
            assert done is None or done.ratio >= 1
    if kv_heads == 4:
        assert all_bounds(form, shape, 10**9, **options)[0].words == 4 * all_bounds(form, shape, 10**9)[0].words


def test_the_weights_form_has_one_head():
    with pytest.raises(BadInput, match="one head"):
        lower_bound("weights", Shape(4, 4, 2, 2), 9, heads=2)
    with pytest.raises(BadInput, match="no form is called 'sideways'"):
        lower_bound("sideways", Shape(4, 4, 2, 2), 9)


def attention():
    for entry in OPTIMAL:
        found = re.fullmatch(r"attention backward chain n_q=(\d+) n_k=(\d+) d=(\d+)", entry["dag"])
        if found:
            yield pytest.param(
                *map(int, found.groups()), entry["red"], entry["cost"], id=f"{entry['dag']} {entry['red']}"
            )


@pytest.mark.parametrize(("n_q", "n_k", "d", "red", "cost"), list(attention()))
def test_attention_bounds_are_at_most_the_proven_optimum(n_q, n_k, d, red, cost):
    """With and without sums in place: these bounds hold for both."""
    for bound in all_bounds("qkv", Shape(n_q, n_k, d, d), red):
        assert cost is None or bound.words <= cost, bound


def test_the_raw_formulas_stay_below_the_optimum():
    """Before the maximum with inputs + outputs is taken, as math.md writes them; and theory.floor too."""
    for entry in attention():
        n_q, n_k, d, red, cost = entry.values
        if cost is None:
            continue
        n2 = n_q * n_k
        best = max((x - red) * (n2 / (x * x / (16 * d * d) + x) - 1) for x in range(red + 1, 200))
        assert best <= cost
        assert 4 * n2 * d * d / (red + 8 * d * d) - red <= best + 1e-9
        assert 2 * n2 * d * d / (red + math.sqrt(3) * d * math.sqrt(red)) - red <= cost
        assert theory.floor(n_q=n_q, n_k=n_k, d=d) <= cost


def test_matrix_products_are_at_most_the_proven_optimum():
    checked = 0
    for entry in OPTIMAL:
        found = re.match(r"matmul chain (\d+)x(\d+)x(\d+)", entry["dag"])
        if found and entry["cost"] is not None:
            m, q, k = map(int, found.groups())
            for bound in matrix_product(m, k, q, entry["red"], in_place=entry["sliding"]):
                assert bound.words <= entry["cost"], (entry, bound)
                checked += 1
    assert checked > 40


def test_matrix_product_with_and_without_sums_in_place():
    without, within = (matrix_product(64, 64, 64, 99, in_place=in_place) for in_place in (False, True))
    assert [bound.name for bound in within] == ["cosma", "smith", "floor"]
    assert within[0].words == math.floor(2 * 64**3 / 10 + 64**2)
    assert without[0].words == math.floor(2 * 64**3 / math.sqrt(99) + 64**2)
    assert within[1].words == math.floor(2 * 64**3 / 10 - 200)
    assert [bound.name for bound in matrix_product(64, 64, 64, 64 * 64)] == ["floor", "smith"]


def test_leading_constants():
    n, d = 2**20, 64
    shape = Shape(n, n, d, d)
    flash = 4096 * d * d
    assert lower_bound("qkv", shape, flash).words * flash / (n * d) ** 2 == pytest.approx(
        0.375 / BACKWARD_ALPHA, rel=0.05
    )
    assert lower_bound("forward", shape, flash).words * flash / (n * d) ** 2 == pytest.approx(2, rel=0.05)
    n, d, small = 2**20, 4096, 4096
    shape = Shape(n, n, d, d)
    assert lower_bound("qkv", shape, small).words * 64 / (n * n * d) == pytest.approx(3 * math.sqrt(2), rel=0.05)
    assert lower_bound("forward", shape, small).words * 64 / (n * n * d) == pytest.approx(2 * math.sqrt(2), rel=0.05)
    assert lower_bound("weights", shape, small).words * 64 / (n * n * d) == pytest.approx(2 * math.sqrt(2), rel=0.05)


def test_ours_are_never_weaker_than_the_closed_formulas_of_the_plan():
    """The better bounds above the ones that the plan wrote down, wherever those say something."""
    for n, d, memory in itertools.product((256, 4096, 2**16), (16, 64, 512), (64, 512, 4096, 2**16, 2**20)):
        words = {bound.name: bound.words for bound in all_bounds("qkv", Shape(n, n, d, d), memory)}
        assert words["dominator"] >= words["dominator-closed"]
        assert words["products"] >= words["loomis-whitney"]
        plan = n * n * d * d / (memory + 4 * d * d) - memory
        assert max(bound.words for bound in all_bounds("forward", Shape(n, n, d, d), memory)) >= plan


def test_many_memories_at_once_are_the_same_bounds():
    for form, d_v in (("qkv", 6), ("qkv", 4), ("weights", 6), ("forward", 5)):
        shape = Shape(50, 70, 6, d_v, masks.causal(50, 70))
        grid = [3, 10, 50, 400, 10**5]
        found = lower_bounds(form, shape, grid)
        best = [lower_bound(form, shape, memory) for memory in grid]
        assert found == [(bound.words, bound.name) for bound in best]
    assert lower_bounds("qkv", shape, []) == []


def test_bounds_never_rise_with_memory():
    found = [words for words, _ in lower_bounds("qkv", Shape(512, 512, 16, 16), range(10, 20000, 37))]
    assert all(after <= before * 1.001 + 1 for before, after in itertools.pairwise(found))


def test_the_largest_phase():
    """G(Y) is the maximum that the proof asks for: no s gives more."""
    for words, d, alpha in itertools.product((3.0, 100.0, 1e4, 1e8), (1, 8, 512), (BACKWARD_ALPHA, 1 / 16, 1 / 4)):
        s = np.linspace(0, words, 20001)
        tried = (alpha * s * s / d + s / 2 * np.sqrt(words - s)).max()
        assert tried * (1 - 1e-9) <= most_products(np.array([words]), d, alpha)[0] <= tried * (1 + 1e-5)


def test_the_inequality_of_the_proof():
    """sqrt(q k o a) + min(q,o) b + min(k,v) c <= alpha s^2 , b <= min(k,v), c <= min(q,o); alpha is the least such."""
    rng, best = random.Random(0), 0.0
    z = math.sqrt(7) - 2
    hardest = (1, 2 + z * z + 1, 1, 1)  # m = u m: 3 m against g (3 + z^2)
    for trial in range(8000):
        q, k, o, v, a, b, c = (rng.random() for _ in range(7))
        if trial % 2:
            q, v, o = o, k, o * (1 + 0.1 * q)
        b, c = min(b, k, v), min(c, q, o)
        left = math.sqrt(q * k * o * a) + min(q, o) * b + min(k, v) * c
        ratio = left / (q + k + o + v + a + b + c) ** 2
        assert ratio <= BACKWARD_ALPHA
        best = max(best, ratio)
    g = 3 / hardest[1]
    left = math.sqrt(g * z * z * g) + g + g
    assert left / (2 + g + z * z * g + g + g + 1) ** 2 == pytest.approx(BACKWARD_ALPHA)
    assert best > 0.055


def test_a_bound_says_where_it_comes_from():
    for form in ("qkv", "forward", "weights"):
        for bound in all_bounds(form, Shape(64, 64, 8, 8), 100):
            assert all((bound.name, bound.statement, bound.valid_for, bound.source))
            assert bound.ours == (bound.name != "floor")
    names = {bound.name for bound in all_bounds("qkv", Shape(64, 64, 8, 4), 100)}
    assert "products" not in names, "its proof has d_v = d"
    assert "scores" not in {bound.name for bound in all_bounds("weights", Shape(64, 64, 4, 8), 100)}


def test_certified_ratio():
    done = certified_ratio("flash-two-sweep", n=2**16, d=64, memory=16 * 64**2)
    assert 1 < done.ratio < 2.8
    assert done.io == count("flash-two-sweep", n=2**16, d=64, memory=16 * 64**2).io
    assert 1 < certified_ratio("small-cache-outer", n=2**16, d=512, memory=4096).ratio < 2.6
    assert 1 < certified_ratio("forward-flash", n=2**16, d=64, memory=16 * 64**2).ratio < 2.4
    assert certified_ratio("flash2", n=64, d=64, memory=100) is None
    assert certified_ratio("flash2", n=64, d=8, memory=10**6).ratio == 1


def test_theta():
    assert theory.theta(4096, 64, 512, heads=8) == 8 * theory.theta(4096, 64, 512)
    for d in (8, 64):
        assert theory.theta_forward_flash(4096, d, d * d) == pytest.approx(
            theory.theta_forward_small_cache(4096, d, d * d)
        )
        assert theory.theta_forward(4096, d, d) == theory.theta_forward_small_cache(4096, d, d)
        assert theory.theta_sparse(4096 * d, 4096**2, 99) == pytest.approx(theory.theta_forward(4096, d, 99))
        assert theory.sparse_split(4096 * d, 4096**2) == d * d
    assert theory.theta_sparse(100, 25, 400) == 25
    assert theory.theta_sparse(100, 25, 100) == 50
    assert theory.sparse_split(5, 0) == math.inf


def test_the_sparse_theorem_is_no_bound_for_each_pattern():
    """Q = K = I_n: Z_input = n and, as no other score matters, n words of S; few words do, whatever M is."""
    n, memory = 4096, 16
    assert theory.theta_sparse(n, n * n, memory) > 3 * n


def test_floors():
    assert theory.floor(4096, 64) == 7 * 4096 * 64 + 2 * 4096
    assert theory.floor(n_q=2, n_k=5, d=3, d_v=4) == 2 * (3 + 4 + 2) + 5 * 7 + 2 * 3 + 5 * 7
    assert theory.floor(10, 3, form="forward") == 4 * 10 * 3 + 10
    assert theory.floor(10, 3, form="weights") == 4 * 10 * 3 + 2 * 9 + 2 * 9
    nothing = np.zeros((4, 5), bool)
    assert theory.floor(n_q=4, n_k=5, d=3, mask=nothing) == (4 + 2 * 5) * 3
    assert theory.floor(n_q=4, n_k=5, d=3, mask=nothing, form="weights") == 18
    assert theory.floor(8, 2, heads=6, kv_heads=2) == 2 * theory.floor(n_q=24, n_k=8, d=2)
