"""Twenty people playing at once: how long a move takes, from the log that the board sends to the script's end.

No browser: each player is a websocket that says what the board says (its log of all moves so far, as component state)
and waits until the server has checked the game and drawn the page again. What comes back is looked at: the address must
hold the moves that were sent. (In the browser the board answers at once, by its own copy of the rules.)
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from pages.shared.levels import LEVEL_IDS, levels
from pages.shared.play_board import written
from tests.bench.measure import Row, percentile
from tests.browser.conftest import running_server

PLAYERS = 20
MOVES = 24  # of each player, at most
THINK = 1.0  # seconds between two moves, on average: a quick player
ANSWER = 60.0  # seconds after which a player gives up


@dataclass
class Player:
    """One session on the Play page, at its own level."""

    level_id: str
    chance: random.Random
    query: str = ""
    page: str = ""
    widgets: dict[str, str] = field(default_factory=dict)  # id -> the level that the list shows
    board: str = ""  # the component's id
    seen: list[str] = field(default_factory=list)  # hashes of messages that need not come again
    first: float = 0.0
    answers: list[float] = field(default_factory=list)

    async def play(self, url: str, ready: asyncio.Barrier) -> None:
        """Open the page, wait for the others, make the moves of the level's solution one by one."""
        level = levels()[self.level_id]
        self.query = urlencode({"level": self.level_id, "lang": "en"})
        stream = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        async with connect(stream, subprotocols=["streamlit"], max_size=None, compression=None) as socket:  # type: ignore[list-item]
            self.first = await self.run(socket, None)
            await ready.wait()
            for k in range(1, min(MOVES, len(level.solution)) + 1):
                await asyncio.sleep(self.chance.uniform(0.5, 1.5) * THINK)
                moves = written(level.dag, level.rules, level.solution[:k])
                log = {"level": self.level_id, "seq": k, "moves": moves, "shown": False}
                self.answers.append(await self.run(socket, log))
                if parse_qs(self.query).get("p") != [moves]:
                    raise RuntimeError(f"{self.level_id}: sent {moves}, and the address says {self.query}")
            await ready.wait()  # nobody leaves while others play

    async def run(self, socket: ClientConnection, log: dict[str, object] | None) -> float:
        """One run of the script; its seconds."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_script_hash, run.page_name = self.query, self.page, "" if self.page else "play"
        run.context_info.locale = "en-US"
        if log:
            for name, words in self.widgets.items():
                run.widget_states.widgets.add(id=name, string_value=words)
            run.widget_states.widgets.add(id=self.board, json_value=json.dumps({"log": log}))
        run.cached_message_hashes.extend(self.seen)
        started = time.perf_counter()
        await socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(await asyncio.wait_for(socket.recv(decode=False), ANSWER))
            if answer.metadata.cacheable and answer.hash and answer.hash not in self.seen:
                self.seen.append(answer.hash)
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.page = answer.new_session.page_script_hash or self.page
            elif kind == "navigation":
                self.page = answer.navigation.page_script_hash or self.page
            elif kind == "page_info_changed":
                self.query = answer.page_info_changed.query_string
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                self.look(answer.delta.new_element)
            elif kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return time.perf_counter() - started

    def look(self, element: object) -> None:
        """Note the widgets' ids; an exception on the page ends the measurement."""
        kind = element.WhichOneof("type")  # type: ignore[attr-defined]
        part = getattr(element, kind)
        if kind == "exception":
            raise RuntimeError(f"{self.level_id}: {part.type}: {part.message}")
        if kind == "selectbox" and (part.set_value or part.id not in self.widgets):
            self.widgets[part.id] = part.raw_value if part.set_value else part.options[part.default]
        elif kind == "bidi_component" and part.id.endswith("play_board"):
            self.board = part.id


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
