"""DAGs of attention, one vertex per multiply-add (`chain` granularity).

The backward pass in the QKV form. Given Q, dO (n_q x d), K, V (n_k x d) and the forward pass's statistics
lse, D (n_q):

    S  = Q K^T             S[i,j]  = sum_k Q[i,k] K[j,k]         n_q n_k chains of d steps
    P  = exp(S - lse)      P[i,j]  = exp(S[i,j] - lse[i])        n_q n_k entries
    dP = dO V^T            dP[i,j] = sum_k dO[i,k] V[j,k]        n_q n_k chains of d steps
    dS = P o (dP - D)      dS[i,j] = P[i,j] (dP[i,j] - D[i])     n_q n_k entries
    dV = P^T dO            dV[j,c] = sum_i P[i,j] dO[i,c]        n_k d chains of n_q steps
    dK = dS^T Q            dK[j,c] = sum_i dS[i,j] Q[i,c]        n_k d chains of n_q steps
    dQ = dS K              dQ[i,c] = sum_j dS[i,j] K[j,c]        n_q d chains of n_k steps

Step k of a chain is the vertex `X[i,j]#k`; a chain of one step still carries `#0`. The scale factor of the logits is
not a vertex: it multiplies into an operation that is there anyway.

Source: Dao et al., FlashAttention, arXiv 2205.14135, appendix B.2; statistics as in FlashAttention-2, arXiv 2307.08691.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pebble_engine.dag import PebbleDag, limit_vertices, whole_number
from pebble_engine.errors import DagFault, InvalidDag

Operands = dict[str, tuple[str, ...]]


def attention_backward(
    n: int | None = None, d: int = 1, *, n_q: int | None = None, n_k: int | None = None
) -> PebbleDag:
    """The backward pass of attention, QKV form, one vertex per multiply-add.

    Parameters
    ----------
    n : number of queries and of keys; or give both `n_q` and `n_k`
    d : head dimension
    n_q, n_k : number of queries and of keys, where they differ

    Returns
    -------
    PebbleDag : with n_q = n_k = n, 5 n^2 d + 2 n^2 + 4 n d + 2 n vertices. Inputs Q, K, V, dO, lse, D; outputs the
        last step of every chain of dV, dK and dQ.

    Raises
    ------
    InvalidDag : `bad_size` or `too_large`

    Examples
    --------
    >>> attention_backward(n=2, d=1)
    PebbleDag('attention_backward n_q=2 n_k=2 d=1', 40 vertices, 66 edges, 12 inputs, 6 outputs)
    >>> dag = attention_backward(n_q=1, n_k=2, d=2)
    >>> [dag.labels[u] for u in dag.predecessors[dag.index("S[0,1]#1")]]
    ['S[0,1]#0', 'Q[0,1]', 'K[1,1]']
    """
    rows, columns, d = _sizes(n, n_q, n_k, d)
    limit_vertices(5 * rows * columns * d + 2 * rows * columns + 2 * (rows + columns) * d + 2 * rows)
    queries, keys, width = range(rows), range(columns), range(d)

    dag: Operands = {}
    for tensor, entries in (("Q", queries), ("K", keys), ("V", keys), ("dO", queries)):
        dag.update((f"{tensor}[{i},{c}]", ()) for i in entries for c in width)
    dag.update((f"{statistic}[{i}]", ()) for statistic in ("lse", "D") for i in queries)

    for i in queries:
        for j in keys:
            dag.update(_chain(f"S[{i},{j}]", ((f"Q[{i},{k}]", f"K[{j},{k}]") for k in width)))
    for i in queries:
        for j in keys:
            dag[f"P[{i},{j}]"] = (f"S[{i},{j}]#{d - 1}", f"lse[{i}]")
    for i in queries:
        for j in keys:
            dag.update(_chain(f"dP[{i},{j}]", ((f"dO[{i},{k}]", f"V[{j},{k}]") for k in width)))
    for i in queries:
        for j in keys:
            dag[f"dS[{i},{j}]"] = (f"P[{i},{j}]", f"dP[{i},{j}]#{d - 1}", f"D[{i}]")
    for j in keys:
        for c in width:
            dag.update(_chain(f"dV[{j},{c}]", ((f"P[{i},{j}]", f"dO[{i},{c}]") for i in queries)))
    for j in keys:
        for c in width:
            dag.update(_chain(f"dK[{j},{c}]", ((f"dS[{i},{j}]", f"Q[{i},{c}]") for i in queries)))
    for i in queries:
        for c in width:
            dag.update(_chain(f"dQ[{i},{c}]", ((f"dS[{i},{j}]", f"K[{j},{c}]") for j in keys)))

    outputs = [f"{grad}[{j},{c}]#{rows - 1}" for grad in ("dV", "dK") for j in keys for c in width]
    outputs += [f"dQ[{i},{c}]#{columns - 1}" for i in queries for c in width]
    return PebbleDag.of(dag, outputs, name=f"attention_backward n_q={rows} n_k={columns} d={d}")


def _chain(cell: str, products: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The steps of one chain of partial sums: each adds one product to the step before it."""
    before: tuple[str, ...] = ()
    for step, factors in enumerate(products):
        label = f"{cell}#{step}"
        yield label, (*before, *factors)
        before = (label,)


def _sizes(n: int | None, n_q: int | None, n_k: int | None, d: int) -> tuple[int, int, int]:
    """(n_q, n_k, d), checked. Either n, or both n_q and n_k."""
    if (n is None) == (n_q is None and n_k is None) or (n_q is None) != (n_k is None):
        raise InvalidDag(DagFault("bad_size", "give n, or both n_q and n_k", {"n": n, "n_q": n_q, "n_k": n_k}))
    if n is not None:
        n = whole_number("n", n)
        return n, n, whole_number("d", d)
    return whole_number("n_q", n_q), whole_number("n_k", n_k), whole_number("d", d)
