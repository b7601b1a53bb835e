"""The solver on DAGs that hypothesis thinks of, against brute force and against itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pebble_engine import Game, PebbleDag, Rules
from pebble_engine.solver import clear_cache, solve
from tests.unit.engine.solver_oracle import literal_optimum


@st.composite
def dags(draw: st.DrawFn) -> PebbleDag:
    """Six or seven vertices, at most three operands each, any outputs that have all sinks among them."""
    size = draw(st.integers(6, 7))
    edges = [(u, v) for v in range(1, size) for u in draw(st.sets(st.integers(0, v - 1), max_size=3 if v > 3 else 1))]
    used = {u for u, _ in edges}
    outputs = {v for v in range(size) if v not in used} | draw(
        st.sets(st.sampled_from(sorted(used) or [0]), max_size=2)
    )
    return PebbleDag([f"v{v}" for v in range(size)], edges, sorted(outputs))


def least_red(dag: PebbleDag, sliding: bool) -> int:
    return max(1, max(len(operands) for operands in dag.predecessors) + (0 if sliding else 1))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(dag=dags(), sliding=st.booleans(), recompute=st.booleans(), more=st.integers(0, 1))
def test_equals_brute_force(dag: PebbleDag, sliding: bool, recompute: bool, more: int) -> None:
    rules = Rules(least_red(dag, sliding) + more, sliding, recompute)
    wanted, _ = literal_optimum(dag, rules, most_states=60_000)
    solution = solve(dag, rules)
    game = Game(dag, rules, solution.moves)
    assert game.is_solved
    assert solution.proved
    assert game.io == solution.cost
    if wanted is not None:
        assert solution.cost == wanted


@settings(max_examples=30, deadline=None, derandomize=True)
@given(dag=dags(), recompute=st.booleans(), order=st.permutations(range(7)))
def test_vertex_order_does_not_matter(dag: PebbleDag, recompute: bool, order: list[int]) -> None:
    """Neither when the renumbered DAG is solved afresh, nor when its solution is remembered."""
    place = {v: k for k, v in enumerate(v for v in order if v < len(dag))}
    twin = PebbleDag(
        [f"w{k}" for k in range(len(dag))],
        [(place[u], place[v]) for u, v in dag.edges],
        [place[v] for v in dag.outputs],
    )
    rules = Rules(least_red(dag, False), recompute=recompute)
    cost = solve(dag, rules).cost
    assert solve(twin, rules).cost == cost
    clear_cache()
    fresh = solve(twin, rules)
    assert (fresh.cost, fresh.proved) == (cost, True)
