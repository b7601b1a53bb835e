"""Computation DAGs: the graphs that pebble games are played on.

A vertex is one word of data. A vertex without predecessors is an input; every other vertex is computed from its
predecessors, its operands, in one step. Outputs are the vertices whose values must end in slow memory.

People name vertices by label (`S[0,1]#2`); the inner loops of this package use the vertex's number, its index in
`PebbleDag.labels`. A label of the form `tensor[row]`, `tensor[row,column]` or either with `#step` also says where the
vertex belongs on a board (`PebbleDag.places`), so a DAG that was read from a file is drawn like the one written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import index as as_integer
from typing import NamedTuple

import networkx as nx

from pebble_engine.errors import DagFault, InvalidDag, listed

MAX_VERTICES = 100_000
MAX_EDGES = 1_000_000
MAX_LABEL = 120  # characters

_CELL = re.compile(r"(?P<tensor>[^\[\]#]+)\[(?P<row>\d{1,9})(?:,(?P<column>\d{1,9}))?\](?:#(?P<step>\d{1,9}))?")


class Place(NamedTuple):
    """Where a vertex belongs on a board: a cell of a tensor, and its position in the cell's chain of partial sums."""

    tensor: str  # "" for vertices whose label names no cell
    row: int
    column: int
    step: int  # from 0
    steps: int  # length of the chain in this cell, 1 for a plain entry


