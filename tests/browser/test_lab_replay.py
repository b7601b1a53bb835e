"""The replay core, in Chromium and without a server: any seek gives what playing move by move gives in Python."""

import json
import random
from itertools import pairwise

import pytest
from playwright.sync_api import Page

from kernels_ref import kernel_source, pebble, theory
from pages.shared.board import PLAYER_FILES, Run, board_js, clock_length, encode_run, operations
from pebble_engine import Pebbling
from tests.browser.conftest import PageFactory
from tests.unit.board.synthetic import Position, lengthened

STATE = """(targets) => targets.map((t) => {
  replay.seek(t);
  const current = replay.current();
  return {
    red: [...replay.state.keys()].filter((v) => replay.state[v] & RED),
    blue: [...replay.state.keys()].filter((v) => replay.state[v] & BLUE),
    slots: [...replay.slots],
    loads: replay.loads[t], stores: replay.stores[t], peak: replay.peak[t], count: replay.red[t],
    move: current && [current.op, current.vertex, current.line],
  };
})"""


def encoded(pebbling: Pebbling, algorithm: str) -> Run:
    return encode_run(pebbling, kernel_source(algorithm), 0, algorithm, algorithm)


def page_with(page_factory: PageFactory, *runs: Run) -> Page:
    page = page_factory()
    page.set_content(
        f"<!doctype html><script>{board_js(PLAYER_FILES)}\n"
        f"const replays = {json.dumps(runs)}.map((run) => new Replay(decodeRun(run)));\n"
        "const replay = replays[0], timeline = new Timeline(replays);</script>"
    )
    return page


