"""A legal pebbling in no time: each vertex computed once, in depth-first order, the value next used last leaves first.

It is where the search starts from, and what it falls back on. Legal in every rule variant.
"""

from __future__ import annotations

from pebble_engine.solver.problem import Problem, bits
from pebble_engine.solver.space import Log


def greedy(problem: Problem) -> tuple[Log, int]:
    """What happens, in the problem's vertex numbers, and its cost."""
    order = _order(problem)
    uses: list[list[int]] = [[] for _ in range(len(problem))]  # times of use, latest first
    for at in range(len(order) - 1, -1, -1):
        for u in bits(problem.operands[order[at]]):
            uses[u].append(at)

    log: Log = []
    cost = 0
    red: set[int] = set()
    blue = set(bits(problem.inputs))

    def make_room(keep: int, room: int) -> None:
        nonlocal cost
        while len(red) > room:
            # A dead value first; else the one used last; of those, one that need not be stored.
            u = max(
                (u for u in red if not keep >> u & 1),
                key=lambda u: (not uses[u], uses[u][-1] if uses[u] else 0, u in blue),
            )
            if uses[u] and u not in blue:
                log.append(("store", u, -1))
                blue.add(u)
                cost += 1
            log.append(("delete", u, -1))
            red.remove(u)

    for v in order:
        operands = problem.operands[v]
        for u in bits(operands):
            if u not in red:
                make_room(operands, problem.red - 1)
                log.append(("load", u, -1))
                red.add(u)
                cost += 1
        for u in bits(operands):
            uses[u].pop()
        if len(red) == problem.red and problem.sliding and not any(not uses[u] for u in red):
            # No dead value: slide, or make room beside the operands, whichever gives up the value that is used last.
            last = max(red, key=lambda u: (uses[u][-1], u in blue))
            if operands >> last & 1 or len(red) == operands.bit_count():
                u = max(bits(operands), key=lambda u: (uses[u][-1], u in blue))
                if u not in blue:
                    log.append(("store", u, -1))
                    blue.add(u)
                    cost += 1
                log.append(("slide", v, u))
                red.remove(u)
            else:
                make_room(operands, problem.red - 1)
                log.append(("compute", v, -1))
        else:
            dead = next((u for u in bits(operands) if not uses[u]), None)
            if problem.sliding and dead is not None:
                log.append(("slide", v, dead))
                red.remove(dead)
            else:
                make_room(operands, problem.red - 1)
                log.append(("compute", v, -1))
        red.add(v)
        if problem.outputs >> v & 1:
            log.append(("store", v, -1))
            blue.add(v)
            cost += 1
        for u in [u for u in red if not uses[u]]:
            log.append(("delete", u, -1))
            red.remove(u)
    return log, cost


def _order(problem: Problem) -> list[int]:
    """Computed vertices depth first: each right after what it still needs."""
    order: list[int] = []
    done = problem.inputs
    for output in bits(problem.outputs):
        stack = [output]
        while stack:
            v = stack[-1]
            if done >> v & 1:
                stack.pop()
                continue
            waiting = problem.operands[v] & ~done
            if waiting:
                stack.extend(bits(waiting))
            else:
                stack.pop()
                done |= 1 << v
                order.append(v)
    return order
