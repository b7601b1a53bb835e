"""The step sheet lists what the pebbling does, move by move."""

import html
import re

import pytest

from kernels_ref import kernel_source, pebble, theory
from pages.shared import step_sheet as module
from pages.shared.board import Run, encode_run, misfit
from pages.shared.i18n import Texts
from pages.shared.replay_file import About
from pages.shared.step_sheet import moves_of, step_sheet
from pebble_engine import Pebbling
from tests.unit.board.synthetic import Position, large_run

EN = Texts("en")
ABOUT = About("A title", "A sentence.")


def runs_of(algorithm: str) -> tuple[Pebbling, Run]:
    pebbling = pebble(algorithm, n=3, d=2, memory=16)
    return pebbling, encode_run(pebbling, kernel_source(algorithm), theory.floor(3, 2), algorithm, algorithm)


@pytest.mark.parametrize("algorithm", ["flash2", "small-cache"])
def test_each_move_has_its_numbers(algorithm: str) -> None:
    pebbling, run = runs_of(algorithm)
    position = Position(pebbling)
    steps = list(moves_of(run, EN, 10**6))
    assert len(steps) == len(pebbling.moves)
    for step, move, line in zip(steps, pebbling.moves, pebbling.lines or (), strict=True):
        position.play(move)
        assert (step["io"], step["red"]) == (position.loads + position.stores, len(position.red))
        assert step["line"] == line
        assert step["word"] is (move.op in ("load", "store"))
        assert move.vertex.partition("#")[0] in step["what"]
    assert [step["what"] for step in steps[:1]] == [f"load {pebbling.moves[0].vertex}"]


def test_sums_and_slides_in_words() -> None:
    _, run = runs_of("flash2")
    said = [step["what"] for step in moves_of(run, EN, 10**6)]
    assert "add to S[0,0], term 1 of 2" in said
    assert "add to S[0,0], term 2 of 2" in said
    assert "slide S[0,0] to P[0,0]" in said


def test_the_sheet_is_a_table_with_a_row_a_move() -> None:
    pebbling, run = runs_of("flash2")
    text = step_sheet([run, misfit("small-cache", "Other", 3, 9)], ABOUT, EN).decode()
    rows = re.findall(
        r"<tr(?: class=\"word\")?><td>(\d+)</td><td>(.*?)</td><td>(\d+)</td><td>(\d+)</td><td>(\d+)</td>", text
    )
    assert len(rows) == len(pebbling.moves)
    assert rows[-1][3] == str(run["io"])
    code = [html.unescape(line) for line in re.findall(r"<li><code>(.*?)</code></li>", text, re.DOTALL)]
    assert [line.strip() for line in code] == [line.strip() for line in run["code"]]
    assert text.count("<h2>") == 1, "what does not fit has no section"
    assert "Here the sheet ends" not in text


def test_the_limit_is_said() -> None:
    text = step_sheet([large_run("flash2")], ABOUT, EN).decode()
    assert text.count("<tr") == module.MOST + 1
    assert "first 2\u202f000 of 50\u202f000 moves" in text
    assert len(text) < 1_000_000


def test_titles_are_escaped() -> None:
    _, run = runs_of("flash2")
    text = step_sheet([run | {"title": "<img src=x>"}], About("</title><script>", "<b>"), EN).decode()
    assert "<img" not in text
    assert "<script" not in text
    assert "<b>" not in text
