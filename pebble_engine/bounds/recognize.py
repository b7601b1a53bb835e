"""Is this DAG a product of matrices, is it an attention pass? Told from labels and edges, never from the name.

The tensors' names and shapes say which builder could have made it; that DAG is built, and the two must be equal,
vertex by vertex, in everything but their name and the order of vertices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pebble_engine.attention import attention_backward, attention_forward
from pebble_engine.dag import PebbleDag
from pebble_engine.errors import InvalidDag
from pebble_engine.examples import matmul
from pebble_engine.sums import GRANULARITIES


class Attention(NamedTuple):
    """What kind of attention pass a DAG is."""

    what: str  # `qkv`, `weights` or `forward`
    granularity: str
    pairs: int  # (query, key) pairs that are kept
    d: int


def as_matmul(dag: PebbleDag) -> tuple[int, int, int] | None:
    """(m, q, k) of `matmul(m, q, k)`, if that is what the DAG is.

    >>> as_matmul(matmul(2, 3, 4)), as_matmul(attention_forward(n=1))
    ((2, 3, 4), None)
    """
    shapes = _shapes(dag)
    if set(shapes) != {"A", "B", "C"}:
        return None
    (m, k), (_, q) = shapes["A"], shapes["B"]
    if m * k + k * q + m * q * k != len(dag) or not _same(dag, matmul(m, q, k)):
        return None
    return m, q, k


def as_attention(dag: PebbleDag) -> Attention | None:
    """The kind of attention pass, if the DAG is one.

    >>> as_attention(attention_backward(n_q=1, n_k=2, d=3, granularity="tree"))
    Attention(what='qkv', granularity='tree', pairs=2, d=3)
    """
    shapes = _shapes(dag)
    for what, scores, rows, columns in (
        ("qkv", "dS", "Q", "K"),
        ("weights", "p", "Q", "A2"),
        ("forward", "A", "Q", "K"),
    ):
        if {scores, rows, columns} <= set(shapes) and ("dS" in shapes) == (what == "qkv"):
            (n_q, d), (n_k, _) = shapes[rows], shapes[columns]
            mask = np.zeros((n_q, n_k), dtype=bool)
            for tensor, row, column, _, _ in dag.places:
                if tensor == scores:
                    if row >= n_q or column >= n_k:
                        return None
                    mask[row, column] = True
            options: dict[str, Any] = {"n_q": n_q, "n_k": n_k, "d": d, "mask": mask}
            if what != "qkv":
                options["divide"] = "last" if "N" in shapes else "first"
            if what == "weights":
                options["target"] = "E" in shapes
            for granularity in GRANULARITIES:
                try:
                    if what == "forward":
                        built = attention_forward(granularity=granularity, **options)
                    else:
                        built = attention_backward(form=what, granularity=granularity, **options)
                except InvalidDag:
                    return None
                if _same(dag, built):
                    return Attention(what, granularity, int(mask.sum()), d)
    return None


def _shapes(dag: PebbleDag) -> dict[str, tuple[int, int]]:
    """Tensor -> (rows, columns), from the places of its vertices."""
    shapes: dict[str, tuple[int, int]] = {}
    for tensor, row, column, _, _ in dag.places:
        rows, columns = shapes.get(tensor, (0, 0))
        shapes[tensor] = (max(rows, row + 1), max(columns, column + 1))
    return shapes


def _same(one: PebbleDag, other: PebbleDag) -> bool:
    if len(one) != len(other) or len(one.edges) != len(other.edges) or set(one.labels) != set(other.labels):
        return False
    edges = ({(dag.labels[u], dag.labels[v]) for u, v in dag.edges} for dag in (one, other))
    outputs = ({dag.labels[v] for v in dag.outputs} for dag in (one, other))
    return next(edges) == next(edges) and next(outputs) == next(outputs)
