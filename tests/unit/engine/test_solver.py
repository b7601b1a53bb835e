"""The solver: against brute force, against known optima, at its limits, and from its cache."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import pytest

from pebble_engine import Game, PebbleDag, Rules, attention_backward, matmul, pyramid, summation_tree
from pebble_engine.examples import chain
from pebble_engine.solver import DoesNotFit, Progress, SearchLimit, Solution, clear_cache, solve
from tests.unit.engine.solver_oracle import OPTIMAL, every_rule, literal_optimum, named, small_dags

MINUTES = 600.0  # never reached; so that a fault does not hang the tests


def checked(dag: PebbleDag, rules: Rules, **limits: Any) -> Solution:
    """Solve, and play the moves in a game."""
    solution = solve(dag, rules, **{"time_limit": MINUTES, **limits})
    game = Game(dag, rules, solution.moves)
    assert game.is_solved
    assert game.io == solution.cost
    assert game.peak <= rules.red
    assert solution.lower_bound <= solution.cost
    return solution


def assert_optimal(dag: PebbleDag, rules: Rules) -> None:
    wanted, _ = literal_optimum(dag, rules)
    if wanted is None:
        with pytest.raises(DoesNotFit):
            solve(dag, rules)
        return
    solution = checked(dag, rules)
    assert solution.proved
    assert solution.cost == wanted, (dag.edges, dag.outputs, rules)


@pytest.mark.parametrize("vertices", [1, 2, 3])
def test_equals_brute_force_on_every_dag(vertices: int) -> None:
    """Up to four vertices here with a sample, all up to five in `python -m tests.bench.solver --small`."""
    for dag in small_dags(vertices):
        for rules in every_rule(dag):
            assert_optimal(dag, rules)


@pytest.mark.parametrize(("vertices", "sample"), [(4, 400), (5, 250)])
def test_equals_brute_force_on_a_sample(vertices: int, sample: int) -> None:
    cases = [(dag, rules) for dag in small_dags(vertices) for rules in every_rule(dag)]
    for dag, rules in random.Random(4).sample(cases, sample):
        assert_optimal(dag, rules)


def test_a_state_that_needs_a_delete_to_come_back_is_not_implied() -> None:
    """{0, 3} can be had again from {0} with three pebbles, but only by way of 2, which then takes the place of 1."""
    dag = PebbleDag("01234", [(0, 1), (0, 2), (0, 3), (2, 3), (1, 4), (3, 4)], [4])
    assert checked(dag, Rules(red=3)).cost == 2


@pytest.mark.parametrize("entry", [entry for entry in OPTIMAL if entry["vertices"] <= 16], ids=str)
def test_known_optima(entry: dict[str, Any]) -> None:
    solution = checked(named(entry["dag"]), Rules(red=entry["red"], sliding=entry["sliding"]))
    assert solution.proved
    assert solution.cost == entry["cost"]


@pytest.mark.parametrize(
    ("name", "red", "sliding", "cost"),
    [
        ("matmul chain 3x2x2", 5, False, 20),
        ("matmul chain 3x2x2", 3, True, 25),
        ("attention backward chain 1 1 2", 4, False, 22),
        ("attention backward chain 2 1 1", 6, False, 17),
    ],
)
def test_known_larger_optima(name: str, red: int, sliding: bool, cost: int) -> None:
    solution = checked(named(name), Rules(red=red, sliding=sliding))
    assert (solution.cost, solution.proved) == (cost, True)


@pytest.mark.parametrize("dag", [pyramid(3), matmul(2, 2, 1), summation_tree(6), attention_backward(1)], ids=repr)
def test_more_memory_and_fuller_rules_never_cost_more(dag: PebbleDag) -> None:
    for sliding in (False, True):
        for recompute in (False, True):
            costs = [checked(dag, Rules(red, sliding, recompute)).cost for red in range(4, 9)]
            assert costs == sorted(costs, reverse=True)
    for red in range(4, 9):
        cost = {(s, r): solve(dag, Rules(red, s, r)).cost for s in (False, True) for r in (False, True)}
        assert cost[True, True] <= min(cost[True, False], cost[False, True])
        assert max(cost[True, False], cost[False, True]) <= cost[False, False]


def test_does_not_fit() -> None:
    with pytest.raises(DoesNotFit) as caught:
        solve(matmul(1, 1, 2), Rules(red=2))
    assert (caught.value.reason, caught.value.least, caught.value.red) == ("does_not_fit", 4, 2)
    assert caught.value.vertices == ("C[0,0]#0", "C[0,0]#1")
    assert checked(matmul(1, 1, 2), Rules(red=3, sliding=True)).cost == 5


def test_vertices_that_no_output_needs_and_inputs_that_are_outputs_cost_nothing() -> None:
    dag = PebbleDag.of({"a": (), "b": ("a",), "c": (), "wide": ("a", "b", "c"), "d": ("b",)}, outputs=["d", "c"])
    assert checked(dag, Rules(red=2)).cost == 2
    alone = PebbleDag.of({"a": ()})
    assert checked(alone, Rules(red=1)) == Solution(alone, Rules(red=1), (), 0, 0, 0)


@pytest.mark.parametrize("recompute", [True, False])
@pytest.mark.parametrize("sliding", [True, False])
def test_gives_up_with_a_legal_pebbling_and_a_bound(sliding: bool, recompute: bool) -> None:
    dag, rules = attention_backward(2, 2), Rules(red=8, sliding=sliding, recompute=recompute)
    clear_cache()
    solution = checked(dag, rules, time_limit=0.0)
    assert (solution.stopped, solution.proved) == ("time", False)
    few = checked(dag, rules, max_states=50)
    assert few.stopped == "memory"
    assert len(dag.inputs) + len(dag.outputs) <= few.lower_bound < few.cost
    with pytest.raises(SearchLimit) as caught:
        solve(dag, rules, max_states=50, must_prove=True)
    assert caught.value.reason == "memory"
    assert caught.value.solution.cost == few.cost


def test_progress_and_cancellation() -> None:
    heard: list[Progress] = []
    stop = threading.Event()

    def listen(progress: Progress) -> None:
        heard.append(progress)
        if len(heard) == 2:
            stop.set()

    dag = attention_backward(2)
    clear_cache()
    solution = checked(dag, Rules(red=5), progress=listen, cancelled=stop.is_set)
    assert solution.stopped == "cancelled"
    assert len(heard) == 2
    assert all(len(dag.inputs) <= p.lower_bound <= p.cost for p in heard)
    assert heard[0].seconds < heard[1].seconds


def test_a_solution_is_remembered_by_the_shape_of_the_dag() -> None:
    """The same DAG with its vertices renamed and shuffled."""
    dag, rules = matmul(2, 2, 2), Rules(red=5)
    clear_cache()
    first = checked(dag, rules)
    numbers = list(range(len(dag)))
    random.Random(1).shuffle(numbers)
    labels = [""] * len(dag)
    for v, number in enumerate(numbers):
        labels[number] = f"x{v}"
    edges = [(numbers[u], numbers[v]) for u, v in dag.edges]
    twin = PebbleDag(labels, edges, [numbers[v] for v in dag.outputs])
    again = checked(twin, rules, max_states=1)  # too few to search
    assert (again.cost, again.proved, again.stopped) == (first.cost, True, None)
    clear_cache()
    assert not checked(twin, rules, max_states=1).proved


def test_is_deterministic() -> None:
    solutions = []
    for _ in range(2):
        clear_cache()
        solutions.append(solve(pyramid(4), Rules(red=4)))
    assert solutions[0] == solutions[1]


def test_one_shot_costs_more_where_recomputing_pays() -> None:
    """One input, a long chain from it, and its end again at the end: reload the input, or store what it gave."""
    dag = PebbleDag.of({"a": (), "b": ("a",), "c": ("b",), "d": ("c",), "e": ("d", "b")})
    assert checked(dag, Rules(red=3)).cost == checked(dag, Rules(red=3, recompute=False)).cost == 2
    assert checked(chain(30), Rules(red=1, sliding=True)).cost == 2
    pyramid_costs = [checked(pyramid(3), Rules(red=3, recompute=recompute)).cost for recompute in (True, False)]
    assert pyramid_costs[0] <= pyramid_costs[1]


def test_fewer_states_than_the_literal_search() -> None:
    """At least 50 times fewer; on smaller instances, of a few thousand literal states, about 10 times."""
    dag, rules = summation_tree(8), Rules(red=3)
    clear_cache()
    _, literal = literal_optimum(dag, rules)
    assert literal >= 50 * max(1, solve(dag, rules).states)


@pytest.mark.parametrize("states", [50, 20_000])
def test_on_giving_up_the_pebbling_is_near_the_best_known(states: int) -> None:
    """Far beyond what the search proves in so many states: 23 is the best known here, found by long local search."""
    dag, rules = attention_backward(2), Rules(red=8, sliding=True)
    clear_cache()
    solution = checked(dag, rules, max_states=states, time_limit=None)
    assert solution.stopped == "memory"
    assert solution.cost <= 25
    assert solution == solve(dag, rules, max_states=states)  # no clock in it


def test_giving_up_at_once_is_quick() -> None:
    clear_cache()
    started = time.process_time()
    solution = checked(matmul(6, 6, 6), Rules(red=8), time_limit=0.0)
    assert solution.stopped == "time"
    assert time.process_time() - started < 5
