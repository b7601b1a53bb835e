"""DAGs of one's own, read from three kinds of text and written to two.

1. JSON, `pebbling/1`: a whole pebbling, whose moves are not looked at, or its "dag" object alone.
2. JSON, networkx's node-link form, as `networkx.node_link_data` makes it from a DiGraph ("edges" or "links"). A node's
   label is its id, a text or a whole number. Outputs: `"outputs": [id, ...]` in "graph", or `"output": true` on nodes.
3. An edge list: one `operand result` a line, words as in the notation of moves (a label with a blank in it is a JSON
   string; `;` starts a comment, and so does `#` at the start of a line before a blank; the `{}` that networkx writes
   behind an edge is passed over). A line with one word is a vertex without operands so far.

Where nothing names outputs, they are the vertices that nothing uses. Vertices keep the order in which they come up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from pebble_engine.dag import MAX_EDGES, MAX_VERTICES, PebbleDag
from pebble_engine.errors import DagFault, InvalidDag, InvalidMove, InvalidPebbling
from pebble_engine.notation import FORMAT, Source, bad_format, dag_of, parse_json, shown, text_of
from pebble_engine.rules import tokens

WRITTEN = ("dag", "node-link")
_FAULTS = 20  # at most so many unreadable lines are listed


def read_dag(source: Source, *, outputs: Iterable[str] | None = None, name: str | None = None) -> PebbleDag:
    """Read a DAG.

    Parameters
    ----------
    source : a path, an open file, or the text itself: a `str` is text when it has a line break in it or starts with
        `{`, and a path otherwise
    outputs : labels, instead of the outputs that the source names
    name : instead of the source's own, which for an edge list is the file's

    Raises
    ------
    InvalidDag : every fault is in `.faults`
    OSError : the file cannot be opened

    Examples
    --------
    >>> dag = read_dag("a sum\\nb sum\\nsum twice ; the end\\n", name="mine")
    >>> dag, [dag.labels[v] for v in dag.outputs]
    (PebbleDag('mine', 4 vertices, 3 edges, 2 inputs, 1 output), ['twice'])
    >>> read_dag("a b\\nb c\\nc b\\n")
    Traceback (most recent call last):
    ...
    pebble_engine.errors.InvalidDag: there is a cycle: c -> b -> c
    """
    try:
        text = text_of(source)
        stem = Path(source).stem if isinstance(source, (str, os.PathLike)) and text is not source else ""
        dag = _from_json(parse_json(text)) if text.lstrip()[:1] in ("{", "[") else _from_lines(text, stem)
    except InvalidPebbling as error:
        if isinstance(error.__cause__, InvalidDag):
            raise error.__cause__ from None
        raise InvalidDag(DagFault(error.reason, str(error), {"line": error.line, **error.data})) from None
    name = dag.name or stem if name is None else name
    if outputs is None and name == dag.name:
        return dag
    ends = dag.outputs if outputs is None else _numbers(dag, list(outputs))
    return PebbleDag(dag.labels, dag.edges, ends, name=name)


def write_dag(dag: PebbleDag, to: str | os.PathLike[str] | IO[str] | None = None, *, form: str = "dag") -> str:
    """Write a DAG to a path or an open text file, or nowhere, and return what was written.

    Parameters
    ----------
    form : `dag`, the "dag" object of `pebbling/1`, or `node-link`, for `networkx.node_link_graph(..., edges="edges")`

    >>> from pebble_engine.examples import chain
    >>> print(write_dag(chain(1)), end="")
    {"name": "chain 1", "vertices": ["x[0]", "x[1]"], "edges": [[0, 1]], "inputs": [0], "outputs": [1]}
    """
    document: dict[str, Any]
    if form == "dag":
        document = {"name": dag.name, "vertices": dag.labels, "edges": dag.edges}
        document |= {"inputs": dag.inputs, "outputs": dag.outputs}
    elif form == "node-link":
        labels = dag.labels
        document = {"directed": True, "multigraph": False}
        document["graph"] = {"name": dag.name, "outputs": [labels[v] for v in dag.outputs]}
        document["nodes"] = [{"id": label} for label in labels]
        document["edges"] = [{"source": labels[u], "target": labels[v]} for u, v in dag.edges]
    else:
        raise ValueError(f"form must be {' or '.join(WRITTEN)}, got {form!r}")
    text = json.dumps(document, ensure_ascii=False) + "\n"
    if isinstance(to, (str, os.PathLike)):
        Path(to).write_text(text, encoding="utf-8")
    elif to is not None:
        to.write(text)
    return text


def _numbers(dag: PebbleDag, labels: Sequence[str]) -> list[int]:
    """Vertex numbers of outputs. Raises InvalidDag."""
    unknown = [label for label in labels if label not in dag]
    if unknown:
        raise InvalidDag(
            *(_fault("unknown_output", f"output {label} is not a vertex", vertex=label) for label in unknown)
        )
    return [dag.index(label) for label in labels]


def _from_json(document: Any) -> PebbleDag:
    if not isinstance(document, dict):
        _bad(f"a DAG in JSON is an object, got {shown(document)}", "wrong_type", "", got=shown(document), kind="dict")
    if "nodes" in document:
        return _from_node_link(document)
    if "format" in document or "dag" in document:
        if document.get("format") != FORMAT:
            bad_format(document.get("format"))
        if "dag" not in document:
            _bad("the document has no 'dag'", "no_key", "dag")
        return dag_of(document["dag"])
    if not document.keys() & {"vertices", "edges", "inputs", "outputs"}:
        _bad("there is neither 'nodes' (node-link) nor 'vertices' (the dag of pebbling/1) in it", "no_graph", "")
    return dag_of(document)


def _from_node_link(document: dict[str, Any]) -> PebbleDag:
    """networkx's node-link form."""
    if document.get("directed") is not True:
        raise InvalidDag(_fault("not_directed", "the graph is not directed: an edge must say which end is the operand"))
    graph = document.get("graph", {})
    nodes, edges = document["nodes"], document.get("edges", document.get("links"))
    if not isinstance(graph, dict) or not isinstance(nodes, list) or not isinstance(edges, list):
        sentence = "'graph' must be an object, 'nodes' and 'edges' (or 'links') lists"
        if edges is None:
            _bad(sentence, "no_key", "edges")
        parts: dict[str, tuple[Any, type]] = {"graph": (graph, dict), "nodes": (nodes, list), "edges": (edges, list)}
        at, value, kind = next((at, value, kind) for at, (value, kind) in parts.items() if not isinstance(value, kind))
        _bad(sentence, "wrong_type", at, got=shown(value), kind=kind.__name__)
    _limit(len(nodes), MAX_VERTICES, "vertices")
    _limit(len(edges), MAX_EDGES, "edges")
    labels = [_label(_field(node, "id", "node", k), f"node {k}", f"nodes[{k}].id") for k, node in enumerate(nodes)]
    marked = [v for v, node in enumerate(nodes) if node.get("output") is True]
    numbers = {label: v for v, label in enumerate(labels)}
    faults: list[DagFault] = []

    def pair(edge: Any, k: int) -> tuple[int, int]:
        ends = [_label(_field(edge, end, "edge", k), f"edge {k}", f"edges[{k}].{end}") for end in ("source", "target")]
        faults.extend(
            _fault("unknown_vertex", f"edge {k}: {label} is not a vertex", vertex=label, edge=ends)
            for label in ends
            if label not in numbers
        )
        return numbers.get(ends[0], 0), numbers.get(ends[1], 0)

    def output(value: Any) -> int:
        label = _label(value, "outputs", "graph.outputs")
        if label not in numbers:
            faults.append(_fault("unknown_output", f"outputs: {label} is not a vertex", vertex=label))
        return numbers.get(label, 0)

    pairs = [pair(edge, k) for k, edge in enumerate(edges)]
    named = graph.get("outputs", [])
    if not isinstance(named, list):
        sentence = f"'outputs' must be a list of ids, got {shown(named)}"
        _bad(sentence, "wrong_type", "graph.outputs", got=shown(named), kind="list")
    ends = marked + [output(value) for value in named]
    if faults:
        raise InvalidDag(*faults)
    if not ends:
        used = {u for u, _ in pairs}
        ends = [v for v in range(len(labels)) if v not in used]
    name = graph.get("name", "")
    return PebbleDag(labels, pairs, ends, name=name if isinstance(name, str) else "")


