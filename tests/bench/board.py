"""Measures a page that shows the board (`globalThis.__pa.player`), with Playwright: frames, scrubbing, words sent.

with running_server(...): page.goto(...); frames(page, speed=1000); scrubs(page)
"""

from dataclasses import dataclass

from playwright.sync_api import Page

_FRAMES = """async ([speed, milliseconds]) => {
  const { player } = __pa;
  player.pause(false);
  player.seek(0);
  player.setSpeed(speed);
  const before = { ...player.stats }, times = [];
  let on = true;
  const beat = (now) => { times.push(now); if (on) requestAnimationFrame(beat); };
  requestAnimationFrame(beat);
  player.play();
  await new Promise((done) => setTimeout(done, milliseconds));
  on = false;
  player.pause(false);
  const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  const frames = player.stats.frames - before.frames;
  return {
    frames_per_second: (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0),
    script_ms: (player.stats.paintMs - before.paintMs) / Math.max(1, frames),
    p95_gap_ms: gaps[Math.floor(gaps.length * 0.95)],
    played: player.t,
  };
}"""

# From the input event to after the next paint.
_SCRUBS = """async (count) => {
  const { player } = __pa, { scrub } = player.controls, took = [];
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));
  player.pause(false);
  let seed = 1;
  for (let i = 0; i < count; i++) {
    seed = (seed * 16807) % 2147483647;
    await painted();
    const start = performance.now();
    scrub.value = seed % player.timeline.length;
    scrub.dispatchEvent(new Event("input"));
    await painted();
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b);
}"""


@dataclass(frozen=True)
class Frames:
    frames_per_second: float
    script_ms: float  # the board's own work in a frame
    p95_gap_ms: float  # between frames
    played: int  # ticks


def frames(page: Page, speed: float, milliseconds: int = 3_000) -> Frames:
    """Play from the start at `speed` ticks a second and count what the browser painted."""
    return Frames(**page.evaluate(_FRAMES, [speed, milliseconds]))


def scrubs(page: Page, count: int = 100) -> list[float]:
    """Milliseconds of `count` jumps to anywhere, sorted."""
    took: list[float] = page.evaluate(_SCRUBS, count)
    return took


def interactive_ms(page: Page) -> tuple[float, float]:
    """Milliseconds that the board took to load its data, and from navigation until it was painted."""
    page.wait_for_function("globalThis.__pa?.player?.stats.readyAt > 0")
    load, ready = page.evaluate("[__pa.player.stats.loadMs, __pa.player.stats.readyAt]")
    return load, ready
