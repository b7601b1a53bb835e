"""What README promises."""

import doctest
import math
import re
import shlex
from pathlib import Path

from kernels_ref import ALGORITHMS, count, crossover
from kernels_ref.__main__ import build_parser
from kernels_ref.bounds import certified_ratio
from pebble_engine.command_line import parser as engine_parser

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_game_in_it_runs():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


def test_the_commands_in_it_are_understood():
    for package, parser in (("kernels_ref", build_parser()), ("pebble_engine", engine_parser())):
        commands = re.findall(rf"^    python -m {package} +(.+)$", README, re.MULTILINE)
        assert len(commands) >= 4
        for command in commands:
            parser.parse_args(shlex.split(command))


def test_the_table_in_it_is_counted():
    rows = re.findall(r"^\| `([\w-]+)` \| (\S+) \| (\S+) \| (\S+) \|", README, re.MULTILINE)
    assert [row[0] for row in rows] == [name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms]
    for name, *shown in rows:
        counted = [count(name, n=4096, d=64, memory=memory).io for memory in (512, 4096, 16384)]
        assert shown == ["—" if io is None else f"{io / 4096**2:.1f}" for io in counted]


def test_the_certified_ratio_in_it():
    ratio = certified_ratio("flash-two-sweep", n=65536, d=64, memory=16 * 64**2).ratio
    assert f"at most {math.ceil(100 * ratio) / 100:.2f} times the optimum" in README  # rounded up: it is a bound


def test_the_numbers_in_it_are_counted():
    for algorithm in ("flash2", "small-cache"):
        io = count(algorithm, n=4096, d=64, memory=4096).io
        assert f"{io:,}".replace(",", " ") in README
        assert f"{io / 4096**2:.1f} n²" in README
    assert f"M = {crossover('flash2', 'small-cache', n=4096, d=64)} " in README


def test_every_file_that_it_names_exists():
    for name in re.findall(r"\]\(([^)]+)\)", README):
        if "://" not in name:
            assert (ROOT / name).exists(), name
