"""Random play: 100 000 weighted random actions on several games, every state compared with the referee's."""

import random
from collections.abc import Iterator

import pytest

from pebble_engine import Game, IllegalMove, Move, PebbleDag, Rules, attention_backward, butterfly, matmul, pyramid
from tests.unit.engine.referee import Referee, Words, operands_by_label

GAMES = [
    (pyramid(3), Rules(red=3)),
    (pyramid(3), Rules(red=4, sliding=True, recompute=False)),
    (butterfly(4), Rules(red=5, recompute=False)),
    (matmul(2, 1, 2), Rules(red=4, sliding=True)),
    (attention_backward(n=1, d=2), Rules(red=6, sliding=True)),
]
ACTIONS = 20_000  # for each game


def words(move: Move) -> Words:
    return (move.op, move.vertex) if move.source is None else (move.op, move.source, move.vertex)


def random_move(dag: PebbleDag, rng: random.Random) -> Move:
    """A move that is legal now and then; the operations that use pebbles up are rarer than those that place them."""
    op = rng.choices(("load", "store", "compute", "slide", "delete"), (4, 2, 8, 6, 3))[0]
    v = rng.randrange(len(dag))
    if op != "slide":
        return Move(op, dag.labels[v])
    near = dag.predecessors[v] if dag.predecessors[v] and rng.random() < 0.9 else range(len(dag))
    return Move(op, dag.labels[v], dag.labels[rng.choice(near)])


def snapshot(game: Game) -> tuple[object, ...]:
    return (game.red, game.blue, game.loads, game.stores, game.peak, len(game.moves), game.is_solved)


@pytest.mark.parametrize(("dag", "rules"), GAMES, ids=lambda value: getattr(value, "name", str(value)))
def test_random_play(dag: PebbleDag, rules: Rules) -> None:
    rng = random.Random(20241)
    game = Game(dag, rules)
    referees = [Referee(operands_by_label(dag), rules.red, rules.sliding, rules.recompute)]  # one a state, for undoing
    before = [snapshot(game)]
    pushed = refused = popped = 0
    for action in range(ACTIONS):
        if rng.random() < (0.1 if len(before) < 400 else 0.9) and len(before) > 1:
            game.pop()
            referees.pop()
            before.pop()
            popped += 1
            assert snapshot(game) == before[-1]  # push, then pop, restores
        else:
            move = random_move(dag, rng)
            if referees[-1].allows(words(move)):
                game.push(move)
                referees.append(referees[-1].copy())
                referees[-1].make(words(move))
                before.append(snapshot(game))
                pushed += 1
            else:
                with pytest.raises(IllegalMove):
                    game.push(move)
                refused += 1
                assert snapshot(game) == before[-1]  # a refusal changes nothing
        check_invariants(game, referees[-1])
        if action % 100 == 0:
            legal = {words(move) for move in game.legal_moves}
            assert legal == {move for move in referees[-1].everything() if referees[-1].allows(move)}
            assert game == Game(dag, rules, game.moves)
    assert min(pushed, refused, popped) > ACTIONS // 50


def check_invariants(game: Game, referee: Referee) -> None:
    red, blue = game.red, game.blue
    assert red == referee.red
    assert blue == referee.blue
    assert game.io == referee.words_moved == game.loads + game.stores
    assert len(red) <= game.peak <= game.rules.red
    assert blue.issuperset(game.dag.labels[v] for v in game.dag.inputs)
    assert game.is_solved == all(game.dag.labels[v] in blue for v in game.dag.outputs)


def test_the_games_differ() -> None:
    def kinds() -> Iterator[tuple[bool, bool]]:
        for _, rules in GAMES:
            yield rules.sliding, rules.recompute

    assert set(kinds()) == {(False, True), (True, False), (False, False), (True, True)}
