"""A siege, `make loadtest ARGS=--malformed`: malformed messages and links by the thousand, beside a good visitor.

Intruders open pages as visitors do and then send what `tests.load.malformed` makes. What must hold: the server lives,
the good visitor's answers are right, nobody is shown an exception of ours, memory stops growing, sessions end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psutil
from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from kernels_ref import count
from pages.shared.fault import Fault
from tests.load.acts import PAGES, named, play
from tests.load.malformed import COMPONENTS, Frame, links, message, shapes
from tests.load.report import growth
from tests.load.visitor import Visitor
from tests.server import TRACEBACK

PATIENCE = 10.0  # seconds for an answer
UNHEARD = 2.0  # seconds for a fragment that may be there no more
THROWN = 40  # messages of one intruder, who then leaves
UNREAD = 20  # messages of a client that reads nothing
BARE = 30  # sockets that say nothing, or half of a greeting
HEARTBEAT = BackMsg(app_heartbeat=True).SerializeToString()
ALIVE = ForwardMsg(heartbeat_ack=True).SerializeToString()
SHARES = 40  # how often memory is looked at
REDACTED = "This app has encountered an error."  # how Streamlit begins when it says no more than the type
FAULT = re.compile("[0-9a-f]{6}")
BLOCK = re.compile(r"\n(?:[ +].*\n)*.*")  # frames, and the line that names the exception
FRAME = re.compile(r'^  File "([^"]*)"', re.MULTILINE)
OURS = re.compile(r"/(app\.py|(pages|kernels_ref|pebble_engine)/[^/]*(/[^/]*)?\.py)$")


@dataclass
class Intruder(Visitor):
    """A visitor who sends any frame, and waits for what has to come of it."""

    told_too_much: list[str] = field(default_factory=list)

    async def throw(self, frame: Frame) -> str:
        """Send a frame. What came of it: a ``run`` of the page, ``nothing``, or the connection ``closed`` or ``lost``.

        After a frame comes a heartbeat, which a session that is well answers. (A run that begins drops answers which
        are still waiting: so not at once.)
        """
        assert self._socket is not None
        here, runs = self._page, self._runs(frame)
        try:
            await self._socket.send(frame)
            patience = UNHEARD if runs == "fragment" else PATIENCE
            ran = runs and await self._heard(lambda answer: self._look(answer, "any"), patience)
            if runs == "page" and not ran:
                return "lost"
            await self._socket.send(HEARTBEAT)
            if not await self._heard(lambda answer: self._look(answer, "any") or answer == ALIVE, PATIENCE):
                return "lost"
        except ConnectionClosed:
            return "closed"
        finally:
            self._forget()
            self._page = here
        return "run" if ran else "nothing"

    def _note(self, element: Any, fragment: str) -> None:
        """As a visitor does. An exception that says more than its type has told too much."""
        if element.WhichOneof("type") == "exception":
            shown = element.exception
            if shown.stack_trace or not (shown.message.startswith(REDACTED) or FAULT.fullmatch(shown.message)):
                self.told_too_much.append(f"{shown.type}: {shown.message} {list(shown.stack_trace)}"[:300])
        super()._note(element, fragment)

    async def _heard(self, wanted: Callable[[bytes], bool], seconds: float) -> bool:
        """Whether a message that is wanted comes in time."""
        assert self._socket is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not wanted(await self._socket.recv(decode=False)):
                    pass
                return True
        return False

    def _runs(self, frame: Frame) -> str:
        """What a frame starts: "page", "fragment", or ""."""
        if isinstance(frame, str):
            return ""
        with contextlib.suppress(DecodeError):
            asked = BackMsg.FromString(frame)
            if asked.WhichOneof("type") == "rerun_script":
                fragment = asked.rerun_script.fragment_id
                return "page" if not fragment else "fragment" if fragment in self._fragments.values() else ""
        return ""


@dataclass
class Siege:
    """So many malformed messages and links on a server, and what came of them."""

    url: str
    server: psutil.Process
    messages: int
    links: int
    seed: int = 1
    intruders: int = len(PAGES)
    results: Counter[tuple[str, str]] = field(default_factory=Counter)  # (kind, what came of it)
    reached: set[str] = field(default_factory=set)  # components that were on a besieged page
    shown: list[str] = field(default_factory=list)  # exceptions that intruders were shown: after which kind, which
    errors: list[str] = field(default_factory=list)  # of the good visitor, and intruders without an answer
    acts: int = 0  # of the good visitor, right ones
    memory: list[tuple[int, float]] = field(default_factory=list)  # share of the work, MB
    _thrown: int = 0
    _over: bool = False

    async def hold(self) -> None:
        """Everything, and then one more look at each page."""
        good = asyncio.create_task(self._good())
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._bare())
                group.create_task(self._links())
                for number in range(self.intruders):
                    group.create_task(self._intrude(number))
        finally:
            self._over = True
            await good
        for page in PAGES:
            visitor = Visitor(self.url)
            await visitor.open(page)
            self.errors += [f"afterwards, {named(page)}: {error}" for error in visitor.errors]
            await visitor.close()

    async def left(self) -> int:
        """Connections that the server still has, some seconds after everybody has gone."""
        for _ in range(100):
            states = [one.status for one in self.server.net_connections("tcp")]
            held = sum(state in (psutil.CONN_ESTABLISHED, psutil.CONN_CLOSE_WAIT) for state in states)
            if not held:
                break
            await asyncio.sleep(0.1)
        return held

    @property
    def growth(self) -> float:
        """Growth of the server's memory over the second half, as a share."""
        return growth(self.memory, SHARES // 2)

    async def _intrude(self, number: int) -> None:
        """Open page after page and throw at each, until this intruder's share of the messages is thrown."""
        chance = random.Random(f"{self.seed} {number}")
        share = len(range(number, self.messages, self.intruders))
        for turn in range(-(-share // THROWN)):
            page = PAGES[(number + turn) % len(PAGES)]
            intruder = await self._opened(page)
            if turn == 0:  # each page has one who begins here
                for frame in [*shapes(intruder)]:
                    self._keep("shape", await intruder.throw(frame), intruder)
            for _ in range(min(THROWN, share - turn * THROWN)):
                kind, frame = message(chance, intruder)
                came = await intruder.throw(frame)
                self._advance()
                if not self._keep(kind, came, intruder) or came in ("closed", "lost"):
                    await intruder.close()
                    intruder = await self._opened(page)
            if chance.random() < 0.2:  # one that reads nothing, and leaves
                await self._unread(page)
            await intruder.close()

    async def _opened(self, page: str) -> Intruder:
        intruder = Intruder(self.url)
        await intruder.open(page)
        self.errors += intruder.errors
        intruder.errors.clear()
        self.reached |= intruder.elements.keys() & COMPONENTS.keys()
        return intruder

    def _keep(self, kind: str, came: str, intruder: Intruder) -> bool:
        """Keep what came of a message. Whether the session is as it was: no exception was shown."""
        self.results[kind, came] += 1
        shown = [f"{kind}: {error}" for error in intruder.errors if error != "page not found"]
        self.shown += shown
        self.errors += [f"{kind}: shown too much: {words}" for words in intruder.told_too_much]
        intruder.errors.clear()
        intruder.told_too_much.clear()
        if came == "lost":
            self.errors.append(f"{kind}: no answer")
        return not shown

    def _advance(self) -> None:
        """One more is thrown; now and then the server's memory is looked at."""
        self._thrown += 1
        share = self._thrown * SHARES // self.messages
        if not self.memory or self.memory[-1][0] < share:
            self.memory.append((share, self.server.memory_info().rss / 2**20))

    async def _links(self) -> None:
        """Follow every link, two at a time."""
        turn = asyncio.Semaphore(2)

        async def follow(page: str, query: str) -> None:
            async with turn:
                visitor = Visitor(self.url)
                try:
                    await visitor.open(page, query)
                    found = [error for error in visitor.errors if error != "page not found"]
                    self.shown += [f"link /{page}?{query[:200]}: {error}" for error in found]
                    self.results["link", "run"] += 1
                except TimeoutError:
                    self.errors.append(f"link /{page}?{query[:200]}: no answer")
                finally:
                    await visitor.close()

        await asyncio.gather(*(follow(*link) for link in links(random.Random(self.seed), self.links)))

    async def _unread(self, page: str) -> None:
        """Ask for one run after the other, and read nothing."""
        client = Intruder(self.url)
        await client.open(page)
        assert client._socket is not None
        with contextlib.suppress(ConnectionClosed):
            for _ in range(UNREAD):
                await client._socket.send(client.asked().SerializeToString())
        self.results["unread", "closed"] += UNREAD
        assert client._socket.transport is not None
        client._socket.transport.abort()  # type: ignore[attr-defined]

    async def _bare(self) -> None:
        """Sockets that stay silent, greet by halves, speak another protocol, or belong to no session; all the while."""
        chance = random.Random(self.seed)
        address = urlsplit(self.url)
        stream = f"{self.url.replace('http', 'ws', 1)}/_stcore/stream"
        async with contextlib.AsyncExitStack() as stack:
            for number in range(BARE):
                if number % 3 == 0:
                    _, writer = await asyncio.open_connection(address.hostname, address.port)
                    stack.callback(writer.close)
                    writer.write(chance.choice([b"", b"GET /_stcore/stream HTTP/1.1\r\nUpgr", chance.randbytes(50)]))
                else:
                    protocols = chance.choice([None, ["x"], ["streamlit", "a", "b" * 36]])
                    with contextlib.suppress(InvalidHandshake):
                        await stack.enter_async_context(connect(stream, subprotocols=protocols, compression=None))
                self.results["bare", "open"] += 1
            while self.acts < 3 and not self._over:  # they stay while others come and go
                await asyncio.sleep(0.1)

    async def _good(self) -> None:
        """One visitor who does everything right, and whose answers are looked at."""
        chance, visitor, turn = random.Random(self.seed), Visitor(self.url), 0
        try:
            await visitor.open("")
            while not self._over:
                turn += 1
                await visitor.go("play")
                await play(visitor, chance, turn)
                await visitor.go("lab")
                memory = chance.randint(14, 120)
                await visitor.say("lab.memory_typed", str(memory))
                self._expect(visitor, "m", memory)
                runs = json.loads(json.loads(visitor.elements["lab_board"].json)["runs"])
                if runs[0]["io"] != count("flash2", n=4, d=2, memory=memory).io:
                    self.errors.append(f"the lab says {runs[0]['io']} words at M = {memory}")
                await visitor.go("curves")
                n = chance.randint(64, 5_000)
                await visitor.say("curves_explorer", {"question": {"number": turn, "n": n}})
                self._expect(visitor, "n", n)
                self.acts += 3
                await asyncio.sleep(0.1)
        except Exception as error:
            self.errors.append(f"the good visitor: {type(error).__name__}: {error}")
        self.errors += [f"the good visitor: {error}" for error in visitor.errors]
        await visitor.close()

    def _expect(self, visitor: Visitor, parameter: str, value: int) -> None:
        if parse_qs(visitor.query).get(parameter) != [str(value)]:
            self.errors.append(f"the good visitor asked for {parameter} = {value}, the address says {visitor.query}")


def tracebacks(log: str) -> tuple[list[str], int]:
    """The tracebacks of a log that end in code of ours, or in what it called but for Streamlit; the number of others.

    Streamlit takes a value of the wrong kind from a message, and finds out when a page asks for that widget.
    """
    blocks = [BLOCK.match(block) for block in log.split(TRACEBACK)[1:]]
    found = [block[0] for block in blocks if block]
    ours = [block for block in found if _ours(FRAME.findall(block)) and f"{Fault.__module__}.Fault: " not in block]
    return ours, len(blocks) - len(ours)


def _ours(files: list[str]) -> bool:
    """Whether code of ours stands in a traceback after the last of Streamlit's."""
    last = max((at for at, file in enumerate(files) if "/streamlit/" in file), default=-1)
    return any(OURS.search(file) for file in files[last + 1 :])
