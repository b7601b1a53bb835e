"""Dense attention, forward and backward, in plain NumPy: what is right. Kernels are compared with this.

Works through the queries a few rows at a time only to stay small; every row is independent of the others. A score that
the mask drops is -inf and its probability 0; a row that keeps no score at all has out = 0, lse = 0 and no gradient.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .masks import Mask
from .memory import Array

ROWS_AT_ONCE = 512


class Forward(NamedTuple):
    """``out`` (n_q, d_v) and ``lse`` (n_q,), the logarithm of each row's softmax denominator."""

    out: Array
    lse: Array


class Gradients(NamedTuple):
    """``dq`` (n_q, d), ``dk`` (n_k, d), ``dv`` (n_k, d_v)."""

    dq: Array
    dk: Array
    dv: Array


class WeightGradients(NamedTuple):
    """``gx`` (d, d), ``gy`` (d, d_v)."""

    gx: Array
    gy: Array


class Statistics(NamedTuple):
    """What FlashAttention's first version keeps of each row: ``m``, its largest score, ``l``, its sum of exp(S - m)."""

    m: Array
    l: Array  # noqa: E741


def _scores(q: Array, k: Array, rows: slice, scale: float, mask: Mask | None) -> Array:
    s: Array = scale * (q[rows] @ k.T)  # (rows, n_k)
    kept = None if mask is None else mask.kept(slice(rows.start, rows.start + len(s)), slice(0, len(k)))
    if kept is not None:
        s[~kept] = -np.inf
    return s


def _top(s: Array) -> Array:
    """The largest score of each row; 0 where there is none, so that -inf - 0 still gives P = 0."""
    top: Array = s.max(axis=1)
    return np.where(np.isneginf(top), 0, top).astype(s.dtype)


def statistics(q: Array, k: Array, *, scale: float = 1.0, mask: Mask | None = None) -> Statistics:
    """Row maxima and sums; 0 and 1 for a row that keeps no score."""
    m, total = np.empty(len(q), q.dtype), np.empty(len(q), q.dtype)
    for start in range(0, len(q), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        s = _scores(q, k, rows, scale, mask)
        m[rows] = _top(s)
        total[rows] = np.exp(s - m[rows, None]).sum(axis=1)
    return Statistics(m, np.where(total == 0, 1, total).astype(total.dtype))


def forward(q: Array, k: Array, v: Array, *, scale: float = 1.0, mask: Mask | None = None) -> Forward:
    """softmax(scale Q K^T) V. Shapes: q (n_q, d), k (n_k, d), v (n_k, d_v)."""
    out = np.empty((len(q), v.shape[1]), v.dtype)
    m, total = statistics(q, k, scale=scale, mask=mask)
    lse = m + np.log(total)
    for start in range(0, len(q), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        out[rows] = np.exp(_scores(q, k, rows, scale, mask) - lse[rows, None]) @ v
    return Forward(out, lse)


def backward(q: Array, k: Array, v: Array, dout: Array, *, scale: float = 1.0, mask: Mask | None = None) -> Gradients:
    """Gradients of sum(dout o out). Shapes as in `forward`; dout (n_q, d_v).

    P = exp(S - lse);  dP = dO V^T;  dS = P o (dP - D), D = rowsum(P o dP);  dV = P^T dO;  dQ = scale dS K;
    dK = scale dS^T Q.
    """
    dq, dk, dv = np.empty_like(q), np.zeros_like(k), np.zeros_like(v)
    for start in range(0, len(q), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        s = _scores(q, k, rows, scale, mask)
        p = np.exp(s - _top(s)[:, None])
        total = p.sum(axis=1, keepdims=True)
        p /= np.where(total == 0, 1, total)  # (rows, n_k)
        dp = dout[rows] @ v.T
        ds = p * (dp - (p * dp).sum(axis=1, keepdims=True))
        dv += p.T @ dout[rows]
        dk += scale * (ds.T @ q[rows])
        dq[rows] = scale * (ds @ k)
    return Gradients(dq, dk, dv)


def backward_weights(
    a1: Array, a2: Array, a3: Array, x: Array, y: Array, dout: Array,
    *, scale: float = 1.0, mask: Mask | None = None,
) -> WeightGradients:  # fmt: skip
    """Gradients by X and Y of sum(dout o out), out = softmax(scale A1 X A2^T) A3 Y.

    Q = A1 X, K = A2, V = A3 Y; gX = A1^T dQ, gY = A3^T dV.
    """
    dq, _, dv = backward(a1 @ x, a2, a3 @ y, dout, scale=scale, mask=mask)
    return WeightGradients(a1.T @ dq, a3.T @ dv)
