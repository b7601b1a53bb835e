"""The pebble game at the command line.

    python -m pebble_engine check FILE [--json]      replay a `pebbling/1` file

Exit codes: 0 a legal pebbling that reaches the goal; 1 it is refused, and why; 2 the file cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pebble_engine.errors import Fault, IllegalMove, InvalidPebbling
from pebble_engine.notation import read_pebbling
from pebble_engine.pebbling import Pebbling, Replay, replay, schedule_faults

LEGAL, REFUSED, UNREADABLE = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pebble_engine", description="The red-blue pebble game.")
    commands = parser.add_subparsers(required=True, metavar="command")
    check = commands.add_parser("check", help="replay a pebbling and count its words", description=_check.__doc__)
    check.add_argument("file", help="a pebbling/1 file")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(run=_check)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


def _check(options: argparse.Namespace) -> int:
    """Replay a pebbling/1 file: print its I/O, peak and number of moves, or the first fault."""
    try:
        pebbling = read_pebbling(Path(options.file))
        run = replay(pebbling)
    except IllegalMove as error:
        every = _faults(read_pebbling(Path(options.file), check=False))
        return _refuse(options, REFUSED, str(error), error.reason, error.line, every)
    except InvalidPebbling as error:
        code = REFUSED if error.reason == "wrong_total" else UNREADABLE
        return _refuse(options, code, str(error), error.reason, error.line)
    except OSError as error:
        return _refuse(options, UNREADABLE, error.strerror or str(error), "no_file")
    if not run.is_solved:
        every = _faults(pebbling)
        return _refuse(options, REFUSED, str(every[0]), every[0].reason, None, every)
    if options.json:
        print(json.dumps({"ok": True, **_counts(pebbling, run)}))
    else:
        print(f"ok io={run.io} peak={run.peak} moves={len(pebbling)}")
    return LEGAL


def _counts(pebbling: Pebbling, run: Replay) -> dict[str, Any]:
    words = {"io": run.io, "loads": run.loads, "stores": run.stores, "peak": run.peak}
    of = {"dag": pebbling.dag.name, "vertices": len(pebbling.dag), "made_by": pebbling.made_by}
    return {**words, "moves": len(pebbling), **asdict(pebbling.rules), **of}


def _faults(pebbling: Pebbling) -> list[Fault]:
    return schedule_faults(pebbling.dag, pebbling.rules, pebbling.moves)


def _refuse(
    options: argparse.Namespace,
    code: int,
    sentence: str,
    reason: str,
    line: int | None = None,
    faults: Sequence[Fault] = (),
) -> int:
    """Say on stderr what is wrong, and with --json on stdout in full."""
    more = f" (and {len(faults) - 1} more: see --json)" if len(faults) > 1 and not options.json else ""
    print(f"{options.file}: {sentence}{more}", file=sys.stderr)
    if options.json:
        listed = [fault.as_json() for fault in faults]
        print(json.dumps({"ok": False, "reason": reason, "line": line, "sentence": sentence, "faults": listed}))
    return code


if __name__ == "__main__":
    sys.exit(main())
