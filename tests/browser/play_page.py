"""The Play page as a test meets it: tap a vertex, choose a move, read the board and the score."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from pages.shared.i18n import Texts
from pages.shared.levels import Level, levels
from pages.shared.play import names_of
from pages.shared.play_board import written
from pebble_engine import Game, Move
from tests.browser.conftest import Server, settled

KEYS = {"load": "l", "store": "s", "compute": "x", "slide": "g", "delete": "d"}


@dataclass
class Play:
    """The page, its language, and the game that it should show: `game` moves with every move made here."""

    page: Page
    lang: str
    level: Level
    game: Game

    @property
    def t(self) -> Texts:
        return Texts(self.lang)

    def words(self, key: str, **values: object) -> str:
        return self.t(f"play.board.{key}", **values)

    def name(self, label: str) -> str:
        return names_of(self.level.dag, self.t)[self.level.dag.index(label)]

    # ---- what a person does

    def vertex(self, label: str) -> Locator:
        return self.page.locator(f'.vertex[data-v="{self.level.dag.index(label)}"]')

    def item(self, move: Move) -> Locator:
        source = "" if move.source is None else f'[data-u="{self.level.dag.index(move.source)}"]'
        return self.page.locator(f'.menu button[data-op="{move.op}"]{source}')

    def tap(self, move: Move) -> None:
        """Choose a move with the mouse, and look at nothing."""
        self.vertex(move.vertex).click()
        self.item(move).click()

    def make(self, move: Move) -> None:
        """Choose a legal move with the mouse."""
        self.tap(move)
        self.game.push(move)

    def tool(self, name: str) -> Locator:
        return self.page.locator(f".tools .{name}")

    def choose_level(self, level: Level) -> None:
        self.level, self.game = level, Game(level.dag, level.rules)

    # ---- what a person sees

    def shows(self, game: Game | None = None) -> None:
        """The board, fast memory, the score and the address are those of the game."""
        game = game or self.game
        for pebble, labels in (("red", game.red), ("blue", game.blue)):
            numbers = sorted(game.dag.index(label) for label in labels)
            self.page.wait_for_function(
                "([pebble, wanted]) => JSON.stringify(globalThis.__pa?.play?.scene.vertices.flatMap((vertex, v) =>"
                " vertex.classList.contains(pebble) ? [v] : [])) === JSON.stringify(wanted)",
                arg=[pebble, numbers],
            )
        expect(self.page.locator(".figure.io b")).to_have_text(str(game.io))
        expect(self.page.locator(".counter-title")).to_have_text(
            self.words("counter", red=len(game.red), m=game.rules.red)
        )
        self.at(written(game.dag, game.rules, game.moves))

    def at(self, moves: str) -> None:
        """The address holds these moves, and Python has checked them and agrees."""
        expect(self.page).to_have_url(re.compile(rf"[?&]p={moves}(&|$)"))
        self.page.wait_for_function("() => globalThis.__pa?.play?.answered()")

    def address(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.page.url).query)

    def says(self, text: str) -> None:
        expect(self.page.locator(".say")).to_contain_text(text)
        expect(self.page.locator(".unseen[aria-live]")).to_contain_text(text)

    def refused(self, text: str, *labels: str) -> None:
        """The refusal in words, and a mark on exactly these vertices."""
        self.says(text)
        expect(self.page.locator(".say")).to_have_class(re.compile("refusal"))
        marked = self.page.locator(".vertex.marked")
        expect(marked).to_have_count(len(labels))
        for label in labels:
            expect(self.vertex(label)).to_have_class(re.compile("marked"))


def opened(page: Page, server: Server, lang: str = "en", level: str = "sum", moves: str | None = None) -> Play:
    query = f"lang={lang}&level={level}" + (f"&v=1&p={moves}" if moves else "")
    page.goto(f"{server.url}/play?{query}")
    settled(page)
    expect(page.locator(".vertex").first).to_be_visible()
    chosen = levels()[level]
    return Play(page, lang, chosen, Game(chosen.dag, chosen.rules))
