"""What the commands of `python -m pebble_engine` do. Each has --json, which prints one JSON object.

    dag NAME SIZES... [--out FILE]             a DAG by name, written to a file
    solve FILE | --dag "NAME SIZES..."         a proven optimal pebbling, or the best that there was time for
    schedule FILE | --dag ... --method M       a pebbling from an order of computation
    bounds FILE | --dag ...                    lower bounds, each with the rule set for which it holds
    check FILE                                 replay a `pebbling/1` file
    show FILE [--at MOVE]                      the state after a move, as text

FILE is a DAG (`pebbling/1`, networkx node-link JSON, an edge list) or, for check and show, a pebbling. Rules: --red M
[--sliding] [--one-shot]; without --red, those of a `pebbling/1` file.

Exit codes: 0 done, and for check a legal pebbling that reaches the goal; 1 a pebbling is refused, and why; 2 something
cannot be read, written or done. What is wrong is said on stderr, and with --json in full on stdout too.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pebble_engine.bounds import bounds
from pebble_engine.catalogue import BUILDERS, dag_by_name
from pebble_engine.dag import PebbleDag
from pebble_engine.errors import Fault, IllegalMove, InvalidPebbling, PebbleError
from pebble_engine.game import Game
from pebble_engine.local_search import improve
from pebble_engine.notation import read_pebbling, write_pebbling
from pebble_engine.own_dag import WRITTEN, read_dag, write_dag
from pebble_engine.pebbling import Pebbling, Replay, replay, schedule_faults
from pebble_engine.picture import picture
from pebble_engine.rules import Rules
from pebble_engine.schedules import EVICTIONS, ORDERS, pebble_order
from pebble_engine.solver import solve

DONE, REFUSED, UNREADABLE = 0, 1, 2
METHODS = ("improve", *(f"{order}-{evict}" for order in ORDERS for evict in EVICTIONS))


class UsageError(PebbleError):
    """What was asked for cannot be put together. `reason` is `usage`."""

    reason = "usage"


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(prog="python -m pebble_engine", description="The red-blue pebble game.")
    commands = top.add_subparsers(required=True, metavar="command")

    dag = commands.add_parser("dag", help="write a DAG by name")
    dag.add_argument("name", nargs="+", help=f"one of {', '.join(BUILDERS)}, and its sizes: matmul 2 2 1")
    dag.add_argument("--format", choices=WRITTEN, default=WRITTEN[0], help="of the file (default: %(default)s)")
    _finish(dag, _dag, out="the DAG")

    task = commands.add_parser("solve", help="find an optimal pebbling and prove it")
    _task_arguments(task)
    task.add_argument("--time-limit", type=_seconds, default=60.0, help="seconds (default: 60)")
    _finish(task, _solve, out="the pebbling")

    schedule = commands.add_parser("schedule", help="pebble in an order of computation")
    _task_arguments(schedule)
    schedule.add_argument("--method", choices=METHODS, default=METHODS[1], help="default: %(default)s")
    schedule.add_argument("--seed", type=int, default=0, help="of improve")
    schedule.add_argument("--rounds", type=int, help="of improve")
    schedule.add_argument("--time-limit", type=_seconds, default=5.0, help="of improve, seconds (default: 5)")
    _finish(schedule, _schedule, out="the pebbling")

    bound = commands.add_parser("bounds", help="lower bounds that hold for the rules")
    _task_arguments(bound)
    _finish(bound, _bounds)

    check = commands.add_parser("check", help="replay a pebbling and count its words", description=_check.__doc__)
    check.add_argument("file", help="a pebbling/1 file")
    _finish(check, _check)

    show = commands.add_parser("show", help="the state at a move, as text")
    show.add_argument("file", help="a pebbling/1 file")
    show.add_argument("--at", type=int, metavar="MOVE", help="after so many moves (default: all)")
    _finish(show, _show)
    return top


def run(options: argparse.Namespace) -> int:
    """Run a command; returns the exit code."""
    try:
        code: int = options.run(options)
    except PebbleError as error:
        return refuse(options, UNREADABLE, str(error), error.reason)
    except BrokenPipeError:
        raise
    except OSError as error:
        named = error.filename if error.filename is not None else getattr(options, "file", None)
        return refuse(options, UNREADABLE, error.strerror or str(error), "no_file", name=named)
    return code


def refuse(
    options: argparse.Namespace,
    code: int,
    sentence: str,
    reason: str,
    line: int | None = None,
    faults: Sequence[Fault] = (),
    name: str | None = None,
) -> int:
    """Say on stderr what is wrong, and with --json on stdout in full."""
    more = f" (and {len(faults) - 1} more: see --json)" if len(faults) > 1 and not options.json else ""
    name = getattr(options, "file", None) if name is None else name
    print(f"{name or 'pebble_engine'}: {sentence}{more}", file=sys.stderr)
    if options.json:
        listed = [fault.as_json() for fault in faults]
        print(json.dumps({"ok": False, "reason": reason, "line": line, "sentence": sentence, "faults": listed}))
    return code


# ------------------------------------------------------------------------------------------------------------ commands


def _dag(options: argparse.Namespace) -> int:
    dag = dag_by_name(options.name)
    if options.out is None and not options.json:
        print(write_dag(dag, form=options.format), end="")
        return DONE
    if options.out is not None:
        write_dag(dag, options.out, form=options.format)
    sizes = {"vertices": len(dag), "edges": len(dag.edges), "inputs": len(dag.inputs), "outputs": len(dag.outputs)}
    return _say(options, {"dag": dag.name, **sizes}, f"{dag.name}: {_pairs(sizes)}")


def _solve(options: argparse.Namespace) -> int:
    dag, rules = _task(options)
    solution = solve(dag, rules, time_limit=options.time_limit, progress=_teller())
    if options.out is not None:
        write_pebbling(solution.pebbling, options.out)
    known = {
        "cost": solution.cost,
        "lower_bound": solution.lower_bound,
        "proved": solution.proved,
        "stopped": solution.stopped,
        "states": solution.states,
    }
    verdict = "optimal" if solution.proved else f"not proven ({solution.stopped}): at least {solution.lower_bound}"
    line = f"{verdict}, io={solution.cost} moves={len(solution.moves)} states={solution.states}"
    return _say(options, {**known, **_counts(solution.pebbling, replay(solution.pebbling))}, line)


def _schedule(options: argparse.Namespace) -> int:
    dag, rules = _task(options)
    if options.method == "improve":
        limits = {"rounds": options.rounds, "time_limit": options.time_limit}
        pebbling = improve(dag, rules, seed=options.seed, progress=_teller(), **limits)
    else:
        order, _, evict = options.method.rpartition("-")
        pebbling = pebble_order(dag, rules, order, evict)
    if options.out is not None:
        write_pebbling(pebbling, options.out)
    done = replay(pebbling)
    line = f"{options.method}: io={done.io} peak={done.peak} moves={len(pebbling)}"
    return _say(options, {"method": options.method, **_counts(pebbling, done)}, line)


def _bounds(options: argparse.Namespace) -> int:
    dag, rules = _task(options)
    found = bounds(dag, rules)
    listed = [
        {
            "name": bound.name,
            "words": bound.words,
            "value": float(bound.value),
            "holds_for": bound.holds_for,
            "source": bound.source,
        }
        for bound in found
    ]
    lines = [f"{bound.words:>8}  {bound.name:<20}  {bound.holds_for}; {bound.source}" for bound in found]
    answer = {"dag": dag.name, **asdict(rules), "best": max(bound.words for bound in found), "bounds": listed}
    return _say(options, answer, "\n".join(lines))


def _check(options: argparse.Namespace) -> int:
    """Replay a pebbling/1 file: print its I/O, peak and number of moves, or the first fault."""
    try:
        pebbling = read_pebbling(Path(options.file))
        done = replay(pebbling)
    except IllegalMove as error:
        every = _faults(read_pebbling(Path(options.file), check=False))
        return refuse(options, REFUSED, str(error), error.reason, error.line, every)
    except InvalidPebbling as error:
        code = REFUSED if error.reason == "wrong_total" else UNREADABLE
        return refuse(options, code, str(error), error.reason, error.line)
    if not done.is_solved:
        every = _faults(pebbling)
        return refuse(options, REFUSED, str(every[0]), every[0].reason, None, every)
    return _say(options, _counts(pebbling, done), f"ok io={done.io} peak={done.peak} moves={len(pebbling)}")


def _show(options: argparse.Namespace) -> int:
    pebbling = read_pebbling(Path(options.file), check=False)
    at = len(pebbling) if options.at is None else options.at
    if not 0 <= at <= len(pebbling):
        raise UsageError(f"--at must be 0 to {len(pebbling)}, the number of moves, got {at}")
    try:
        game = Game(pebbling.dag, pebbling.rules, pebbling.moves[:at])
    except IllegalMove as error:
        return refuse(options, REFUSED, str(error), error.reason)
    labels = game.dag.labels
    pebbles = {
        "red_vertices": [label for label in labels if label in game.red],
        "blue_vertices": [label for label in labels if label in game.blue],
    }
    state = {"at": at, "move": str(game.peek()) if at else None, "io": game.io, "peak": game.peak, **pebbles}
    return _say(options, state, picture(game))


# ------------------------------------------------------------------------------------------------------------- helpers


def _task_arguments(command: argparse.ArgumentParser) -> None:
    source = command.add_mutually_exclusive_group(required=True)
    source.add_argument("file", nargs="?", help="a DAG or a pebbling/1 file")
    source.add_argument("--dag", metavar="NAME", help='a DAG by name, as one word: --dag "matmul 2 2 1"')
    command.add_argument("--red", type=int, metavar="M", help="number of red pebbles, words of fast memory")
    command.add_argument("--sliding", action="store_true", help="accumulating in place is allowed")
    command.add_argument("--one-shot", action="store_true", help="computing a vertex twice is not allowed")


def _finish(command: argparse.ArgumentParser, function: Any, out: str | None = None) -> None:
    if out is not None:
        command.add_argument("--out", metavar="FILE", help=f"write {out} to a file")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=function)


def _task(options: argparse.Namespace) -> tuple[PebbleDag, Rules]:
    """The DAG and the rules that a command is about."""
    given = Rules(options.red, options.sliding, not options.one_shot) if options.red is not None else None
    if options.dag is not None:
        try:
            words = shlex.split(options.dag)
        except ValueError as error:
            raise UsageError(f"--dag {options.dag!r:.60}: {error}") from None
        dag = dag_by_name(words)
    elif given is None:
        try:
            pebbling = read_pebbling(Path(options.file), check=False)
        except InvalidPebbling as error:
            raise UsageError(f"give --red M, the number of red pebbles; the file has no rules: {error}") from None
        if options.sliding or options.one_shot:
            raise UsageError("--sliding and --one-shot come with --red; without it the file's rules are used")
        return pebbling.dag, pebbling.rules
    else:
        dag = read_dag(Path(options.file))
    if given is None:
        raise UsageError("give --red M, the number of red pebbles")
    return dag, given


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e9:
        raise ValueError
    return seconds


_seconds.__name__ = "number of seconds"  # argparse: invalid number of seconds value: 'x'


def _teller() -> Callable[[Any], None] | None:
    """Reports progress on one line of stderr, where a person looks at it."""
    if not sys.stderr.isatty():
        return None

    def tell(report: Any) -> None:
        done = " ".join(f"{key}={value:.6g}" for key, value in report._asdict().items())
        print(f"\r{done:<70}\r", end="", file=sys.stderr)

    return tell


def _say(options: argparse.Namespace, answer: dict[str, Any], line: str) -> int:
    print(json.dumps({"ok": True, **answer}) if options.json else line)
    return DONE


def _pairs(values: dict[str, int]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items())


def _counts(pebbling: Pebbling, done: Replay) -> dict[str, Any]:
    words = {"io": done.io, "loads": done.loads, "stores": done.stores, "peak": done.peak}
    of = {"dag": pebbling.dag.name, "vertices": len(pebbling.dag), "made_by": pebbling.made_by}
    return {**words, "moves": len(pebbling), **asdict(pebbling.rules), **of}


def _faults(pebbling: Pebbling) -> list[Fault]:
    return schedule_faults(pebbling.dag, pebbling.rules, pebbling.moves)
