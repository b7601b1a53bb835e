"""The numbers of the proof page: no phase of any run does more than the proof allows, and the sum is the proof's."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels_ref import count, lower_bound
from kernels_ref.sizes import Shape
from pages.shared.settings import WHY_RUNS
from pages.shared.why_study import (
    MULTIPLIED,
    facts_of,
    least_memory,
    lower_bounds_of,
    most_in_a_phase,
    optimum,
    pebbling_of,
    the_sum,
)
from pebble_engine import replay
from pebble_engine.phases import dominates

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "optimal.json").read_text(encoding="utf-8"))
RUNS = [
    ("flash2", 8, 2, 14),
    ("flash2", 6, 1, 30),
    ("small-cache", 8, 2, 12),
    ("small-cache", 8, 4, 3),
    ("order", 6, 2, 3),
    ("order", 6, 3, 20),
    ("optimum", 1, 3, 6),
    ("optimum", 2, 1, 11),
]


@pytest.mark.parametrize(("run", "n", "d", "memory"), RUNS)
def test_no_phase_does_more_than_the_proof_allows(run: str, n: int, d: int, memory: int) -> None:
    pebbling = pebbling_of(run, n, d, memory)
    assert replay(pebbling).is_solved
    total, cap = the_sum(n, d, memory), most_in_a_phase(d, memory)
    found = facts_of(pebbling, d)
    for each in found:
        phase = each.phase
        assert dominates(pebbling.dag, phase.dominator, phase.computed)
        assert len(phase.dominator) <= 2 * memory
        assert len(phase.minimum) <= 2 * memory
        assert each.seen == len({*phase.dominator, *phase.minimum}) <= 3 * memory
        assert sum(each.words.values()) + each.pairs <= each.seen
        assert each.products <= each.allowed
        assert each.products <= cap
    assert all(each.phase.io == memory for each in found[:-1])
    assert sum(each.products for each in found) == total.products == 2 * n * n * d
    assert len(found) >= total.phases
    assert total.words <= pebbling.io
    multiplied = sum(place.tensor in MULTIPLIED for place in pebbling.dag.places)
    assert multiplied == total.products, "a vertex of S or dP is a product that is added"


def test_some_phase_comes_close_to_what_its_words_allow() -> None:
    """Otherwise the bound beside the count would teach nothing."""
    assert any(each.products == each.allowed > 0 for each in facts_of(pebbling_of("flash2", 8, 2, 14), 2))


@given(st.integers(1, 64), st.integers(1, 4000))
def test_the_cap_is_the_largest_value_of_its_formula(d: int, memory: int) -> None:
    """And the two simpler caps of the two regimes are above it."""
    words = 3 * memory
    tried = [words * (1 - (k / 4000) ** 2) for k in range(4001)]  # dense where the slope is steep
    largest = max(s * s / (4 * d) + s / 2 * math.sqrt(words - s) for s in tried)
    cap = most_in_a_phase(d, memory)
    assert math.floor(largest) <= cap <= largest * (1 + 1e-4) + 1
    simple = 13 * memory**2 / (4 * d) if memory >= d * d else 13 / 4 * memory**1.5
    assert cap <= simple + 1e-6


@given(st.integers(1, 3000), st.integers(1, 128), st.integers(1, 20_000))
def test_the_sum_is_no_better_than_the_bounds_that_are_proven_elsewhere(n: int, d: int, memory: int) -> None:
    found = the_sum(n, d, memory)
    assert found.phases == -(-2 * n * n * d // found.cap)
    assert found.words == memory * (found.phases - 1)
    large, small = 8 / 13 * n * n * d * d / memory, 8 / 13 * n * n * d / math.sqrt(memory)
    assert found.words >= (large if memory >= d * d else small) * (1 - 1e-9) - memory, "the formulas of step 5"
    bounds = lower_bounds_of(n, d, memory)
    assert bounds["floor"] == found.floor
    best = lower_bound("qkv", Shape(n, n, d, d), memory)
    assert max(bounds.values()) == best.words
    for algorithm in ("flash2", "small-cache"):
        io = count(algorithm, n=n, d=d, memory=memory).io
        assert io is None or found.words <= io


@pytest.mark.parametrize(
    "known",
    [row for row in KNOWN if row["sliding"] and row["cost"] and row["dag"].startswith("attention backward")],
    ids=lambda row: f"{row['dag'][-13:]} M={row['red']}",
)
def test_the_optimum_is_the_one_that_is_known(known: dict[str, object]) -> None:
    n_q, n_k, d = (int(part.split("=")[1]) for part in str(known["dag"]).split()[-3:])
    memory = int(str(known["red"]))
    moves = optimum(n_q, d, memory) if n_q == n_k else None
    if n_q != n_k or (n_q == 2 and memory < 11):
        assert moves is None
        return
    assert moves is not None
    assert sum(move.op in ("load", "store") for move in moves) == known["cost"]
    assert max(lower_bounds_of(n_q, d, memory).values()) <= int(str(known["cost"]))


@pytest.mark.parametrize("run", WHY_RUNS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 3), (2, 1), (5, 2), (3, 4)])
def test_the_least_memory_is_the_least_with_which_it_runs(run: str, n: int, d: int) -> None:
    least = least_memory(run, n, d)
    if least is None:
        assert run == "optimum"
        with pytest.raises(ValueError, match="no optimum is known"):
            pebbling_of(run, n, d, 20)
        return
    assert replay(pebbling_of(run, n, d, least)).is_solved
    if run != "optimum":
        with pytest.raises(Exception, match=r"needs at least|red|hold"):
            pebbling_of(run, n, d, least - 1)
