"""A line to the server that is slow, late, or cut: a proxy of our own, since a browser's throttle spares websockets."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Line:
    """From a free port of this machine to `target`. What has a default may be changed at any time."""

    target: int
    rate: float = 0.0  # bytes a second in each direction, all connections together; 0 for no limit
    delay: float = 0.0  # seconds, one way
    down: bool = False
    flaps: bool = False  # while it is down a connection is made, and broken a moment later
    port: int = 0
    ready: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    _free: dict[str, float] = field(default_factory=lambda: {"up": 0.0, "down": 0.0})
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    async def serve(self) -> None:
        """Until `over`. While the line is down every connection is broken and none is made."""
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        while self._open or not self.over.is_set():
            await asyncio.sleep(0.05)
            if self.down or self.over.is_set():
                for writer in list(self._open):
                    writer.transport.abort()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.down and not self.flaps:
            writer.transport.abort()
            return
        with contextlib.suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            ends = {writer, far_writer}
            self._open |= ends
            try:
                await asyncio.gather(self._carry(reader, far_writer, "up"), self._carry(far_reader, writer, "down"))
            finally:
                self._open -= ends

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str) -> None:
        """What comes in at one end goes out at the other, late, and no faster than the line takes it."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)
        now = asyncio.get_running_loop().time

        async def deliver() -> None:
            with contextlib.suppress(OSError):
                while (next := await under_way.get())[1]:
                    await asyncio.sleep(max(0.0, next[0] - now()))
                    writer.write(next[1])
                    await writer.drain()
            writer.transport.abort()

        sending = asyncio.create_task(deliver())
        with contextlib.suppress(OSError):
            while (data := await reader.read(2048)) and not sending.done():
                due = now()
                if self.rate:
                    due = self._free[way] = max(self._free[way], due) + len(data) / self.rate
                await under_way.put((due + self.delay, data))
        if not sending.done():
            await under_way.put((0.0, b""))
            await sending


@contextlib.contextmanager
def line(target: int) -> Iterator[Line]:
    """A line in a thread of its own, at full speed."""
    made = Line(target)
    thread = threading.Thread(target=lambda: asyncio.run(made.serve()), daemon=True)
    thread.start()
    made.ready.wait(10)
    try:
        yield made
    finally:
        made.over.set()
        thread.join(10)
