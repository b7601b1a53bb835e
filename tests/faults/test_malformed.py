"""A small siege of a real server: what no browser of ours would send, while a good visitor goes on.

The large one is `make loadtest ARGS=--malformed`.
"""

import asyncio
from pathlib import Path

import psutil
import pytest

from tests.load.malformed import COMPONENTS
from tests.load.siege import Siege, tracebacks
from tests.server import running_server


@pytest.mark.slow
def test_a_siege_breaks_nothing(tmp_path: Path) -> None:
    with running_server(tmp_path, strict=False) as server:
        siege = Siege(server.url, psutil.Process(server.process.pid), messages=200, links=24, seed=7)
        asyncio.run(siege.hold())
        assert server.process.poll() is None
        assert asyncio.run(siege.left()) == 0
    assert siege.errors == []
    ours, _ = tracebacks(server.printed())
    assert ours == []
    assert siege.reached == COMPONENTS.keys()
    assert siege.acts
    assert siege.results["link", "run"] == 24


def test_a_traceback_is_ours_where_no_frame_of_streamlit_follows() -> None:
    head, ours, theirs = (
        "Traceback (most recent call last):\n",
        '  File "/x/pages/a.py", line 1',
        '  File "/y/streamlit/b.py"',
    )
    log = "\n".join([head, theirs, ours, head, ours, theirs, head, theirs, ours, '  File "/z/json/c.py"'])
    found, others = tracebacks(log)
    assert len(found) == 2
    assert others == 1
