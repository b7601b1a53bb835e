"""What a computation DAG is, and how each fault of one is named."""

import pickle

import networkx as nx
import pytest

from pebble_engine import InvalidDag, PebbleDag, Place, attention_backward, matmul
from pebble_engine.dag import MAX_LABEL, MAX_VERTICES


def test_a_dag_is_asked_by_label_and_by_number() -> None:
    dag = PebbleDag(["a", "b", "c", "d"], [(0, 2), (1, 2), (2, 3)], [3], name="small")
    assert dag.predecessors == ((), (), (0, 1), (2,))
    assert dag.successors == ((2,), (2,), (3,), ())
    assert (dag.inputs, dag.outputs, dag.depths) == ((0, 1), (3,), (0, 0, 1, 2))
    assert dag.index("c") == 2
    assert "c" in dag
    assert "z" not in dag
    assert len(dag) == 4
    with pytest.raises(KeyError):
        dag.index("z")


def test_operands_keep_the_order_in_which_they_were_given() -> None:
    assert PebbleDag(["a", "b", "c"], [(1, 2), (0, 2)], [2]).predecessors[2] == (1, 0)


def test_the_order_is_topological() -> None:
    dag = PebbleDag(["out", "middle", "in"], [(2, 1), (1, 0)], [0])
    assert dag.order == (2, 1, 0)
    assert dag.depths == (2, 1, 0)


def test_the_networkx_graph_is_the_same_dag_and_frozen() -> None:
    dag = matmul(2, 2, 2)
    assert set(dag.graph.edges) == {(dag.labels[u], dag.labels[v]) for u, v in dag.edges}
    assert nx.is_directed_acyclic_graph(dag.graph)
    with pytest.raises(nx.NetworkXError):
        dag.graph.add_edge("A[0,0]", "B[0,0]")


def test_equality_is_by_content() -> None:
    assert matmul(2, 1, 2) == matmul(2, 1, 2)
    assert hash(matmul(2, 1, 2)) == hash(matmul(2, 1, 2))
    assert matmul(2, 1, 2) != matmul(1, 2, 2)
    assert pickle.loads(pickle.dumps(matmul(2, 1, 2))) == matmul(2, 1, 2)


FAULTS = {
    "empty": ([], [], [], []),
    "bad_label": (["a", ""], [], [0], [0, 1]),
    "duplicate_label": (["a", "a"], [], [0], [0, 1]),
    "unknown_vertex": (["a", "b"], [(0, 7)], [1], [0, 1]),
    "self_loop": (["a", "b"], [(1, 1)], [1], [0]),
    "duplicate_edge": (["a", "b"], [(0, 1), (0, 1)], [1], [0]),
    "cycle": (["a", "b", "c", "d"], [(0, 1), (1, 2), (2, 3), (3, 1)], [3], [0]),
    "unknown_input": (["a", "b"], [(0, 1)], [1], [0, 9]),
    "duplicate_input": (["a", "b"], [(0, 1)], [1], [0, 0]),
    "input_has_operands": (["a", "b"], [(0, 1)], [1], [0, 1]),
    "source_not_input": (["a", "b", "c"], [(0, 2), (1, 2)], [2], [0]),
    "unknown_output": (["a", "b"], [(0, 1)], [-1], [0]),
    "duplicate_output": (["a", "b"], [(0, 1)], [1, 1], [0]),
    "no_outputs": (["a", "b"], [(0, 1)], [], [0]),
}


@pytest.mark.parametrize("reason", FAULTS)
def test_every_fault_is_named(reason: str) -> None:
    labels, edges, outputs, inputs = FAULTS[reason]
    with pytest.raises(InvalidDag) as refused:
        PebbleDag(labels, edges, outputs, inputs=inputs)
    assert refused.value.reason == reason
    assert [fault.reason for fault in refused.value.faults] == [reason]


def test_all_faults_of_one_kind_are_listed() -> None:
    with pytest.raises(InvalidDag, match=r"a is its own operand \(and 2 more faults\)") as refused:
        PebbleDag(["a", "b"], [(0, 0), (0, 1), (0, 1), (1, 5)], [1])
    assert [fault.reason for fault in refused.value.faults] == ["self_loop", "duplicate_edge", "unknown_vertex"]


def test_a_cycle_is_spelled_out() -> None:
    with pytest.raises(InvalidDag, match=r"b -> c -> d -> b|c -> d -> b -> c|d -> b -> c -> d"):
        PebbleDag(["a", "b", "c", "d", "e"], [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)], [4])


@pytest.mark.parametrize("label", ["line\nbreak", "\x07", "\ud800", "x" * (MAX_LABEL + 1), 7])
def test_labels_are_printable_text(label: object) -> None:
    with pytest.raises(InvalidDag) as refused:
        PebbleDag([label], [], [0])  # type: ignore[list-item]
    assert refused.value.reason == "bad_label"


def test_a_dag_that_is_too_large_is_refused_by_its_size() -> None:
    with pytest.raises(InvalidDag, match=f"at most {MAX_VERTICES}") as refused:
        PebbleDag(["a"] * (MAX_VERTICES + 1), [], [0])
    assert [fault.reason for fault in refused.value.faults] == ["too_large"]


def test_unknown_operands_and_outputs_by_label() -> None:
    with pytest.raises(InvalidDag, match="b has the operand z, which is not a vertex"):
        PebbleDag.of({"a": (), "b": ("z",)})
    with pytest.raises(InvalidDag, match="output z is not a vertex"):
        PebbleDag.of({"a": (), "b": ("a",)}, outputs=["z"])


def test_places_come_from_labels() -> None:
    dag = attention_backward(n_q=2, n_k=1, d=2)
    place = dict(zip(dag.labels, dag.places, strict=True))
    assert place["lse[1]"] == Place("lse", 1, 0, 0, 1)
    assert place["S[1,0]#1"] == Place("S", 1, 0, 1, 2)
    assert place["dK[0,1]#0"] == Place("dK", 0, 1, 0, 2)
    assert place["dQ[1,1]#0"] == Place("dQ", 1, 1, 0, 1)
    assert len(set(dag.places)) == len(dag)


@pytest.mark.parametrize(
    "labels",
    [
        ["x", "y", "z"],  # no cells at all
        ["x[0]", "x[0,0]", "z"],  # two vertices for one cell
        ["x[0]#0", "x[0]#2", "z"],  # a chain with a gap
        ["x[999999999,0]", "x[0,99999999]", "z"],  # a board without end
    ],
)
def test_labels_that_name_no_cell_are_placed_by_depth(labels: list[str]) -> None:
    dag = PebbleDag(labels, [(0, 2), (1, 2)], [2])
    assert dag.places == (Place("", 0, 0, 0, 1), Place("", 0, 1, 0, 1), Place("", 1, 0, 0, 1))
