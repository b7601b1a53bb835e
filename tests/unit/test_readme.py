"""What README promises."""

import doctest
import re
from pathlib import Path

from kernels_ref import count, crossover
from kernels_ref.__main__ import build_parser

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_game_in_it_runs():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


def test_the_commands_in_it_are_understood():
    commands = re.findall(r"^    python -m kernels_ref +(.+)$", README, re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        build_parser().parse_args(command.split())


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
