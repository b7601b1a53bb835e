"""The lab page as a test meets it: open at an address, read what it says, read what its canvases show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from playwright.sync_api import Locator, Page, expect

from kernels_ref import kernel_source, pebble
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pebble_engine import Pebbling
from tests.browser.conftest import Server, settled
from tests.unit.board.synthetic import Position

NAMES = {lang: {a: Texts(lang)(f"algorithm.{a}") for a in ("flash2", "small-cache")} for lang in ("en", "es")}
BOTH = ("flash2", "small-cache")


@cache
def pebbling_of(algorithm: str, n: int, d: int, memory: int) -> Pebbling:
    return pebble(algorithm, n=n, d=d, memory=memory)


@dataclass
class Lab:
    """The page, its language, and the runs it should show."""

    page: Page
    lang: str
    n: int
    d: int
    memory: int
    algorithms: Sequence[str]

    def pebbling(self, side: int = 0) -> Pebbling:
        return pebbling_of(self.algorithms[side], self.n, self.d, self.memory)

    # ---- what a person sees

    def side(self, number: int = 0) -> Locator:
        return self.page.locator(".side").nth(number)

    def move(self, side: int = 0) -> Locator:
        return self.side(side).locator(".move")

    def stage(self, side: int = 0) -> Locator:
        return self.side(side).locator(".stage")

    def button(self, label: str) -> Locator:
        return self.page.get_by_role("button", name=Texts(self.lang)(f"lab.board.{label}"))

    def at(self, t: int) -> None:
        """The board says that it is at step `t`, and so does the address."""
        expect(self.page.locator(".tick")).to_have_text(re.compile(rf"\s{grouped(t)}\s"))
        expect(self.page).to_have_url(re.compile(rf"[?&]t={t}(&|$)"))

    def says(self, t: int, side: int = 0) -> str:
        """The words for the state after `t` moves of a run."""
        words, pebbling = Texts(self.lang), self.pebbling(side)
        if t == 0:
            return words("lab.board.move_start")
        move = pebbling.moves[t - 1]
        steps = pebbling.dag.places[pebbling.dag.index(move.vertex)].steps
        name = move.op if move.op not in ("compute", "slide") or steps == 1 else "add"
        cell, _, step = move.vertex.partition("#")
        return words(
            f"lab.board.move_{name}",
            v=cell,
            u=(move.source or "").partition("#")[0],
            k=int(step or 0) + 1,
            steps=steps,
            red=grouped(len(self.position(t, side).red)),
            m=grouped(self.memory),
        )

    def position(self, t: int, side: int = 0) -> Position:
        return Position(self.pebbling(side)).to(t)

    def code_line(self, t: int, side: int = 0) -> str:
        lines = self.pebbling(side).lines
        assert lines is not None
        return kernel_source(self.algorithms[side])[lines[t - 1]]

    # ---- what the canvases show

    def cells(self, side: int = 0) -> list[dict[str, Any]]:
        """Every cell's label, and the colours on its canvas: of its middle and of its left border, inside the cell."""
        found: list[dict[str, Any]] = self.page.evaluate(_CELLS, side)
        return found

    def colours(self) -> dict[str, list[int]]:
        """The design's colours as the page resolves them now."""
        found: dict[str, list[int]] = self.page.evaluate(
            """() => {
              const { colours } = __pa.player, numbers = (text) => text.match(/\\d+/g).slice(0, 3).map(Number);
              const names = ["red", "blue", "background", "ink"];
              return Object.fromEntries(names.map((name) => [name, numbers(colours[name])]));
            }"""
        )
        return found

    def pebbles(self, side: int = 0) -> tuple[set[str], set[str]]:
        """The cells on whose picture there is a red disc, and those on whose picture there is a blue ring."""
        colours = self.colours()
        seen = self.cells(side)
        red = {cell["label"] for cell in seen if close(cell["middle"], colours["red"])}
        blue = {cell["label"] for cell in seen if close(cell["border"], colours["blue"])}
        return red, blue


_CELLS = """(side) => {
  const { view, replay } = __pa.player.playable[side], { layout } = view, ratio = devicePixelRatio;
  const image = view.base.getContext("2d").getImageData(0, 0, view.base.width, view.base.height);
  const colour = (x, y) => {
    const at = 4 * (Math.floor(y * ratio) * image.width + Math.floor(x * ratio));
    return [...image.data.slice(at, at + 3)];
  };
  return [...layout.cellX].map((x, cell) => {
    const y = layout.cellY[cell], half = layout.cell / 2;
    const middle = colour(x + half + 0.5, y + half + 0.5);
    const border = colour(x + 1 + view.inset + view.stroke / 2, y + half);
    return { label: replay.cellLabel(cell), middle, border };
  });
}"""


def close(seen: Sequence[int], wanted: Sequence[int], off: int = 24) -> bool:
    return all(abs(a - b) <= off for a, b in zip(seen, wanted, strict=True))


def cells_of(labels: set[str]) -> set[str]:
    return {label.partition("#")[0] for label in labels}


def latest_blue(position: Position) -> set[str]:
    """Cells whose most advanced live value is blue: those with a whole ring. An earlier one makes a broken ring."""

    def step(label: str) -> int:
        return int(label.partition("#")[2] or 0)

    found = set()
    for label in position.blue:
        cell = label.partition("#")[0]
        if all(step(other) <= step(label) for other in position.red if other.partition("#")[0] == cell):
            found.add(cell)
    return found


def open_lab(
    page: Page,
    server: Server,
    lang: str = "en",
    n: int = 4,
    d: int = 2,
    memory: int = 16,
    algorithms: Sequence[str] = BOTH,
    t: int = 0,
) -> Lab:
    page.goto(f"{server.url}/lab?v=1&n={n}&d={d}&m={memory}&a={','.join(algorithms)}&t={t}&lang={lang}")
    settled(page)
    painted(page)
    return Lab(page, lang, n, d, memory, algorithms)


def painted(page: Page) -> None:
    """Wait until the board has been painted."""
    page.wait_for_function("globalThis.__pa?.player?.stats.readyAt > 0")