def _from_lines(text: str, name: str) -> PebbleDag:
    """An edge list."""
    numbers: dict[str, int] = {}
    edges: list[tuple[int, int]] = []
    faults: list[DagFault] = []
    for line, words in _lines(text, faults):
        if len(words) == 3 and words[2] == "{}":
            words = words[:2]
        if len(words) > 2:
            sentence = f"line {line}: a line is `operand result`, or one vertex, got {len(words)} words"
            faults.append(_fault("bad_line", sentence, line=line))
        ends = [numbers.setdefault(word, len(numbers)) for word in words[:2]]
        if len(ends) == 2:
            edges.append((ends[0], ends[1]))
        _limit(len(numbers), MAX_VERTICES, "vertices")
        _limit(len(edges), MAX_EDGES, "edges")
        if len(faults) >= _FAULTS:
            break
    if faults:
        raise InvalidDag(*faults)
    if not numbers:
        raise InvalidDag(_fault("empty", "there is no edge and no vertex in it"))
    used = {u for u, _ in edges}
    sinks = [v for v in numbers.values() if v not in used]
    # Without a sink there is a cycle, which is the fault to name, not the lack of outputs.
    return PebbleDag(tuple(numbers), edges, sinks or [0], name=name)


def _lines(text: str, faults: list[DagFault]) -> Iterator[tuple[int, list[str]]]:
    """(line number, words) of the lines with words in them."""
    for line, written in enumerate(text.split("\n"), start=1):
        stripped = written.strip()
        if stripped == "#" or stripped[:2] in ("# ", "#\t"):
            continue
        try:
            words = tokens(stripped)
        except InvalidMove as error:
            faults.append(_fault("bad_line", f"line {line}: {error.explanation}", line=line))
            continue
        if words:
            yield line, words


def _field(entry: Any, key: str, what: str, k: int) -> Any:
    """A key of node or edge `k`."""
    sentence = f"{what} {k} must be an object with {key!r}, got {shown(entry)}"
    if not isinstance(entry, dict):
        _bad(sentence, "wrong_type", f"{what}s[{k}]", got=shown(entry), kind="dict")
    if key not in entry:
        _bad(sentence, "no_key", f"{what}s[{k}].{key}")
    return entry[key]


def _label(value: Any, what: str, at: str) -> str:
    if not isinstance(value, str) and type(value) is not int:
        _bad(f"{what}: an id is a text or a whole number, got {shown(value)}", "bad_id", at, got=shown(value))
    return str(value)


def _limit(size: int, most: int, what: str) -> None:
    if size > most:
        raise InvalidDag(_fault("too_large", f"the DAG has {size} {what}; at most {most} are allowed", most=most))


def _fault(reason: str, sentence: str, **data: Any) -> DagFault:
    return DagFault(reason, sentence, data)


def _bad(sentence: str, what: str, at: str, **data: str) -> NoReturn:
    """Refuse a document; the data are those of `InvalidPebbling`."""
    raise InvalidDag(_fault("bad_document", sentence, what=what, at=at, **data))
