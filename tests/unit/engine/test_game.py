"""The game: every reason for refusing a move, undoing, the view of legal moves, and how a game ends."""

import pytest

from pebble_engine import (
    Game,
    IllegalMove,
    InvalidMove,
    Move,
    PebbleDag,
    Pebbling,
    Rules,
    attention_backward,
    chain,
    pyramid,
    replay,
    schedule_faults,
)

SUM = PebbleDag.of({"a": (), "b": (), "c": (), "a+b": ("a", "b"), "a+b+c": ("a+b", "c")}, name="sum of three")


def play(rules: Rules, *moves: str, dag: PebbleDag = SUM) -> Game:
    return Game(dag, rules, map(Move.parse, moves))


PLAIN, SLIDING, ONE_SHOT = Rules(red=3), Rules(red=3, sliding=True), Rules(red=3, recompute=False)
REASONS = [
    ("unknown_vertex", PLAIN, [], "load z", ["z"]),
    ("unknown_vertex", SLIDING, ["load a", "load b"], "slide z a+b", ["z"]),
    ("unknown_vertex", SLIDING, [], "slide y z", ["y", "z"]),
    ("not_blue", PLAIN, ["load a", "load b", "compute a+b", "delete a+b"], "load a+b", ["a+b"]),
    ("already_red", PLAIN, ["load a"], "load a", ["a"]),
    ("already_red", PLAIN, ["load a", "load b", "compute a+b"], "compute a+b", ["a+b"]),
    ("already_red", SLIDING, ["load a", "load b", "compute a+b"], "slide a a+b", ["a+b"]),
    ("not_red", PLAIN, [], "store a+b", ["a+b"]),
    ("not_red", PLAIN, [], "delete a", ["a"]),
    ("already_blue", PLAIN, ["load a"], "store a", ["a"]),
    ("is_input", PLAIN, [], "compute a", ["a"]),
    ("is_input", SLIDING, ["load b"], "slide b a", ["a"]),
    ("operand_not_red", PLAIN, ["load b"], "compute a+b", ["a"]),
    ("operand_not_red", PLAIN, [], "compute a+b+c", ["c", "a+b"]),
    ("operand_not_red", SLIDING, ["load a"], "slide a a+b", ["b"]),
    ("capacity", Rules(red=1), ["load a"], "load b", []),
    ("capacity", Rules(red=2), ["load a", "load b"], "compute a+b", []),
    ("sliding_off", PLAIN, ["load a", "load b"], "slide a a+b", []),
    ("not_an_operand", SLIDING, ["load a", "load b", "load c"], "slide c a+b", ["c"]),
    ("not_an_operand", SLIDING, ["load a", "load b"], "slide a+b a+b", ["a+b"]),
    ("recompute_off", ONE_SHOT, ["load a", "load b", "compute a+b", "delete a+b"], "compute a+b", ["a+b"]),
]


@pytest.mark.parametrize(("reason", "rules", "before", "move", "vertices"), REASONS)
def test_every_reason(reason: str, rules: Rules, before: list[str], move: str, vertices: list[str]) -> None:
    game = play(rules, *before)
    untouched = play(rules, *before)
    with pytest.raises(IllegalMove) as refused:
        game.push(Move.parse(move))
    error = refused.value
    assert (error.reason, error.step, str(error.move)) == (reason, len(before) + 1, move)
    assert sorted(error.data["vertices"]) == sorted(vertices)
    assert error.data["red"] == [label for label in SUM.labels if label in game.red]
    assert (error.data["count"], error.data["capacity"]) == (len(game.red), rules.red)
    assert schedule_faults(SUM, rules, [*game.moves, Move.parse(move)])[0] == error.fault
    with pytest.raises(IllegalMove) as replayed:
        replay(Pebbling(SUM, rules, (*game.moves, Move.parse(move))))
    assert replayed.value.fault == error.fault
    assert game == untouched
    assert (game.red, game.blue, game.io, game.peak) == (untouched.red, untouched.blue, untouched.io, untouched.peak)
    assert not game.is_legal(Move.parse(move))
    assert Move.parse(move) not in game.legal_moves


def test_a_refusal_says_step_move_reason_and_position() -> None:
    moves = ["load Q[0,0]", "load K[0,0]", "compute S[0,0]#0", "delete Q[0,0]", "delete K[0,0]", "load Q[0,1]"]
    game = play(Rules(red=4), *moves, dag=attention_backward(n=1, d=2))
    with pytest.raises(IllegalMove) as refused:
        game.push(Move.compute("S[0,0]#1"))
    sentence = "step 7, compute S[0,0]#1: K[0,1] is not red (red: Q[0,1], S[0,0]#0; 2 of 4)"
    assert str(refused.value) == sentence


def test_all_the_rules_that_a_move_breaks() -> None:
    game = play(Rules(red=1), "load c")
    assert [fault.reason for fault in game.faults(Move.slide("c", "a+b"))] == [
        "sliding_off",
        "not_an_operand",
        "operand_not_red",
    ]
    assert [fault.reason for fault in game.faults(Move.compute("a+b"))] == ["operand_not_red", "capacity"]
    assert game.faults(Move.delete("c")) == []


@pytest.mark.parametrize("move", [Move("lift", "a"), Move("slide", "a+b"), Move("load", "a", "b")])
def test_what_is_no_move_at_all(move: Move) -> None:
    game = play(SLIDING)
    with pytest.raises(InvalidMove):
        game.push(move)
    assert move not in game.legal_moves


