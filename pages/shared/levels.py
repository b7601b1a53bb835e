"""The levels of the Play page, in order, and the best that is known for each. Knows nothing of Streamlit.

What a level is (its DAG and rules) stands here; what is known about it (par, whether that is proven, a solution) was
computed and stands in ``assets/data/levels.json``. Anyone can compute it again:

    python -m pages.shared.levels            # check every stored solution, and say what is known
    python -m pages.shared.levels --write    # solve every level (minutes) and write the file
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pages.shared.naming import naming
from pebble_engine import (
    Move,
    PebbleDag,
    Pebbling,
    Rules,
    attention_backward,
    chain,
    matmul,
    pyramid,
    replay,
    summation_tree,
)
from pebble_engine.bounds import bounds
from pebble_engine.bounds.core import Core
from pebble_engine.solver import Solution, solve

DATA = Path(__file__).resolve().parents[2] / "assets" / "data" / "levels.json"
OWN = "own"  # the id that stands for the reader's own DAG
Operands = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Plan:
    """A level as it was thought out: its DAG, its rules, and how the board shows it (``layers`` or ``matrices``)."""

    id: str
    dag: Callable[[], PebbleDag]
    red: int
    sliding: bool = False
    view: str = "layers"

    @property
    def rules(self) -> Rules:
        return Rules(self.red, sliding=self.sliding)


@dataclass(frozen=True)
class Level:
    """A level with what is known about it.

    Attributes
    ----------
    par : I/O of the best pebbling known, words; 0 when none is (the reader's own DAG, not solved)
    proven : whether no pebbling moves fewer words
    bound, bound_kind : a lower bound, words, and which one: a name in `pebble_engine.bounds`, or ``search`` (the
        solver's, where it has not proven par and its bound is above theirs)
    solution : a pebbling that moves `par` words
    """

    id: str
    dag: PebbleDag
    rules: Rules
    view: str
    par: int
    proven: bool
    bound: int
    bound_kind: str
    solution: tuple[Move, ...]


def running_sum(letters: str) -> PebbleDag:
    """Numbers added one after the other: ((a + b) + c) + ..."""
    dag: Operands = {letters[0]: ()}
    total = letters[0]
    for letter in letters[1:]:
        dag[letter] = ()
        dag[f"{total}+{letter}"] = (total, letter)
        total = f"{total}+{letter}"
    return PebbleDag.of(dag, name=f"running sum {len(letters)}")


def tree_sum(letters: str) -> PebbleDag:
    """Numbers added in pairs, then the pairs: the summation tree, with labels that say what they hold."""
    tree = summation_tree(len(letters))
    names: list[str] = []
    for v, operands in enumerate(tree.predecessors):
        names.append("+".join(names[u] for u in operands) if operands else letters[v])
    names = [name if len(name) <= 7 else f"{name[0]}+\u2026+{name[-1]}" for name in names]
    return PebbleDag(names, tree.edges, tree.outputs, name=tree.name)


def used_twice() -> PebbleDag:
    """A value made from one input alone is needed early and late; between, there is no room for it."""
    return PebbleDag.of(
        {
            "x": (),
            "f(x)": ("x",),
            "a": (),
            "f(x)+a": ("f(x)", "a"),
            "b": (),
            "p": ("f(x)+a", "b"),
            "p+f(x)": ("p", "f(x)"),
        },
        name="used twice",
    )


def score_entry(d: int) -> PebbleDag:
    """One entry of dS in the backward pass: two inner products of length d, then P (dP - D)."""
    whole = attention_backward(1, d)
    dag: Operands = {}

    def add(v: int) -> None:  # operands first, so that the board's layers are in the order of their use
        for u in whole.predecessors[v]:
            if whole.labels[u] not in dag:
                add(u)
        dag[whole.labels[v]] = tuple(whole.labels[u] for u in whole.predecessors[v])

    add(whole.index("dS[0,0]"))
    return PebbleDag.of(dag, name=f"one entry of dS, d={d}")


PLANS = (
    Plan("sum", lambda: running_sum("ab"), red=3),
    Plan("delete", lambda: running_sum("abc"), red=3),
    Plan("order", lambda: tree_sum("abcd"), red=4),
    Plan("recompute", used_twice, red=3),
    Plan("spill", lambda: tree_sum("abcd"), red=3),
    Plan("slide", lambda: chain(4), red=1, sliding=True),
    Plan("outer-5", lambda: matmul(2, 2, 1), red=5),
    Plan("outer-4", lambda: matmul(2, 2, 1), red=4),
    Plan("pyramid-2", lambda: pyramid(2), red=3),
    Plan("pyramid-3", lambda: pyramid(3), red=4),
    Plan("pyramid-3-slide", lambda: pyramid(3), red=3, sliding=True),
    Plan("tree-8", lambda: tree_sum("abcdefgh"), red=3),
    Plan("entry", lambda: score_entry(2), red=4),
    Plan("backward-1-1", lambda: attention_backward(1, 1), red=4, sliding=True, view="matrices"),
    Plan("backward-1-2", lambda: attention_backward(1, 2), red=5, sliding=True, view="matrices"),
    Plan("backward-2-1", lambda: attention_backward(2, 1), red=11, sliding=True, view="matrices"),
    Plan("challenge", lambda: attention_backward(2, 1), red=8, sliding=True, view="matrices"),
)
LEVEL_IDS = tuple(plan.id for plan in PLANS)


def ends(dag: PebbleDag) -> int:
    """Inputs that some output needs, and outputs, in words: what every pebbling moves at least."""
    return Core(dag).ends


def best_bound(dag: PebbleDag, rules: Rules, searched: int = 0) -> tuple[int, str]:
    """The best lower bound that holds for these rules, words, and its name; `searched` is what a search has proven.

    >>> best_bound(chain(4), Rules(1, sliding=True)), best_bound(chain(4), Rules(1, sliding=True), searched=3)
    ((2, 'trivial'), (3, 'search'))
    """
    best = max(bounds(dag, rules), key=lambda bound: bound.words)  # of equal ones the first, the simplest
    return (searched, "search") if searched > best.words else (best.words, best.name)


@cache
def levels() -> dict[str, Level]:
    """Every level by its id, in order."""
    with naming(DATA):
        known = json.loads(DATA.read_text(encoding="utf-8"))
    return {plan.id: _with(plan, known[plan.id]) for plan in PLANS}


def _with(plan: Plan, known: dict[str, Any]) -> Level:
    dag, searched = plan.dag(), 0 if known["proven"] else known["bound"]
    bound, kind = best_bound(dag, plan.rules, searched)
    return Level(
        id=plan.id,
        dag=dag,
        rules=plan.rules,
        view=plan.view,
        par=known["par"],
        proven=known["proven"],
        bound=bound,
        bound_kind=kind,
        solution=tuple(map(Move.parse, known["moves"])),
    )


def solved(plan: Plan, seconds: float) -> dict[str, Any]:
    """What the solver finds out about a level within a time limit, as it is stored."""
    solution = solve(plan.dag(), plan.rules, time_limit=seconds, max_states=3_000_000)
    return {
        "red": plan.red,
        "par": solution.cost,
        "proven": solution.proved,
        "bound": solution.lower_bound,
        "made_by": solution.pebbling.made_by,
        "moves": [str(move) for move in up_to_the_goal(solution)],
    }


def up_to_the_goal(pebbling: Solution) -> list[Move]:
    """The moves without those that follow the last store."""
    last = max(at for at, move in enumerate(pebbling.moves) if move.op == "store")
    return list(pebbling.moves[: last + 1])


def better(new: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
    """The better solution and the better bound of two runs: a proof is never lost to a slower machine."""
    if old is None or old.get("red") != new.get("red"):
        return new
    best = new if new["par"] <= old["par"] else old
    bound = max(new["bound"], old["bound"])
    return best | {"bound": bound, "proven": best["par"] == bound}


def check(level: Level) -> str:
    """Replay a stored solution; what is known as a line of text. Raises AssertionError."""
    played = replay(Pebbling(level.dag, level.rules, level.solution))
    assert (played.is_solved, played.io) == (True, level.par), f"{level.id}: the stored solution does not make its par"
    kind = "proven optimum" if level.proven else f"best known, at least {level.bound}"
    size = f"{len(level.dag)} vertices, M = {level.rules.red}{', sliding' if level.rules.sliding else ''}"
    return f"{level.id:16} {size:32} par {level.par:3}  {kind}, {len(level.solution)} moves"


def main(arguments: Iterable[str] | None = None) -> int:
    """Check the stored levels; with ``--write``, solve them first."""
    parser = argparse.ArgumentParser(prog="python -m pages.shared.levels", description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="solve and write assets/data/levels.json")
    parser.add_argument("--seconds", type=float, default=600, help="time limit of each level (default 600)")
    parser.add_argument("--only", nargs="*", choices=LEVEL_IDS, help="only these levels")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.write:
        known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
        for plan in PLANS:
            if options.only and plan.id not in options.only:
                continue
            found = solved(plan, options.seconds)
            known[plan.id] = better(found, known.get(plan.id))
            print(f"{plan.id}: {known[plan.id]['par']}, proven {known[plan.id]['proven']}", file=sys.stderr)
            ordered = {each.id: known[each.id] for each in PLANS if each.id in known}
            DATA.write_text(json.dumps(ordered, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        if set(known) != set(LEVEL_IDS):
            return 0
    for level in levels().values():
        print(check(level))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
