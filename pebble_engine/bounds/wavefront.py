"""The wavefront bound of Elango et al. (2014), by minimum cuts, for games without recomputation.

When x has just been computed, let U be what has been computed so far: with a vertex it holds all its ancestors, and it
holds no descendant of x. A vertex of U that somebody outside U uses has its value in fast memory, at most M of them, or
in slow memory only. Each of the latter that is no input was stored and will be loaded again: two words beyond the first
load of every input and the one store of every output. (An output may be stored anyway, so outputs are not counted.) So

    I/O >= inputs + outputs + 2 max(0, max_x w(x) - M)

w(x) the least number of such vertices over all possible U, a minimum cut: split u into u1 -> u2 of capacity 1 (0 for
inputs and outputs); for an edge (u, v) put u2 -> v1 and v1 -> u1, unlimited; from x1 to the y1 of x's descendants.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble_engine.bounds.core import Bound, Core
from pebble_engine.bounds.flow import Network
from pebble_engine.rules import Rules

MOST_VERTICES = 2_000
MOST_STEPS = 1_500_000  # arcs looked at; then the best w(x) so far is the bound


def wavefront(core: Core, rules: Rules) -> Iterator[Bound]:
    """The bound, for DAGs that are not too large."""
    if len(core) > MOST_VERTICES:
        return
    widest = widest_wavefront(core, rules.red)
    if widest > rules.red:
        value = core.ends + 2 * (widest - rules.red)
        yield Bound("wavefront", value, "Elango et al., SPAA 2014", recompute=False)


def widest_wavefront(core: Core, above: int) -> int:
    """max over x of w(x), or `above` if it is no more; within MOST_STEPS, the widest found."""
    cuts = _Cuts(core)
    ceilings = [cuts.ceiling(x) for x in range(len(core))]
    best = above
    for x in sorted(range(len(core)), key=lambda x: (-ceilings[x], x)):
        if ceilings[x] <= best or cuts.network.steps > MOST_STEPS:
            break
        best = max(best, cuts.least(x))
    return best


class _Cuts:
    """The network. u1 is node 2 u, u2 is node 2 u + 1."""

    def __init__(self, core: Core) -> None:
        n = len(core)
        self.counts = [not (core.is_input[u] or core.is_output[u]) for u in range(n)]
        self.users = core.users
        self.after = [0] * n  # sets of descendants, as bits
        for u in reversed(range(n)):
            for v in core.users[u]:
                self.after[u] |= self.after[v] | 1 << v
        self.before = [0] * n
        for v in range(n):
            for u in core.operands[v]:
                self.before[v] |= self.before[u] | 1 << u
        self.network = Network(2 * n)
        unlimited = n + 1
        for u in range(n):
            if self.counts[u]:
                self.network.arc(2 * u, 2 * u + 1, 1)
            for v in core.users[u]:
                self.network.arc(2 * u + 1, 2 * v, unlimited)
                self.network.arc(2 * v, 2 * u, unlimited)

    def ceiling(self, x: int) -> int:
        """The lesser of two cuts that are easily seen: U = x and its ancestors, U = all but x's descendants."""
        low = self.before[x] | 1 << x
        rest = self.after[x]
        first = second = 0
        for u, counts in enumerate(self.counts):
            if counts:
                first += low >> u & 1 and any(not low >> v & 1 for v in self.users[u])
                second += not rest >> u & 1 and any(rest >> v & 1 for v in self.users[u])
        return min(first, second)

    def least(self, x: int) -> int:
        """w(x)."""
        return self.network.flow(2 * x, {2 * v for v in range(len(self.after)) if self.after[x] >> v & 1})
