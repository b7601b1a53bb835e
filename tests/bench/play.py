"""Twenty people playing at once: how long a move takes, from the log that the board sends to the script's end.

No browser: each player is a websocket that says what the board says (its log of all moves so far, as component state)
and waits until the server has checked the game and drawn the page again. What comes back is looked at: the address must
hold the moves that were sent. (In the browser the board answers at once, by its own copy of the rules.)
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import psutil

from pages.shared.levels import LEVEL_IDS, levels
from pages.shared.play_board import written
from tests.bench.measure import Row, percentile
from tests.load.visitor import Visitor
from tests.server import running_server

PLAYERS = 20
MOVES = 24  # of each player, at most
THINK = 1.0  # seconds between two moves, on average: a quick player


@dataclass
class Player:
    """One session on the Play page, at its own level."""

    level_id: str
    chance: random.Random
    first: float = 0.0
    answers: list[float] = field(default_factory=list)

    async def play(self, url: str, ready: asyncio.Barrier) -> None:
        """Open the page, wait for the others, make the moves of the level's solution one by one."""
        level, visitor = levels()[self.level_id], Visitor(url)
        self.first = await visitor.open("play", urlencode({"level": self.level_id, "lang": "en"}))
        await ready.wait()
        for k in range(1, min(MOVES, len(level.solution)) + 1):
            await asyncio.sleep(self.chance.uniform(0.5, 1.5) * THINK)
            moves = written(level.dag, level.rules, level.solution[:k])
            log = {"level": self.level_id, "seq": k, "moves": moves, "shown": False}
            self.answers.append(await visitor.say("play_board", {"log": log}))
            if visitor.errors or parse_qs(visitor.query).get("p") != [moves]:
                raise RuntimeError(f"{self.level_id}: sent {moves}, got {visitor.query} {visitor.errors}")
        await ready.wait()  # nobody leaves while others play
        await visitor.close()


async def played(url: str, players: int) -> list[Player]:
    """So many players, from their first page to the last move of all."""
    chance = random.Random(20)
    everyone = [Player(LEVEL_IDS[i % len(LEVEL_IDS)], random.Random(chance.random())) for i in range(players)]
    ready = asyncio.Barrier(players)
    await asyncio.gather(*(player.play(url, ready) for player in everyone))
    return everyone


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        others = os.getloadavg()[0]
        asyncio.run(played(server.url, 1))  # what the first visitor alone pays for
        spent = psutil.Process(server.process.pid).cpu_times()
        everyone = asyncio.run(played(server.url, PLAYERS))
        after = psutil.Process(server.process.pid).cpu_times()
    answers = [1000 * answer for player in everyone for answer in player.answers]
    what = f"play, {PLAYERS} players, {len(answers)} moves"
    yield Row(f"{what}: a move sent to checked and drawn, median", percentile(answers, 0.5), "ms", "")
    yield Row(f"{what}: the same, p95", percentile(answers, 0.95), "ms", "under 200")
    yield Row(f"{what}: the same, worst", max(answers), "ms", "")
    used = 1000 * (after.user + after.system - spent.user - spent.system) / (len(answers) + PLAYERS)
    yield Row("play: the server's processor time for a move or a first page", used, "ms", "")
    yield Row("play: the slowest first page, all at once", 1000 * max(p.first for p in everyone), "ms", "")
    yield Row("play: load of the machine before (runnable processes)", others, "", "")
