"""The replay file: one file, small, asking nobody for anything, whatever its labels say."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kernels_ref import kernel_source, pebble, theory
from pages.shared.board import Run, encode_run, misfit, unpacked
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.levels import Level, levels
from pages.shared.replay_file import About, encode_game, finished, game_file, inline_json, main, replay_file
from pebble_engine import Move, PebbleDag, Pebbling, Rules, write_pebbling
from pebble_engine.examples import chain, matmul, pyramid
from tests.unit.board.synthetic import large_run

EN = Texts("en")
NASTY = "</script><img src=x onerror=alert(1)><!--"
ABOUT = About("A title", "A sentence.", "https://example.org/lab?v=1&n=4")


class Page(HTMLParser):
    """What a browser would find: tags with their attributes, the text of scripts."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data


def run_of(algorithm: str = "flash2") -> Run:
    pebbling = pebble(algorithm, n=2, d=2, memory=16)
    return encode_run(pebbling, kernel_source(algorithm), theory.floor(2, 2), algorithm, algorithm)


def bill(name: str = "a+b") -> Pebbling:
    """A pebbling of a DAG whose labels name no cells."""
    dag = PebbleDag.of({"a": (), "b": (), name: ("a", "b")}, outputs=[name], name="bill")
    moves = (Move.load("a"), Move.load("b"), Move.compute(name), Move.store(name))
    return Pebbling(dag, Rules(red=3), moves, "someone")


def test_two_runs_of_50_000_moves_are_under_a_megabyte() -> None:
    file = replay_file([large_run("flash2"), large_run("small-cache")], ABOUT, EN)
    assert len(file) < 1_000_000
    data = json.loads(Page(file).scripts[0])
    assert [len(unpacked("H", run["moves"])) for run in data["runs"]] == [50_000, 50_000]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_file_asks_nobody_for_anything(lang: str) -> None:
    page = Page(replay_file([run_of()], ABOUT, Texts(lang)))
    links = [(tag, name) for tag, attributes in page.tags for name in attributes if name in ("src", "href", "action")]
    assert links == [("a", "href")]
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "img", "iframe", "object", "embed", "base"})
    policies = [a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert str(policies[0]).startswith("default-src 'none'")
    assert ("html", {"lang": lang}) in page.tags


def test_it_says_what_it_shows() -> None:
    text = replay_file([run_of(), run_of("small-cache")], ABOUT, EN, 7).decode()
    assert "<h1>A title</h1>" in text
    assert "A sentence." in text
    assert f"flash2: {run_of()['io']} words moved, counted" in text
    assert 'href="https://example.org/lab?v=1&amp;n=4"' in text
    data = json.loads(Page(text.encode()).scripts[0])
    assert data["start"] == 7
    assert [run["algorithm"] for run in data["runs"]] == ["flash2", "small-cache"]
    assert data["runs"][1]["dash"]
    assert data["labels"] == EN.group("lab.board")


@pytest.mark.parametrize("address", ["", "javascript:alert(1)", "data:text/html,x"])
def test_only_web_addresses_become_links(address: str) -> None:
    assert "<a " not in replay_file([run_of()], About("x", "y", address), EN).decode()


def test_labels_cannot_break_out() -> None:
    page = Page(game_file(bill(NASTY), NASTY, NASTY, EN))
    assert "img" not in {tag for tag, _ in page.tags}
    assert len(page.scripts) == 2
    data = json.loads(page.scripts[0])
    assert data["runs"][0]["title"] == NASTY
    assert NASTY in data["runs"][0]["names"]
    assert "<" not in inline_json([NASTY, "\u2028"])


def test_own_code_ends_no_element() -> None:
    text = replay_file([run_of()], ABOUT, EN).decode()
    assert text.count("</script") == text.count("<script") == 2
    assert text.count("</style") == text.count("<style") == 1
    assert not re.search(r"\$(title|css|js|data|about|foot|lang|noscript)\b", text)


def test_what_cannot_be_played_makes_no_file() -> None:
    for runs in ([], [misfit("flash2", "x", 3, 14)]):
        with pytest.raises(ValueError, match="can be played"):
            replay_file(runs, ABOUT, EN)


# ---- any DAG


def test_nameless_vertices_are_drawn_by_layers_under_their_own_names() -> None:
    run = encode_game(bill(), "x", EN)
    assert [(t["name"], t["role"], t["rows"]) for t in run["tensors"]] == [
        ("inputs", "input", 2),
        ("outputs", "output", 1),
    ]
    assert [run["names"][cell] for cell in unpacked("H", run["cell"])] == ["a", "b", "a+b"]
    assert (run["io"], run["floor"]) == (3, 3)


def test_a_wide_layer_is_drawn_in_columns() -> None:
    dag = PebbleDag.of({f"x{i}": () for i in range(30)} | {"y": [f"x{i}" for i in range(30)]}, name="wide")
    run = encode_game(Pebbling(dag, Rules(red=31), ()), "x", EN)
    inputs = run["tensors"][0]
    assert (inputs["rows"], inputs["columns"]) == (10, 3)
    assert sorted(name for name in run["names"] if name) == sorted(dag.labels)


@pytest.mark.parametrize(("dag", "layered"), [(matmul(2, 2, 2), False), (pyramid(3), True), (chain(3), True)])
def test_matrices_stay_matrices(dag: PebbleDag, layered: bool) -> None:
    assert ("names" in encode_game(Pebbling(dag, Rules(red=8), ()), "x", EN)) is layered


@pytest.mark.parametrize("level", levels().values(), ids=lambda level: level.id)
def test_every_level_has_a_replay(level: Level) -> None:
    solved = Pebbling(level.dag, level.rules, level.solution)
    run = encode_game(solved, "x", EN)
    assert run["io"] == level.par
    assert finished(run)
    assert len(unpacked("H", run["sources"])) == sum(move.op == "slide" for move in solved.moves)
    assert b"not finished" not in game_file(solved, "x", "y", EN)
    last = max(i for i, move in enumerate(solved.moves) if move.op == "store")
    begun = Pebbling(solved.dag, solved.rules, solved.moves[:last])
    assert not finished(encode_game(begun, "x", EN))
    assert b"not finished" in game_file(begun, "x", "y", EN)


# ---- command line


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.json", tmp_path / "out.html"
    write_pebbling(bill(), source)
    assert main([str(source), str(target), "--lang", "es", "--title", "Una suma"]) == 0
    text = target.read_text(encoding="utf-8")
    assert "<h1>Una suma</h1>" in text
    assert "someone: 3 palabras movidas, contadas" in text
    source.write_text("{}", encoding="utf-8")
    assert main([str(source), str(target)]) == 2
    assert main([str(tmp_path / "missing.json"), str(target)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
