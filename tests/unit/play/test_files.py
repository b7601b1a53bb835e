"""Files of the reader's own: right ones are played, wrong ones are refused with every fault, in words of the page."""

import json

import pytest

from pages.shared.i18n import LANGUAGES, Texts, labels
from pages.shared.levels import levels
from pages.shared.play import (
    OWN_VERTICES,
    Report,
    _content,
    check_dag,
    check_solution,
    names_of,
    refusal_sentence,
    saved_game,
)
from pages.shared.play_board import written
from pebble_engine import Game, IllegalMove, Move, Pebbling, Rules, write_dag, write_pebbling
from pebble_engine.errors import _EXPLAIN

LEVEL = levels()["spill"]
SOLUTION = Pebbling(LEVEL.dag, LEVEL.rules, LEVEL.solution, made_by="test")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_right_solution_is_played(form: str) -> None:
    report, moves = check_solution(write_pebbling(SOLUTION, form=form).encode(), LEVEL, Texts("en"))
    assert report.ok
    assert moves == written(LEVEL.dag, LEVEL.rules, LEVEL.solution)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_near_miss_names_the_first_faulty_move_and_all_others(lang: str) -> None:
    t = Texts(lang)
    lines = [str(move) for move in LEVEL.solution]
    first = next(at for at, line in enumerate(lines) if line.startswith("compute"))
    lines[first] = lines[first].replace("compute", "store")
    lines.append("load nowhere")
    report, moves = check_solution("\n".join(lines).encode(), LEVEL, t)
    assert moves is None
    assert not report.ok
    assert str(first + 1) in report.sentence
    assert str(len(report.faults)) in report.sentence
    assert len(report.faults) >= 2
    assert any("nowhere" in fault for fault in report.faults)


def test_a_solution_that_stops_early_is_refused() -> None:
    report, moves = check_solution("\n".join(map(str, LEVEL.solution[:-1])).encode(), LEVEL, Texts("en"))
    assert (report.ok, moves) == (False, None)
    assert "a+b+c+d" in report.faults[-1]


UNREADABLE = [
    (b"\xff\xfe\x00", "not_text", ""),
    (b"a\x00 \x00b\x00", "not_text", ""),
    (b"{", "not_json", ""),
    (b"[1,2", "not_json", ""),
    (b"lift a\n", "bad_move", "lift a"),
    (b"load a\nload\n", "bad_move", "load"),
]


