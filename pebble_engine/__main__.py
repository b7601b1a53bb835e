"""The pebble game at the command line: `python -m pebble_engine COMMAND`. See `command_line`."""

from __future__ import annotations

import os
import sys

from pebble_engine.command_line import UNREADABLE, parser, run

INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = parser().parse_args(arguments)
    try:
        code = run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:  # of stdout: what is left in it would fail once more at the interpreter's end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader, `head` say, has seen enough
            return 0
        print(f"pebble_engine: cannot write: {error.strerror}", file=sys.stderr)
        return UNREADABLE
    return code


if __name__ == "__main__":
    sys.exit(main())
