"""What a person waits for, in a real Chromium against a real server: boards, sliders, first pictures."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench import board
from tests.bench.kernels import BACKWARD
from tests.bench.measure import Row, percentile
from tests.browser.conftest import FLAGS, PATHS, running_server

# From one key press on a slider to the next frame after its page was redrawn.
_HOME = """async () => {
  const { input, late } = __pa_home;
  late.length = 0;
  for (let i = 0; i < 60; i++) {
    input.value = Math.round((i + 1) / 62 * input.max);
    input.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  }
  await new Promise((done) => setTimeout(done, 200));
  return [...late];
}"""


def rows() -> Iterator[Row]:
    chromium = next(
        found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        with running_server(Path(folder), "tests/bench/large_app.py") as server:
            yield from large_board(browser, server.url)
        with running_server(Path(folder)) as server:
            yield from home(browser, server.url)
            yield from sliders(browser, server.url, "curves", "__pa_curves")
            yield from sliders(browser, server.url, f"curves?a={','.join(BACKWARD)}", "__pa_curves")
            yield from sliders(browser, server.url, "sparse", "__pa_sparse")
            yield from every_page(browser, server.url)
        browser.close()


def opened(browser: Browser, address: str) -> tuple[Page, list[int]]:
    """A page in a context of its own, and the sizes of all that its websocket brings."""
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    page.goto(address)
    return page, received


def large_board(browser: Browser, url: str) -> Iterator[Row]:
    for attempt in ("first visitor (the server makes the pebbling too)", "second visitor"):
        page, received = opened(browser, url)
        load, ready = board.interactive_ms(page)
        yield Row(
            f"board, 2,960 vertices, 50,000 moves, {attempt}: its data ready to painted", load, "ms", "under 1500"
        )
        yield Row(f"board, {attempt}: from a cold navigation to painted", ready, "ms", "")
        yield Row(f"board, {attempt}: received in all", sum(received) / 1000, "kB", "under 400 for a run")
        if attempt == "second visitor":
            for speed in (60, 1000, 5000):
                seen = board.frames(page, speed)
                yield Row(f"board, playing {speed} moves/s", seen.frames_per_second, "frames/s", ">= 50")
                yield Row(f"board, playing {speed} moves/s: its own work in a frame", seen.script_ms, "ms", "")
            before = len(received)
            took = board.scrubs(page)
            yield Row("board, scrub to anywhere, p95", percentile(took, 0.95), "ms", "under 33")
            yield Row("board, messages from the server while it played and scrubbed", len(received) - before, "", "0")
        page.context.close()


def home(browser: Browser, url: str) -> Iterator[Row]:
    page, _ = opened(browser, url)
    page.wait_for_function("globalThis.__pa_home?.state().move > 0")
    page.context.close()
    page, received = opened(browser, url)
    page.wait_for_function("globalThis.__pa_home?.state().move > 0")
    yield Row("home, cold page load to a moving picture", page.evaluate("performance.now()"), "ms", "under 3000")
    yield Row("home, received in all", sum(received) / 1000, "kB", "")
    before = len(received)
    late = page.evaluate(_HOME)
    yield Row("home, slider event to painted, median", percentile(late, 0.5), "ms", "under 50")
    yield Row("home, slider event to painted, p95", percentile(late, 0.95), "ms", "")
    yield Row("home, messages from the server meanwhile", len(received) - before, "", "0")
    page.context.close()


def sliders(browser: Browser, url: str, name: str, handle: str) -> Iterator[Row]:
    """The n slider of a page whose chart the server computes: from the key to the next frame after the redraw."""
    page, _ = opened(browser, f"{url}/{name}")
    page.locator("input[type=range]").nth(0).wait_for()
    page.wait_for_function(f"globalThis.{handle} && !{handle}.pending && document.querySelector('.main-svg')")
    page.wait_for_timeout(1500)
    slider = page.locator("input[type=range]").nth(0)
    page.evaluate(f"{handle}.redraws.length = 0")
    for number in range(40):
        slider.press("ArrowRight" if number % 20 < 10 else "ArrowLeft")
        page.wait_for_function(f"!{handle}.pending")
    redraws = page.evaluate(f"{handle}.redraws.map((redraw) => redraw.painted - redraw.input)")
    name = name.replace(f"?a={','.join(BACKWARD)}", f", {len(BACKWARD)} kernels")
    yield Row(f"{name}, n slider: key to painted, median", percentile(redraws, 0.5), "ms", "")
    yield Row(f"{name}, n slider: key to painted, p95", percentile(redraws, 0.95), "ms", "under 250")
    page.context.close()


def every_page(browser: Browser, url: str) -> Iterator[Row]:
    """A browser that has never been here, a server that runs: the title on the page, then all of it at rest."""
    for name, path in PATHS.items():
        opened(browser, url + path)[0].locator("h1").first.wait_for()  # the server has made the page once
        page, received = opened(browser, url + path)
        page.locator("h1").first.wait_for()
        first = page.evaluate("performance.now()")
        page.wait_for_function("document.querySelector('.stApp').dataset.testScriptState === 'notRunning'")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        yield Row(f"{name}: first content", first, "ms", "under 2000")
        yield Row(f"{name}: usable", page.evaluate("performance.now()"), "ms", "under 3000")
        page.wait_for_timeout(1000)
        yield Row(f"{name}: received over the websocket", sum(received) / 1000, "kB", "under 600")
        for context in browser.contexts:
            context.close()
