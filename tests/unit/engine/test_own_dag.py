"""DAGs from files: three formats read, two written, every fault named, no file breaks it."""

import io
import json
from contextlib import suppress
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pebble_engine import InvalidDag, Pebbling, Rules, attention_backward, chain, matmul, write_pebbling
from pebble_engine.own_dag import read_dag, write_dag
from tests.property.engine.strategies import dags


def test_an_edge_list(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text('# networkx writes this\n\na S[0,0]#0 {}\n"two words" S[0,0]#0 ; comment\n#1 b\nlone\n', "utf-8")
    dag = read_dag(path)
    assert dag.labels == ("a", "S[0,0]#0", "two words", "#1", "b", "lone")
    assert dag.name == "mine"
    assert [dag.labels[v] for v in dag.outputs] == ["S[0,0]#0", "b", "lone"]
    assert read_dag(str(path), outputs=["b"], name="other").outputs == (4,)


def test_a_pebbling_and_its_dag_alone() -> None:
    dag = matmul(2, 2, 1)
    pebbling = Pebbling(dag, Rules(red=3), ())
    assert read_dag(write_pebbling(pebbling)) == dag
    assert read_dag(io.StringIO(write_dag(dag))) == dag


def test_networkx_reads_and_writes_node_link() -> None:
    dag = attention_backward(n=1, d=2)
    graph = nx.node_link_graph(json.loads(write_dag(dag, form="node-link")), edges="edges")
    assert (set(graph), set(graph.edges)) == (set(dag.graph), set(dag.graph.edges))
    for key in ("edges", "links"):
        assert set(read_dag(json.dumps(nx.node_link_data(graph, edges=key))).graph.edges) == set(dag.graph.edges)
    numbered = nx.DiGraph([(1, 3), (2, 3), (3, 4)])
    numbered.nodes[3]["output"] = True
    read = read_dag(json.dumps(nx.node_link_data(numbered, edges="edges")))
    assert [read.labels[v] for v in read.outputs] == ["3"]


def test_networkx_edge_lists_are_read(tmp_path: Path) -> None:
    dag = matmul(2, 1, 2)
    nx.write_edgelist(dag.graph, tmp_path / "edges.txt")
    assert set(read_dag(tmp_path / "edges.txt").graph.edges) == set(dag.graph.edges)


@settings(max_examples=40)
@given(dags(), st.sampled_from(["dag", "node-link"]))
def test_round_trip(dag: object, form: str) -> None:
    text = write_dag(dag, form=form)
    again = read_dag(text)
    assert (again.labels, set(again.edges), again.outputs) == (dag.labels, set(dag.edges), dag.outputs)
    assert again.name == dag.name


NODES = {"directed": True, "nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b"}]}


@pytest.mark.parametrize(
    ("text", "reason", "sentence"),
    [
        ("\n", "empty", "no edge and no vertex"),
        ("a b\nb a\n", "cycle", "there is a cycle: b -> a -> b"),
        ("a b\nc c\n", "self_loop", "c is its own operand"),
        ("a b\na b\n", "duplicate_edge", "the edge a -> b is given twice"),
        ("a b\na b c d\n", "bad_line", "line 2: a line is `operand result`"),
        ('a b\n"a b\n', "bad_line", "line 2: a quotation mark has no partner"),
        ("a " + "b" * 200 + "\n", "bad_label", "1 to 120 printable"),
        ("".join(f"{v} x\n" for v in range(100_001)), "too_large", "at most 100000"),
        ("{", "not_json", "not JSON"),
        ("[\n]", "bad_document", "an object"),
        ("{}", "bad_document", "neither 'nodes'"),
        ('{"format": "pebbling/2"}', "bad_document", "the format is"),
        ('{"vertices": ["a"], "edges": [], "inputs": [0], "outputs": [3]}', "unknown_output", "output 3"),
        ('{"vertices": ["a", "a"], "edges": [], "inputs": [0], "outputs": [1]}', "duplicate_label", "2 vertices"),
        ('{"vertices": ["a"], "edges": []}', "bad_document", "no 'inputs'"),
        (json.dumps({**NODES, "directed": False}), "not_directed", "not directed"),
        (json.dumps({**NODES, "nodes": [{"id": "a"}]}), "unknown_vertex", "edge 0: b is not a vertex"),
        (json.dumps({**NODES, "nodes": [{"id": 1}, {"id": "1"}], "edges": []}), "duplicate_label", "label 1"),
        (json.dumps({**NODES, "nodes": [{"id": [1]}]}), "bad_document", "node 0: an id"),
        (json.dumps({**NODES, "nodes": ["a"]}), "bad_document", "node 0 must be an object with 'id'"),
        (json.dumps({**NODES, "edges": [["a", "b"]]}), "bad_document", "edge 0 must be an object"),
        (json.dumps({**NODES, "edges": 1}), "bad_document", "lists"),
        (json.dumps({**NODES, "graph": {"outputs": ["c"]}}), "unknown_output", "c is not a vertex"),
        (json.dumps({**NODES, "graph": {"outputs": "c"}}), "bad_document", "a list of ids"),
        (json.dumps({**NODES, "graph": {"outputs": ["b", "b"]}}), "duplicate_output", "2 times"),
    ],
)
def test_faults_are_named(text: str, reason: str, sentence: str) -> None:
    with pytest.raises(InvalidDag, match=sentence) as refused:
        read_dag(text)
    assert refused.value.reason == reason


def test_all_faults_are_listed() -> None:
    with pytest.raises(InvalidDag) as refused:
        read_dag("a a\nb b\nc d\nc d\n")
    assert [fault.reason for fault in refused.value.faults] == ["self_loop", "self_loop", "duplicate_edge"]


def test_unknown_outputs_and_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidDag, match="output z is not a vertex"):
        read_dag(write_dag(chain(1)), outputs=["z"])
    with pytest.raises(InvalidDag, match="at least one output"):
        read_dag(write_dag(chain(1)), outputs=[])
    with pytest.raises(OSError, match="No such file"):
        read_dag(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidDag, match="not text") as refused:
        read_dag(tmp_path / "bytes")
    assert refused.value.reason == "not_text"


@settings(max_examples=40)
@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    try:
        dag = read_dag(text + "\n")
    except InvalidDag:
        return
    assert len(dag) >= 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["a", "b", "id"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "source", "target", "outputs", "name", "output"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(["directed", "graph", "nodes", "edges", "vertices", "inputs"]), json_values))
def test_no_json_breaks_it(document: dict[str, object]) -> None:
    with suppress(InvalidDag):
        read_dag(json.dumps({"directed": True, **document}))
