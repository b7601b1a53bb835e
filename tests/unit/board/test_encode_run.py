"""The board's payload says exactly what the pebbling says."""

import json
from itertools import pairwise

import numpy as np
import pytest

from kernels_ref import count, kernel_source, pebble, theory
from pages.shared.board import MAX_VERTICES, Run, encode_run, misfit, revision, unpacked
from pebble_engine import Move, Pebbling, Rules, attention_backward, pebble_order, replay
from pebble_engine.examples import chain
from tests.unit.board.synthetic import large_run

SIZES = [(1, 1, 8), (2, 3, 20), (3, 2, 14), (4, 2, 16), (5, 3, 64)]
OPS = ("load", "store", "compute", "slide", "delete")


def run_of(algorithm: str, n: int, d: int, memory: int) -> tuple[Pebbling, Run]:
    pebbling = pebble(algorithm, n=n, d=d, memory=memory)
    return pebbling, encode_run(pebbling, kernel_source(algorithm), theory.floor(n, d), "A title", algorithm)


def decoded_moves(run: Run, labels: tuple[str, ...]) -> list[Move]:
    sources = iter(unpacked("H", run["sources"]))
    moves = []
    for code in unpacked("H", run["moves"]):
        op, vertex = OPS[code >> 13], labels[code & 8191]
        moves.append(Move(op, vertex, labels[next(sources)] if op == "slide" else None))
    assert next(sources, None) is None
    return moves


@pytest.mark.parametrize("algorithm", ["flash2", "small-cache"])
@pytest.mark.parametrize(("n", "d", "memory"), SIZES)
def test_moves_lines_and_totals_come_back(algorithm: str, n: int, d: int, memory: int) -> None:
    pebbling, run = run_of(algorithm, n, d, memory)
    assert decoded_moves(run, pebbling.dag.labels) == list(pebbling.moves)
    assert unpacked("B", run["lines"]) == list(pebbling.lines or ())
    assert run["io"] == count(algorithm, n=n, d=d, memory=memory).io
    assert run["peak"] == replay(pebbling).peak <= run["red"] == memory
    assert run["floor"] == 7 * n * d + 2 * n
    assert max(unpacked("B", run["lines"])) < len(run["code"])


@pytest.mark.parametrize(("n", "d", "memory"), SIZES)
def test_cells_are_numbered_tensor_by_tensor_and_row_by_row(n: int, d: int, memory: int) -> None:
    pebbling, run = run_of("flash2", n, d, memory)
    names = [
        f"{tensor['name']}[{row}{'' if tensor['vector'] else f',{column}'}]"
        for tensor in run["tensors"]
        for row in range(tensor["rows"])
        for column in range(tensor["columns"])
    ]
    shown = [names[cell] for cell in unpacked("H", run["cell"])]
    assert shown == [label.split("#")[0] for label in pebbling.dag.labels]
    steps = unpacked("H", run["step"])
    assert steps == [int(label.partition("#")[2] or 0) for label in pebbling.dag.labels]


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 1), (3, 2), (4, 3)])
def test_every_vertex_of_a_tree_has_a_cell_of_its_own(n: int, d: int, mask: str | None) -> None:
    kept = None if mask is None else np.tri(n, dtype=bool)
    dag = attention_backward(n=n, d=d, granularity="tree", mask=kept)
    run = encode_run(pebble_order(dag, Rules(red=12)), [], 0, "")
    cells = unpacked("H", run["cell"])
    assert len(set(cells)) == len(dag)
    assert max(cells) < sum(tensor["rows"] * tensor["columns"] for tensor in run["tensors"]) <= MAX_VERTICES
    assert all(tensor["steps"] == 1 for tensor in run["tensors"])
    if n == d == 1:
        assert "names" not in run, "sums of one product are plain cells"
        return
    strips = {tensor["name"]: tensor.get("strip") for tensor in run["tensors"] if tensor.get("strip")}
    terms = {"S": d, "dP": d, "dV": n, "dK": n, "dQ": n}
    assert strips == {name: 2 * number - 1 for name, number in terms.items() if number > 1}
    for vertex, (label, cell) in enumerate(zip(dag.labels, cells, strict=True)):
        tensor = label.partition("[")[0]
        assert run["names"][cell] == (label if tensor in strips else label.partition("#")[0])
        before = {dag.labels[u].partition("#")[0] for u in dag.predecessors[vertex]}
        sign = "+" if label.partition("#")[0] in before else "\u00d7"
        assert run["marks"][cell] == (sign if tensor in strips else "")


