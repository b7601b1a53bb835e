"""Attention passes: bounds with explicit constants (ours), recomputation and sliding allowed.

Cut a pebbling into phases of R words moved, the last one shorter. What is red when a phase starts and what it loads, D,
is at most M + R =: X vertices, and all that the phase computes is computed from D.

`attention-entries`. Take the entry (i, j) of dS (p in the weights form, S in the forward pass) that a phase computes.
If none of the vertices that only this entry's value is made of (S, P, dP, dS at (i, j)) is in D, then all factors of
its sums are computed from D alone. In the QKV form those are Q[i,:], dO[i,:], K[j,:], V[j,:], inputs: 2 d words of D
belong to row i and 2 d to column j. In the weights form Q[i,c] = (A1 X)[i,c] may be computed in the phase; then either
each Q[i,c] has a vertex of its own sum in D, or all of A1[i,:] is in D: d words that belong to row i, and so for h, A3
and column j; of dO[i,c] = (O - E)[i,c] either it or E[i,c] is in D. Again 2 d a row, 2 d a column. In the forward pass
it is d and d, for Q[i,:] and K[j,:]. So with w = 2 d or d, s rows and columns in all, a phase computes at most

    cap(X) = max over s with w s <= X of  floor(s^2 / 4) + (X - w s)

different entries (convex in s: the maximum is at an end), and all the pairs take at least pairs / cap(X) phases:
I/O >= (X - M) (ceil(pairs / cap(X)) - 1), for every X > M. At X = 2 M this is about 4 n^2 d^2 / (M + 8 d^2) - M in the
backward pass, n^2 d^2 / (M + 2 d^2) - M in the forward pass.

`attention-products`. QKV form, chains or trees: the 2 d pairs products of S and dP, phases of M words. Leave out
computations whose value is never used. If a pair (i, j) of S has no vertex in D, nor in what is red at the phase's end
or stored in it, then its sum is made in the phase from the first product to the last, from 2 d words of D: with x_S
words of D for such pairs of S, x_dP for dP, that is d ((x_S / 2 d)^2 + (x_dP / 2 d)^2) <= M^2 / d products in all. The
other pairs number at most 3 M, factors that are red in the phase at most 2 M, and by Loomis-Whitney they take part in
at most sqrt(M^2) sqrt(3 M) products. So I/O >= M (2 d pairs / (M^2 / d + sqrt 3 M^(3/2)) - 1).

Masks only leave pairs out, which the arguments never needed to be all there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pebble_engine.bounds.core import Bound
from pebble_engine.bounds.recognize import as_attention
from pebble_engine.dag import PebbleDag
from pebble_engine.rules import Rules

_LOOMIS_WHITNEY = "this project; Loomis & Whitney, 1949"


def attention_entries(dag: PebbleDag, rules: Rules) -> Iterator[Bound]:
    """The bound that counts entries of dS, p or S."""
    kind = as_attention(dag)
    if kind is not None:
        width = kind.d if kind.what == "forward" else 2 * kind.d
        yield Bound("attention-entries", entries_value(kind.pairs, width, rules.red), "this project; Hong & Kung, 1981")


def attention_products(dag: PebbleDag, rules: Rules) -> Iterator[Bound]:
    """The bound that counts products of S and dP."""
    kind = as_attention(dag)
    if kind is not None and kind.what == "qkv" and kind.granularity != "entry":
        yield Bound("attention-products", products_value(kind.pairs, kind.d, rules.red), _LOOMIS_WHITNEY)


def entries_value(pairs: int, width: int, red: int) -> int:
    """max over X > M of (X - M) (ceil(pairs / cap(X)) - 1).

    >>> entries_value(64 * 64, 2 * 4, 64), 4 * 64**2 * 4**2 / (64 + 8 * 4**2) - 64
    (3056, 1301.3...)
    """
    best = 0
    for size in range(red + 1, pairs):  # from cap(X) = pairs on it is 0
        best = max(best, (size - red) * (-(-pairs // most_entries(size, width)) - 1))
    return best


def most_entries(size: int, width: int) -> int:
    """cap(X): the most entries that a phase with X = `size` computes."""
    s = size // width
    return max(size, s * s // 4 + size - width * s)


def products_value(pairs: int, d: int, red: int) -> float:
    """M (2 d pairs / (M^2 / d + sqrt 3 M^(3/2)) - 1)."""
    products = red * red / d + red * math.sqrt(3 * red)  # at most, in a phase
    return red * (2 * d * pairs / products - 1)