class PebbleDag:
    """An immutable computation DAG.

    Parameters
    ----------
    labels : one label a vertex: printable, not empty, all different
    edges : pairs of vertex numbers (operand, result)
    outputs : vertex numbers
    inputs : vertex numbers; where given, they must be exactly the vertices without predecessors
    name : what the DAG is called

    Attributes
    ----------
    labels : tuple of str, vertex number -> label
    predecessors, successors : tuple of tuples of vertex numbers, predecessors in the order in which edges were given
    inputs, outputs : tuples of vertex numbers, in vertex order
    order : tuple of vertex numbers, a topological order

    Raises
    ------
    InvalidDag : with the faults in `.faults`

    Examples
    --------
    >>> dag = PebbleDag.of({"a": (), "b": (), "a+b": ("a", "b")}, outputs=["a+b"], name="sum")
    >>> dag
    PebbleDag('sum', 3 vertices, 2 edges, 2 inputs, 1 output)
    >>> dag.predecessors[dag.index("a+b")]
    (0, 1)
    """

    name: str
    labels: tuple[str, ...]
    predecessors: tuple[tuple[int, ...], ...]
    successors: tuple[tuple[int, ...], ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    order: tuple[int, ...]

    def __init__(
        self,
        labels: Sequence[str],
        edges: Iterable[tuple[int, int]],
        outputs: Iterable[int],
        *,
        inputs: Iterable[int] | None = None,
        name: str = "",
    ) -> None:
        self.name = name
        self.labels = tuple(labels)
        edges, outputs = list(edges), list(outputs)
        inputs = None if inputs is None else list(inputs)
        _refuse(_label_faults(self.labels, len(edges)))
        _refuse(_edge_faults(self.labels, edges))

        predecessors: list[list[int]] = [[] for _ in self.labels]
        successors: list[list[int]] = [[] for _ in self.labels]
        for u, v in edges:
            predecessors[v].append(u)
            successors[u].append(v)
        self.predecessors = tuple(map(tuple, predecessors))
        self.successors = tuple(map(tuple, successors))
        _refuse(_end_faults(self, inputs, outputs))

        self.inputs = tuple(v for v, operands in enumerate(self.predecessors) if not operands)
        self.outputs = tuple(sorted(outputs))
        self.order = tuple(self._topological_order())
        self._numbers = {label: v for v, label in enumerate(self.labels)}

    @classmethod
    def of(
        cls, operands: Mapping[str, Iterable[str]], outputs: Iterable[str] | None = None, name: str = ""
    ) -> PebbleDag:
        """A DAG from label -> labels of its operands. Without `outputs`, the vertices that nothing uses are outputs.

        >>> PebbleDag.of({"a": (), "b": ("a",), "c": ("b", "x")})
        Traceback (most recent call last):
        ...
        pebble_engine.errors.InvalidDag: c has the operand x, which is not a vertex
        """
        numbers = {label: v for v, label in enumerate(operands)}
        edges: list[tuple[int, int]] = []
        faults: list[DagFault] = []
        for label, names in operands.items():
            for operand in names:
                if operand in numbers:
                    edges.append((numbers[operand], numbers[label]))
                else:
                    sentence = f"{label} has the operand {operand}, which is not a vertex"
                    faults.append(DagFault("unknown_vertex", sentence, {"vertex": operand, "edge": [operand, label]}))
        used = {u for u, _ in edges}
        ends = [label for label in operands if numbers[label] not in used] if outputs is None else list(outputs)
        faults += [_unknown_output(label) for label in ends if label not in numbers]
        _refuse(faults)
        return cls(tuple(operands), edges, [numbers[label] for label in ends], name=name)

    def index(self, label: str) -> int:
        """The number of the vertex with this label. Raises KeyError."""
        return self._numbers[label]

    @property
    def numbers(self) -> Mapping[str, int]:
        """Label -> vertex number."""
        return self._numbers

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self._numbers

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs (operand, result), result by result."""
        return tuple((u, v) for v, operands in enumerate(self.predecessors) for u in operands)

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """The same DAG as a frozen networkx.DiGraph over labels."""
        graph: nx.DiGraph[str] = nx.DiGraph(name=self.name)
        graph.add_nodes_from(self.labels)
        graph.add_edges_from((self.labels[u], self.labels[v]) for u, v in self.edges)
        nx.freeze(graph)
        return graph

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where each vertex belongs on a board, from its label.

        A vertex whose label names no cell, or a cell that is taken, goes to the tensor `""`: row = its depth (longest
        path from an input), column = its turn at that depth.
        """
        wanted = [_cell(label, len(self)) for label in self.labels]
        chains: dict[tuple[str, int, int], list[int]] = {}
        for cell in wanted:
            if cell is not None:
                chains.setdefault(cell[:3], []).append(cell[3])
        whole = {cell for cell, steps in chains.items() if sorted(steps) == list(range(len(steps)))}
        taken: Counter[int] = Counter()
        places: list[Place] = []
        for v, cell in enumerate(wanted):
            if cell is not None and cell[:3] in whole:
                places.append(Place(*cell, steps=len(chains[cell[:3]])))
            else:
                row = self.depths[v]
                places.append(Place("", row, taken[row], 0, 1))
                taken[row] += 1
        return tuple(places)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Length of the longest path from an input, vertex by vertex."""
        depths = [0] * len(self)
        for v in self.order:
            depths[v] = max((depths[u] + 1 for u in self.predecessors[v]), default=0)
        return tuple(depths)

    def _topological_order(self) -> list[int]:
        """Kahn's algorithm; names a cycle where there is one."""
        waiting = [len(operands) for operands in self.predecessors]
        order = [v for v, operands in enumerate(waiting) if not operands]
        for u in order:  # grows while it is walked
            for v in self.successors[u]:
                waiting[v] -= 1
                if not waiting[v]:
                    order.append(v)
        if len(order) < len(self):
            stuck = nx.DiGraph((u, v) for u, v in self.edges if waiting[u] and waiting[v])
            cycle = [self.labels[u] for u, _ in nx.find_cycle(stuck)]
            raise InvalidDag(
                DagFault("cycle", f"there is a cycle: {' -> '.join([*cycle, cycle[0]])}", {"cycle": cycle})
            )
        return order

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, PebbleDag):
            return NotImplemented
        return self._content == other._content

    def __hash__(self) -> int:
        return self._hash

    @property
    def _content(self) -> tuple[object, ...]:
        return (self.name, self.labels, self.predecessors, self.outputs)

    @cached_property
    def _hash(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        sizes = [(len(self), "vertex", "vertices"), (len(self.edges), "edge", "edges")]
        sizes += [(len(self.inputs), "input", "inputs"), (len(self.outputs), "output", "outputs")]
        return f"PebbleDag({self.name!r}, {', '.join(f'{k} {one if k == 1 else many}' for k, one, many in sizes)})"


def whole_number(name: str, value: object, least: int = 1) -> int:
    """`value` as an int of at least `least`; InvalidDag (`bad_size`) names the parameter otherwise.

    >>> whole_number("n", 0)
    Traceback (most recent call last):
    ...
    pebble_engine.errors.InvalidDag: n must be a whole number of at least 1, got 0
    """
    try:
        number = None if isinstance(value, bool) else as_integer(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least:
        sentence = f"{name} must be a whole number of at least {least}, got {value!r:.60}"
        raise InvalidDag(DagFault("bad_size", sentence, {"name": name, "value": value, "least": least}))
    return number


def limit_vertices(vertices: int) -> None:
    """Refuse a DAG that would be too large, before it is built."""
    if vertices > MAX_VERTICES:
        sentence = f"the DAG would have {vertices} vertices; at most {MAX_VERTICES} are allowed"
        raise InvalidDag(DagFault("too_large", sentence, {"vertices": vertices, "most": MAX_VERTICES}))


def _cell(label: str, most: int) -> tuple[str, int, int, int] | None:
    """(tensor, row, column, step) that a label names, if it names one on a board of sensible size."""
    match = _CELL.fullmatch(label)
    if match is None:
        return None
    row, column, step = (int(match[part] or 0) for part in ("row", "column", "step"))
    return (match["tensor"], row, column, step) if max(row, column) < most else None


def _refuse(faults: Iterable[DagFault]) -> None:
    found = tuple(faults)
    if found:
        raise InvalidDag(*found)


def _label_faults(labels: tuple[str, ...], edges: int) -> Iterator[DagFault]:
    if not labels:
        yield DagFault("empty", "a DAG needs at least one vertex", {})
    for count, most, what in ((len(labels), MAX_VERTICES, "vertices"), (edges, MAX_EDGES, "edges")):
        if count > most:
            yield DagFault(
                "too_large", f"the DAG has {count} {what}; at most {most} are allowed", {what: count, "most": most}
            )
            return
    for v, label in enumerate(labels):
        if not isinstance(label, str) or not label or not label.isprintable() or len(label) > MAX_LABEL:
            sentence = f"vertex {v} has the label {label!r:.200}; a label is 1 to {MAX_LABEL} printable characters"
            yield DagFault("bad_label", sentence, {"vertex": v})
            return  # labels that are not text cannot be compared
    for label, times in Counter(labels).items():
        if times > 1:
            yield DagFault(
                "duplicate_label", f"{times} vertices have the label {label}", {"label": label, "times": times}
            )


def _edge_faults(labels: tuple[str, ...], edges: list[tuple[int, int]]) -> Iterator[DagFault]:
    seen: set[tuple[int, int]] = set()
    vertices = range(len(labels))
    for u, v in edges:
        if u not in vertices or v not in vertices:
            outside = v if u in vertices else u
            sentence = f"edge {u} -> {v}: there is no vertex {outside}; they go from 0 to {len(labels) - 1}"
            yield DagFault("unknown_vertex", sentence, {"vertex": outside, "edge": [u, v]})
        elif u == v:
            yield DagFault("self_loop", f"{labels[u]} is its own operand", {"vertex": labels[u]})
        elif (u, v) in seen:
            named = [labels[u], labels[v]]
            yield DagFault("duplicate_edge", f"the edge {' -> '.join(named)} is given twice", {"edge": named})
        seen.add((u, v))


def _end_faults(dag: PebbleDag, inputs: list[int] | None, outputs: list[int]) -> Iterator[DagFault]:
    """Faults of the two ends: inputs are exactly the sources, outputs are vertices, and there is one."""
    vertices = range(len(dag.labels))
    for kind, ends in (("input", inputs or []), ("output", outputs)):
        for v, times in Counter(ends).items():
            if v not in vertices and kind == "output":
                yield _unknown_output(v)
            elif v not in vertices:
                yield DagFault("unknown_input", f"input {v} is not a vertex", {"vertex": v})
            elif times > 1:
                sentence = f"{dag.labels[v]} is given as an {kind} {times} times"
                yield DagFault(f"duplicate_{kind}", sentence, {"vertex": dag.labels[v], "times": times})
    if not outputs:
        yield DagFault("no_outputs", "a DAG needs at least one output", {})
    if inputs is None:
        return
    given = set(inputs)
    for v, operands in enumerate(dag.predecessors):
        label = dag.labels[v]
        if operands and v in given:
            sentence = f"{label} is given as an input, yet it has operands: {listed([dag.labels[u] for u in operands])}"
            yield DagFault("input_has_operands", sentence, {"vertex": label})
        elif not operands and v not in given:
            sentence = f"{label} has no operands, so it must be an input, and it is not given as one"
            yield DagFault("source_not_input", sentence, {"vertex": label})


def _unknown_output(vertex: object) -> DagFault:
    return DagFault("unknown_output", f"output {vertex} is not a vertex", {"vertex": vertex})
