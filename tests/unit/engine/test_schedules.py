"""Schedules from orders: legal under every rule set, evicting as they say, and improved by the search."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pebble_engine import (
    InvalidOrder,
    Move,
    PebbleDag,
    Rules,
    attention_backward,
    butterfly,
    chain,
    improve,
    matmul,
    pebble_order,
    pyramid,
    schedule_faults,
    summation_tree,
)
from pebble_engine.local_search import Improvement
from pebble_engine.schedules import EVICTIONS, ORDERS, named_order
from pebble_engine.solver import DoesNotFit
from tests.property.engine.strategies import dags, rules
from tests.unit.engine.referee import Referee, operands_by_label

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "optimal.json").read_text(encoding="utf-8"))


def known_dag(name: str) -> PebbleDag:
    """The DAG that a line of optimal.json is about."""
    numbers = [int(digits) for digits in "".join(c if c.isdigit() else " " for c in name).split()]
    if name.startswith("attention"):
        return attention_backward(n_q=numbers[0], n_k=numbers[1], d=numbers[2])
    builders = {"sum-tree": summation_tree, "pyramid": pyramid, "butterfly": butterfly, "matmul": matmul}
    return builders[name.split()[0]](*numbers)


@settings(max_examples=80)
@given(dags(), rules, st.sampled_from(ORDERS), st.sampled_from(EVICTIONS), st.randoms(use_true_random=False))
def test_any_order_is_pebbled_legally(
    dag: PebbleDag, rule_set: Rules, named: str, evict: str, chance: random.Random
) -> None:
    waiting = [v for v in range(len(dag)) if dag.predecessors[v]]
    order: list[int] = []  # a random one
    while waiting:
        v = chance.choice([v for v in waiting if not set(dag.predecessors[v]) & set(waiting)])
        waiting.remove(v)
        order.append(v)
    refused = None
    for wanted in (named, order, [dag.labels[v] for v in order]):
        try:
            pebbling = pebble_order(dag, rule_set, wanted, evict)
        except DoesNotFit as error:
            refused = error
            break
        referee = Referee(operands_by_label(dag), rule_set.red, rule_set.sliding, False)  # never computes twice
        for op, vertex, source in pebbling.moves:
            referee.make((op, vertex) if source is None else (op, source, vertex))
        assert {dag.labels[v] for v in dag.outputs} <= referee.blue
        assert referee.words_moved == pebbling.io
        assert not schedule_faults(dag, rule_set, pebbling.moves)
    assert refused is None or refused.least > rule_set.red


@settings(max_examples=30)
@given(dags(), rules, st.integers(0, 3))
def test_improving_is_legal_and_never_worse(dag: PebbleDag, rule_set: Rules, seed: int) -> None:
    try:
        starts = [pebble_order(dag, rule_set, name) for name in ORDERS]
    except DoesNotFit:
        return
    better = improve(dag, rule_set, seed=seed, rounds=30, time_limit=None)
    assert better.io <= min(start.io for start in starts)
    assert not schedule_faults(dag, rule_set, better.moves)
    assert better == improve(dag, rule_set, seed=seed, rounds=30, time_limit=None)


@pytest.mark.parametrize("line", [line for line in KNOWN if 16 <= line["vertices"] <= 24 and line["red"] % 2], ids=str)
def test_the_search_finds_the_known_optimum(line: dict[str, object]) -> None:
    """On all of these no optimum needs recomputation."""
    rule_set = Rules(red=line["red"], sliding=line["sliding"])
    found = improve(known_dag(line["dag"]), rule_set, rounds=1500, time_limit=None)
    assert found.io == line["cost"]


@pytest.mark.parametrize("line", [line for line in KNOWN if line["vertices"] < 16], ids=str)
def test_no_schedule_beats_the_known_optimum(line: dict[str, object]) -> None:
    rule_set = Rules(red=line["red"], sliding=line["sliding"])
    for order in ORDERS:
        for evict in EVICTIONS:
            assert pebble_order(known_dag(line["dag"]), rule_set, order, evict).io >= line["cost"]


def test_belady_keeps_what_is_used_soonest() -> None:
    """A page string: one-operand vertices read a, b, c, a, b, c with room for two; LRU misses one more."""
    users = {f"r{k}": (page,) for k, page in enumerate("abcabc")}
    dag = PebbleDag.of({"a": (), "b": (), "c": (), **users}, name="pages")
    loads = {evict: pebble_order(dag, Rules(red=3), evict=evict).io - 6 for evict in EVICTIONS}
    assert loads == {"belady": 4, "lru": 5}


def test_belady_knows_that_a_store_costs() -> None:
    """When c comes, m is used later than the input a; but to do without m costs two words, without a one."""
    users = {f"r{k}": (operand,) for k, operand in enumerate("accam")}
    dag = PebbleDag.of({"a": (), "b": (), "c": (), "m": ("b",), **users}, name="dirty")
    pebbling = pebble_order(dag, Rules(red=3), ["m", *users])
    assert Move.store("m") not in pebbling.moves
    assert pebbling.io == 4 + 5


def test_orders_by_name() -> None:
    dag = matmul(2, 1, 2)
    assert [dag.labels[v] for v in named_order(dag, "natural")] == ["C[0,0]#0", "C[0,0]#1", "C[1,0]#0", "C[1,0]#1"]
    crossed = PebbleDag(["late", "a", "early"], [(1, 2), (2, 0)], [0])
    assert named_order(crossed, "natural") == named_order(crossed, "depth-first") == [2, 0]
    unneeded = PebbleDag.of({"a": (), "b": ("a",), "c": ("a",)}, outputs=["b"])
    assert named_order(unneeded, "natural") == [1]


@pytest.mark.parametrize(
    ("order", "reason", "sentence"),
    [
        (["x[1]", "x[1]"], "repeated", r"x\[1\] comes twice"),
        (["x[2]", "x[1]"], "operand_later", r"x\[2\] comes before its operand x\[1\]"),
        (["x[1]"], "missing", r"x\[2\] is needed and not in the order"),
        ([7], "unknown_vertex", "no vertex 7"),
        (["y"], "unknown_vertex", "no vertex 'y'"),
        ("deep", "unknown_choice", "an order is natural or depth-first"),
    ],
)
def test_orders_that_are_none(order: list[str], reason: str, sentence: str) -> None:
    with pytest.raises(InvalidOrder, match=sentence) as refused:
        pebble_order(chain(2), Rules(red=2), order)
    assert refused.value.reason == reason


def test_unknown_evictions_and_too_few_pebbles() -> None:
    with pytest.raises(InvalidOrder, match="evict must be belady or lru"):
        pebble_order(chain(2), Rules(red=2), evict="fifo")
    with pytest.raises(DoesNotFit, match="at least 4 would do"):
        pebble_order(matmul(1, 1, 2), Rules(red=3))
    assert pebble_order(matmul(1, 1, 2), Rules(red=3, sliding=True)).io == 5


def test_progress_time_limit_and_cancellation() -> None:
    told: list[Improvement] = []
    dag, rule_set = attention_backward(n=2, d=1), Rules(red=6)
    improve(dag, rule_set, time_limit=0.3, progress=told.append)
    assert len(told) >= 2
    assert told[0].rounds < told[-1].rounds
    assert [report.io for report in told] == sorted((report.io for report in told), reverse=True)
    asked: list[bool] = []
    improve(dag, rule_set, time_limit=60, cancelled=lambda: bool(asked.append(True)) or len(asked) > 5)
    assert len(asked) == 6
    with pytest.raises(ValueError, match="give rounds or time_limit"):
        improve(dag, rule_set, time_limit=None)
