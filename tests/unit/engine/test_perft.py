"""How many sequences of k moves are legal, against a table: the engine's and the referee's counts."""

from itertools import count
from pathlib import Path

import pytest

from pebble_engine import Game, Rules, chain, pyramid, summation_tree
from tests.unit.engine.referee import Referee, operands_by_label

DAGS = {"sum-tree 2 leaves": summation_tree(2), "chain 2": chain(2), "pyramid 2": pyramid(2)}
TABLE = [
    [entry.strip() for entry in line.split("|")]
    for line in Path(__file__).with_name("perft.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def sequences(game: Game, depth: int) -> int:
    if depth == 1:
        return len(game.legal_moves)
    total = 0
    for move in list(game.legal_moves):
        game.push(move)
        total += sequences(game, depth - 1)
        assert game.pop() == move
    return total


def sequences_by_referee(state: Referee, depth: int) -> int:
    total = 0
    for move in state.everything():
        if state.allows(move):
            after = state.copy()
            after.make(move)
            total += sequences_by_referee(after, depth - 1) if depth > 1 else 1
    return total


@pytest.mark.parametrize(("dag", "red", "sliding", "recompute", "numbers"), TABLE)
def test_number_of_legal_sequences(dag: str, red: str, sliding: str, recompute: str, numbers: str) -> None:
    expected = [int(number) for number in numbers.split()]
    game = Game(DAGS[dag], Rules(int(red), sliding == "yes", recompute == "yes"))
    assert [sequences(game, depth) for depth, _ in zip(count(1), expected, strict=False)] == expected
    assert game == Game(game.dag, game.rules)


@pytest.mark.parametrize(("dag", "red", "sliding", "recompute", "numbers"), TABLE)
def test_the_table_is_the_referees(dag: str, red: str, sliding: str, recompute: str, numbers: str) -> None:
    expected = [int(number) for number in numbers.split()][:6]
    state = Referee(operands_by_label(DAGS[dag]), int(red), sliding == "yes", recompute == "yes")
    assert [sequences_by_referee(state, depth) for depth in range(1, len(expected) + 1)] == expected