def test_words_and_peak_are_counted_and_undone() -> None:
    moves = ["load a", "load b", "slide a a+b", "store a+b", "delete b", "load c", "compute a+b+c", "store a+b+c"]
    game = play(SLIDING, *moves)
    assert (game.loads, game.stores, game.io, game.peak) == (3, 2, 5, 3)
    assert game.red == {"a+b", "c", "a+b+c"}
    assert game.blue == {"a", "b", "c", "a+b", "a+b+c"}
    assert game.moves == tuple(map(Move.parse, moves))
    for k in range(len(moves) - 1, -1, -1):
        assert game.peek() == Move.parse(moves[k])
        assert game.pop() == Move.parse(moves[k])
        fresh = play(SLIDING, *moves[:k])
        assert game == fresh
        assert (game.red, game.blue) == (fresh.red, fresh.blue)
        assert (game.loads, game.stores, game.peak) == (fresh.loads, fresh.stores, fresh.peak)
        assert list(game.legal_moves) == list(fresh.legal_moves)
    with pytest.raises(IndexError):
        game.pop()
    with pytest.raises(IndexError):
        game.peek()


def test_undoing_the_first_computation_allows_it_again() -> None:
    game = play(ONE_SHOT, "load a", "load b", "compute a+b")
    game.pop()
    game.push(Move.compute("a+b"))
    game.push(Move.delete("a+b"))
    assert not game.is_legal(Move.compute("a+b"))


def test_sliding_keeps_the_number_of_red_pebbles() -> None:
    game = play(Rules(red=1, sliding=True), "load x[0]", "slide x[0] x[1]", "slide x[1] x[2]", dag=chain(2))
    assert (game.red, game.peak) == ({"x[2]"}, 1)


def test_legal_moves_are_a_lazy_view() -> None:
    game = play(SLIDING)
    view = game.legal_moves
    assert list(view) == [Move.load("a"), Move.load("b"), Move.load("c")]
    game.push(Move.load("a"))
    game.push(Move.load("b"))
    assert str(view) == "load c, compute a+b, slide a a+b, slide b a+b, delete a, delete b"
    assert len(view) == 6
    assert Move.slide("b", "a+b") in view
    assert Move.load("a") not in view
    assert "load c" not in view  # a move, not its text
    assert view


def test_a_game_prints_as_moves() -> None:
    game = play(PLAIN, "load a", "load b")
    assert str(game) == "load a\nload b"
    assert repr(game) == "<Game on 'sum of three': 2 moves, io 2, 2 of 3 red>"


def test_a_copy_goes_its_own_way() -> None:
    game = play(PLAIN, "load a")
    twin = game.copy()
    twin.push(Move.load("b"))
    assert game == play(PLAIN, "load a")
    assert game != twin


def test_a_game_ends_when_every_output_is_blue() -> None:
    game = play(Rules(red=2, sliding=True), "load x[0]", "slide x[0] x[1]", dag=chain(1))
    assert game.outcome is None
    game.push(Move.store("x[1]"))
    assert game.is_solved
    assert game.outcome == ("solved", "goal", ())


def test_a_value_lost_under_the_one_shot_rule_is_a_dead_end() -> None:
    moves = ["load a", "load b", "compute a+b", "delete a+b"]
    assert play(PLAIN, *moves).outcome is None
    outcome = play(ONE_SHOT, *moves).outcome
    assert outcome == ("dead_end", "value_lost", ("a+b",))
    assert str(outcome) == "dead end: lost, and may not be computed again: a+b"


def test_a_value_that_is_lost_and_no_longer_needed_is_no_dead_end() -> None:
    rules = Rules(red=4, recompute=False)
    game = play(rules, "load a", "load b", "compute a+b", "delete a", "load c", "compute a+b+c", "delete a+b")
    assert game.outcome is None


def test_a_stored_value_is_not_lost() -> None:
    assert play(ONE_SHOT, "load a", "load b", "compute a+b", "store a+b", "delete a+b").outcome is None


def test_too_few_red_pebbles_for_the_operands_is_a_dead_end_from_the_start() -> None:
    assert play(Rules(red=2)).outcome == ("dead_end", "in_degree", ("a+b+c",))
    assert play(Rules(red=2, sliding=True)).outcome is None
    assert play(Rules(red=3)).outcome is None


@pytest.mark.parametrize("rules", [Rules(red=3, recompute=False), Rules(red=2, sliding=True, recompute=False)])
def test_no_dead_end_is_announced_while_the_goal_can_be_reached(rules: Rules) -> None:
    """Every state of a small one-shot game: its outcome is a dead end exactly when no play reaches the goal."""
    dag = pyramid(2)
    reachable: dict[tuple[object, ...], bool] = {}
    after: dict[tuple[object, ...], set[tuple[object, ...]]] = {}

    def state(game: Game) -> tuple[object, ...]:
        made = frozenset(move.vertex for move in game.moves if move.op in ("compute", "slide"))
        return (game.red, game.blue, made)

    todo = [Game(dag, rules)]
    while todo:
        game = todo.pop()
        here = state(game)
        if here in after:
            continue
        after[here] = set()
        outcome = game.outcome
        reachable[here] = outcome is None or outcome.result == "solved"
        for move in game.legal_moves:
            game.push(move)
            after[here].add(state(game))
            if state(game) not in after:
                todo.append(game.copy())
            game.pop()

    can = {here for here in after if dag.labels[dag.outputs[0]] in here[1]}  # type: ignore[operator]
    grown = True
    while grown:
        more = {here for here in after if here not in can and after[here] & can}
        can |= more
        grown = bool(more)
    assert {here for here in after if reachable[here]} == can
    assert len(can) < len(after)
