"""Pebblings in files: what is written can be read, and what is refused is refused with line, move and reason."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from pebble_engine import (
    Game,
    IllegalMove,
    InvalidPebbling,
    Move,
    PebbleDag,
    Pebbling,
    Rules,
    attention_backward,
    chain,
    matmul,
    notation,
    parse_moves,
    read_pebbling,
    write_pebbling,
)

DAG = matmul(1, 1, 1)
RULES = Rules(red=3)
TEXT = "load A[0,0]\nload B[0,0]\ncompute C[0,0]#0\nstore C[0,0]#0\n"
PEBBLING = Pebbling(DAG, RULES, parse_moves(TEXT), "hand")


def document(**changes: Any) -> dict[str, Any]:
    """The pebbling above as a `pebbling/1` document, with changes at the top."""
    fields: dict[str, Any] = json.loads(write_pebbling(PEBBLING))
    return {**fields, **changes}


def test_the_document_is_the_documented_one() -> None:
    assert document() == {
        "format": "pebbling/1",
        "dag": {
            "name": "matmul chain 1x1x1",
            "vertices": ["A[0,0]", "B[0,0]", "C[0,0]#0"],
            "edges": [[0, 2], [1, 2]],
            "inputs": [0, 1],
            "outputs": [2],
        },
        "rules": {"red": 3, "sliding": False, "recompute": True},
        "moves": [["load", 0], ["load", 1], ["compute", 2], ["store", 2]],
        "io": 3,
        "made_by": "hand",
    }


def test_slides_name_source_and_vertex_in_this_order() -> None:
    pebbling = Pebbling(chain(1), Rules(red=1, sliding=True), parse_moves("load x[0]\nslide x[0] x[1]"))
    assert json.loads(write_pebbling(pebbling))["moves"] == [["load", 0], ["slide", 0, 1]]
    assert read_pebbling(write_pebbling(pebbling)) == pebbling


def test_json_round_trip_through_every_kind_of_source(tmp_path: Path) -> None:
    path = tmp_path / "sum.json"
    text = write_pebbling(PEBBLING, path)
    assert path.read_text(encoding="utf-8") == text
    with path.open("rb") as binary, path.open(encoding="utf-8") as file:
        for source in (path, str(path), text, file, binary):
            assert read_pebbling(source) == PEBBLING
    written = io.StringIO()
    write_pebbling(PEBBLING, written)
    assert written.getvalue() == text


def test_text_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "sum.txt"
    text = write_pebbling(PEBBLING, str(path), form="text")
    assert text == "; matmul chain 1x1x1, 3 red pebbles, io 3, made by hand\n" + TEXT
    assert read_pebbling(path, dag=DAG, rules=RULES, made_by="hand") == PEBBLING
    assert parse_moves(str(Game(DAG, RULES, PEBBLING.moves))) == PEBBLING.moves


def test_text_with_comments_blank_lines_and_line_ends_of_every_kind() -> None:
    text = "\ufeff; a product\r\n\r\n  load A[0,0];no blank before\r\n\tload\tB[0,0] ; load Z\n"
    source = io.BytesIO(text.encode())
    assert read_pebbling(source, dag=DAG, rules=RULES).moves == (Move.load("A[0,0]"), Move.load("B[0,0]"))


def test_an_unfinished_pebbling_can_be_read() -> None:
    assert len(read_pebbling("load A[0,0]\n", dag=DAG, rules=RULES)) == 1


def test_total_and_maker_may_be_missing() -> None:
    fields = document()
    del fields["io"], fields["made_by"], fields["dag"]["name"]
    assert read_pebbling(json.dumps(fields)).moves == PEBBLING.moves


@pytest.mark.parametrize(
    ("text", "line", "move", "sentence"),
    [
        ("load A[0,0]\n\n; so far so good\nlift B[0,0]\n", 4, "lift B[0,0]", "lift is none of load, store"),
        ("load\n", 1, "load", "load takes one vertex, got 0"),
        ('load A[0,0]\nload "B\n', 2, 'load "B', "a quotation mark has no partner"),
    ],
)
def test_text_that_cannot_be_read(text: str, line: int, move: str, sentence: str) -> None:
    with pytest.raises(InvalidPebbling, match=f"line {line}: .*{sentence}") as refused:
        read_pebbling(text, dag=DAG, rules=RULES)
    assert (refused.value.reason, refused.value.line, refused.value.move) == ("bad_move", line, move)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("load A[0,0]\n\ncompute C[0,0]#0\n", 3, "operand_not_red"),
        ("; first\nload Z\n", 2, "unknown_vertex"),
    ],
)
def test_text_with_an_illegal_move(text: str, line: int, reason: str) -> None:
    with pytest.raises(IllegalMove, match=f"^line {line}: step") as refused:
        read_pebbling(text, dag=DAG, rules=RULES)
    assert (refused.value.reason, refused.value.line) == (reason, line)
    assert read_pebbling(text, dag=DAG, rules=RULES, check=False).moves == parse_moves(text)


def test_an_illegal_move_in_json_is_found_on_its_line() -> None:
    fields = document(moves=[["load", 0], ["compute", 2]])
    one_line = json.dumps(fields)
    indented = json.dumps(fields, indent=1)
    line = next(k for k, text in enumerate(indented.splitlines(), start=1) if '"compute"' in text) - 1
    for text, expected in ((one_line, 1), (indented, line), (write_pebbling(read_pebbling(one_line, check=False)), 10)):
        with pytest.raises(IllegalMove, match=f"line {expected}: step 2, compute C") as refused:
            read_pebbling(text)
        assert refused.value.line == expected


def test_a_wrong_total_is_refused() -> None:
    with pytest.raises(InvalidPebbling, match="the file says io 4, its moves make 3") as refused:
        read_pebbling(json.dumps(document(io=4)))
    assert refused.value.reason == "wrong_total"


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (["lift", 0], "lift is none of load"),
        (["load"], "load takes one vertex, got 0"),
        (["load", 0, 1], "load takes one vertex, got 2"),
        (["slide", 0], "slide takes two vertices, from and to, got 1"),
        (["load", 3], "there is no vertex 3; they go from 0 to 2"),
        (["load", -1], "there is no vertex -1"),
        (["load", True], "a vertex is a number, got true"),
        (["load", 0.0], "a vertex is a number, got 0.0"),
        (["load", "A[0,0]"], 'a vertex is a number, got "A'),
        (["load", [0]], r"a vertex is a number, got \[0\]"),
        ([], "a move is a list like"),
        ([0, 0], "a move is a list like"),
        ("load", "a move is a list like"),
        ({"load": 0}, "a move is a list like"),
        (None, "a move is a list like"),
    ],
)
def test_an_entry_that_is_no_move(entry: Any, sentence: str) -> None:
    fields = document(moves=[["load", 0], ["load", 1], entry])
    with pytest.raises(InvalidPebbling, match=f"move 3, .*{sentence}") as refused:
        read_pebbling(json.dumps(fields))
    assert (refused.value.reason, refused.value.line) == ("bad_move", 1)
    assert refused.value.move == json.dumps(entry)


@pytest.mark.parametrize(
    ("change", "reason", "sentence"),
    [
        ({"format": "pebbling/2"}, "bad_document", "the format is 'pebbling/2', this reads 'pebbling/1'"),
        ({"io": 3.0}, "bad_document", "'io' of the document must be a whole number, got 3.0"),
        ({"made_by": 7}, "bad_document", "'made_by' of the document must be a string, got 7"),
        ({"moves": {}}, "bad_document", "'moves' of the document must be a list"),
        ({"extra": 1}, "bad_document", "unknown key 'extra'"),
        ({"rules": {"red": 3, "sliding": False}}, "bad_document", "the rules has no 'recompute'"),
        ({"rules": {"red": 3, "sliding": 0, "recompute": True}}, "bad_document", "must be true or false, got 0"),
        ({"rules": {"red": True, "sliding": False, "recompute": True}}, "bad_document", "'red' of the rules must be a"),
        ({"rules": {"red": 0, "sliding": False, "recompute": True}}, "bad_rules", "at least 1, got 0"),
        ({"rules": {"red": 1e30, "sliding": False, "recompute": True}}, "bad_document", "got 1e\\+30"),
        ({"dag": []}, "bad_document", "'dag' of the document must be an object"),
    ],
)
def test_a_document_that_is_not_as_documented(change: dict[str, Any], reason: str, sentence: str) -> None:
    with pytest.raises(InvalidPebbling, match=sentence) as refused:
        read_pebbling(json.dumps(document(**change)))
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("change", "reason", "sentence"),
    [
        ({"edges": [[0, 2], [1]]}, "bad_document", r"edge 1 must be two vertex numbers, got \[1\]"),
        ({"edges": [[0, 2], [1, 2.0]]}, "bad_document", "edge 1 must be two vertex numbers"),
        ({"inputs": ["A[0,0]"]}, "bad_document", "inputs must be vertex numbers"),
        ({"edges": [[0, 2], [2, 0]]}, "bad_dag", "the dag: "),
        ({"edges": [[0, 2], [1, 9]]}, "bad_dag", "there is no vertex 9"),
        ({"outputs": [9]}, "bad_dag", "output 9 is not a vertex"),
        ({"inputs": [0]}, "bad_dag", r"B\[0,0\] has no operands, so it must be an input"),
        ({"vertices": ["A", "A", "C"]}, "bad_dag", "2 vertices have the label A"),
        ({"vertices": ["A", 1, "C"]}, "bad_dag", "vertex 1 has the label 1"),
    ],
)
def test_a_dag_that_is_not_one(change: dict[str, Any], reason: str, sentence: str) -> None:
    fields = document()
    fields["dag"].update(change)
    with pytest.raises(InvalidPebbling, match=sentence) as refused:
        read_pebbling(json.dumps(fields))
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"format": "pebbling/1",\n"dag": }', "line 2: this is not JSON"),
        ("{}", "the document has no 'format'"),
        ('{"io": NaN}', "NaN is not a number in JSON"),
        ('{"io": 1, "io": 2}', "the key 'io' is given twice"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"io": ' + "9" * 5_000 + "}", "this is not JSON"),
        ("[1,\n2]", r"the document must be an object, got \[1, 2\]"),
        ("[1,\n2", "line 2: this is not JSON"),
    ],
)
def test_text_that_is_no_document(text: str, sentence: str) -> None:
    with pytest.raises(InvalidPebbling, match=sentence):
        read_pebbling(text)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InvalidPebbling, match="not text in UTF-8"):
        read_pebbling(io.BytesIO(b"\xff\xfe{"))


def test_limits_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notation, "MAX_MOVES", 3)
    with pytest.raises(InvalidPebbling, match="at most 3 moves"):
        read_pebbling(TEXT, dag=DAG, rules=RULES)
    with pytest.raises(InvalidPebbling, match="at most 3 moves"):
        read_pebbling(write_pebbling(PEBBLING))
    monkeypatch.setattr(notation, "MAX_SIZE", 30)
    for source in (TEXT, io.StringIO(TEXT), io.BytesIO(TEXT.encode())):
        with pytest.raises(InvalidPebbling, match="at most 30 characters"):
            read_pebbling(source, dag=DAG, rules=RULES)


def test_a_move_outside_the_dag_cannot_be_written_as_numbers() -> None:
    with pytest.raises(InvalidPebbling, match="load Z: the DAG has no such vertex"):
        write_pebbling(Pebbling(DAG, RULES, (Move.load("Z"),)))


def test_names_cannot_break_the_comment_of_a_text() -> None:
    dag = PebbleDag(["a"], [], [0], name="two\nlines")
    pebbling = Pebbling(dag, RULES, (Move.load("a"),), "me\r\nload b")
    assert read_pebbling(write_pebbling(pebbling, form="text"), dag=dag, rules=RULES).moves == pebbling.moves


def test_a_dag_read_from_a_file_has_the_same_places() -> None:
    dag = attention_backward(n_q=2, n_k=3, d=2)
    again = read_pebbling(write_pebbling(Pebbling(dag, Rules(red=9), ()))).dag
    assert again == dag
    assert again.places == dag.places
