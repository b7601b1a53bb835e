"""Game, replay, schedule_faults and the referee, on random DAGs, agree about what is legal and what is not."""

import random

import networkx as nx
import pytest
from hypothesis import given

from pebble_engine import (
    Game,
    IllegalMove,
    Move,
    PebbleDag,
    Pebbling,
    Rules,
    attention_backward,
    butterfly,
    matmul,
    pyramid,
    replay,
    schedule_faults,
)
from tests.property.engine.strategies import dags, nearly_legal, pebblings
from tests.unit.engine.referee import Referee, operands_by_label


@given(nearly_legal() | pebblings())
def test_four_judges_agree(pebbling: Pebbling) -> None:
    judge(pebbling)


@pytest.mark.parametrize("dag", [pyramid(3), butterfly(4), matmul(2, 1, 2), attention_backward(n=1, d=2)])
def test_four_judges_agree_on_long_courses_with_one_slip(dag: PebbleDag) -> None:
    rng = random.Random(410)
    for _ in range(100):
        rules = Rules(rng.randint(3, 6), rng.random() < 0.5, rng.random() < 0.5)
        game = Game(dag, rules)
        for _ in range(60):
            legal = sorted(game.legal_moves, key=lambda move: rng.random() - 0.5 * (move.op in ("compute", "slide")))
            game.push(legal[0])
        moves = list(game.moves)
        slip, at = rng.choice(["none", "drop", "double", "other"]), rng.randrange(len(moves))
        if slip == "drop":
            del moves[at]
        elif slip == "double":
            moves.insert(at, moves[at])
        elif slip == "other":
            moves[at] = Move(rng.choice(["load", "store", "compute", "delete"]), rng.choice(dag.labels))
        judge(Pebbling(dag, rules, tuple(moves)))
        judge(Pebbling(dag, Rules(rules.red - 1, rules.sliding, rules.recompute), tuple(moves)))
        judge(Pebbling(dag, Rules(rules.red, False, False), tuple(moves)))


def judge(pebbling: Pebbling) -> None:
    """Play a pebbling by game, by replay, by schedule_faults and by the referee, up to its first fault."""
    dag, rules = pebbling.dag, pebbling.rules
    referee = Referee(operands_by_label(dag), rules.red, rules.sliding, rules.recompute)
    game = Game(dag, rules)
    red, io = [0], [0]
    raised = None
    for move in pebbling.moves:
        words = (move.op, move.vertex) if move.source is None else (move.op, move.source, move.vertex)
        try:
            game.push(move)
        except IllegalMove as error:
            raised = error
            assert not referee.allows(words)
            break
        referee.make(words)
        red.append(len(referee.red))
        io.append(referee.words_moved)
    assert (game.red, game.blue, game.io) == (referee.red, referee.blue, referee.words_moved)

    faults = schedule_faults(dag, rules, pebbling.moves)
    if raised is None:
        run = replay(pebbling)
        assert (run.red.tolist(), run.io_at.tolist()) == (red, io)
        assert (run.loads, run.stores, run.io, run.peak) == (game.loads, game.stores, game.io, game.peak)
        assert run.is_solved == game.is_solved == (not faults)
        assert all(fault.reason == "output_not_blue" for fault in faults)
    else:
        assert faults[0] == raised.fault
        with pytest.raises(IllegalMove) as refused:
            replay(pebbling)
        assert refused.value.fault == raised.fault
    assert [fault.step for fault in faults] == sorted(fault.step for fault in faults)


@given(dags())
def test_a_dag_is_what_networkx_says_it_is(dag: PebbleDag) -> None:
    assert nx.is_directed_acyclic_graph(dag.graph)
    assert list(dag.graph) == list(dag.labels)
    assert {dag.labels[v] for v in dag.inputs} == {label for label, degree in dag.graph.in_degree if not degree}
    assert max(dag.depths) == nx.dag_longest_path_length(dag.graph)
    place = {v: k for k, v in enumerate(dag.order)}
    assert all(place[u] < place[v] for u, v in dag.edges)
    assert len(set(dag.places)) == len(dag)
