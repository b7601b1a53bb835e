"""A client that asks and asks and reads nothing, beside a good one."""

import asyncio
import time

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from tests.drills.common import Report, server
from tests.load.visitor import Visitor

ACTS = 1_500
FIELD = "lab.memory_typed"


class Stalled(Visitor):
    """Opens a page, then only sends."""

    def stop_reading(self) -> None:
        assert self._socket is not None
        self._socket.transport.pause_reading()  # type: ignore[attr-defined]

    async def shout(self, value: str) -> None:
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_script_hash = self.query, self._page
        run.widget_states.widgets.extend(state for state in self._states.values() if not state.id.endswith(FIELD))
        run.widget_states.widgets.append(WidgetState(id=self.elements[FIELD].id, string_value=value))
        assert self._socket is not None
        await asyncio.wait_for(self._socket.send(message.SerializeToString()), 5)


def drill(report: Report) -> None:
    with server() as app:
        asyncio.run(_drill(report, app.url, psutil.Process(app.process.pid)))


async def _drill(report: Report, url: str, process: psutil.Process) -> None:
    deaf, good = Stalled(url), Visitor(url)
    await deaf.open("lab")
    await good.open("lab")
    for memory in range(20, 60):  # the caches that both fill
        await good.say(FIELD, str(memory))
    deaf.stop_reading()
    base, slowest = process.memory_info().rss, 0.0
    sent = 0
    while sent < ACTS:
        try:
            await deaf.shout(str(20 + sent % 40))
        except (ConnectionClosed, TimeoutError):
            break
        sent += 1
        await asyncio.sleep(0.01)
        if sent % 50 == 0:
            slowest = max(slowest, await good.say(FIELD, str(20 + sent % 39)))
    grown = (process.memory_info().rss - base) / 2**20
    report.note("acts that were asked for and not read", sent)
    report.must("the server has grown by (MB)", round(grown, 1), grown < 50)
    report.must("the slowest act of a good client (s)", round(slowest, 2), slowest < 5 and not good.errors)
    begun = time.monotonic()
    while len(process.net_connections("tcp")) > 2 and time.monotonic() - begun < 90:
        await asyncio.sleep(1)
    report.must("the connection is given up after (s)", round(time.monotonic() - begun), time.monotonic() - begun < 90)
    await good.close()