@pytest.mark.parametrize(("data", "reason", "move"), UNREADABLE, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_no_pebbling_is_refused_with_the_reason(data: bytes, reason: str, move: str, lang: str) -> None:
    report, moves = check_solution(data, LEVEL, Texts(lang))
    assert (report.ok, moves) == (False, None)
    assert report.sentence.endswith(Texts(lang)(f"play.unreadable_{reason}", move=move))


WHOLE = json.loads(write_pebbling(SOLUTION))


def changed(**values: object) -> bytes:
    """The document of the solution with other values; None takes a key out."""
    return json.dumps({key: value for key, value in {**WHOLE, **values}.items() if value is not None}).encode()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("data", "key", "words"),
    [
        (changed(moves=None), "no_key", {"at": "moves"}),
        (changed(dag=None), "no_key", {"at": "dag"}),
        (changed(dag=WHOLE["dag"] | {"edges": [[0]]}), "bad_edge", {"at": "dag.edges[0]", "got": "[0]"}),
        (changed(dag=WHOLE["dag"] | {"inputs": ["a"]}), "bad_vertex", {"at": "dag.inputs", "got": '"a"'}),
        (changed(rules={"red": 3, "sliding": False}), "no_key", {"at": "rules.recompute"}),
        (changed(format="pebbling/2", moves=None), "bad_format", {"at": "format", "got": '"pebbling/2"'}),
        (changed(moves={}), "wrong_type", {"at": "moves", "got": "{}", "kind": "list"}),
        (b"[1, 2]", "whole", {"got": "[1, 2]", "kind": "dict"}),
    ],
)
def test_a_near_miss_in_json_says_which_key(data: bytes, key: str, words: dict[str, str], lang: str) -> None:
    t = Texts(lang)
    named = words | {"kind": t(f"play.json_{words['kind']}")} if "kind" in words else words
    report, moves = check_solution(data, LEVEL, t)
    assert (report.ok, moves) == (False, None)
    assert report.sentence.endswith(t(f"play.document_{key}", **named))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "named"),
    [
        (changed(dag=None).decode(), "dag"),
        (changed(dag={"vertices": ["a"]}).decode(), "dag.edges"),
        (changed(dag=WHOLE["dag"] | {"edges": [[0, 4], [1]]}).decode(), "dag.edges[1]"),
        ('{"moves": []}', "nodes"),
        ('{"directed": true, "nodes": [{"id": "a"}]}', "edges"),
        ('{"directed": true, "nodes": [{}], "edges": []}', "nodes[0].id"),
        ('{"directed": true, "nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "z"}]}', "a \u2192 z"),
        ("[1,2", "JSON"),
        ("{", "JSON"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_a_near_miss_of_a_graph_says_what_is_missing(text: str, named: str, lang: str) -> None:
    report, level = check_dag(text, 3, False, Texts(lang))
    assert level is None
    assert report
    assert len(report.faults) == 1
    assert named in report.faults[0]
    assert report.faults[0] != Texts(lang)("play.dagfault_other")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_edge_to_no_vertex_is_named_by_both_uploads(lang: str) -> None:
    t, data = Texts(lang), changed(dag=WHOLE["dag"] | {"edges": [*WHOLE["dag"]["edges"], [0, 99]]})
    fault = t("play.dagfault_unknown_vertex", edge="0 \u2192 99", vertex=99)
    report, _ = check_solution(data, LEVEL, t)
    assert report.sentence.endswith(t("play.unreadable_bad_dag", count=1))
    assert report.faults == (fault,)
    refused, _ = check_dag(data.decode(), 3, False, t)
    assert refused
    assert refused.faults == (fault,)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x01\n" * 30, b"a\x00 \x00b\x00\n\x00"])
def test_both_uploads_say_the_same_of_what_is_no_text(data: bytes, lang: str) -> None:
    t = Texts(lang)
    solution, _ = check_solution(data, LEVEL, t)
    graph, _ = check_dag(data, 3, False, t)
    assert graph
    assert graph.faults == (t("play.dagfault_not_text"),)
    assert solution.sentence.endswith(graph.faults[0])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("data", "key"),
    [(b"", "empty"), (b" \n\n", "empty"), (b"; a comment\n", "no_move"), (changed(moves=[]), "no_move")],
)
def test_an_empty_solution_is_called_empty(data: bytes, key: str, lang: str) -> None:
    report, moves = check_solution(data, LEVEL, Texts(lang))
    assert (report, moves) == (Report(False, Texts(lang)(f"play.open_{key}")), None)


def test_a_solution_of_another_level_is_no_solution_of_this_one() -> None:
    other = levels()["pyramid-2"]
    document = write_pebbling(Pebbling(other.dag, other.rules, other.solution, made_by="test"))
    report, moves = check_solution(document.encode(), LEVEL, Texts("en"))
    assert (report.ok, moves) == (False, None)
    assert "p[0,1]" in report.faults[0]
    roomier = levels()["order"]  # the same DAG with one red pebble more
    document = write_pebbling(Pebbling(roomier.dag, roomier.rules, roomier.solution, made_by="test"))
    report, _ = check_solution(document.encode(), LEVEL, Texts("en"))
    assert Texts("en")("play.board.refusal_capacity", m=3) in report.faults[0]


def test_a_path_is_not_opened() -> None:
    """A text of one line is a path to `read_pebbling`; an upload must never be one."""
    report, _ = check_solution(b"/etc/hostname", LEVEL, Texts("en"))
    assert not report.ok
    refused, level = check_dag("/etc/hostname", 3, False, Texts("en"))
    assert refused is None or not refused.ok
    assert level is None or level.dag.labels == ("/etc/hostname",)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_refusal_of_the_engine_has_a_sentence(lang: str) -> None:
    known = labels(lang)
    for reason in _EXPLAIN:
        assert {f"play.board.refusal_{reason}", f"play.fault_{reason}"} & set(known), reason


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_refusal_names_the_vertices(lang: str) -> None:
    game = Game(LEVEL.dag, LEVEL.rules)
    with pytest.raises(IllegalMove) as caught:
        game.push(Move.compute("a+b"))
    assert "a, b" in refusal_sentence(caught.value.fault, LEVEL, Texts(lang))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("level", levels().values(), ids=lambda level: level.id)
def test_what_the_component_gets(level: object, lang: str) -> None:
    content = json.loads(_content(level, lang))  # type: ignore[arg-type]
    assert len(content["names"]) == len(set(content["names"])) == len(content["preds"])
    assert content["task"]
    assert content["lesson"]


def test_names_say_which_term_of_a_sum() -> None:
    names = names_of(levels()["backward-2-1"].dag, Texts("en"))
    assert {"Q[0,0]", "S[1,0]", "dV[0,0], 1/2", "dV[0,0], 2/2"} <= set(names)


def test_an_own_dag_becomes_a_level_with_what_is_known() -> None:
    report, level = check_dag("a s\nb s\ns t\nc t\n", 3, False, Texts("en"))
    assert report is None
    assert level
    assert (level.par, level.proven, level.bound, level.id) == (4, True, 4, "own")
    assert Game(level.dag, level.rules, level.solution).is_solved


def test_a_saved_game_is_told_from_a_graph_alone() -> None:
    game = Pebbling(LEVEL.dag, Rules(7, sliding=True), LEVEL.solution[:2])
    text = write_pebbling(game)
    found = saved_game(text.encode())
    assert found
    assert (found.rules, found.moves, len(found.dag)) == (game.rules, game.moves, len(game.dag))
    for other in (write_dag(LEVEL.dag), "a s\nb s\n", text.replace('"red":7', '"red":0'), text[:-9], "[]", "null"):
        assert other != text
        assert saved_game(other.encode()) is None


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a b\nb c\nc b\n", "c \u2192 b \u2192 c"),
        ("a a\n", "a"),
        ("a b\na b\n", "a \u2192 b"),
        ("a b c d e\n", "1"),
        ("", ""),
        ("{", ""),
        ('{"vertices": ["a", "a"], "edges": [[0, 1]]}', "a"),
        ("\n".join(f"v{i} v{i + 1}" for i in range(OWN_VERTICES)), str(OWN_VERTICES)),
        ("a e\nb e\nc e\nd e\n", "5"),
    ],
)
def test_a_wrong_dag_is_refused_and_its_fault_named(text: str, named: str, lang: str) -> None:
    report, level = check_dag(text, 3, False, Texts(lang))
    assert level is None
    assert report
    assert not report.ok
    assert named in report.sentence + " ".join(report.faults)


def test_every_fault_is_listed() -> None:
    report, _ = check_dag("a a\nb b\nc d\nc d\n", 3, False, Texts("en"))
    assert report
    assert len(report.faults) == 3


def test_a_text_too_long_to_be_a_dag_of_this_page_is_not_read(monkeypatch):
    monkeypatch.setattr("pages.shared.play.read_dag", lambda _: pytest.fail("it was read"))
    report, level = check_dag("a b\n" * 50_001, 3, False, Texts("en"))
    assert level is None
    assert "200\u202f000" in report.sentence
