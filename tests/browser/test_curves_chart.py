"""The chart component by itself, in an app of one slider: redrawn in place, zoom kept, nothing blank."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, PageFactory
from tests.browser.curves_page import LINES

APP = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from pages.shared.chart import axis, chart, colour, layout
steep = st.slider("steep", 1, 9, 2)
line = dict(type="scatter", mode="lines", x=[1, 2, 3], y=[1, steep, steep**2], line=dict(color=colour("flash2")))
look = layout(xaxis=axis("x"), yaxis=axis("y", range=[0, 10 * steep]), margin=dict(l=60, r=20, t=20, b=60))
chart(dict(data=[line], layout=look), key="one", alt="a line", height=300)
"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "tiny.py").write_text(APP.format(root=str(ROOT)), encoding="utf-8")
    (tmp_path / "static").symlink_to(ROOT / "static")
    command = [sys.executable, "-u", "-m", "streamlit", "run", str(tmp_path / "tiny.py"), "--server.headless=true"]
    command += ["--server.port=0", "--server.address=127.0.0.1", "--browser.serverAddress=127.0.0.1"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout
    try:
        yield next(word for line in process.stdout for word in line.split() if word.startswith("http://127.0.0.1:"))
    finally:
        process.terminate()
        process.wait(timeout=10)


def test_chart_is_redrawn_in_place_and_keeps_its_zoom(url: str, page_factory: PageFactory) -> None:
    page = page_factory()
    page.goto(url)
    expect(page.get_by_role("img", name="a line")).to_be_visible()
    expect(page.locator(LINES)).to_be_attached()
    box = page.locator(".pa-chart").bounding_box()
    assert box
    page.mouse.move(box["x"] + 200, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 200, steps=5)
    page.mouse.up()
    limits = "['xaxis', 'yaxis'].flatMap((name) => document.querySelector('.pa-chart')._fullLayout[name].range)"
    page.wait_for_function(f"({limits})[3] < 19")
    zoomed = page.evaluate(limits)
    page.evaluate("globalThis.drawing = document.querySelector('.pa-chart .main-svg')")
    before = page.locator(LINES).get_attribute("d")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(LINES)).not_to_have_attribute("d", before or "")
    assert page.evaluate(limits) == pytest.approx(zoomed)
    assert page.evaluate("document.querySelector('.pa-chart .main-svg') === globalThis.drawing")
    page.mouse.dblclick(box["x"] + 300, box["y"] + 150)
    page.wait_for_function(f"({limits})[3] > 29")
