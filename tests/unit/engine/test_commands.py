"""`python -m pebble_engine dag|solve|schedule|bounds|show`: what they print and write, and their exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pebble_engine import Pebbling, Rules, chain, matmul, parse_moves, read_dag, read_pebbling, write_pebbling
from pebble_engine.__main__ import main
from pebble_engine.catalogue import dag_by_name

MATMUL = ["--dag", "matmul 2 2 2"]


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The JSON answer of a command that succeeds."""
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    answer = json.loads(out)
    assert answer.pop("ok") is True
    return answer


@pytest.mark.parametrize("form", ["dag", "node-link"])
def test_a_dag_is_written_and_solved_from_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    path, found = str(tmp_path / "dag.json"), str(tmp_path / "found.json")
    answer = ask(capsys, "dag", "matmul", "2", "2", "2", "--out", path, "--format", form)
    assert answer == {"dag": "matmul chain 2x2x2", "vertices": 16, "edges": 20, "inputs": 8, "outputs": 4}
    assert read_dag(path) == matmul(2, 2, 2)
    answer = ask(capsys, "solve", path, "--red", "4", "--out", found)
    assert (answer["cost"], answer["lower_bound"], answer["proved"], answer["stopped"]) == (17, 17, True, None)
    assert read_pebbling(found).io == 17
    assert main(["check", found]) == 0
    assert capsys.readouterr().out.startswith("ok io=17 peak=4 ")
    assert ask(capsys, "solve", found)["io"] == 17  # the file's own rules


def test_a_dag_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dag", "attention-backward", "n=2", "d=1", "mask=causal", "granularity=tree"]) == 0
    assert read_dag(capsys.readouterr().out).name == ("attention_backward n_q=2 n_k=2 d=1 granularity=tree mask=10/11")


def test_rules_are_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "solve", *MATMUL, "--red", "3", "--sliding")["cost"] == 17
    assert ask(capsys, "schedule", *MATMUL, "--red", "4", "--one-shot")["recompute"] is False


@pytest.mark.parametrize(
    ("method", "io"), [("natural-belady", 15), ("natural-lru", 17), ("depth-first-lru", 17), ("improve", 14)]
)
def test_schedules(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str, io: int) -> None:
    path = str(tmp_path / "schedule.json")
    more = ["--rounds", "300", "--time-limit", "60"] if method == "improve" else []
    answer = ask(capsys, "schedule", *MATMUL, "--red", "5", "--method", method, "--out", path, *more)
    assert (answer["io"], answer["method"]) == (io, method)
    assert read_pebbling(path).io == io


def test_a_search_that_is_cut_short_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    dag = ["--dag", "attention_backward n=3 d=2", "--red", "6", "--time-limit", "0.2"]
    answer = ask(capsys, "solve", *dag)
    assert (answer["proved"], answer["stopped"]) == (False, "time")
    assert 42 <= answer["lower_bound"] < answer["cost"] == answer["io"]
    assert main(["solve", *dag]) == 0
    assert capsys.readouterr().out.startswith("not proven (time): at least ")


def test_bounds_hold_for_the_rules_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    fan = ["--dag", "butterfly 64", "--red", "3"]
    assert [bound["name"] for bound in ask(capsys, "bounds", *fan)["bounds"]] == ["trivial"]
    answer = ask(capsys, "bounds", *fan, "--one-shot")
    assert answer["best"] == max(bound["words"] for bound in answer["bounds"]) > 128
    assert answer["bounds"][1]["holds_for"] == "no recomputation"
    assert main(["bounds", *fan]) == 0
    assert " ".join(capsys.readouterr().out.split()) == (
        "128 trivial every rule set; every input is read, every output written"
    )


