"""Moves and rule sets: small values that refuse what makes no sense."""

import pickle

import pytest

from pebble_engine import IllegalMove, InvalidDag, InvalidMove, InvalidRules, Move, PebbleDag, PebbleError, Rules
from pebble_engine.game import Game


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Move.load("Q[0,0]"), "load Q[0,0]"),
        (Move.store("dV[0,0]#1"), "store dV[0,0]#1"),
        (Move.compute("S[0,0]#0"), "compute S[0,0]#0"),
        (Move.slide("S[0,0]#0", "S[0,0]#1"), "slide S[0,0]#0 S[0,0]#1"),
        (Move.delete("K[1,0]"), "delete K[1,0]"),
        (Move.load("a b"), 'load "a b"'),
        (Move.load("a;b"), 'load "a;b"'),
        (Move.load('"'), r'load "\""'),
        (Move.load(""), 'load ""'),
    ],
)
def test_a_move_prints_and_parses_back(move: Move, text: str) -> None:
    assert str(move) == text
    assert Move.parse(text) == move
    assert Move.parse(f'  {text} ; a comment with "quotes" and ; more') == move


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("; load a", "empty"),
        ("Load a", "unknown_op"),
        ("load", "vertex_count"),
        ("load a b", "vertex_count"),
        ("slide a", "vertex_count"),
        ("slide a b c", "vertex_count"),
        ("load a\nload b", "vertex_count"),
        ("load " + "a" * 121, "long_label"),
        ('load "a', "bad_quote"),
        ('load "a"b', "bad_quote"),
        (r'load "\x"', "bad_quote"),
    ],
)
def test_text_that_is_no_move(text: str, reason: str) -> None:
    with pytest.raises(InvalidMove) as refused:
        Move.parse(text)
    assert (refused.value.reason, refused.value.text) == (reason, text)


@pytest.mark.parametrize("red", [0, -1, 1.0, "4", None, True, 1e30])
def test_rules_need_a_red_pebble(red: object) -> None:
    with pytest.raises(InvalidRules, match="must be a whole number of at least 1") as refused:
        Rules(red=red)  # type: ignore[arg-type]
    assert refused.value.reason == "bad_red"


def test_rule_variants_are_true_or_false() -> None:
    with pytest.raises(InvalidRules, match="sliding must be true or false, got 1"):
        Rules(red=3, sliding=1)  # type: ignore[arg-type]


def test_errors_survive_pickling_with_their_data() -> None:
    dag = PebbleDag.of({"a": (), "b": ("a",)})
    with pytest.raises(IllegalMove) as illegal:
        Game(dag, Rules(red=1)).push(Move.compute("b"))
    with pytest.raises(InvalidDag) as invalid:
        PebbleDag.of({"a": ("a",)})
    for error in (illegal.value, invalid.value):
        twin = pickle.loads(pickle.dumps(error))
        assert type(twin) is type(error)
        assert (str(twin), twin.reason, twin.data) == (str(error), error.reason, error.data)
        assert isinstance(twin, PebbleError)
