"""Dense attention, forward and backward, in plain NumPy: what is right. Kernels are compared with this.

Works through the queries a few rows at a time only to stay small; every row is independent of the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .memory import Array

ROWS_AT_ONCE = 512


class Forward(NamedTuple):
    """``out`` (n_q, d) and ``lse`` (n_q,), the logarithm of each row's softmax denominator."""

    out: Array
    lse: Array


class Gradients(NamedTuple):
    """``dq`` (n_q, d), ``dk`` (n_k, d), ``dv`` (n_k, d)."""

    dq: Array
    dk: Array
    dv: Array


def forward(q: Array, k: Array, v: Array, *, scale: float = 1.0) -> Forward:
    """softmax(scale Q K^T) V. Shapes: q (n_q, d), k (n_k, d), v (n_k, d)."""
    out, lse = np.empty((len(q), v.shape[1]), v.dtype), np.empty(len(q), q.dtype)
    for start in range(0, len(q), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        s = scale * (q[rows] @ k.T)  # (rows, n_k)
        top = s.max(axis=1)
        lse[rows] = top + np.log(np.exp(s - top[:, None]).sum(axis=1))
        out[rows] = np.exp(s - lse[rows, None]) @ v
    return Forward(out, lse)


def backward(q: Array, k: Array, v: Array, dout: Array, *, scale: float = 1.0) -> Gradients:
    """Gradients of sum(dout o out). Shapes as in `forward`; dout (n_q, d).

    P = exp(S - lse);  dP = dO V^T;  dS = P o (dP - D), D = rowsum(P o dP);  dV = P^T dO;  dQ = scale dS K;
    dK = scale dS^T Q.
    """
    dq, dk, dv = np.empty_like(q), np.zeros_like(k), np.zeros_like(v)
    for start in range(0, len(q), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        s = scale * (q[rows] @ k.T)
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)  # (rows, n_k)
        dp = dout[rows] @ v.T
        ds = p * (dp - (p * dp).sum(axis=1, keepdims=True))
        dv += p.T @ dout[rows]
        dk += scale * (ds.T @ q[rows])
        dq[rows] = scale * (ds @ k)
    return Gradients(dq, dk, dv)
