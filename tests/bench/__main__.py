"""`python -m tests.bench [ROOM ...]`: every measurement, or those of the rooms named.

`large` among the rooms adds what takes minutes. `python -m tests.bench.solver --help` has more about the solver.
"""

from __future__ import annotations

import importlib
import os
import sys

# One BLAS thread, set before NumPy is loaded: two of them wait for each other on a machine that does other work too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOMS = ("arithmetic", "kernels", "curves", "solver", "play", "browser")


def main() -> None:
    wanted = [room for room in sys.argv[1:] if room != "large"] or ROOMS
    unknown = [room for room in wanted if room not in ROOMS]
    if unknown:
        sys.exit(f"no room is called {', '.join(unknown)}; there are: {', '.join(ROOMS)}")
    for room in wanted:
        print(f"\n{room}")
        for row in importlib.import_module(f"tests.bench.{room}").rows():
            print(" ", row, flush=True)


if __name__ == "__main__":
    main()
