"""`python -m pebble_engine check FILE`: what it prints, where, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pebble_engine import Pebbling, Rules, chain, parse_moves, write_pebbling
from pebble_engine.__main__ import main

GOOD = "load x[0]\ncompute x[1]\nstore x[1]"


def write(path: Path, moves: str) -> str:
    write_pebbling(Pebbling(chain(1), Rules(red=2), parse_moves(moves), "hand"), path)
    return str(path)


def test_a_good_pebbling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", write(tmp_path / "good.json", GOOD)]) == 0
    assert capsys.readouterr() == ("ok io=2 peak=2 moves=3\n", "")


def test_a_good_pebbling_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", write(tmp_path / "good.json", GOOD)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "io": 2,
        "loads": 1,
        "stores": 1,
        "peak": 2,
        "moves": 3,
        "red": 2,
        "sliding": False,
        "recompute": True,
        "dag": "chain 1",
        "vertices": 2,
        "made_by": "hand",
    }


def test_an_illegal_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "bad.json", "compute x[1]\nstore x[1]\nstore x[1]")
    assert main(["check", path]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{path}: line 9: step 1, compute x[1]: x[0] is not red (red: none; 0 of 2) (and 1 more")


def test_all_faults_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", write(tmp_path / "bad.json", "compute x[1]\nstore x[1]\nstore x[1]")]) == 1
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert (answer["ok"], answer["reason"], answer["line"]) == (False, "operand_not_red", 9)
    assert [(fault["step"], fault["reason"]) for fault in answer["faults"]] == [
        (1, "operand_not_red"),
        (3, "already_blue"),
    ]
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "sentence"),
    [
        ('"io": 2', '"io": 3', 1, "the file says io 3, its moves make 2"),
        ('["store",1]', '["delete",1]', 1, "after step 3: x[1] is not blue, and every output must be"),
        ('["store",1]', '["store",2]', 2, "there is no vertex 2"),
        ('"edges": [[0,1]]', '"edges": [[0,1],[1,0]]', 2, "the dag: "),
        ("pebbling/1", "pebbling/9", 2, "the format is 'pebbling/9'"),
        ('"moves": [', '"moves": {', 2, "this is not JSON"),
    ],
)
def test_files_that_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, code: int, sentence: str
) -> None:
    path = Path(write(tmp_path / "file.json", GOOD))
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    if '"delete"' in new:
        path.write_text(text.replace(old, new).replace('"io": 2', '"io": 1'), encoding="utf-8")
    assert main(["check", str(path)]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["check", str(tmp_path)]) == 2
    assert "Is a directory" in capsys.readouterr().err


def test_as_a_program_without_arguments() -> None:
    run = subprocess.run([sys.executable, "-m", "pebble_engine"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith("usage: python -m pebble_engine")
    assert "Traceback" not in run.stderr
