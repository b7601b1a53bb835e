"""DAGs of attention: the backward pass in two forms, and the forward pass.

Backward, QKV form. Given Q, dO (n_q x d), K, V (n_k x d) and the forward pass's statistics lse, D (n_q):

    S  = Q K^T             S[i,j]  = sum_k Q[i,k] K[j,k]         n_q n_k sums of d products
    P  = exp(S - lse)      P[i,j]  = exp(S[i,j] - lse[i])        n_q n_k entries
    dP = dO V^T            dP[i,j] = sum_k dO[i,k] V[j,k]        n_q n_k sums of d products
    dS = P o (dP - D)      dS[i,j] = P[i,j] (dP[i,j] - D[i])     n_q n_k entries
    dV = P^T dO            dV[j,c] = sum_i P[i,j] dO[i,c]        n_k d sums of n_q products
    dK = dS^T Q            dK[j,c] = sum_i dS[i,j] Q[i,c]        n_k d sums of n_q products
    dQ = dS K              dQ[i,c] = sum_j dS[i,j] K[j,c]        n_q d sums of n_k products

Backward, weights form. Given A1 (n_q x d), A2, A3 (n_k x d), X, Y (d x d) and dO, or the target E of the loss
1/2 |O - E|^2; it makes its own forward pass, its outputs are gX and gY (d x d):

    Q = A1 X;  h = A3 Y;  S = Q A2^T;  A = exp(S);  l = A 1;  lse = log l;  f = exp(S - lse);  O = f h
    with E: dO = O - E;  D = (dO o O) 1, where with E a step is D + O (O - E)
    q = dO h^T;  p = f o (q - D);  T = p A2;  gX = A1^T T;  U = f^T dO;  gY = A3^T U

Forward. Given Q, K, V; its outputs are O (n_q x d) and lse (n_q):

    S = Q K^T;  A = exp(S);  l = A 1;  lse = log l;  P = exp(S - lse);  O = P V

These divide by the row sums l first, in P and f (`divide="first"`): standard attention and the algorithms for small
caches do. FlashAttention multiplies first, which is another order of operations and so another DAG (`divide="last"`):
N = A V (or A h), a sum of n_k products, then O = N / l.

How a sum becomes vertices (`chain`, `tree`, `entry`) is in `sums`. The scale factor of the logits is not a vertex: it
multiplies into an operation that is there anyway. Nor is the maximum that a program takes out of a softmax: without
rounding exp(S - m) and a sum that is rescaled whenever m rises are exp(S) and the plain sum, times exp(-m).

Masks. Only the pairs (i, j) that a mask keeps have S, P, dP, dS (A, f, q, p); sums go over those, and `#step` counts
the terms that are there. A query (key) without a kept pair has no vertices at all: its inputs are not read, its rows of
dQ or O (dK, dV) are zero and are not outputs.

Sources: Dao et al., FlashAttention, arXiv 2205.14135, appendix B.2; statistics as in FlashAttention-2, arXiv
2307.08691; weights form: Alman & Song, NeurIPS 2024, and arXiv 2410.09397.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble_engine.dag import PebbleDag, whole_number
from pebble_engine.errors import DagFault, InvalidDag
from pebble_engine.sums import GRANULARITIES, Sheet, Sums, limit

FORMS = ("qkv", "weights")
ORDERS = ("first", "last")  # when the row sums of a softmax divide
_SPELLED = 80  # a mask of at most so many characters is spelled out in the name

MaskLike = NDArray[np.bool_] | Sequence[Sequence[bool]]


def attention_backward(
    n: int | None = None,
    d: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    form: str = "qkv",
    granularity: str = "chain",
    mask: MaskLike | None = None,
    target: bool = False,
    divide: str = "first",
) -> PebbleDag:
    """The backward pass of attention.

    Parameters
    ----------
    n : number of queries and of keys; or give both `n_q` and `n_k`
    d : head dimension
    n_q, n_k : number of queries and of keys, where they differ
    form : `qkv` or `weights`
    granularity : `chain`, `tree` or `entry`
    mask : (n_q, n_k) booleans, True where the score exists; None keeps all
    target : weights form only: the target E is given instead of dO
    divide : weights form only: `first` has O = f h, `last` has O = (A h) / l

    Returns
    -------
    PebbleDag : in the QKV form, `chain`, with n_q = n_k = n, 5 n^2 d + 2 n^2 + 4 n d + 2 n vertices. Outputs are the
        last steps of dV, dK and dQ, or of gX and gY.

    Raises
    ------
    InvalidDag : `bad_size`, `bad_choice`, `bad_mask` or `too_large`

    Examples
    --------
    >>> attention_backward(n=2, d=1)
    PebbleDag('attention_backward n_q=2 n_k=2 d=1', 40 vertices, 66 edges, 12 inputs, 6 outputs)
    >>> dag = attention_backward(n_q=1, n_k=2, d=2)
    >>> [dag.labels[u] for u in dag.predecessors[dag.index("S[0,1]#1")]]
    ['S[0,1]#0', 'Q[0,1]', 'K[1,1]']
    >>> attention_backward(n=2, d=1, form="weights", granularity="entry", mask=[[True, False], [True, True]])
    PebbleDag('attention_backward n_q=2 n_k=2 d=1 form=weights granularity=entry mask=10/11', 43 vertices, 73 edges,
    10 inputs, 2 outputs)
    """
    _choice("form", form, FORMS)
    if form == "qkv":
        if target:
            _choice("target", target, ("False (a target is for form=weights)",))
        _choice("divide", divide, ORDERS[:1])
        return _backward_qkv(_Shape.of(n, n_q, n_k, d, granularity, mask))
    _choice("divide", divide, ORDERS)
    return _backward_weights(_Shape.of(n, n_q, n_k, d, granularity, mask), target, last=divide == "last")


def attention_forward(
    n: int | None = None,
    d: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    granularity: str = "chain",
    mask: MaskLike | None = None,
    divide: str = "first",
) -> PebbleDag:
    """The forward pass of attention, O = softmax(Q K^T) V and lse. Parameters and errors as `attention_backward`.

    Returns
    -------
    PebbleDag : `chain`, with n_q = n_k = n: 2 n^2 d + 3 n^2 + 3 n d + n vertices, `divide="last"`: n^2 - n d fewer

    >>> attention_forward(n=2, d=1)
    PebbleDag('attention_forward n_q=2 n_k=2 d=1', 28 vertices, 38 edges, 6 inputs, 4 outputs)
    """
    _choice("divide", divide, ORDERS)
    shape, last = _Shape.of(n, n_q, n_k, d, granularity, mask), divide == "last"
    r, c, kept, w = shape.counts
    entries = (r + 2 * c) * w + r + (kept + r * w if last else 2 * kept)
    limit(granularity, entries, [Sums(kept, kept * w), Sums(r, kept, factors=1), Sums(r * w, kept * w)])
    sheet = Sheet(granularity)
    _matrices(sheet, shape.width, ("Q", shape.queries), ("K", shape.keys), ("V", shape.keys))
    _products(sheet, "S", shape, "Q", "K")
    _row_sums(sheet, shape)
    if not last:
        _probabilities(sheet, shape, "P")
    outputs = _output(sheet, shape, "P", "V", last) + [f"lse[{i}]" for i in shape.queries]
    return shape.dag(sheet, outputs, "attention_forward" + " divide=last" * last)


class _Shape(NamedTuple):
    """What to build: sizes, the granularity, and which pairs (i, j) are kept."""

    n_q: int
    n_k: int
    d: int
    granularity: str
    kept: NDArray[np.bool_] | None  # (n_q, n_k)

    @classmethod
    def of(
        cls, n: int | None, n_q: int | None, n_k: int | None, d: int, granularity: str, mask: MaskLike | None
    ) -> _Shape:
        n_q, n_k, d = _sizes(n, n_q, n_k, d)
        _choice("granularity", granularity, GRANULARITIES)
        return cls(n_q, n_k, d, granularity, None if mask is None else _mask(mask, n_q, n_k))

    @property
    def width(self) -> range:
        return range(self.d)

    @property
    def queries(self) -> Sequence[int]:
        """Queries with a kept pair."""
        return range(self.n_q) if self.kept is None else np.flatnonzero(self.kept.any(axis=1)).tolist()

    @property
    def keys(self) -> Sequence[int]:
        """Keys with a kept pair."""
        return range(self.n_k) if self.kept is None else np.flatnonzero(self.kept.any(axis=0)).tolist()

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The kept pairs, row by row."""
        return [(i, j) for i in self.queries for j in self.keys_of(i)]

    def keys_of(self, i: int) -> Sequence[int]:
        return range(self.n_k) if self.kept is None else np.flatnonzero(self.kept[i]).tolist()

    def queries_of(self, j: int) -> Sequence[int]:
        return range(self.n_q) if self.kept is None else np.flatnonzero(self.kept[:, j]).tolist()

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Queries and keys with a kept pair, kept pairs, d."""
        pairs = self.n_q * self.n_k if self.kept is None else int(self.kept.sum())
        return len(self.queries), len(self.keys), pairs, self.d

    def dag(self, sheet: Sheet, outputs: list[str], what: str) -> PebbleDag:
        name = f"{what.split()[0]} n_q={self.n_q} n_k={self.n_k} d={self.d}"
        name = " ".join([name, *what.split()[1:]])
        if self.granularity != "chain":
            name += f" granularity={self.granularity}"
        if self.kept is not None:
            spelled = "/".join("".join("01"[int(bit)] for bit in row) for row in self.kept[:_SPELLED])
            name += f" mask={spelled}" if len(spelled) <= _SPELLED else f" kept={self.counts[2]}"
        return PebbleDag.of(sheet.operands, sheet.values(outputs), name=name)


def _backward_qkv(shape: _Shape) -> PebbleDag:
    r, c, kept, w = shape.counts
    products = [Sums(kept, kept * w)] * 2 + [Sums(c * w, kept * w)] * 2 + [Sums(r * w, kept * w)]
    limit(shape.granularity, 2 * (r + c) * w + 2 * r + 2 * kept, products)
    sheet = Sheet(shape.granularity)
    queries, keys = shape.queries, shape.keys
    _matrices(sheet, shape.width, ("Q", queries), ("K", keys), ("V", keys), ("dO", queries))
    for statistic in ("lse", "D"):
        sheet.given(*(f"{statistic}[{i}]" for i in queries))
    _products(sheet, "S", shape, "Q", "K")
    for i, j in shape.pairs:
        sheet.entry(f"P[{i},{j}]", f"S[{i},{j}]", f"lse[{i}]")
    _products(sheet, "dP", shape, "dO", "V")
    for i, j in shape.pairs:
        sheet.entry(f"dS[{i},{j}]", f"P[{i},{j}]", f"dP[{i},{j}]", f"D[{i}]")
    outputs = _columns(sheet, "dV", shape, "P", "dO")
    outputs += _columns(sheet, "dK", shape, "dS", "Q")
    outputs += _rows(sheet, "dQ", shape, "dS", "K")
    return shape.dag(sheet, outputs, "attention_backward")


def _backward_weights(shape: _Shape, target: bool, last: bool) -> PebbleDag:
    r, c, kept, w = shape.counts
    sums = [Sums(r * w, r * w * w), Sums(c * w, c * w * w)]  # Q, h
    sums += [Sums(w * w, r * w * w), Sums(w * w, c * w * w)]  # gX, gY
    sums += [Sums(kept, kept * w)] * 2 + [Sums(r, kept, factors=1), Sums(r, r * w)]  # S, q, l, D
    sums += [Sums(r * w, kept * w)] * 2 + [Sums(c * w, kept * w)]  # O or N, T, U
    limit(shape.granularity, 2 * (r + c + w) * w + 3 * kept + r + r * w * (target + last), sums)
    sheet = Sheet(shape.granularity)
    queries, keys, width = shape.queries, shape.keys, shape.width
    given = "E" if target else "dO"
    _matrices(sheet, width, ("A1", queries), ("A2", keys), ("A3", keys), ("X", width), ("Y", width), (given, queries))
    for tensor, rows, left, right in (("Q", queries, "A1", "X"), ("h", keys, "A3", "Y")):
        for i in rows:
            for k in width:
                sheet.sum(f"{tensor}[{i},{k}]", [(f"{left}[{i},{t}]", f"{right}[{t},{k}]") for t in width])
    _products(sheet, "S", shape, "Q", "A2")
    _row_sums(sheet, shape)
    _probabilities(sheet, shape, "f")
    _output(sheet, shape, "f", "h", last)
    for i in queries:
        sheet.sum(f"D[{i}]", [(f"O[{i},{k}]", f"{given}[{i},{k}]") for k in width])
    if target:
        for i in queries:
            for k in width:
                sheet.entry(f"dO[{i},{k}]", f"O[{i},{k}]", f"E[{i},{k}]")
    _products(sheet, "q", shape, "dO", "h")
    for i, j in shape.pairs:
        sheet.entry(f"p[{i},{j}]", f"f[{i},{j}]", f"q[{i},{j}]", f"D[{i}]")
    _rows(sheet, "T", shape, "p", "A2")
    outputs = _gradient(sheet, "gX", width, queries, "A1", "T")
    _columns(sheet, "U", shape, "f", "dO")
    outputs += _gradient(sheet, "gY", width, keys, "A3", "U")
    what = "attention_backward form=weights" + " target=yes" * target + " divide=last" * last
    return shape.dag(sheet, outputs, what)


def _matrices(sheet: Sheet, width: range, *tensors: tuple[str, Sequence[int]]) -> None:
    """Inputs of `width` columns: (name, rows) each."""
    for tensor, rows in tensors:
        sheet.given(*(f"{tensor}[{i},{c}]" for i in rows for c in width))


def _products(sheet: Sheet, tensor: str, shape: _Shape, left: str, right: str) -> None:
    """tensor[i,j] = sum_k left[i,k] right[j,k], for the kept pairs."""
    for i, j in shape.pairs:
        sheet.sum(f"{tensor}[{i},{j}]", [(f"{left}[{i},{k}]", f"{right}[{j},{k}]") for k in shape.width])


def _row_sums(sheet: Sheet, shape: _Shape) -> None:
    """A = exp(S), l = A 1, lse = log l."""
    for i, j in shape.pairs:
        sheet.entry(f"A[{i},{j}]", f"S[{i},{j}]")
    for i in shape.queries:
        sheet.sum(f"l[{i}]", [(f"A[{i},{j}]",) for j in shape.keys_of(i)])
        sheet.entry(f"lse[{i}]", f"l[{i}]")


def _probabilities(sheet: Sheet, shape: _Shape, tensor: str) -> None:
    """tensor = exp(S - lse)."""
    for i, j in shape.pairs:
        sheet.entry(f"{tensor}[{i},{j}]", f"S[{i},{j}]", f"lse[{i}]")


def _output(sheet: Sheet, shape: _Shape, scores: str, right: str, last: bool) -> list[str]:
    """O = scores right, or with the division last N = A right, O = N / l; returns O's cells."""
    if not last:
        return _rows(sheet, "O", shape, scores, right)
    _rows(sheet, "N", shape, "A", right)
    cells = [(i, c) for i in shape.queries for c in shape.width]
    for i, c in cells:
        sheet.entry(f"O[{i},{c}]", f"N[{i},{c}]", f"l[{i}]")
    return [f"O[{i},{c}]" for i, c in cells]


