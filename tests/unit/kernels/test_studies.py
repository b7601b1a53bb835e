"""The command line's fit, crossover and bounds. Bad input: one line on stderr, exit status 2."""

import json

import numpy as np
import pytest

from kernels_ref import count, crossover, lower_bound, masks, swaps, theory
from kernels_ref.__main__ import main
from kernels_ref.sizes import Shape


def output(capsys, text):
    assert main(text.split()) == 0
    return capsys.readouterr().out


def test_fit(capsys):
    found = json.loads(output(capsys, "fit --algorithm flash2,small-cache,envelope --json"))
    assert [(one["algorithm"], one["regime"]) for one in found] == [
        (name, regime) for regime in ("flash", "small-cache") for name in ("flash2", "small-cache", "envelope")
    ]
    assert [one["as_expected"] for one in found] == [True, None, True, None, True, True]
    assert [one["expected"] for one in found] == [[2, 2, -1], None, [2, 2, -1], None, [2, 1, -0.5], [2, 1, -0.5]]
    assert found[0]["exponents"]["memory"] == pytest.approx(-1, abs=0.05)
    assert found[4]["without_elementwise"]["exponents"]["d"] == pytest.approx(1, abs=0.01)
    text = output(capsys, "fit --regime small-cache --form forward")
    assert "forward-small-cache, small-cache: I/O ~" in text
    assert "the theorem, small-cache: n^2 d^1 M^-0.5, here within 0.1" in text
    lines = output(capsys, "fit --algorithm flash2,standard").splitlines()
    assert [line.split(":")[0].strip() for line in lines] == [
        "flash2, flash", "the theorem, flash", "standard, flash", "flash2, small-cache", "standard, small-cache",
    ], "a target only where an algorithm is for the regime"  # fmt: skip


def test_crossover(capsys):
    record = json.loads(output(capsys, "crossover --algorithm flash2,small-cache --n 4096 --d 64 --json"))
    assert record["crossover"] == crossover("flash2", "small-cache", 4096, 64)
    assert record["formula"] == 64**2
    assert [tuple(swap.values()) for swap in record["swaps"]] == [
        tuple(s) for s in swaps("flash2", "small-cache", 4096, 64)
    ]
    text = output(capsys, "crossover --algorithm flash2,small-cache --n 4096 --d 64")
    assert "flash2 never moves more from M = 3224 on" in text
    assert "none" in output(capsys, "crossover --algorithm small-cache,flash2 --n 64 --d 8")
    output(capsys, "crossover --algorithm flash2,small-cache --n 12 --d 4 --mask causal --heads 4 --kv-heads 2")
    record = json.loads(output(capsys, "crossover --algorithm flash2,fused-split --n-q 9 --n-k 7 --d 4 --d-v 2 --json"))
    assert record["crossover"] == crossover("flash2", "fused-split", n_q=9, n_k=7, d=4, d_v=2)
    assert (record["n_q"], record["n_k"]) == (9, 7)


def test_bounds(capsys, tmp_path):
    text = "bounds --n 4096 --d 64 --memory 4096 --algorithm flash2,small-cache"
    record = json.loads(output(capsys, text + " --json"))
    best = lower_bound("qkv", Shape(4096, 4096, 64, 64), 4096)
    assert (record["best"], record["words"]) == (best.name, best.words)
    assert record["inputs"] + record["outputs"] == theory.floor(4096, 64)
    io = count("flash2", n=4096, d=64, memory=4096).io
    assert record["algorithms"][0] == {"algorithm": "flash2", "io": io, "ratio": io / best.words}
    assert f"{io}  flash2: at most {io / best.words:.3f} times the optimum" in output(capsys, text)
    np.save(tmp_path / "mask.npy", np.tri(50, dtype=bool))
    named, given = (
        json.loads(output(capsys, f"bounds --n 50 --d 4 --memory 30 --heads 2 --mask {mask} --json"))
        for mask in ("causal", tmp_path / "mask.npy")
    )
    assert named == given
    assert named["words"] == lower_bound("qkv", Shape(50, 50, 4, 4, masks.causal(50, 50)), 30, heads=2).words
    assert named["theorem_4_5"] == {
        "z_input": 200, "z_qk": 1275, "split": 200**2 / 1275, "omega": theory.theta_sparse(200, 1275, 30),
    }  # fmt: skip
    assert "no bound for this mask: Z_input = 200, Z_QK = 1275" in output(
        capsys, "bounds --n 50 --d 4 --memory 30 --mask causal"
    )
    assert "does not fit  flash2" in output(capsys, "bounds --n 50 --d 4 --memory 3 --algorithm flash2")
    weights = json.loads(output(capsys, "bounds --n 50 --d 4 --memory 99 --form weights --algorithm flash2 --json"))
    assert weights["algorithms"][0]["io"] == count("flash2", n=50, d=4, memory=99, form="weights").io


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("fit --algorithm nope", "no algorithm is called 'nope'"),
        ("fit --regime warm", "invalid choice"),
        ("fit --form sideways", "no form is called 'sideways'"),
        ("fit --algorithm flash2 --form forward", "flash2 has no 'forward' form"),
        ("crossover --algorithm flash2 --n 4 --d 4", "a crossover is of two algorithms"),
        ("crossover --algorithm flash2,nope --n 4 --d 4", "no algorithm is called 'nope'"),
        ("crossover --algorithm flash2,forward-flash --n 4 --d 4", "do not do the same"),
        ("crossover --algorithm flash2,small-cache --n 0 --d 4", "must be at least 1, got 0"),
        ("crossover --algorithm flash2,small-cache --n 4096 --d 4 --mask causal", "try a smaller n"),
        ("bounds --n 4 --d 4", "required"),
        ("bounds --n 4 --d 4 --memory 9 --form sideways", "no form is called 'sideways'"),
        ("bounds --n 4 --d 4 --memory 9 --form weights --heads 2", "one head"),
        ("bounds --n 4 --d 4 --memory 9 --heads 4 --kv-heads 3", "cannot share 3 heads"),
        ("bounds --n 4 --d 4 --memory 9 --algorithm flash2,forward-flash", "different forms: forward, qkv"),
        ("bounds --n 4 --d 4 --memory 9 --mask nope", "no mask is called 'nope'"),
        ("bounds --n 4 --d 4 --memory 9 --mask no.npy", "No such file"),
    ],
)
def test_bad_input(arguments, sentence, capsys):
    try:
        status = main(arguments.split())
    except SystemExit as stopped:  # how argparse refuses
        status = stopped.code
    captured = capsys.readouterr()
    assert status == 2
    assert sentence in captured.err
    assert captured.out == ""
