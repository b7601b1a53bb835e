"""The command line: the same job without a browser. Bad input is one line on stderr and exit status 2."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, count, masks, sweep, theory
from kernels_ref.__main__ import main
from pebble_engine import read_pebbling, schedule_faults

KEYS = [
    "algorithm", "form", "n", "d", "memory", "loads", "stores", "io", "multiplications", "peak_fast", "peak_slow",
    "tile", "fits", "least_memory",
]  # fmt: skip


def output(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_list(capsys):
    assert [entry["algorithm"] for entry in json.loads(output(capsys, "list", "--json"))] == list(ALGORITHMS)
    assert "flash2" in output(capsys, "list")


def test_count(capsys):
    record = json.loads(
        output(capsys, "count", "--algorithm", "flash2", "--n", 4096, "--d", 64, "--memory", 4096, "--json")
    )
    assert sorted(record) == sorted(KEYS)
    assert record["io"] == count("flash2", n=4096, d=64, memory=4096).io
    assert "290340864" in output(capsys, "count", "--algorithm", "flash2", "--n", 4096, "--d", 64, "--memory", 4096)


def test_count_where_it_does_not_fit(capsys):
    assert main(["count", "--algorithm", "flash2", "--n", "64", "--d", "64", "--memory", "2", "--json"]) == 0
    captured = capsys.readouterr()
    record = json.loads(captured.out)
    assert (record["fits"], record["io"], record["least_memory"]) == (False, None, 386)
    assert "needs at least 386 words of fast memory, got 2" in captured.err


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_run(capsys, algorithm):
    size = ["--algorithm", algorithm, "--n", 40, "--d", 8, "--memory", 90]
    record = json.loads(output(capsys, "run", *size, "--seed", 5, "--json"))
    assert sorted(record) == sorted([*KEYS, "max_relative_error", "seconds"])
    assert record["max_relative_error"] < 1e-10
    counted = json.loads(output(capsys, "count", *size, "--json"))
    assert {key: record[key] for key in KEYS} == counted


def test_form_mask_heads_and_dtype(capsys, tmp_path):
    size = ["--algorithm", "flash2", "--n", 20, "--d", 4, "--memory", 90]
    for extra in (
        ["--form", "weights"], ["--mask", "causal"], ["--mask", "random:0.3:5", "--heads", 4, "--kv-heads", 2],
        ["--dtype", "float32", "--mask", "window:3"],
    ):  # fmt: skip
        record = json.loads(output(capsys, "run", *size, *extra, "--json"))
        counted = json.loads(output(capsys, "count", *size, *extra, "--json"))
        assert record["max_relative_error"] < 1e-5
        assert {key: record[key] for key in counted} == counted
        assert set(KEYS) <= set(counted)
    assert counted["bytes"] == 4 * counted["io"]
    np.save(tmp_path / "mask.npy", np.eye(20, dtype=bool))
    counted = json.loads(output(capsys, "count", *size, "--mask", tmp_path / "mask.npy", "--json"))
    assert counted["mask"] == 20
    lines = output(capsys, "sweep", *size[:-1], "60:600:3", "--mask", "causal", "--dtype", "float16", "--csv", "-")
    rows = list(csv.DictReader(lines.splitlines()))
    assert [int(row["io"]) for row in rows] == [
        count("flash2", n=20, d=4, memory=int(row["memory"]), mask=masks.causal(20, 20)).io for row in rows
    ]


def test_sweep_under_a_mask_is_the_librarys_sweep(capsys, monkeypatch):
    """One call of `sweep` with the mask's name, not a row at a time; and its columns, the bound's among them."""
    calls = []

    def watched(names, **given):
        calls.append((names, given["mask"]))
        return sweep(names, **given)

    monkeypatch.setattr("kernels_ref.__main__.sweep", watched)
    size = ["--n-q", 20, "--n-k", 24, "--d", 4, "--d-v", 3, "--memory", "60:600:3", "--mask", "causal"]
    rows = list(
        csv.DictReader(
            output(
                capsys, "sweep", "--algorithm", "flash2,small-cache", *size, "--dtype", "float16", "--csv", "-"
            ).splitlines()
        )
    )
    assert calls == [(["flash2", "small-cache"], "causal")]
    options = {"n_q": 20, "n_k": 24, "d": 4, "d_v": 3, "mask": masks.causal(20, 24)}
    for row in rows:
        counts = count(row["algorithm"], memory=int(row["memory"]), dtype="float16", **options)
        assert (int(row["io"]), int(row["bytes"])) == (counts.io, counts.bytes)
        assert (row["mask"], row["theta"]) == ("causal", "")
        assert int(row["bound"]) <= int(row["io"])
        assert int(row["floor"]) == theory.floor(**options)


@pytest.mark.parametrize(
    ("extra", "options"),
    [
        ("--n-q 9 --n-k 7 --d 4", {"n_q": 9, "n_k": 7}),
        ("--n 9 --n-k 7 --d 4 --d-v 3 --mask window:3", {"n_q": 9, "n_k": 7, "d_v": 3, "mask": "window:3"}),
        ("--n 9 --d 4 --d-v 6 --form weights --target", {"n": 9, "d_v": 6, "form": "weights", "target": True}),
    ],
)
def test_shapes_and_the_target(capsys, extra, options):
    if "mask" in options:
        options = options | {"mask": masks.named(options["mask"], 9, 7)}
    size = ["--algorithm", "small-cache", "--memory", 60, *extra.split()]
    counted = json.loads(output(capsys, "count", *size, "--json"))
    assert counted["io"] == count("small-cache", d=4, memory=60, **options).io
    record = json.loads(output(capsys, "run", *size, "--json"))
    assert record["max_relative_error"] < 1e-10
    assert {key: record[key] for key in counted} == counted
    size[3] = "60:60:1"
    (row,) = csv.DictReader(output(capsys, "sweep", *size, "--csv", "-").splitlines())
    assert int(row["io"]) == counted["io"]


def test_inputs_by_nonzeros(capsys, tmp_path):
    size = ["--algorithm", "flash2", "--n", 12, "--d", 4, "--memory", 60]
    np.save(tmp_path / "k.npy", np.eye(12, 4, dtype=bool))
    extra = ["--nonzeros", f"Q=0.25,K={tmp_path / 'k.npy'}"]
    counted = json.loads(output(capsys, "count", *size, *extra, "--json"))
    dense = json.loads(output(capsys, "count", *size, "--json"))
    record = json.loads(output(capsys, "run", *size, *extra, "--json"))
    assert counted["stored"]["K"] == 4
    assert 0 < counted["stored"]["Q"] < 48
    assert counted["io"] < dense["io"]
    assert record["max_relative_error"] < 1e-10
    assert {key: record[key] for key in counted} == counted
    other = json.loads(output(capsys, "count", *size, *extra, "--seed", 5, "--json"))
    assert other["stored"] != counted["stored"]


@pytest.mark.parametrize(
    "extra", ["", "--n-q 2 --n-k 4", "--form weights --target", "--mask window:2", "--algorithm flash1"]
)
def test_pebblings_of_every_kind(capsys, tmp_path, extra):
    file = tmp_path / "run.json"
    sizes = [] if "--n-q" in extra else ["--n", 3]
    output(capsys, "pebble", "--algorithm", "flash2", *sizes, "--d", 2, "--memory", 30, "--out", file, *extra.split())
    pebbling = read_pebbling(file.read_text())
    assert not schedule_faults(pebbling.dag, pebbling.rules, pebbling.moves)


def test_sweep(capsys, tmp_path):
    file = tmp_path / "curve.csv"
    output(
        capsys,
        "sweep",
        "--algorithm",
        "flash2,small-cache",
        "--n",
        64,
        "--d",
        8,
        "--memory",
        "16:4096:9",
        "--csv",
        file,
    )
    rows = list(csv.DictReader(file.open()))
    assert len(rows) == 18
    assert {row["algorithm"] for row in rows} == {"flash2", "small-cache"}
    assert rows[0]["io"] == "", "16 words are too few for flash2 at d = 8"
    assert int(rows[-1]["io"]) == count("small-cache", n=64, d=8, memory=4096).io
    assert float(rows[-1]["theta"]) == pytest.approx(theory.theta(64, 8, 4096))


def test_pebble_and_check(capsys, tmp_path):
    file = tmp_path / "run.json"
    output(capsys, "pebble", "--algorithm", "small-cache", "--n", 3, "--d", 2, "--memory", 12, "--out", file)
    document = json.loads(file.read_text())
    assert document["format"] == "pebbling/1"
    assert document["io"] == count("small-cache", n=3, d=2, memory=12).io
    done = subprocess.run(
        [sys.executable, "-m", "pebble_engine", "check", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert str(document["io"]) in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("count --algorithm flash2 --n 0 --d 4 --memory 99", "must be at least 1, got 0"),
        ("count --algorithm flash2 --n 4 --d -1 --memory 99", "'-1'"),
        ("count --algorithm flash2 --n x --d 4 --memory 99", "at least 1 such as 64 is needed, got 'x'"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 1e30", "got '1e30'"),
        ("count --algorithm flash2 --n ４ --d 4 --memory 99", "got '４'"),
        ("count --algorithm nope --n 4 --d 4 --memory 99", "no algorithm is called 'nope'; there are: flash2"),
        ("run --algorithm flash2 --n 4 --d 4 --memory 2", "needs at least 26 words of fast memory, got 2"),
        ("run --algorithm small-cache --n 99999999 --d 64 --memory 4096", "GB"),
        ("run --algorithm flash2 --n 4 --d 4 --memory 99 --seed -1", "'-1'"),
        ("pebble --algorithm flash2 --n 4 --d 4 --memory 2 --out x.json", "needs at least 26 words"),
        ("pebble --algorithm flash2 --n 4096 --d 64 --memory 4096 --out x.json", "vertices; at most"),
        ("pebble --algorithm flash2 --n 2 --d 2 --memory 99 --out /no/such/folder/x.json", "No such file or directory"),
        ("sweep --algorithm flash2 --n 4 --d 4 --memory 9 --csv x.csv", "LOW:HIGH:COUNT"),
        ("sweep --algorithm flash2 --n 4 --d 4 --memory 9:5:3 --csv x.csv", "runs from at least 1 up, got 9 to 5"),
        ("sweep --algorithm flash2,nope --n 4 --d 4 --memory 1:99:3 --csv x.csv", "no algorithm is called 'nope'"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --mask nope", "no mask is called 'nope'; there are: causal"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --mask no.npy", "No such file"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --form forward", "flash2 has no 'forward' form"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --heads 4 --kv-heads 3", "cannot share 3 heads"),
        ("run --algorithm flash2 --n 4 --d 4 --memory 99 --form weights --heads 2", "one head"),
        ("pebble --algorithm flash2 --n 2 --d 2 --memory 99 --out x.json --heads 2", "of one head"),
        ("pebble --algorithm flash2 --n 3 --d 2 --memory 99 --out x.json --target", "for the weights form; this is"),
        ("pebble --algorithm flash2 --n-q 3 --n-k 2 --d 2 --memory 99 --out x.json --mask causal", "leaves a query"),
        ("pebble --algorithm flash2 --n 60 --d 40 --memory 999 --form weights --out x.json", "vertices; at most"),
        ("count --algorithm flash2 --d 4 --memory 99", "give --n, or both --n-q and --n-k"),
        ("count --algorithm flash2 --n-q 4 --d 4 --memory 99", "give --n, or both --n-q and --n-k"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --target", "a target is for the weights form; this is qkv"),
        ("sweep --algorithm flash2 --n 4 --d 4 --memory 9:99:3 --csv - --target", "for the weights form; this is qkv"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --nonzeros Q", "takes NAME=SHARE"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --nonzeros Q=2", "a number from 0 to 1, or a FILE.npy"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --nonzeros A1=0.5", "no matrix 'A1'"),
        ("count --algorithm flash2 --n 4 --d 4 --memory 99 --nonzeros Q=0.5 --heads 2", "for one head; got 2"),
        ("", "required"),
    ],
)  # fmt: skip
def test_bad_input(arguments, sentence, capsys):
    try:
        status = main(arguments.split())
    except SystemExit as stopped:  # how argparse refuses
        status = stopped.code
    captured = capsys.readouterr()
    assert status == 2
    assert sentence in captured.err
    assert captured.out == ""


def test_as_a_program():
    command = [
        sys.executable,
        "-m",
        "kernels_ref",
        "count",
        *["--algorithm", "flash2", "--n", "0", "--d", "4", "--memory", "99"],
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "must be at least 1, got 0" in done.stderr
    assert "Traceback" not in done.stderr
