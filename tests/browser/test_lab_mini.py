"""The board without controls, as other pages may show it."""

import json

import pytest
from playwright.sync_api import Page

from kernels_ref import kernel_source, pebble
from pages.shared.board import BOARD_CSS, BOARD_JS_PARTS, encode_run
from pages.shared.i18n import Texts
from tests.browser.conftest import PageFactory
from tests.unit.board.synthetic import Position


def page_with_mini(page_factory: PageFactory, reduced_motion: bool, speed: int) -> Page:
    pebbling = pebble("flash2", n=2, d=1, memory=10)
    run = encode_run(pebbling, kernel_source("flash2"), 0, "x", "flash2")
    page = page_factory(reduced_motion=reduced_motion)
    page.set_content(
        f"<!doctype html><style>{BOARD_CSS} #box {{ position: relative; width: 480px; height: 260px; }}</style>"
        f'<div id="box"></div><script>{BOARD_JS_PARTS}\n'
        f"const mini = new MiniBoard(document.getElementById('box'), {json.dumps(run)},"
        f"{json.dumps(Texts('en').group('lab.board'))}, {{ speed: {speed}, pause: 50 }});</script>"
    )
    return page


def test_plays_by_itself_and_begins_again(page_factory: PageFactory) -> None:
    page = page_with_mini(page_factory, reduced_motion=False, speed=400)
    page.evaluate("(() => { const start = mini.replay.seek; mini.replay.seek = function (t) { "
                  "if (t === 0) globalThis.__again = true; return start.call(this, t); }; })()")  # fmt: skip
    page.wait_for_function("globalThis.__again && mini.replay.t > 3")
    page.evaluate("mini.pause()")


@pytest.mark.parametrize("reduced_motion", [False, True])
def test_holds_still_for_those_who_want_less_motion(page_factory: PageFactory, reduced_motion: bool) -> None:
    page = page_with_mini(page_factory, reduced_motion, speed=14)
    assert bool(page.evaluate("Boolean(mini.playing)")) is not reduced_motion
    page.evaluate("(() => { mini.pause(); mini.seek(17); })()")
    red = page.evaluate("[...mini.replay.state.keys()].filter((v) => mini.replay.state[v] & RED)")
    pebbling = pebble("flash2", n=2, d=1, memory=10)
    assert {pebbling.dag.labels[v] for v in red} == Position(pebbling).to(17).red
    colours = page.evaluate(
        """(() => {
          const { data } = mini.base.getContext("2d").getImageData(0, 0, mini.base.width, mini.base.height);
          return new Set(new Uint32Array(data.buffer)).size;
        })()"""
    )
    assert colours > 5
