"""Sparsity as the theorem counts it, and inputs that are stored by their nonzeros.

Source: Li, Liang, Shi, Song, Yue, Zhang, arXiv 2410.09397, Theorem 4.5: Z_input, the nonzeros of the input matrices,
and Z_QK, those of the key-query matrix. A mask decides Z_QK; Z_input falls with zeros in Q, K (or A1, A2) themselves,
and with rows that no kept score reads.

Inputs by nonzeros. `count`, `run`, `backward`, `forward` and `backward_weights` take ``patterns``, a boolean matrix for
each input that is stored by its nonzeros (`patterns` makes them). Then a word is a nonzero value: a kernel loads those
of a block and no others, and of its products those of two stored words are counted. Where a value stands (its index)
is not counted, as in Z_input, and takes no room. Every kernel in every form counts so; its tiles stay the same, for a
block takes the room of a dense one, and what is computed (S, dQ, Q = A1 X ...) is dense. So loads fall in proportion
to the nonzeros, while the theorem's Z_input^2 / M is what a schedule might reach that packs its tiles. Lower bounds
with constants (`bounds`) and the pebble game are of dense inputs; `per_instance_floor` is what holds here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import BadInput
from .masks import Band, Mask, MaskLike, as_mask, matrix
from .memory import Array
from .sizes import Shape

Patterns = Mapping[str, npt.ArrayLike]
SPARSE = {"qkv": ("Q", "K", "V", "dO"), "forward": ("Q", "K", "V"), "weights": ("A1", "A2", "A3", "X", "Y", "dO")}


def patterns(**inputs: Array) -> dict[str, Array]:
    """Which entries of inputs are not zero, by name: what `count` and `backward` take as ``patterns``.

    >>> patterns(K=np.array([[0.0, 2.0]]))["K"].tolist()
    [[False, True]]
    """
    return {name: np.asarray(array) != 0 for name, array in inputs.items()}


def with_patterns(shape: Shape, given: Patterns | None, form: str) -> Shape:
    """The shape with patterns of its inputs. Raises `BadInput` for a name or a shape that the form does not have."""
    names = tuple("E" if shape.target and name == "dO" else name for name in SPARSE[form])
    found = []
    for name, pattern in (given or {}).items():
        if name not in names:
            raise BadInput(f"the {form} form has no matrix {name!r} to store by nonzeros; it has: {', '.join(names)}")
        stored = np.asarray(pattern)
        if stored.dtype != bool or stored.shape != shape.extent(name):
            raise BadInput(
                f"a pattern is a boolean matrix, of {name} {shape.extent(name)}; got {stored.dtype} of {stored.shape}"
            )
        mask = as_mask(stored, *shape.extent(name))
        if mask is not None:
            found.append((name, mask))
    return replace(shape, patterns=tuple(found))


class Nonzeros(NamedTuple):
    """``z_input``: nonzeros of the larger of the two inputs; ``z_qk``: kept scores. Dense: n d and n^2."""

    z_input: int
    z_qk: int

    @property
    def split(self) -> float:
        """The M at which the theorem's two arms meet: Z_input^2 / Z_QK; infinite where no score is kept."""
        return self.z_input**2 / self.z_qk if self.z_qk else float("inf")


def nonzeros(q: Array, k: Array, mask: MaskLike = None) -> Nonzeros:
    """Z_input and Z_QK of inputs q (n_q, d), k (n_k, d) under a mask. A row that meets no kept score counts nothing.

    >>> nonzeros(np.eye(4), np.eye(4), np.eye(4, dtype=bool))
    Nonzeros(z_input=4, z_qk=4)
    """
    if q.ndim != 2 or k.ndim != 2 or q.shape[1] != k.shape[1]:
        raise BadInput(f"q must be (n_q, d) and k (n_k, d); got {q.shape} and {k.shape}")
    kept = as_mask(mask, len(q), len(k))
    q_rows, k_rows = rows_met(kept, len(q)), rows_met(None if kept is None else kept.T, len(k))
    z_input = max(int(np.count_nonzero(q[q_rows])), int(np.count_nonzero(k[k_rows])))
    return Nonzeros(z_input, len(q) * len(k) if kept is None else kept.words)


def of_pattern(n_q: int, n_k: int, d: int, mask: MaskLike = None) -> Nonzeros:
    """The same for inputs without zeros: rows that meet a kept score, times d."""
    kept = as_mask(mask, n_q, n_k)
    met = max(int(rows_met(kept, n_q).sum()), int(rows_met(None if kept is None else kept.T, n_k).sum()))
    return Nonzeros(met * d, n_q * n_k if kept is None else kept.words)


def rows_met(mask: Mask | None, rows: int) -> Array:
    """Which rows keep at least one score. (rows,)"""
    if mask is None:
        return np.ones(rows, bool)
    if isinstance(mask, Band):
        nonempty: Array = mask.high > mask.low
        return nonempty
    ends = np.array([0, mask.shape[1]])
    met: Array = mask.pairs(np.arange(rows + 1), ends)[:, 0]
    return met


def per_instance_floor(q: Array, k: Array, v: Array, mask: MaskLike = None) -> int:
    """Words that this very problem's backward pass must move when inputs are stored by nonzeros (values only).

    Every nonzero of Q, K, V and every word of dO, lse, D that a result depends on is read once, and dQ, dK, dV are
    written once. dV needs lse, dO and the scores; dK every nonzero of Q and dQ every nonzero of K, by way of dS[i,j],
    which needs D[i] and V[j]; a dS[i,j] for which row i of Q and row j of K are zero is in no result. dO has no zeros.
    Unlike Theorem 4.5, which is a worst case over patterns, it is valid for each pattern: Q = K = I_n needs few words,
    although the theorem's expression is large.
    """
    kept = as_mask(mask, len(q), len(k))
    q_rows, k_rows = rows_met(kept, len(q)), rows_met(None if kept is None else kept.T, len(k))
    d_rows, v_rows = _in_dS(np.asarray(q.any(axis=1)), np.asarray(k.any(axis=1)), kept)
    reads = sum(int(np.count_nonzero(array[rows])) for array, rows in ((q, q_rows), (k, k_rows), (v, v_rows)))
    words: int = reads + int(q_rows.sum()) * (v.shape[1] + 1) + int(d_rows.sum()) + q.size + k.size + v.size
    return words


def _in_dS(q_rows: Array, k_rows: Array, mask: Mask | None) -> tuple[Array, Array]:
    """Queries and keys of a kept pair of which either one's row is not zero."""
    if q_rows.all() or k_rows.all():
        return rows_met(mask, len(q_rows)), rows_met(None if mask is None else mask.T, len(k_rows))
    needed = q_rows[:, None] | k_rows
    if mask is not None:
        needed &= matrix(mask)
    return np.asarray(needed.any(axis=1)), np.asarray(needed.any(axis=0))
