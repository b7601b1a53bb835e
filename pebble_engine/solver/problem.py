"""A DAG and its rules in the form that the search works on: sets of vertices are the bits of Python ints.

Vertices are numbered topologically, so an operand's bit is lower than its result's. Vertices that no output needs are
left out: a pebbling that touches one stays legal, and costs no more, when every move on it is struck out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pebble_engine.dag import PebbleDag
from pebble_engine.errors import PebbleError, listed
from pebble_engine.rules import Rules


class DoesNotFit(PebbleError):
    """There is no pebbling at all: M red pebbles cannot hold the operands of some vertex and the vertex itself.

    Attributes
    ----------
    reason : `does_not_fit`
    vertices : labels of the vertices with too many operands
    red, least : the number of red pebbles asked for, and the least that would do
    """

    def __init__(self, vertices: tuple[str, ...], red: int, least: int) -> None:
        are = "needs" if len(vertices) == 1 else "need"
        super().__init__(f"{listed(vertices)} {are} more than {red} red pebbles at once; at least {least} would do")
        self.reason = "does_not_fit"
        self.vertices = vertices
        self.red = red
        self.least = least


class Problem:
    """A DAG, pruned and numbered topologically, with a rule set.

    Attributes
    ----------
    dag, rules : as given
    vertices : number here -> number in the DAG
    operands, users : for each vertex the set of its operands, of its direct successors
    inner : the computed vertices, ascending (operands first)
    inputs, outputs : sets; an output that is an input is blue from the start and is no output here
    everything : the set of all vertices
    """

    def __init__(self, dag: PebbleDag, rules: Rules) -> None:
        self.dag, self.rules = dag, rules
        needed = set(dag.outputs)
        todo = list(needed)
        while todo:
            for u in dag.predecessors[todo.pop()]:
                if u not in needed:
                    needed.add(u)
                    todo.append(u)
        self.vertices = [v for v in dag.order if v in needed]
        numbers = {v: i for i, v in enumerate(self.vertices)}
        self.operands = [mask(numbers[u] for u in dag.predecessors[v]) for v in self.vertices]
        self.users = [0] * len(self.vertices)
        for v, operands in enumerate(self.operands):
            for u in bits(operands):
                self.users[u] |= 1 << v
        self.inner = [v for v, operands in enumerate(self.operands) if operands]
        self.everything = (1 << len(self.vertices)) - 1
        self.inputs = self.everything & ~mask(self.inner)
        self.outputs = mask(numbers[v] for v in dag.outputs) & ~self.inputs
        self.red = rules.red
        self.sliding = rules.sliding
        self.recompute = rules.recompute
        self._refuse_small_memory(dag)

    def __len__(self) -> int:
        return len(self.vertices)

    def _refuse_small_memory(self, dag: PebbleDag) -> None:
        """A pebbling exists if every vertex fits together with its operands: compute and store one after another."""
        own = 0 if self.sliding else 1
        wide = [v for v in self.inner if self.operands[v].bit_count() + own > self.red]
        if wide:
            least = max(self.operands[v].bit_count() for v in wide) + own
            raise DoesNotFit(tuple(dag.labels[self.vertices[v]] for v in wide), self.red, least)


def mask(vertices: Iterator[int] | Sequence[int]) -> int:
    """The set of some vertices."""
    found = 0
    for v in vertices:
        found |= 1 << v
    return found


def bits(vertices: int) -> Iterator[int]:
    """The members of a set, ascending."""
    while vertices:
        low = vertices & -vertices
        yield low.bit_length() - 1
        vertices ^= low
