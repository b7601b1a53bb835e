"""How fast the solver is: `python -m tests.bench.solver [--small] [--large] [--cp-sat]`.

Without options: every instance of tests/data/optimal.json with at most 25 vertices against the targets, states against
the literal search, and CP-SAT.

--small   the solver against brute force on every DAG with at most five vertices, all rules (about five minutes)
--large   matmul 3x3x2 at every M, and the backward pass of two queries and two keys (targets: 120 s each at M >= 11)
--cp-sat  only that: the same game as a CP-SAT model with a tight horizon, where OR-Tools is installed

Times are processor seconds of this process, so that a busy machine does not count against it; CP-SAT gets one worker.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from importlib.util import find_spec

from pebble_engine import PebbleDag, Rules, matmul
from pebble_engine.solver import DoesNotFit, Solution, clear_cache, solve
from tests.bench.measure import Row
from tests.unit.engine.solver_oracle import OPTIMAL, every_rule, literal_optimum, named, small_dags

LITERAL_STATES = 300_000  # the literal search gives up there
CP_SECONDS = 60.0
LITERAL = (
    ("pyramid 3", 3),
    ("sum-tree 8", 3),
    ("matmul chain 2x1x2", 4),
    ("butterfly 4", 4),
    ("matmul chain 2x2x2", 5),
)
CP_SAT = (("sum-tree 4", 3), ("pyramid 2", 3), ("matmul chain 2x2x1", 4), ("sum-tree 8", 3), ("pyramid 3", 4))


def timed(dag: PebbleDag, rules: Rules, time_limit: float = 600.0) -> tuple[Solution, float]:
    """A solution from scratch and the processor seconds that it took."""
    clear_cache()
    start = time.process_time()
    solution = solve(dag, rules, time_limit=time_limit, max_states=3_000_000)
    return solution, time.process_time() - start


def described(rules: Rules) -> str:
    return f"M={rules.red:<2} {'sliding' if rules.sliding else '       '} {'' if rules.recompute else 'one-shot'}"


def rows() -> Iterator[Row]:
    yield from known_optima()
    yield from against_the_literal_search()
    yield from against_cp_sat()


def known_optima() -> Iterator[Row]:
    total = {20: 0.0, 25: 0.0}
    worst = 0.0
    for entry in OPTIMAL:
        if entry["vertices"] > 25:
            continue
        solution, seconds = timed(named(entry["dag"]), Rules(red=entry["red"], sliding=entry["sliding"]))
        if not solution.proved or solution.cost != entry["cost"]:
            raise SystemExit(f"{solution}, but {entry}")
        for limit in total:
            total[limit] += seconds if entry["vertices"] <= limit else 0.0
        worst = max(worst, seconds)
    yield Row("solver: all known optima of at most 20 vertices", total[20], "s", "under 5")
    yield Row("solver: all known optima of at most 25 vertices", total[25], "s", "under 60")
    yield Row("solver: the slowest of them", worst, "s", "under 15")


def against_the_literal_search() -> Iterator[Row]:
    """The target is missed where the literal search is over at once: where it has a few thousand states in all (pyramid
    3: 2,322), a proof that sees only what leaves and enters memory still has to look at a hundred or two, because the
    estimate at the start (5 words of 11) says little: it knows nothing of what will have to be stored."""
    for name, red in LITERAL:
        dag, rules = named(name), Rules(red=red)
        cost, states = literal_optimum(dag, rules, LITERAL_STATES)
        solution, _ = timed(dag, rules)
        ours = max(1, solution.states)
        much = f"{states:,} : {ours:,}" if cost is not None else f"over {states:,} : {ours:,}"
        missed = "" if states >= 50 * ours else f" MISSED: the literal search has only {states:,}"
        what = f"{name}, M = {red}: states, literal : solver's = {much}"
        yield Row(what, states / ours, "x", f">= 50{missed}")


def every_small_dag() -> None:
    for vertices in range(1, 6):
        instances = 0
        for dag in small_dags(vertices):
            for rules in every_rule(dag):
                wanted, _ = literal_optimum(dag, rules)
                try:
                    solution = solve(dag, rules)
                    found = solution.cost if solution.proved else -1
                except DoesNotFit:
                    found = None
                if found != wanted:
                    raise SystemExit(
                        f"{dag.edges}, outputs {dag.outputs}, {rules}: {found}, but brute force says {wanted}"
                    )
                instances += 1
        print(f"{vertices} vertices: {len(small_dags(vertices))} DAGs, {instances} instances, all equal", flush=True)


def large(time_limit: float) -> None:
    cases = [
        (matmul(3, 3, 2), Rules(red, sliding)) for sliding in (False, True) for red in range(3 if sliding else 4, 11)
    ]
    backward = named("attention backward chain 2 2 1")
    cases += [(backward, Rules(red)) for red in (13, 12, 11, 10)]
    cases += [(backward, Rules(red, sliding=True)) for red in (12, 11, 10, 9)]
    for dag, rules in cases:
        solution, seconds = timed(dag, rules, time_limit)
        proved = "proven" if solution.proved else f"at least {solution.lower_bound}, gave up: {solution.stopped}"
        print(
            f"{dag.name:40} {described(rules)} {solution.cost:3} {proved} {solution.states} states {seconds:.1f} s",
            flush=True,
        )


def cp_sat(dag: PebbleDag, rules: Rules, steps: int, seconds: float) -> tuple[int | None, bool]:
    """(cost, proven) from a CP-SAT model: one load, store or compute a step, deletes free; `steps` is the horizon."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    n = range(len(dag))
    times = range(steps)
    flags = {
        (kind, v, t): model.NewBoolVar(f"{kind}{v}@{t}")
        for v in n
        for t in range(steps + 1)
        for kind in ("red", "blue", "load", "store", "compute")
    }
    for v in n:
        model.Add(flags["red", v, 0] == 0)
        model.Add(flags["blue", v, 0] == int(v in dag.inputs))
        if v in dag.outputs:
            model.Add(flags["blue", v, steps] == 1)
        if not rules.recompute:
            model.Add(sum(flags["compute", v, t] for t in times) <= 1)
    for t in times:
        model.Add(sum(flags["red", v, t + 1] for v in n) <= rules.red)
        model.Add(sum(flags[kind, v, t] for v in n for kind in ("load", "store", "compute")) <= 1)
        for v in n:
            model.Add(flags["red", v, t + 1] <= flags["red", v, t] + flags["load", v, t] + flags["compute", v, t])
            model.Add(flags["blue", v, t + 1] <= flags["blue", v, t] + flags["store", v, t])
            model.Add(flags["load", v, t] <= flags["blue", v, t])
            model.Add(flags["store", v, t] <= flags["red", v, t])
            operands = dag.predecessors[v]
            if not operands:
                model.Add(flags["compute", v, t] == 0)
            for u in operands:
                model.Add(flags["compute", v, t] <= flags["red", u, t])
            if operands:  # all operands still red beside v; when sliding, all but one
                still = len(operands) - int(rules.sliding)
                model.Add(sum(flags["red", u, t + 1] for u in operands) >= still * flags["compute", v, t])
    cost = sum(flags[kind, v, t] for kind in ("load", "store") for v in n for t in times)
    model.Minimize(cost)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    status = solver.Solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return (round(solver.ObjectiveValue()) if found else None), status == cp_model.OPTIMAL


def against_cp_sat() -> Iterator[Row]:
    if find_spec("ortools") is None:
        print("  OR-Tools is not installed: no comparison with CP-SAT")
        return
    for name, red in CP_SAT:
        dag, rules = named(name), Rules(red=red)
        solution, seconds = timed(dag, rules)
        steps = sum(move.op != "delete" for move in solution.moves)  # tight: those of an optimal pebbling
        start = time.process_time()
        cost, proven = cp_sat(dag, rules, steps, CP_SECONDS)
        theirs = time.process_time() - start
        if proven and cost != solution.cost:
            raise SystemExit(f"{name}, M = {red}: {solution.cost}, but CP-SAT says {cost}")
        least = "" if proven else " (not finished: at least)"
        what = f"{name}, M = {red}, {seconds:.3f} s: CP-SAT's time{least}"
        yield Row(what, theirs / seconds, "x", ">= 10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--cp-sat", action="store_true")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit on the clock for each large instance")
    options = parser.parse_args()
    if options.small:
        every_small_dag()
    if options.large:
        large(options.seconds)
    if not (options.small or options.large):
        for row in rows() if not options.cp_sat else against_cp_sat():
            print(row, flush=True)


if __name__ == "__main__":
    main()
