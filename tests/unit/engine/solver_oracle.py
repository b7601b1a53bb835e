"""A solver that is obviously right: Dijkstra over single moves. And every small DAG to compare it on."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from pebble_engine import PebbleDag, Rules, attention_backward, butterfly, matmul, pyramid, summation_tree

OPTIMAL: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data" / "optimal.json").read_text())


def literal_optimum(dag: PebbleDag, rules: Rules, most_states: int = 10**7) -> tuple[int | None, int]:
    """(cost of an optimal pebbling, states expanded); None where there is none, or where states run out."""
    operands = [sum(1 << u for u in preds) for preds in dag.predecessors]
    start = (0, sum(1 << v for v in dag.inputs), 0)  # red, blue, computed once
    goal = sum(1 << v for v in dag.outputs)
    best = {start: 0}
    queue = [(0, start)]
    expanded = 0
    while queue:
        cost, state = heapq.heappop(queue)
        if cost > best[state]:
            continue
        red, blue, computed = state
        if not goal & ~blue:
            return cost, expanded
        expanded += 1
        if expanded > most_states:
            break
        room = red.bit_count() < rules.red
        after: list[tuple[int, tuple[int, int, int]]] = []
        for v in range(len(dag)):
            bit = 1 << v
            if red & bit:
                after.append((0, (red ^ bit, blue, computed)))
                if not blue & bit:
                    after.append((1, (red, blue | bit, computed)))
                continue
            if blue & bit and room:
                after.append((1, (red | bit, blue, computed)))
            if operands[v] and not operands[v] & ~red and (rules.recompute or not computed & bit):
                once = computed if rules.recompute else computed | bit
                if room:
                    after.append((0, (red | bit, blue, once)))
                if rules.sliding:
                    after += [(0, (red ^ 1 << u | bit, blue, once)) for u in dag.predecessors[v]]
        for price, reached in after:
            if cost + price < best.get(reached, 10**9):
                best[reached] = cost + price
                heapq.heappush(queue, (cost + price, reached))
    return None, expanded


@cache
def small_dags(vertices: int) -> tuple[PebbleDag, ...]:
    """Every DAG of this many vertices up to isomorphism, with all sets of outputs that have every sink in them."""
    pairs = [(u, v) for v in range(vertices) for u in range(v)]
    orders = list(permutations(range(vertices)))
    seen: set[frozenset[tuple[int, int]]] = set()
    found: list[PebbleDag] = []
    for edges in _subsets(pairs):
        shape = frozenset(edges)
        if shape in seen:
            continue
        seen.update(frozenset((order[u], order[v]) for u, v in edges) for order in orders)
        used = {u for u, _ in edges}
        ends = [v for v in range(vertices) if v not in used]
        found += [
            PebbleDag([f"v{v}" for v in range(vertices)], edges, [*ends, *more]) for more in _subsets(sorted(used))
        ]
    return tuple(found)


def _subsets(items: list[Any]) -> Iterator[tuple[Any, ...]]:
    for size in range(len(items) + 1):
        yield from combinations(items, size)


def every_rule(dag: PebbleDag) -> Iterator[Rules]:
    """All rule variants, with every M from 1 up to more than can be of use."""
    for red in range(1, len(dag) + 2):
        for sliding in (False, True):
            for recompute in (False, True):
                yield Rules(red=red, sliding=sliding, recompute=recompute)


def named(name: str) -> PebbleDag:
    """The DAG that a name in optimal.json stands for."""
    kind = next(kind for kind in _KINDS if name.startswith(kind))
    return _KINDS[kind](*map(int, re.findall(r"\d+", name)))


_KINDS = {
    "sum-tree": summation_tree,
    "pyramid": pyramid,
    "butterfly": butterfly,
    "matmul chain": matmul,
    "attention backward chain": lambda rows, columns, d: attention_backward(n_q=rows, n_k=columns, d=d),
}
