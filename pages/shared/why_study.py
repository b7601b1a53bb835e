"""What the proof page shows of a run: its phases, what each of them sees and makes, and the sum. Knows no Streamlit.

The argument is `kernels_ref.bounds`, 4 ("scores"), with phases of M words. A: the dominator, red at a phase's start or
loaded in it; E: its minimum set (`pebble_engine.phases`); |A or E| <= 3M. In it are q, k, o, v words of Q, K,
dO, V, and words that are *private* to e pairs (i, j): of S[i,j], P[i,j], dP[i,j], dS[i,j]. For S and dP it multiplies

* for a pair without private words only if all 2d words of Q[i,:] and K[j,:] (dO[i,:] and V[j,:]) are in A: no more than
  q k / d + o v / d products;
* for the e other pairs no more than sqrt(e q k) + sqrt(e o v), by Loomis and Whitney.

Whatever the words are, this is at most G(3M) (`most_products`).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels_ref import count, pebble
from kernels_ref.bounds import RULES, SAFE, Problem, most_products, rounded_down
from kernels_ref.sizes import Shape
from pages.shared.apart import Limits, apart, once
from pages.shared.levels import levels
from pages.shared.settings import ALGORITHM_IDS
from pages.shared.unfinished import wanted
from pebble_engine import Move, Pebbling, Rules, attention_backward, pebble_order, solve
from pebble_engine.phases import Phase, phases
from pebble_engine.solver import Solution

SCORES_ALPHA = 1 / 4  # of `kernels_ref.bounds`, 4
PRIVATE = ("S", "P", "dP", "dS")
MULTIPLIED = ("S", "dP")
LEAST_ORDER = 3  # a sum, and the two factors of its next term: with sliding, no vertex needs more
SOLVER_STATES = 20_000
SOLVER_LIMITS = Limits(seconds=120, memory=1 << 30)
SOLVER_RED = 12  # from here on the solver is quick at n = 2, d = 1


@dataclass(frozen=True)
class PhaseFacts:
    """Numbers of one phase: words seen, products made, and the most that its own words allow."""

    phase: Phase
    seen: int  # |A or E|
    words: dict[str, int]  # of Q, K, dO, V in A
    pairs: int  # e
    products: int
    allowed: int


@dataclass(frozen=True)
class Sum:
    """The sum of the proof for one n, d, M. All but `products` are bounds.

    Attributes
    ----------
    products : multiplications of S and dP, 2 n^2 d
    cap : the most of them in a phase of M words
    phases : the least number of phases
    words : M (phases - 1)
    floor : inputs + outputs
    """

    products: int
    cap: int
    phases: int
    words: int
    floor: int


def the_sum(n: int, d: int, memory: int) -> Sum:
    """The sum, in whole numbers.

    >>> the_sum(8, 2, 14)
    Sum(products=256, cap=230, phases=2, words=14, floor=128)
    """
    products, cap = 2 * n * n * d, most_in_a_phase(d, memory)
    least = -(-products // cap)
    return Sum(products, cap, least, memory * (least - 1), 7 * n * d + 2 * n)


def most_in_a_phase(d: int, memory: int) -> int:
    """G(3M), rounded down: the most products of S and dP in a phase of M words."""
    found = float(most_products(np.array([3.0 * memory]), d, SCORES_ALPHA)[0])
    return max(1, math.floor(found / SAFE))


def least_memory(run: str, n: int, d: int) -> int | None:
    """Fewest red pebbles with which the page can show this run; None where it cannot at any M."""
    if run in ALGORITHM_IDS:
        return count(run, n=n, d=d, memory=1).least_memory
    if run == "order" or (n == 1 and d <= 3):
        return LEAST_ORDER
    return 11 if (n, d) == (2, 1) else None


def pebbling_of(run: str, n: int, d: int, memory: int) -> Pebbling:
    """The pebbling that is cut: a kernel's run, a plain order with good evictions, or a proven optimum."""
    if run in ALGORITHM_IDS:
        return pebble(run, n=n, d=d, memory=memory)
    dag, rules = attention_backward(n, d), Rules(memory, sliding=True)
    if run == "order":
        return pebble_order(dag, rules)
    known = optimum(n, d, memory)
    if known is None:
        raise ValueError(f"no optimum is known for n = {n}, d = {d}, M = {memory}")
    return Pebbling(dag, rules, known, made_by="solver")


@once(64, wanted)  # what one reader has found, the others need not look for
def _optimum(n: int, d: int, memory: int) -> tuple[Move, ...]:
    dag, rules = attention_backward(n, d), Rules(memory, sliding=True)
    level = levels()["backward-2-1"]
    if (n, d, memory) == (2, 1, level.rules.red) and level.proven:
        return level.solution
    # At n = 2 it takes a second, so apart from the pages; there are twenty such M.
    asked: dict[str, Any] = {"dag": dag, "rules": rules, "max_states": SOLVER_STATES, "must_prove": True}
    found: Solution = solve(**asked) if n == 1 else apart("pebble_engine:solve", asked, SOLVER_LIMITS, wanted)
    return found.moves


def optimum(n: int, d: int, memory: int) -> tuple[Move, ...] | None:
    """A pebbling that is proven to move the fewest words, where the project has one or the solver is quick."""
    return _optimum(n, d, min(memory, len(attention_backward(n, d)))) if has_optimum(n, d, memory) else None


def has_optimum(n: int, d: int, memory: int) -> bool:
    """Whether `optimum` finds one."""
    least = least_memory("optimum", n, d)
    return least is not None and memory >= least


def facts_of(pebbling: Pebbling, d: int) -> list[PhaseFacts]:
    """Every phase with its numbers."""
    dag = pebbling.dag
    owner = [place.tensor for place in dag.places]
    pair = [(place.row, place.column) if place.tensor in PRIVATE else None for place in dag.places]
    found = []
    for phase in phases(pebbling):
        seen = {*phase.dominator, *phase.minimum}
        tensors = Counter(owner[v] for v in seen)
        words = {name: tensors[name] for name in ("Q", "K", "dO", "V")}
        pairs = len({pair[v] for v in seen} - {None})
        products = sum(owner[v] in MULTIPLIED for v in phase.computed)
        found.append(PhaseFacts(phase, len(seen), words, pairs, products, allowed(words, pairs, d)))
    return found


def allowed(words: dict[str, int], pairs: int, d: int) -> int:
    """The most products of S and dP for these words of Q, K, dO, V and so many pairs with private words.

    >>> allowed({"Q": 4, "K": 4, "dO": 0, "V": 0}, 0, 2), allowed({"Q": 4, "K": 4, "dO": 0, "V": 0}, 4, 2)
    (8, 16)
    """
    qk, ov = words["Q"] * words["K"], words["dO"] * words["V"]
    root = math.sqrt(pairs) * (math.sqrt(qk) + math.sqrt(ov))
    return math.floor(((qk + ov) / d + root) / SAFE)


def lower_bounds_of(n: int, d: int, memory: int) -> dict[str, int]:
    """Every bound with explicit constants for the QKV form by its name, in words; inputs + outputs first.

    Unlike in `kernels_ref.bounds.all_bounds` each is what it says by itself, below inputs + outputs or not.
    """
    at = Problem.of("qkv", Shape(n, n, d, d))
    at_memory = np.array([float(memory)])
    proven = {rule.name: rounded_down(rule.words(at, at_memory))[0] for rule in RULES if rule.holds(at)}
    return {"floor": at.inputs + at.outputs} | proven