def test_a_chain_has_no_strips() -> None:
    for granularity in ("chain", "entry"):
        run = encode_run(pebble_order(attention_backward(n=3, d=2, granularity=granularity), Rules(red=14)), [], 0, "")
        assert not {"names", "marks"} & set(run)
        assert not any("strip" in tensor for tensor in run["tensors"])


def test_tensors_of_the_backward_pass() -> None:
    _, run = run_of("flash2", 3, 2, 14)
    shapes = {t["name"]: (t["role"], t["rows"], t["columns"], t["steps"], t["vector"]) for t in run["tensors"]}
    assert shapes == {
        "Q": ("input", 3, 2, 1, False),
        "K": ("input", 3, 2, 1, False),
        "V": ("input", 3, 2, 1, False),
        "dO": ("input", 3, 2, 1, False),
        "lse": ("input", 3, 1, 1, True),
        "D": ("input", 3, 1, 1, True),
        "S": ("middle", 3, 3, 2, False),
        "P": ("middle", 3, 3, 1, False),
        "dP": ("middle", 3, 3, 2, False),
        "dS": ("middle", 3, 3, 1, False),
        "dV": ("output", 3, 2, 3, False),
        "dK": ("output", 3, 2, 3, False),
        "dQ": ("output", 3, 2, 3, False),
    }


def test_operands_and_roles() -> None:
    pebbling, run = run_of("small-cache", 3, 2, 14)
    dag = pebbling.dag
    start, operands = unpacked("I", run["pred_start"]), unpacked("H", run["preds"])
    assert [tuple(operands[a:b]) for a, b in pairwise(start)] == list(dag.predecessors)
    roles = unpacked("B", run["role"])
    assert [v for v, role in enumerate(roles) if role == 1] == sorted(dag.inputs)
    assert [v for v, role in enumerate(roles) if role == 2] == sorted(dag.outputs)


def test_largest_case_is_under_400_kilobytes() -> None:
    run = large_run("flash2")
    text = json.dumps(run, allow_nan=False)
    assert len(unpacked("H", run["cell"])) == 2960
    assert len(unpacked("H", run["moves"])) == 50_000
    assert len(text) < 400_000


def test_pebbling_without_lines_lights_no_line() -> None:
    dag = attention_backward(n=1, d=1)
    run = encode_run(Pebbling(dag, Rules(red=4), (Move.load("Q[0,0]"),), "someone"), [], 9, "One load")
    assert unpacked("B", run["lines"]) == [0]
    assert (run["io"], run["peak"]) == (1, 1)


def test_what_the_board_cannot_draw_is_refused() -> None:
    large = attention_backward(n=30, d=2)
    assert len(large) > MAX_VERTICES
    with pytest.raises(ValueError, match=r"at most 8192 vertices, got 1\d\d\d\d"):
        encode_run(Pebbling(large, Rules(red=20), (), "nobody"), [], 0, "Too large")
    nameless = type(chain(1)).of({"a": (), "b": ("a",)}, outputs=["b"], name="no cells")
    with pytest.raises(ValueError, match="'a' names no cell"):
        encode_run(Pebbling(nameless, Rules(red=2), (), "nobody"), [], 0, "No cells")


def test_revision_is_of_what_is_played_and_not_of_its_words() -> None:
    _, run = run_of("flash2", 2, 1, 16)
    _, other = run_of("flash2", 2, 1, 15)
    assert revision([run]) == revision([run | {"title": "Otro título"}])
    assert revision([run]) != revision([other])
    assert revision([run]) != revision([run, misfit("flash2", "", 3, 8)])
