"""The command line's questions about many counts at once: `fit`, `crossover`, `bounds`. Called by ``__main__``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from . import sparse, theory
from .algorithms import ALGORITHMS, find
from .bounds import Problem, all_bounds, certified_ratio
from .errors import BadInput
from .fits import ENVELOPE, REGIMES, Fit, fit, fit_envelope
from .masks import as_mask
from .sizes import Shape
from .sweep import swaps


def add_parsers(commands: Any, whole_number: Callable[[str], int], add_problem: Callable[[Any], None]) -> None:
    """``whole_number`` reads one, as the other commands do; ``add_problem`` adds the sizes, the mask and the heads."""
    fitting = commands.add_parser("fit", help="exponents of n, d and M, fitted to exact counts, in each regime")
    crossing = commands.add_parser("crossover", help="where two algorithms change places: the formula, and exactly")
    bounding = commands.add_parser("bounds", help="lower bounds in words, and how near algorithms come to them")
    fitting.add_argument(
        "--algorithm", help=f"ids, separated by commas, or {ENVELOPE} (default: all that have the form)"
    )
    fitting.add_argument("--regime", choices=tuple(REGIMES), help="default: both")
    crossing.add_argument("--algorithm", required=True, help="two ids, separated by a comma; ties go to the first")
    bounding.add_argument("--algorithm", help="ids, separated by commas: their I/O over the best bound")
    bounding.add_argument("--memory", required=True, type=whole_number, metavar="M", help="words of fast memory")
    for command in (crossing, bounding):
        add_problem(command)
    fitting.add_argument("--form", help="qkv, weights or forward")
    for command in (fitting, crossing, bounding):
        command.add_argument("--json", action="store_true", help="print JSON")


def rows(options: dict[str, Any]) -> dict[str, int]:
    """n, or n_q and n_k where they differ, as `Counts.as_dict` has them."""
    n_q, n_k = options["n_q"], options["n_k"]
    return {"n": n_q} if n_q == n_k else {"n_q": n_q, "n_k": n_k}


def theta_of(form: str, options: dict[str, Any], d: int, memory: int) -> float | None:
    """The theorem's dense shape, which is for as many keys as queries, V as wide as K, and no mask; else None."""
    n, heads = options["n_q"], options["heads"]
    if n != options["n_k"] or options["d_v"] not in (None, d) or options["mask"] is not None:
        return None
    return (theory.theta_forward if form == "forward" else theory.theta)(n, d, memory, heads)


def fit_command(args: argparse.Namespace) -> None:
    form = "qkv" if args.form is None else args.form
    having = [name for name, entry in ALGORITHMS.items() if form in entry.forms]
    if not having:
        raise BadInput(f"no form is called {form!r}; there are: qkv, forward, weights")
    names = [*having, ENVELOPE] if args.algorithm is None else args.algorithm.split(",")
    for name in names:
        if name != ENVELOPE:
            find(name)
    fits = []
    for regime in REGIMES if args.regime is None else [args.regime]:
        for name in names:
            own = args.form if args.form is not None or name == ENVELOPE else find(name).form
            fits.append(fit_envelope(regime, form=form) if name == ENVELOPE else fit(name, regime, form=own))
    if args.json:
        print(json.dumps([fit_record(found) for found in fits], allow_nan=False))
        return
    for found in fits:
        print(found)
        if found.is_own:
            n, d, memory = found.expected
            verdict = "within" if found.as_expected else "not within"
            print(f"    the theorem, {found.regime}: n^{n:g} d^{d:g} M^{memory:g}, here {verdict} {found.within:g}")


def fit_record(found: Fit) -> dict[str, Any]:
    record = {name: value for name, value in asdict(found).items() if name not in ("n", "d", "memory", "without")}
    record["exponents"] = dict(zip(("n", "d", "memory"), found.exponents, strict=True))
    if not found.is_own:
        record["expected"] = record["within"] = None
    record["as_expected"] = found.as_expected if found.is_own else None
    record["without_elementwise"] = None if found.without is None else fit_record(found.without)
    record["note"] = str(found)
    return record


