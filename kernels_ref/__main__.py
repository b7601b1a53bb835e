"""The command line: `python -m kernels_ref list | count | run | sweep | pebble | ...`. Bad input: exit status 2."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pebble_engine import write_pebbling

from . import masks, studies, theory
from .algorithms import ALGORITHMS, find
from .checks import run
from .counts import BYTES, count
from .errors import BadInput, DoesNotFit, KernelError
from .pebbling import pebble
from .sizes import Shape
from .sparse import SPARSE
from .sweep import log_spaced, sweep

MACHINE_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**40


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
    for command in (counting, running, sweeping):
        add_problem(command)
        command.add_argument("--dtype", choices=tuple(BYTES), help="of slow memory: changes bytes, never words")
    add_problem(pebbling, d_v=False)
    for command in (counting, running, sweeping, pebbling):
        command.add_argument("--target", action="store_true", help="weights form: E is given, and dO = O - E is made")
    for command in (counting, running):
        command.add_argument(
            "--nonzeros", metavar="NAME=SHARE,...", help="inputs stored by nonzeros, such as Q=0.2,K=0.5 or K=FILE.npy"
        )
        command.add_argument("--seed", type=seed, default=0, help="of random inputs and nonzeros (default 0)")
    pebbling.add_argument("--out", required=True, metavar="FILE")
    for command in (listing, counting, running):
        command.add_argument("--json", action="store_true", help="print JSON")
    studies.add_parsers(commands, whole_number, add_problem)
    return parser


def add_problem(command: argparse.ArgumentParser, *, d_v: bool = True) -> None:
    """The options that say which problem it is."""
    command.add_argument("--n", type=whole_number, help="rows of Q, K, V; or give --n-q and --n-k")
    command.add_argument("--n-q", type=whole_number, help="rows of Q (default: n)")
    command.add_argument("--n-k", type=whole_number, help="rows of K and V (default: n)")
    command.add_argument("--d", required=True, type=whole_number, help="columns of Q and K")
    if d_v:
        command.add_argument("--d-v", type=whole_number, help="columns of V (default: d)")
    command.add_argument("--form", help="qkv, weights or forward (default: the algorithm's first)")
    command.add_argument("--mask", help=f"one of: {', '.join(masks.GALLERY.values())}; or FILE.npy, boolean")
    command.add_argument("--heads", type=whole_number, default=1, help="heads of queries (default 1)")
    command.add_argument("--kv-heads", type=whole_number, help="heads of K and V that they share")


def show(record: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(record, allow_nan=False))
    else:
        width = max(map(len, record))
        for key, value in record.items():
            print(f"{key:<{width}}  {value}")


def options(args: argparse.Namespace) -> dict[str, Any]:
    """What the library's functions take by these names, of the options that this command has."""
    n_q, n_k = args.n_q or args.n, args.n_k or args.n
    if n_q is None or n_k is None:
        raise BadInput("give --n, or both --n-q and --n-k")
    found: dict[str, Any] = {"n_q": n_q, "n_k": n_k, "mask": None}
    if args.mask is not None:
        found["mask"] = boolean(args.mask) if args.mask.endswith(".npy") else masks.named(args.mask, n_q, n_k)
    for name in ("d_v", "form", "heads", "kv_heads", "dtype", "target"):
        if name in args:
            found[name] = getattr(args, name)
    if getattr(args, "nonzeros", None) is not None:
        form = find(args.algorithm).form if args.form is None else args.form
        shape = Shape.of(None, args.d, n_q=n_q, n_k=n_k, d_v=args.d_v)
        found["patterns"] = patterns(args.nonzeros, replace(shape, target=args.target), form, args.seed)
    return found


def boolean(file: str) -> Any:
    try:
        return np.load(file, allow_pickle=False)
    except ValueError as error:
        raise BadInput(f"{file} cannot be read as an array: {error}") from None


def patterns(text: str, shape: Shape, form: str, seed: int) -> dict[str, Any]:
    """Random patterns by share, and files', from a text such as Q=0.2,K=mine.npy."""
    rng, found = np.random.default_rng(seed), {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or name in found:
            raise BadInput(f"--nonzeros takes NAME=SHARE, each name once, such as Q=0.2,K=0.5; got {text!r}")
        if value.endswith(".npy"):
            found[name] = boolean(value)
            continue
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if not 0 <= share <= 1:
            raise BadInput(f"a share of nonzeros is a number from 0 to 1, or a FILE.npy; got {part!r}")
        known = form in SPARSE and name in (*SPARSE[form], "E")
        found[name] = rng.random(shape.extent(name) if known else (1, 1)) < share
    return found


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
    counts = count(args.algorithm, d=args.d, memory=args.memory, **options(args))
    show(counts.as_dict(), args.json)
    if not counts.fits:
        error = DoesNotFit(args.algorithm, d=args.d, memory=args.memory, least_memory=counts.least_memory)
        print(f"note: {error}", file=sys.stderr)


def run_command(args: argparse.Namespace) -> None:
    given = options(args)
    planned = count(args.algorithm, d=args.d, memory=args.memory, **given)
    wide = max(planned.n_q, planned.n_k) * max(args.d, planned.d_v or 0)
    words = 20 * args.heads * wide + (planned.peak_slow or 0)  # inputs, outputs, references, slow memory
    needed = 8 * words  # bytes
    if needed > MACHINE_BYTES:
        raise BadInput(
            f"running {args.algorithm} at n = {max(planned.n_q, planned.n_k)}, d = {args.d} needs about"
            f" {needed / 1e9:.0f} GB; this machine has {MACHINE_BYTES / 1e9:.0f} GB. `count` has no such limit"
        )
    check = run(args.algorithm, d=args.d, memory=args.memory, seed=args.seed, **given)
    error = check.max_relative_error
    record = check.counts.as_dict() | {
        "max_relative_error": error if math.isfinite(error) else None,
        "seconds": round(check.seconds, 6),
    }
    show(record, args.json)


def sweep_command(args: argparse.Namespace) -> None:
    """The columns of `sweep`; theta (empty where the theorem's dense shape says nothing), floor, and bytes by dtype."""
    given = options(args)
    dtype = given.pop("dtype")
    named = args.mask is not None and not args.mask.endswith(".npy")
    wanted = given | ({"mask": args.mask} if named else {})  # by its name, so that the column has it
    frame = sweep(args.algorithm.split(","), d=args.d, memory=args.memory, **wanted)
    places = zip(frame["form"], frame["memory"], strict=True)
    frame["theta"] = [studies.theta_of(form, given, args.d, memory) for form, memory in places]
    sizes = {name: given[name] for name in ("n_q", "n_k", "d_v", "mask", "heads", "kv_heads")}
    floors = {form: theory.floor(d=args.d, form=form, **sizes) for form in set(frame["form"])}
    frame["floor"] = [floors[form] for form in frame["form"]]
    if dtype is not None:
        frame["dtype"] = dtype
        frame["bytes"] = [None if words is None else words * BYTES[dtype] for words in frame["io"]]
    frame.to_csv(sys.stdout if args.csv == "-" else args.csv, index=False)


def pebble_command(args: argparse.Namespace) -> None:
    given = options(args)
    if given.pop("heads") != 1 or given.pop("kv_heads") is not None:
        raise BadInput("a pebbling is of one head: heads are DAGs side by side")
    write_pebbling(pebble(args.algorithm, d=args.d, memory=args.memory, **given), args.out)


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
        print("error: this does not fit in the machine's memory; try a smaller n or d", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
