"""The backward DAG computes the backward pass: its vertices, evaluated with numbers, give what the formula gives."""

import numpy as np
import pytest

from pebble_engine import InvalidDag, PebbleDag, attention_backward

SIZES = [(1, 1, 1), (2, 1, 1), (1, 2, 3), (3, 2, 2), (2, 5, 3), (4, 4, 1)]


@pytest.mark.parametrize(("n", "d", "vertices"), [(2, 1, 40), (2, 2, 68), (3, 2, 138), (4, 4, 424), (8, 4, 1552)])
def test_number_of_vertices(n: int, d: int, vertices: int) -> None:
    dag = attention_backward(n=n, d=d)
    assert len(dag) == vertices == 5 * n * n * d + 2 * n * n + 4 * n * d + 2 * n
    assert len(dag.inputs) == 4 * n * d + 2 * n
    assert len(dag.outputs) == 3 * n * d


@pytest.mark.parametrize(("n_q", "n_k", "d", "vertices"), [(1, 1, 1, 13), (1, 1, 2, 22), (2, 1, 1, 24), (1, 2, 1, 22)])
def test_number_of_vertices_when_queries_and_keys_differ(n_q: int, n_k: int, d: int, vertices: int) -> None:
    assert len(attention_backward(n_q=n_q, n_k=n_k, d=d)) == vertices


@pytest.mark.parametrize(("n_q", "n_k", "d"), SIZES)
def test_the_dag_computes_the_backward_pass(n_q: int, n_k: int, d: int) -> None:
    rng = np.random.default_rng(1)
    q, do = rng.normal(size=(2, n_q, d))
    k, v = rng.normal(size=(2, n_k, d))
    p = np.exp(q @ k.T)
    lse = np.log(p.sum(1))  # (n_q,)
    p /= p.sum(1, keepdims=True)
    dp = do @ v.T
    delta = (p * dp).sum(1)  # (n_q,)
    ds = p * (dp - delta[:, None])

    dag = attention_backward(n_q=n_q, n_k=n_k, d=d)
    given = {"Q": q, "K": k, "V": v, "dO": do, "lse": lse[:, None], "D": delta[:, None]}
    value = evaluate(dag, given)
    found = {name: np.full((rows, d), np.nan) for name, rows in (("dV", n_k), ("dK", n_k), ("dQ", n_q))}
    for out in dag.outputs:
        tensor, row, column, step, steps = dag.places[out]
        assert step == steps - 1
        found[tensor][row, column] = value[out]
    np.testing.assert_allclose(found["dV"], p.T @ do, rtol=1e-12)
    np.testing.assert_allclose(found["dK"], ds.T @ q, rtol=1e-12)
    np.testing.assert_allclose(found["dQ"], ds @ k, rtol=1e-12)


def evaluate(dag: PebbleDag, given: dict[str, np.ndarray]) -> list[float]:
    """The value of every vertex: inputs are given, the rest follows from the operands alone."""
    value = [np.nan] * len(dag)
    for vertex in dag.order:
        tensor, row, column, step, _ = dag.places[vertex]
        operands = [value[u] for u in dag.predecessors[vertex]]
        if not operands:
            value[vertex] = given[tensor][row, column]
        elif tensor == "P":
            s, lse = operands
            value[vertex] = np.exp(s - lse)
        elif tensor == "dS":
            p, dp, delta = operands
            value[vertex] = p * (dp - delta)
        else:  # one multiply-add
            *before, left, right = operands
            assert len(before) == min(step, 1)
            value[vertex] = sum(before) + left * right
    return value


def test_operands_are_named_as_in_the_equations() -> None:
    dag = attention_backward(n_q=2, n_k=3, d=2)

    def operands(label: str) -> list[str]:
        return [dag.labels[u] for u in dag.predecessors[dag.index(label)]]

    assert operands("S[1,2]#0") == ["Q[1,0]", "K[2,0]"]
    assert operands("P[1,2]") == ["S[1,2]#1", "lse[1]"]
    assert operands("dP[1,2]#1") == ["dP[1,2]#0", "dO[1,1]", "V[2,1]"]
    assert operands("dS[1,2]") == ["P[1,2]", "dP[1,2]#1", "D[1]"]
    assert operands("dV[2,1]#1") == ["dV[2,1]#0", "P[1,2]", "dO[1,1]"]
    assert operands("dK[2,1]#1") == ["dK[2,1]#0", "dS[1,2]", "Q[1,1]"]
    assert operands("dQ[1,1]#2") == ["dQ[1,1]#1", "dS[1,2]", "K[2,1]"]


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, got 0"),
        ({"n": 2, "d": -1}, "d must be a whole number of at least 1, got -1"),
        ({"n": "x"}, "n must be a whole number of at least 1, got 'x'"),
        ({"n": 1e30}, r"n must be a whole number of at least 1, got 1e\+30"),
        ({"n": True}, "n must be a whole number of at least 1, got True"),
        ({"n_q": 2, "n_k": 0}, "n_k must be a whole number of at least 1, got 0"),
        ({"n_q": 2}, "give n, or both n_q and n_k"),
        ({"n": 2, "n_q": 2, "n_k": 2}, "give n, or both n_q and n_k"),
        ({}, "give n, or both n_q and n_k"),
        ({"n": 10**6, "d": 64}, "the DAG would have 322000258000000 vertices; at most 100000 are allowed"),
    ],
)
def test_sizes_that_make_no_dag(sizes: dict[str, int], sentence: str) -> None:
    with pytest.raises(InvalidDag, match=sentence):
        attention_backward(**sizes)


def test_numpy_integers_are_whole_numbers() -> None:
    assert attention_backward(n=np.int64(2), d=np.int32(1)) == attention_backward(n=2, d=1)  # type: ignore[arg-type]