def crossover_command(args: argparse.Namespace, options: dict[str, Any]) -> None:
    names = args.algorithm.split(",")
    if len(names) != 2:
        raise BadInput(f"a crossover is of two algorithms, such as flash2,small-cache; got {args.algorithm!r}")
    first, second = names
    found = swaps(first, second, d=args.d, **options)
    formula = theory.crossover_formula(args.d)
    last = found[-1]
    record = {
        "first": first, "second": second, **rows(options), "d": args.d, "formula": formula,
        "crossover": last.memory if last.winner == first else None,
        "swaps": [{"memory": swap.memory, "winner": swap.winner} for swap in found],
    }  # fmt: skip
    if args.json:
        print(json.dumps(record))
        return
    print(f"formula    M = d^2 = {formula}")
    if record["crossover"] is None:
        print(f"measured   none: {second} moves fewer words from M = {last.memory} on")
    else:
        print(f"measured   {first} never moves more from M = {last.memory} on, {last.memory / formula:.3f} d^2")
    for swap in found:
        print(f"  from M = {swap.memory:>12}  {swap.winner}")


def bounds_command(args: argparse.Namespace, options: dict[str, Any]) -> None:
    names = [] if args.algorithm is None else args.algorithm.split(",")
    forms = {find(name).form for name in names} if args.form is None else {args.form}
    if len(forms) > 1:
        raise BadInput(f"these algorithms have different forms: {', '.join(sorted(forms))}; bounds are of one")
    form = forms.pop() if forms else "qkv"
    heads = {name: options[name] for name in ("heads", "kv_heads")}
    n_q, n_k = options["n_q"], options["n_k"]
    shape = Shape.of(
        None, args.d, n_q=n_q, n_k=n_k, d_v=options["d_v"], mask=as_mask(options["mask"], n_q, n_k)
    )  # fmt: skip
    at = Problem.of(form, shape, **heads)
    bounds = all_bounds(form, shape, args.memory, **heads)
    pattern = sparse.of_pattern(n_q, n_k, args.d, shape.mask)
    theorem = {
        "z_input": pattern.z_input, "z_qk": pattern.z_qk, "split": pattern.split if pattern.z_qk else None,
        "omega": theory.theta_sparse(*pattern, args.memory),
    }  # fmt: skip
    given = options | {"form": form}
    done = {name: certified_ratio(name, d=args.d, memory=args.memory, **given) for name in names}
    if args.json:
        record = {
            "form": form, **rows(options), "d": args.d, "memory": args.memory, "kept": at.kept, "inputs": at.inputs,
            "outputs": at.outputs, "best": bounds[0].name, "words": bounds[0].words, "theorem_4_5": theorem,
            "bounds": [asdict(bound) for bound in bounds],
            "algorithms": [
                {"algorithm": name, "io": found and found.io, "ratio": found and found.ratio}
                for name, found in done.items()
            ],
        }  # fmt: skip
        print(json.dumps(record))
        return
    for bound in bounds:
        print(f"{bound.words:>20}  {bound.name:<17}{bound.statement}{' (ours)' if bound.ours else ''}")
    if shape.mask is not None:
        print(
            f"Theorem 4.5, no bound for this mask: Z_input = {pattern.z_input}, Z_QK = {pattern.z_qk} a head,"
            f" Omega(min(Z_input^2 / M, Z_input sqrt(Z_QK / M))) of {theorem['omega']:.6g}: without its constant,"
            " and for the worst pattern of so many nonzeros"
        )
    for name, found in done.items():
        if found is None:
            print(f"{'does not fit':>20}  {name}")
        else:
            print(f"{found.io:>20}  {name}: at most {found.ratio:.3f} times the optimum")