def _rows(sheet: Sheet, tensor: str, shape: _Shape, scores: str, right: str) -> list[str]:
    """tensor[i,c] = sum_j scores[i,j] right[j,c]; returns its cells."""
    cells = [(i, c) for i in shape.queries for c in shape.width]
    for i, c in cells:
        sheet.sum(f"{tensor}[{i},{c}]", [(f"{scores}[{i},{j}]", f"{right}[{j},{c}]") for j in shape.keys_of(i)])
    return [f"{tensor}[{i},{c}]" for i, c in cells]


def _columns(sheet: Sheet, tensor: str, shape: _Shape, scores: str, right: str) -> list[str]:
    """tensor[j,c] = sum_i scores[i,j] right[i,c]; returns its cells."""
    cells = [(j, c) for j in shape.keys for c in shape.width]
    for j, c in cells:
        sheet.sum(f"{tensor}[{j},{c}]", [(f"{scores}[{i},{j}]", f"{right}[{i},{c}]") for i in shape.queries_of(j)])
    return [f"{tensor}[{j},{c}]" for j, c in cells]


def _gradient(sheet: Sheet, tensor: str, width: range, rows: Sequence[int], left: str, right: str) -> list[str]:
    """tensor[a,b] = sum_i left[i,a] right[i,b]; returns its cells."""
    cells = [(a, b) for a in width for b in width]
    for a, b in cells:
        sheet.sum(f"{tensor}[{a},{b}]", [(f"{left}[{i},{a}]", f"{right}[{i},{b}]") for i in rows])
    return [f"{tensor}[{a},{b}]" for a, b in cells]


