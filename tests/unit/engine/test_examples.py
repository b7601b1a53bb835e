"""The textbook DAGs have the sizes and the shapes that the literature gives them."""

import pytest

from pebble_engine import InvalidDag, PebbleDag, butterfly, chain, grid, matmul, pyramid, summation_tree


@pytest.mark.parametrize(
    ("dag", "vertices", "inputs", "outputs", "edges"),
    [
        (summation_tree(1), 1, 1, 1, 0),
        (summation_tree(2), 3, 2, 1, 2),
        (summation_tree(4), 7, 4, 1, 6),
        (summation_tree(5), 9, 5, 1, 8),
        (summation_tree(8), 15, 8, 1, 14),
        (pyramid(2), 6, 3, 1, 6),
        (pyramid(3), 10, 4, 1, 12),
        (pyramid(4), 15, 5, 1, 20),
        (butterfly(4), 12, 4, 4, 16),
        (butterfly(8), 32, 8, 8, 48),
        (matmul(2, 2, 1), 8, 4, 4, 8),
        (matmul(2, 1, 2), 10, 6, 2, 10),
        (matmul(2, 2, 2), 16, 8, 4, 20),
        (matmul(3, 2, 2), 22, 10, 6, 30),
        (chain(3), 4, 1, 1, 3),
        (grid(3, 4), 12, 1, 1, 17),
    ],
    ids=lambda value: value.name if isinstance(value, PebbleDag) else "",
)
def test_sizes(dag: PebbleDag, vertices: int, inputs: int, outputs: int, edges: int) -> None:
    assert (len(dag), len(dag.inputs), len(dag.outputs), len(dag.edges)) == (vertices, inputs, outputs, edges)
    assert "" not in {place.tensor for place in dag.places}
    assert len(set(dag.places)) == len(dag)


def test_every_output_of_a_butterfly_needs_every_input() -> None:
    dag = butterfly(8)
    above: list[set[int]] = [set() for _ in dag.labels]
    for v in dag.order:
        above[v] = {v} if v in dag.inputs else set().union(*(above[u] for u in dag.predecessors[v]))
    assert all(above[v] == set(dag.inputs) for v in dag.outputs)
    assert all(len(dag.predecessors[v]) == 2 for v in dag.order if v not in dag.inputs)


def test_an_entry_of_a_product_is_one_chain() -> None:
    dag = matmul(2, 3, 4)
    operands = [dag.labels[u] for u in dag.predecessors[dag.index("C[1,2]#3")]]
    assert operands == ["C[1,2]#2", "A[1,3]", "B[3,2]"]
    assert [dag.labels[v] for v in dag.outputs] == [f"C[{i},{j}]#3" for i in range(2) for j in range(3)]


def test_a_pyramid_stands_on_neighbours() -> None:
    dag = pyramid(3)
    assert [dag.labels[u] for u in dag.predecessors[dag.index("p[2,1]")]] == ["p[1,1]", "p[1,2]"]


@pytest.mark.parametrize(
    "build", [lambda: matmul(0, 1, 1), lambda: summation_tree(0), lambda: pyramid(-1), lambda: grid(2, 0)]
)
def test_empty_dags_are_refused(build) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidDag, match="must be a whole number of at least 1"):
        build()


@pytest.mark.parametrize("points", [1, 3, 12])
def test_a_butterfly_has_a_power_of_two_points(points: int) -> None:
    with pytest.raises(InvalidDag) as refused:
        butterfly(points)
    assert refused.value.reason == "bad_size"