def test_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "chain.json")
    moves = "load x[0]\nslide x[0] x[1]\nstore x[1]"
    write_pebbling(Pebbling(chain(1), Rules(red=1, sliding=True), parse_moves(moves), "hand"), path)
    assert main(["show", path, "--at", "2"]) == 0
    assert capsys.readouterr().out == (
        "after move 2, slide x[0] x[1]: io 1 (1 load, 0 stores), 1 of 1 red\nx   0\n 0  B\n 1  R\n"
    )
    assert main(["show", path, "--at", "0"]) == 0
    assert capsys.readouterr().out.startswith("at the start: io 0 (0 loads, 0 stores), 0 of 1 red")
    answer = ask(capsys, "show", path)
    assert answer == {
        "at": 3,
        "move": "store x[1]",
        "io": 2,
        "peak": 1,
        "red_vertices": ["x[1]"],
        "blue_vertices": ["x[0]", "x[1]"],
    }
    write_pebbling(Pebbling(chain(1), Rules(red=1), parse_moves(moves), "hand"), path)
    assert main(["show", path, "--at", "1"]) == 0
    assert main(["show", path]) == 1
    assert "step 2, slide x[0] x[1]: the sliding rule is off" in capsys.readouterr().err
    assert main(["show", path, "--at", "9"]) == 2
    assert "--at must be 0 to 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["dag", "cube", "2"], "there is no DAG 'cube'"),
        (["dag", "matmul", "2"], "matmul needs m q k, and q k are not given"),
        (["dag", "matmul", "2", "2", "2", "2"], "takes 3 sizes by position, '2' is one more"),
        (["dag", "matmul", "2", "2", "x"], "k must be a whole number of at least 1, got 'x'"),
        (["dag", "matmul", "2", "2", "k=1", "k=2"], "k is given twice"),
        (["dag", "pyramid", "0"], "height must be a whole number"),
        (["dag", "grid", "2", "2", "depth=2"], "grid has no 'depth'"),
        (["dag", "attention_backward", "2", "mask=10/1"], "mask must be causal"),
        (["dag", "attention_backward", "n=999999", "mask=causal"], "at most 100000 are allowed"),
        (["dag", "attention_backward", "2", "target=maybe"], "target must be yes or no"),
        (["dag", "attention_backward"], "give n, or both n_q and n_k"),
        (["dag", "chain", "2", "--out", "/nowhere/dag.json"], "/nowhere/dag.json: No such file"),
        (["solve", "/nowhere/dag.json", "--red", "3"], "/nowhere/dag.json: No such file"),
        (["solve", *MATMUL], "give --red M"),
        (["solve", *MATMUL, "--red", "3"], "at least 4 would do"),
        (["solve", *MATMUL, "--red", "0"], "the number of red pebbles"),
        (["solve", "--dag", 'matmul "2', "--red", "3"], "No closing quotation"),
        (["schedule", *MATMUL, "--red", "3"], "at least 4 would do"),
        (["bounds", "--dag", "", "--red", "3"], "there is no DAG ''"),
        (["show", "/nowhere/game.json"], "No such file"),
    ],
)
def test_faults_go_to_stderr_with_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1
    assert main([*arguments, "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert sentence.rpartition(": ")[2] in answer["sentence"]


def test_a_dag_file_alone_has_no_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("a b\nb c\n", encoding="utf-8")
    assert main(["solve", str(path)]) == 2
    assert "give --red M" in capsys.readouterr().err
    assert ask(capsys, "solve", str(path), "--red", "2")["cost"] == 2
    path.write_text("a b\nb a\n", encoding="utf-8")
    assert main(["bounds", str(path), "--red", "2"]) == 2
    assert "there is a cycle" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["solve"], ["solve", *MATMUL, "--red", "x"], ["schedule", "--method", "best"]])
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: " in capsys.readouterr().err


def test_a_reader_that_has_gone_is_no_error_and_a_full_disk_is_one() -> None:
    program = [sys.executable, "-m", "pebble_engine", "dag", "grid", "9", "9"]
    reading, writing = os.pipe()
    os.close(reading)
    gone = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (gone.returncode, gone.stderr) == (0, b"")
    if not os.path.exists("/dev/full"):  # macOS
        return
    with open("/dev/full", "w") as full:
        refused = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith(b"pebble_engine: ")
    assert refused.stderr.count(b"\n") == 1


def test_names_take_hyphens_and_underscores() -> None:
    assert dag_by_name(["summation-tree", "4"]) == dag_by_name(["summation_tree", "leaves=4"])
