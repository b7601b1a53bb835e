"""What is written is read back the same, as text and as JSON, whatever the labels."""

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from pebble_engine import (
    InvalidMove,
    InvalidPebbling,
    Move,
    PebbleError,
    Pebbling,
    parse_moves,
    read_pebbling,
    write_pebbling,
)
from tests.property.engine.strategies import labels, pebblings


@given(labels, labels)
def test_a_move(u: str, v: str) -> None:
    for move in (Move.load(v), Move.store(v), Move.compute(v), Move.delete(v), Move.slide(u, v)):
        assert Move.parse(str(move)) == move


@given(pebblings())
def test_text(pebbling: Pebbling) -> None:
    text = write_pebbling(pebbling, form="text")
    dag, rules, by = pebbling.dag, pebbling.rules, pebbling.made_by
    assert read_pebbling(text, dag=dag, rules=rules, made_by=by, check=False) == pebbling
    assert parse_moves("\n".join(map(str, pebbling.moves))) == pebbling.moves


@given(pebblings())
def test_json(pebbling: Pebbling) -> None:
    text = write_pebbling(pebbling)
    again = read_pebbling(text, check=False)
    assert again == pebbling
    assert hash(again) == hash(pebbling)
    assert write_pebbling(again) == text
    assert read_pebbling(json.dumps(json.loads(text), indent=2), check=False) == pebbling


@given(st.text())
def test_any_text_is_moves_or_is_refused(text: str) -> None:
    with suppress(InvalidPebbling):
        moves = parse_moves(text)
        assert parse_moves("\n".join(map(str, moves))) == moves
    with suppress(InvalidMove):
        move = Move.parse(text)
        assert Move.parse(str(move)) == move


@given(pebblings(), st.data())
def test_any_damage_to_a_document_is_refused_or_harmless(pebbling: Pebbling, data: st.DataObject) -> None:
    """No damaged file gives anything but a pebbling or a typed error."""
    text = write_pebbling(pebbling)
    start = data.draw(st.integers(1, len(text)))
    end = data.draw(st.integers(start, len(text)))
    damaged = text[:start] + data.draw(st.sampled_from(["", "0", "-", '"', "[", "]", "{", "null", ","])) + text[end:]
    with suppress(PebbleError):
        read_pebbling(damaged + "\n")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=4))
def test_any_json_as_a_field_is_refused_or_right(value: object) -> None:
    good = {"red": 2, "sliding": False, "recompute": True}
    dag = {"vertices": ["a"], "edges": [], "inputs": [0], "outputs": [0]}
    whole = {"format": "pebbling/1", "dag": dag, "rules": good, "moves": []}
    documents = [{**whole, key: value} for key in whole]
    documents += [{**whole, "rules": {**good, key: value}} for key in good]
    documents += [{**whole, "dag": {**dag, key: value}} for key in dag]
    documents += [{**whole, "moves": [value]}, {**whole, "moves": [["load", value]]}, {**whole, "moves": [[value, 0]]}]
    for document in documents:
        with suppress(PebbleError):
            read_pebbling(json.dumps(document))
