"""The command line: `python -m kernels_ref list | count | run | sweep | pebble | ...`. Bad input: exit status 2."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from pebble_engine import write_pebbling

from . import masks, studies, theory
from .algorithms import ALGORITHMS, find
from .checks import run
from .counts import BYTES, COUNTED, count
from .errors import BadInput, DoesNotFit, KernelError
from .masks import MaskLike
from .pebbling import pebble
from .sweep import log_spaced, sweep

MACHINE_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**40
PEBBLE_VERTICES = 2_000_000  # a chain DAG of more vertices would fill gigabytes of JSON


def whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"a whole number of at least 1 such as 64 is needed, got {text!r}")
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return int(text)


def seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"a seed is a whole number from 0 up, got {text!r}")
    return int(text)


def memory_range(text: str) -> list[int]:
    parts = text.split(":")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"give LOW:HIGH:COUNT such as 512:65536:200, got {text!r}")
    try:
        return log_spaced(*(whole_number(part) for part in parts))
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kernels_ref", description="Attention's backward pass, counted.")
    commands = parser.add_subparsers(dest="command", required=True)

    listing = commands.add_parser("list", help="which algorithms there are")
    counting = commands.add_parser("count", help="words moved, in closed form")
    running = commands.add_parser("run", help="execute, count, compare the gradients with the reference")
    sweeping = commands.add_parser("sweep", help="closed forms over many memories, as CSV")
    pebbling = commands.add_parser("pebble", help="a run as a pebbling of the chain DAG (format pebbling/1)")

    for command in (counting, running, pebbling):
        command.add_argument("--algorithm", required=True, help=f"one of: {', '.join(ALGORITHMS)}")
        command.add_argument("--memory", required=True, type=whole_number, metavar="M", help="words of fast memory")
    sweeping.add_argument("--algorithm", required=True, help="ids, separated by commas")
    sweeping.add_argument("--memory", required=True, type=memory_range, metavar="LOW:HIGH:COUNT", help="log-spaced")
    sweeping.add_argument("--csv", required=True, metavar="FILE", help="where to write; - for standard output")
    for command in (counting, running, sweeping, pebbling):
        command.add_argument("--n", required=True, type=whole_number, help="rows of Q, K, V")
        command.add_argument("--d", required=True, type=whole_number, help="columns of Q, K, V")
        command.add_argument("--form", help="qkv, weights or forward (default: the algorithm's first)")
        command.add_argument("--mask", help=f"one of: {', '.join(masks.GALLERY.values())}; or FILE.npy, boolean")
        command.add_argument("--heads", type=whole_number, default=1, help="heads of queries (default 1)")
        command.add_argument("--kv-heads", type=whole_number, help="heads of K and V that they share")
        command.add_argument("--dtype", choices=tuple(BYTES), help="of slow memory: changes bytes, never words")
    running.add_argument("--seed", type=seed, default=0, help="of the random inputs (default 0)")
    pebbling.add_argument("--out", required=True, metavar="FILE")
    for command in (listing, counting, running):
        command.add_argument("--json", action="store_true", help="print JSON")
    studies.add_parsers(commands, whole_number)
    return parser


def show(record: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(record, allow_nan=False))
    else:
        width = max(map(len, record))
        for key, value in record.items():
            print(f"{key:<{width}}  {value}")


def options(args: argparse.Namespace) -> dict[str, Any]:
    """What `count` and `run` take besides the sizes."""
    mask: MaskLike = None
    if args.mask is not None and args.mask.endswith(".npy"):
        try:
            mask = np.load(args.mask, allow_pickle=False)
        except ValueError as error:
            raise BadInput(f"{args.mask} cannot be read as an array: {error}") from None
    elif args.mask is not None:
        mask = masks.named(args.mask, args.n, args.n)
    return {
        "form": args.form, "mask": mask, "heads": args.heads, "kv_heads": args.kv_heads, "dtype": args.dtype,
    }  # fmt: skip


def list_command(args: argparse.Namespace) -> None:
    records = [
        {
            "algorithm": entry.id,
            "form": entry.form,
            "forms": list(entry.forms),
            "title": entry.title,
            "source": entry.source,
        }
        for entry in ALGORITHMS.values()
    ]
    if args.json:
        print(json.dumps(records))
    else:
        for record in records:
            print(f"{record['algorithm']:<20}{record['title']} ({record['source']})")


def count_command(args: argparse.Namespace) -> None:
    counts = count(args.algorithm, n=args.n, d=args.d, memory=args.memory, **options(args))
    show(counts.as_dict(), args.json)
    if not counts.fits:
        error = DoesNotFit(args.algorithm, d=args.d, memory=args.memory, least_memory=counts.least_memory)
        print(f"note: {error}", file=sys.stderr)


def run_command(args: argparse.Namespace) -> None:
    given = options(args)
    planned = count(args.algorithm, n=args.n, d=args.d, memory=args.memory, **given)
    words = 20 * args.heads * args.n * args.d + (planned.peak_slow or 0)  # inputs, outputs, references, slow memory
    needed = 8 * words  # bytes
    if needed > MACHINE_BYTES:
        raise BadInput(
            f"running {args.algorithm} at n = {args.n}, d = {args.d} needs about {needed / 1e9:.0f} GB;"
            f" this machine has {MACHINE_BYTES / 1e9:.0f} GB. `count` has no such limit"
        )
    check = run(args.algorithm, n=args.n, d=args.d, memory=args.memory, seed=args.seed, **given)
    error = check.max_relative_error
    record = check.counts.as_dict() | {
        "max_relative_error": error if math.isfinite(error) else None,
        "seconds": round(check.seconds, 6),
    }
    show(record, args.json)


def sweep_of_counts(names: list[str], args: argparse.Namespace, given: dict[str, Any]) -> pd.DataFrame:
    """The columns of `sweep`, and what the options add."""
    rows = []
    for name in names:
        for memory in args.memory:
            counts = count(name, n=args.n, d=args.d, memory=memory, **given)
            record = {field.name: getattr(counts, field.name) for field in fields(counts)}
            rows.append(record | {"io": counts.io, "bytes": counts.bytes})
    frame = pd.DataFrame(rows, dtype=object)
    order = ["algorithm", "form", "n_q", "n_k", "d", "memory", "loads", "stores", "io", *COUNTED[2:]]
    return frame[[*order, "fits", "least_memory", "heads", "kv_heads", "mask", "dtype", "bytes"]]


def sweep_command(args: argparse.Namespace) -> None:
    names = args.algorithm.split(",")
    given = options(args)
    if any(value is not None for name, value in given.items() if name != "heads") or args.heads != 1:
        frame = sweep_of_counts(names, args, given)
    else:
        frame = sweep(names, n=args.n, d=args.d, memory=args.memory)
    frame["theta"] = [theory.theta(args.n, args.d, words) for words in frame["memory"]]
    frame["floor"] = theory.floor(args.n, args.d)
    frame.to_csv(sys.stdout if args.csv == "-" else args.csv, index=False)


def pebble_command(args: argparse.Namespace) -> None:
    n, d = args.n, args.d
    vertices = 5 * n * n * d + 2 * n * n + 4 * n * d + 2 * n
    if vertices > PEBBLE_VERTICES:
        raise BadInput(
            f"n = {n}, d = {d} makes a DAG of {vertices} vertices; at most {PEBBLE_VERTICES} can be written to a file"
        )
    find(args.algorithm)
    if args.heads != 1 or args.kv_heads is not None:
        raise BadInput("a pebbling is of one head: heads are DAGs side by side")
    pebbling = pebble(args.algorithm, n=n, d=d, memory=args.memory, form=args.form, mask=options(args)["mask"])
    write_pebbling(pebbling, args.out)


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "list": list_command,
    "count": count_command,
    "run": run_command,
    "sweep": sweep_command,
    "pebble": pebble_command,
    "fit": studies.fit_command,
    "crossover": lambda args: studies.crossover_command(args, options(args)),
    "bounds": lambda args: studies.bounds_command(args, options(args)),
}


def main(arguments: list[str] | None = None) -> int:
    args = build_parser().parse_args(arguments)
    try:
        COMMANDS[args.command](args)
    except KernelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error.filename or 'file'}: {error.strerror}", file=sys.stderr)
        return 2
    except MemoryError:
        print(f"error: n = {args.n}, d = {args.d} does not fit in this machine's memory", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