def _mask(mask: MaskLike, n_q: int, n_k: int) -> NDArray[np.bool_]:
    """A mask as a boolean array, checked."""
    try:
        kept = np.asarray(mask)
    except ValueError:  # rows of different lengths
        raise InvalidDag(DagFault("bad_mask", "the rows of a mask have one length", {"want": [n_q, n_k]})) from None
    if kept.dtype != np.bool_ or kept.shape != (n_q, n_k):
        shown = f"an array of {kept.dtype} of shape {kept.shape}"
        sentence = f"a mask must be booleans of shape ({n_q}, {n_k}), got {shown}"
        raise InvalidDag(DagFault("bad_mask", sentence, {"want": [n_q, n_k], "got": list(kept.shape)}))
    if not kept.any():
        raise InvalidDag(DagFault("bad_mask", "the mask keeps no pair, so there is nothing to compute", {}))
    return kept


def _choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        sentence = f"{name} must be {' or '.join(choices)}, got {value!r:.60}"
        raise InvalidDag(DagFault("bad_choice", sentence, {"name": name, "choices": list(choices)}))


def _sizes(n: int | None, n_q: int | None, n_k: int | None, d: int) -> tuple[int, int, int]:
    """(n_q, n_k, d), checked. Either n, or both n_q and n_k."""
    if (n is None) == (n_q is None and n_k is None) or (n_q is None) != (n_k is None):
        raise InvalidDag(DagFault("bad_size", "give n, or both n_q and n_k", {"n": n, "n_q": n_q, "n_k": n_k}))
    if n is not None:
        n = whole_number("n", n)
        return n, n, whole_number("d", d)
    return whole_number("n_q", n_q), whole_number("n_k", n_k), whole_number("d", d)
