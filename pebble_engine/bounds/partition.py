"""The bound of Hong & Kung (STOC 1981) by partitions, computed exactly on small DAGs; recomputation allowed.

Cut a pebbling into phases of M words moved, the last one shorter, and let V_i be the vertices that are computed in
phase i for the first time (computations whose value is never used are left out). V_1, ..., V_i together hold all their
ancestors that are no inputs. V_i is computed from what is red when the phase starts and what it loads: a dominator of
at most 2 M vertices. A vertex of V_i that no other one in V_i uses is red at the phase's end or stored in it, at most 2
M. Let H be the least number of parts of a partition with these properties: I/O >= M (H - 1).

Inputs are in no part here, which can only make H smaller. All sets that hold their ancestors are gone through, so this
is for DAGs with few vertices; where it would take too long, there is no bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble_engine.bounds.core import Bound, Core
from pebble_engine.bounds.flow import Network
from pebble_engine.rules import Rules

MOST_COMPUTED = 24  # vertices that are no inputs
MOST_PARTS = 20_000  # parts looked at
MOST_STEPS = 2_000_000  # arcs looked at in flows


def hong_kung(core: Core, rules: Rules) -> Iterator[Bound]:
    """The bound, for small DAGs."""
    parts = least_parts(core, 2 * rules.red)
    if parts is not None and parts > 1:
        yield Bound("hong-kung", rules.red * (parts - 1), "Hong & Kung, STOC 1981")


def least_parts(core: Core, size: int) -> int | None:
    """H(size), None where it would take too long."""
    computed = [v for v in range(len(core)) if not core.is_input[v]]
    if len(computed) > MOST_COMPUTED:
        return None
    search = _Parts(core, computed, size)
    whole = (1 << len(computed)) - 1
    level, seen, parts = {0}, {0}, 0
    while whole not in level:
        following: set[int] = set()
        for done in level:
            for more in search.extensions(done):
                if more not in seen:
                    seen.add(more)
                    following.add(more)
            if search.given_up:
                return None
        if not following:
            return None  # not even one more vertex is a part: more operands than `size`
        level = following
        parts += 1
    return parts


class _Parts:
    """Parts that may follow what is done. Sets of computed vertices are bits, by their position in `computed`."""

    def __init__(self, core: Core, computed: list[int], size: int) -> None:
        self.size, self.looked_at = size, 0
        place = {v: k for k, v in enumerate(computed)}
        self.computed = computed
        self.operands = [core.operands[v] for v in computed]
        self.needs = [sum(1 << place[u] for u in core.operands[v] if u in place) for v in computed]
        self.users = [sum(1 << place[w] for w in core.users[v]) for v in computed]
        self.known: dict[int, bool] = {}  # part -> whether a dominator of `size` exists
        # Vertex v is the arc from node 2 v to node 2 v + 1, of capacity 1; the source leads to every input.
        self.source = 2 * len(core)
        self.network = Network(2 * len(core) + 1)
        for v, operands in enumerate(core.operands):
            self.network.arc(2 * v, 2 * v + 1, 1)
            for u in operands:
                self.network.arc(2 * u + 1, 2 * v, len(core))
            if not operands:
                self.network.arc(self.source, 2 * v, len(core))

    @property
    def given_up(self) -> bool:
        """Whether it takes too long."""
        return self.looked_at > MOST_PARTS or self.network.steps > MOST_STEPS

    def extensions(self, done: int) -> Iterator[int]:
        """All sets that one more part leads to."""
        stack, seen = [done], {done}
        while stack:
            now = stack.pop()
            for k, needs in enumerate(self.needs):
                more = now | 1 << k
                if more == now or needs & ~now or more in seen:
                    continue
                seen.add(more)
                self.looked_at += 1
                if self.given_up:
                    return
                part = more & ~done
                if not self._dominated(part):
                    continue  # nor is any larger one
                stack.append(more)
                ends = sum(1 for j, users in enumerate(self.users) if part >> j & 1 and not users & part)
                if ends <= self.size:
                    yield more

    def _dominated(self, part: int) -> bool:
        """Whether at most `size` vertices lie on every path from an input to the part."""
        if part not in self.known:
            members = [k for k in range(len(self.computed)) if part >> k & 1]
            vertices = {self.computed[k] for k in members}
            border = {u for k in members for u in self.operands[k]} - vertices
            self.known[part] = (
                min(len(members), len(border)) <= self.size
                or self.network.flow(self.source, {2 * v + 1 for v in vertices}, self.size) <= self.size
            )
        return self.known[part]
