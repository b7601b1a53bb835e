"""A real server for the tests that need one: browser tests, load, malformed traffic."""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRACEBACK = "Traceback (most recent call last):"


@dataclass
class Server:
    """A running app: `url` without a slash at its end, `log` with all that it printed."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def running_server(
    folder: Path, script: str = "app.py", port: int | None = None, strict: bool = True
) -> Iterator[Server]:
    """Start the app (or another script) on a free port or a given one, wait until it answers, stop it in the end.

    A traceback in its log is a failure, unless it is not `strict`.
    """
    if port is None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
    log = folder / f"server-{port}.log"
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}", "--server.headless=true"]
    command += ["--server.address=127.0.0.1", "--browser.serverAddress=127.0.0.1"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    server = Server(f"http://127.0.0.1:{port}", process, log)
    try:
        _wait_until_healthy(server)
        yield server
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        if process.poll() is None:
            process.kill()
    assert not strict or TRACEBACK not in server.printed(), server.printed()


def _wait_until_healthy(server: Server, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2):
            return
        time.sleep(0.05)  # the only pause: between two looks at the port
    raise RuntimeError(f"the server did not start:\n{server.printed()}")
