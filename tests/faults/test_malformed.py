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
        siege = Siege(server.url, psutil.Process(server.process.pid), messages=160, links=24, seed=7)
        asyncio.run(siege.hold())
        assert server.process.poll() is None
        assert asyncio.run(siege.left()) == 0
    assert siege.errors == []
    ours, _ = tracebacks(server.printed())
    assert ours == []
    assert siege.reached == COMPONENTS.keys()
    assert siege.results["shape", "run"] > 100
    assert not [words for words in siege.shown if words.startswith("shape:")]
    assert siege.acts
    assert siege.results["link", "run"] == 24


def test_a_traceback_is_ours_where_no_frame_of_streamlit_follows() -> None:
    """Blocks as Python writes them, with other lines of a log before and after."""
    ours, theirs, json = (f'  File "/x/{name}.py", line 1' for name in ("pages/shared/a", "streamlit/b", "json/c"))
    begin, end = "12:00 a log\nTraceback (most recent call last):", "ValueError: x\n12:00 a log"
    log = "\n".join([begin, theirs, ours, end, begin, ours, theirs, end, begin, theirs, ours, json, end])
    found, others = tracebacks(log)
    assert [block.splitlines()[-1] for block in found] == ["ValueError: x"] * 2
    assert others == 1