CASES = {
    "flash2": ("flash2", 4, 2, 16, 0),
    "small-cache": ("small-cache", 3, 2, 9, 0),
    "least memory": ("small-cache", 2, 3, 3, 0),
    "one cell": ("flash2", 1, 1, 8, 0),
    "long": ("flash2", 4, 2, 20, 6_000),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_seek_equals_playing_in_python(page_factory: PageFactory, case: tuple[str, int, int, int, int]) -> None:
    algorithm, n, d, memory, moves = case
    pebbling = pebble(algorithm, n=n, d=d, memory=memory)
    if moves:
        pebbling = lengthened(pebbling, moves)
    page = page_with(page_factory, encoded(pebbling, algorithm))
    rng = random.Random(7)
    end = len(pebbling.moves)
    targets = [0, end, *rng.sample(range(end + 1), min(60, end)), 1, 0]
    near = rng.randrange(end // 2)
    targets += range(near, min(near + 25, end))  # forwards in small steps, then back
    targets += reversed(range(max(0, near - 10), near))
    names = pebbling.dag.labels
    for t, seen in zip(targets, page.evaluate(STATE, targets), strict=True):
        wanted = Position(pebbling).to(t)
        assert {names[v] for v in seen["red"]} == wanted.red, t
        assert {names[v] for v in seen["blue"]} == wanted.blue, t
        assert (seen["loads"], seen["stores"], seen["peak"]) == (wanted.loads, wanted.stores, wanted.peak), t
        assert seen["count"] == len(wanted.red) <= memory
        held = [names[v] for v in seen["slots"] if v != 0xFFFF]
        assert sorted(held) == sorted(wanted.red), t
        if t == 0:
            assert seen["move"] is None
        else:
            op, vertex, line = seen["move"]
            move = pebbling.moves[t - 1]
            assert (["load", "store", "compute", "slide", "delete"][op], names[vertex]) == (move.op, move.vertex)
            assert line == (pebbling.lines or ())[t - 1]


def test_a_word_keeps_its_slot(page_factory: PageFactory) -> None:
    """A move touches one slot: nothing else on the counter moves."""
    pebbling = pebble("flash2", n=3, d=2, memory=20)
    page = page_with(page_factory, encoded(pebbling, "flash2"))
    states = page.evaluate(STATE, list(range(len(pebbling.moves) + 1)))
    for before, after in pairwise(states):
        assert sum(a != b for a, b in zip(before["slots"], after["slots"], strict=True)) <= 1
    assert all(len(state["slots"]) == 20 for state in states)


def test_a_seek_plays_at_most_two_square_roots_of_the_moves(page_factory: PageFactory) -> None:
    pebbling = lengthened(pebble("small-cache", n=3, d=2, memory=12), 10_000)
    page = page_with(page_factory, encoded(pebbling, "small-cache"))
    targets = random.Random(3).sample(range(10_001), 200)
    worst = page.evaluate(
        """(targets) => {
          let played = 0, worst = 0;
          const apply = replay.apply;
          replay.apply = function (...given) { played++; return apply.apply(this, given); };
          for (const t of targets) { played = 0; replay.seek(t); worst = Math.max(worst, played); }
          return worst;
        }""",
        targets,
    )
    assert 0 < worst <= 200  # 2 sqrt(10,000)


def test_what_a_cell_shows(page_factory: PageFactory) -> None:
    """dQ[0,0] of FlashAttention-2 with one key at a time: made, stored, loaded again, added to, stored again."""
    pebbling = pebble("flash2", n=2, d=1, memory=8)
    run = encoded(pebbling, "flash2")
    page = page_with(page_factory, run)
    cell = page.evaluate("[...Array(replay.run.cells).keys()].find((c) => replay.cellLabel(c) === 'dQ[0,0]')")
    seen = page.evaluate(
        """(cell) => Array.from({ length: replay.length + 1 }, (_, t) => {
          replay.seek(t);
          const { red, blue, stale, past, level, steps } = replay.look(cell);
          return { red, blue, stale, past, part: level * steps };
        })""",
        cell,
    )
    looks = [seen[0]] + [after for before, after in pairwise(seen) if after != before]
    nothing = {"red": False, "blue": False, "stale": False, "past": False, "part": 0}
    assert looks == [
        nothing,
        nothing | {"red": True, "part": 1},
        nothing | {"red": True, "blue": True, "part": 1},
        nothing | {"blue": True, "part": 1},
        nothing | {"red": True, "blue": True, "part": 1},
        nothing | {"red": True, "blue": True, "stale": True, "part": 2},
        nothing | {"red": True, "blue": True, "part": 2},
        nothing | {"blue": True, "part": 2},
    ]


@pytest.mark.parametrize("memory", [14, 20, 40])
def test_two_runs_move_each_word_in_the_same_tick(page_factory: PageFactory, memory: int) -> None:
    pebblings = [pebble(algorithm, n=4, d=2, memory=memory) for algorithm in ("flash2", "small-cache")]
    runs = [encoded(p, a) for p, a in zip(pebblings, ("flash2", "small-cache"), strict=True)]
    page = page_with(page_factory, *runs)
    words = page.evaluate(
        """Array.from({ length: timeline.length + 1 }, (_, t) => {
          timeline.seek(t);
          return replays.map((replay) => replay.io());
        })"""
    )
    assert len(words) - 1 == clock_length([operations(run) for run in runs])
    totals = [p.io for p in pebblings]
    least = min(totals)
    assert all(a == b for a, b in words if max(a, b) <= least)
    assert all(min(pair) == least for pair in words if max(pair) > least)
    assert words[-1] == totals
    steps = page.evaluate(
        """replays.map((_, side) => Array.from({ length: timeline.length }, (_, t) =>
          timeline.at(side, t + 1) - timeline.at(side, t)))"""
    )
    assert all(set(side) <= {0, 1} for side in steps), "no run makes two moves in a tick"
    ends = page.evaluate("replays.map((_, side) => timeline.end(side))")
    cheaper = totals.index(least)
    assert ends[cheaper] < ends[1 - cheaper] == len(words) - 1


def test_next_and_previous_word(page_factory: PageFactory) -> None:
    pebbling = pebble("flash2", n=3, d=1, memory=12)
    page = page_with(page_factory, encoded(pebbling, "flash2"))
    stops = [i + 1 for i, move in enumerate(pebbling.moves) if move.op in ("load", "store")]
    forwards = page.evaluate(
        """() => {
          const found = [];
          timeline.seek(0);
          while (timeline.t < timeline.length) {
            timeline.seek(timeline.nextWord(1));
            found.push(timeline.t);
          }
          return found;
        }"""
    )
    assert [t for t in forwards if t in stops] == stops
    backwards = page.evaluate(
        "(t) => { timeline.seek(t); return timeline.nextWord(-1); }",
        stops[5],
    )
    assert backwards == stops[4]


def test_floor_is_below_every_run_and_on_the_board(page_factory: PageFactory) -> None:
    pebbling = pebble("flash2", n=4, d=2, memory=16)
    run = encode_run(pebbling, kernel_source("flash2"), theory.floor(4, 2), "x", "flash2")
    page = page_with(page_factory, run)
    assert page.evaluate("[replay.run.floor, replay.total]") == [theory.floor(4, 2), pebbling.io]
    assert theory.floor(4, 2) <= pebbling.io
