"""Moves as text in an address, and where vertices lie on the board."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.levels import PLANS, Plan
from pages.shared.play_board import LONGEST, all_moves, layout, most_moves, played, read, width, written
from pebble_engine import Game, Move, attention_backward
from pebble_engine.rules import Rules

EVERY = st.sampled_from(PLANS)


@given(EVERY, st.data())
def test_moves_come_back(plan: Plan, data: st.DataObject) -> None:
    dag, every = plan.dag(), all_moves(plan.dag(), plan.rules)
    moves = data.draw(st.lists(st.sampled_from(every), max_size=30))
    assert read(dag, plan.rules, written(dag, plan.rules, moves)) == (moves, None)


@given(EVERY, st.text(alphabet="1AZaz09-_ .é", max_size=40))
def test_any_text_is_read_or_refused(plan: Plan, text: str) -> None:
    moves, why = read(plan.dag(), plan.rules, text)
    assert why in (None, "moves_version", "moves_digits", "moves_number")
    if why is None:
        assert written(plan.dag(), plan.rules, moves) == text


def test_texts_of_version_1_stay_readable() -> None:
    """Links in the wild."""
    plan = PLANS[0]
    moves = [Move.load("a"), Move.load("b"), Move.compute("a+b"), Move.store("a+b")]
    assert written(plan.dag(), plan.rules, moves) == "1ABIF"
    dag, rules = attention_backward(2, 1), Rules(11, sliding=True)
    assert written(dag, rules, [Move.load("Q[0,0]"), Move.slide("Q[0,0]", "S[0,0]#0")]) == "1AACg"


@pytest.mark.parametrize(("text", "why"), [("2A", "moves_version"), ("1A.", "moves_digits"), ("1A9", "moves_number")])
def test_what_cannot_be_read_says_why_and_keeps_what_came_before(text: str, why: str) -> None:
    moves, reason = read(PLANS[0].dag(), PLANS[0].rules, text)
    assert reason == why
    assert moves == ([Move.load("a")] if text[0] == "1" else [])


def test_an_address_holds_a_whole_game_of_every_level() -> None:
    for plan in PLANS:
        most = most_moves(plan.dag(), plan.rules)
        assert most >= 890
        assert 1 + most * width(len(all_moves(plan.dag(), plan.rules))) <= LONGEST


def test_a_game_is_played_up_to_the_first_refusal() -> None:
    plan = PLANS[0]
    game, refusal = played(plan.dag(), plan.rules, [Move.load("a"), Move.load("a"), Move.load("b")])
    assert game == Game(plan.dag(), plan.rules, [Move.load("a")])
    assert refusal
    assert (refusal.reason, refusal.step) == ("already_red", 2)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.id)
def test_no_two_vertices_lie_on_each_other(plan: Plan) -> None:
    dag = plan.dag()
    found = layout(dag, plan.view)
    places = list(zip(found["x"], found["y"], strict=True))
    assert len(places) == len(dag)
    for v, (x, y) in enumerate(places):
        for other_x, other_y in places[:v]:
            assert abs(x - other_x) > 0.99 or abs(y - other_y) > 0.99, dag.labels[v]
    assert min(found["x"]) == min(found["x"]) >= 0
    assert min(found["y"]) >= 0


@pytest.mark.parametrize("seed", range(20))
def test_layers_go_from_operands_to_results(seed: int) -> None:
    chosen = random.Random(seed)
    plan = chosen.choice([plan for plan in PLANS if plan.view == "layers"])
    dag = plan.dag()
    x = layout(dag, "layers")["x"]
    assert all(x[u] < x[v] for u, v in dag.edges)
    assert max(x) <= 10, "more layers than the board shows at once"


def test_matrices_name_each_tensor_once() -> None:
    found = layout(attention_backward(2, 1), "matrices")
    assert sorted(name for name, _, _ in found["names"]) == sorted(
        ["Q", "K", "V", "dO", "lse", "D", "S", "P", "dP", "dS", "dV", "dK", "dQ"]
    )
    assert len(found["frames"]) == 6  # dV, dK and dQ have two cells each with a chain of two
