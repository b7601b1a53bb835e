"""`python -m tests.bench [ROOM ...]`: every measurement, or those of the rooms named (arithmetic, browser)."""

from __future__ import annotations

import importlib
import sys

ROOMS = ("arithmetic", "browser")


def main() -> None:
    wanted = sys.argv[1:] or ROOMS
    unknown = [room for room in wanted if room not in ROOMS]
    if unknown:
        sys.exit(f"no room is called {', '.join(unknown)}; there are: {', '.join(ROOMS)}")
    for room in wanted:
        print(f"\n{room}")
        for row in importlib.import_module(f"tests.bench.{room}").rows():
            print(" ", row, flush=True)


if __name__ == "__main__":
    main()
