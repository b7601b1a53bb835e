"""Maximum flows in small networks, by shortest augmenting paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Container


class Network:
    """A network that many flows are asked of. Arc a's reverse is arc a ^ 1.

    >>> network = Network(4)
    >>> for start, end in [(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)]:
    ...     network.arc(start, end, 1)
    >>> network.flow(0, {3}), network.flow(1, {3}), network.flow(0, {3}, most=0)
    (2, 2, 1)
    """

    def __init__(self, nodes: int) -> None:
        self.steps = 0  # arcs looked at so far
        self._ends: list[int] = []  # arc -> the node it goes to
        self._room: list[int] = []  # arc -> capacity
        self._arcs: list[list[int]] = [[] for _ in range(nodes)]

    def arc(self, start: int, end: int, room: int) -> None:
        """An arc with a capacity."""
        for tail, head, capacity in ((start, end, room), (end, start, 0)):
            self._arcs[tail].append(len(self._ends))
            self._ends.append(head)
            self._room.append(capacity)

    def flow(self, source: int, sinks: Container[int], most: int | None = None) -> int:
        """The maximum flow, which is the minimum cut; `most` + 1 stands for all that is above `most`."""
        room = self._room.copy()
        flow = 0
        while most is None or flow <= most:
            came = {source: -1}  # node -> the arc by which it was reached
            node = self._search(source, sinks, room, came)
            if node is None:
                break
            flow += 1
            while came[node] >= 0:
                arc = came[node]
                room[arc] -= 1
                room[arc ^ 1] += 1
                node = self._ends[arc ^ 1]
        return flow

    def _search(self, source: int, sinks: Container[int], room: list[int], came: dict[int, int]) -> int | None:
        """The sink that is nearest with room left, and in `came` how it was reached."""
        queue = deque([source])
        while queue:
            node = queue.popleft()
            for arc in self._arcs[node]:
                self.steps += 1
                head = self._ends[arc]
                if room[arc] and head not in came:
                    came[head] = arc
                    if head in sinks:
                        return head
                    queue.append(head)
        return None
