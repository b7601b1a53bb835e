"""Lower bounds in words, constants included: no schedule, recomputing or not, in place or not, moves fewer.

How every one of them is proven (Hong, Kung, STOC 1981, with explicit constants). Take any legal schedule and leave out
computations whose results are never used: that adds no I/O. Cut it into phases of equally many moves (of some kind).
What a phase can do is limited by the words that it can see, so there must be many phases. N: kept scores (n_q n_k
without a mask); H equal heads have H N; a mask only takes pairs away from what a phase can do.

*Private* to (i, j) are all partial sums of S[i,j] and dP[i,j], in whatever order they are summed, and P[i,j], dS[i,j].

1. Dominators (`dominator`). Cut by loads, X - M a phase. All that is computed in a phase comes from D: words in fast
   memory at its start (at most M) or loaded in it, |D| <= X. Count the dS[i,j] computed first in it. Either D holds
   something private to (i, j), for p pairs; or every path from an input to dS[i,j] meets D outside, so D holds
   w_row words of row i (Q, dO, lse, D: d + d_v + 2) and w_column words of column j (K, V: d + d_v). Such pairs lie
   within r rows and c columns, r w_row + c w_column <= X - p, so they are at most (X - p)^2 / (4 w_row w_column).
   Together that is convex in p, most at p = 0 or p = X:  F(X) = max(X, X^2 / (4 w_row w_column)).
   The first phase starts empty:  N <= F(X - M) + (phases - 1) F(X),  loads >= (X - M) (phases - 1), for every X > M.
   Stores come on top: at least the outputs. Forward: the same for S[i,j] with d words of Q and d of K.
   Weights form: Q[i,:] is computed from A1[i,:] and X. If some A1[i,l] is not in D, its path to S[i,j] through each of
   the d sums Q[i,k] must be cut there: d words of row i in any case. The same for h from A3 and Y: min(d, d_v).
   So w_row = d + d_v, w_column = d + min(d, d_v). With E for dO: E[i,c] or dO[i,c], one word either way.
   `dominator-closed` (w^2 for w_row w_column; backward w = d + d_v): with the sum X + X^2 / 4w^2
   for F and X = 2M: N w^2 / (M + 2 w^2) - M; d_v = d:
   4 n^2 d^2 / (M + 8 d^2) - M backward, n^2 d^2 / (M + 2 d^2) - M forward.

2. Loomis-Whitney (`loomis-whitney`). Cut by I/O, M a phase. A: words in fast memory at its start or end, loaded or
   stored in it: |A| <= 3M, of which at most 2M inputs (inputs cannot be computed). Count multiplications of S and dP
   computed in the phase. Of a pair without private words in A the whole sum is computed there (backwards nothing could
   be loaded, forwards nothing is kept), so its rows of Q and K are there: at most qk / d multiplications for q words
   of Q and k of K, and ov / d_v for dO and V; with q + k + o + v <= 2M that is M^2 / min(d, d_v). The others have
   at most c = 3M private words: sqrt(q k c_1) + sqrt(o v c_2) <= sqrt(3M) M by Loomis, Whitney and Cauchy.
   With N (d + d_v) multiplications and d_v = d: 2 n^2 d^2 / (M + sqrt(3) d sqrt(M)) - M.

3. Products (`products`), the strongest here. Cut by I/O, T a phase, A as before: |A| <= 2M + T =: Y, in the first
   and in the last phase M + T. Count the multiplications of dV, dK and dQ (3 N d; d_v = d). A chain of
   sums of an output that is touched in a phase has a word in A: the last one touched is stored, or still there at the
   end. Let q, k, o, v, a, b, c be the words in A of Q, K, dO, V and of the chains of dV, dK, dQ, and e the pairs with
   private words in A:
   s = q + k + o + v + a + b + c <= Y - e.
   Pairs with private words: sqrt(e o a) + sqrt(e q b) + sqrt(e k c) <= sqrt(e) s / 2 (Loomis, Whitney).
   Pairs without: P[i,j] in use needs all of Q[i,:], K[j,:], and dS[i,j] those of dO, V too. So there are at most q/d
   rows and k/d columns for P, min(q,o)/d rows and min(k,v)/d columns for dS. dV: at most o k/d and a q/d, so their
   geometric mean; dK: b min(q,o)/d, where b <= min(k,v) (only those columns matter); dQ: c min(k,v)/d, c <= min(q,o).
   Claim: sqrt(q k o a) + min(q,o) b + min(k,v) c <= alpha s^2, alpha = (2 + sqrt(7)) / 72 = 1 / 15.5.
     Let m = (q+o)/2 >= sqrt(qo), min(q,o); g = min(k,v); x = sqrt(k a); b = f g, c = u m with f, u in [0, 1]. Then the
     left side is at most m x + m b + g c and s >= 2m + k + a + g + b + c.
     If x >= g: k + a >= 2x. Put y = x + g/2 + b/2, so s >= 2m + 2y + c. The left side is m y + g (c - m/2) + m b/2
     where b <= g and 3g + b <= 2y; linear in (g, b), so most at (0,0), (2y/3, 0) or (y/2, y/2): at most
     y (m + c/2) <= s^2 / 16 < alpha s^2.
     If x = zg, z < 1: k + a is least at k = g, where it is g + z^2 g. So left / s^2 <= m g (z + f + u) /
     (m (2+u) + g (2+z^2+f))^2 <= (z + f + u) / (4 (2+u) (2+z^2+f)): monotone in u and in f, so most at an end of each:
     u = f = 1, z = sqrt(7) - 2 gives alpha; u = 0 or f = 0 give at most 1/16.
   So a phase does at most G(Y) = max over s of alpha s^2 / d + (s/2) sqrt(Y - s), and
   3 N d <= 2 G(M + T) + (full phases - 1) G(2M + T), I/O >= T (full phases), for every T with G(T) < 3 N d.
   Large M (T = 2M): 5.8 n^2 d^2 / M. Small M (T = 4M): 4.2 n^2 d / sqrt(M).
   Forward: multiplications of O (N d_v), alpha = 1/16: sqrt(o v (q/d) (k/d)), four factors of sum s; 2 n^2 d d_v / M.
   Or those of S too (N (d + d_v)), alpha = 1/4: with y = sqrt(qk), z = sqrt(ov): y^2 + y z <= s^2 / 4.
   Several heads: alpha s^2 and s sqrt(e) only fall when s and e are split among heads.

4. Scores (`scores`). As 3, with the multiplications of S and dP, N (d + d_v): pairs without private words do at most
   qk / d + ov / d_v <= s^2 / 4w, w = min(d, d_v), the others sqrt(e) (sqrt(qk) + sqrt(ov)) <= sqrt(e) s / 2.
   Small M: 2.8 n^2 d / sqrt(M). Weights form, for d_v <= d: q counts the words of A1 and of sums of Q. If a phase uses
   Q[i,k] and holds none of its sums in A, then all d words A1[i,:] are in A, enough for the d words Q[i,:]; so it
   uses at most q words of Q. The same for h and A3, as d_v <= d; and for dO[i,c] and E[i,c].

What they do not cover: schedules that do not compute each kept score as its own sum of products (fast matrix
multiplication), and zeros in the inputs that are known beforehand (`sparse.per_instance_floor`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .counts import count
from .errors import BadInput
from .masks import MaskLike, as_mask
from .sizes import Shape, check
from .theory import components, inputs_and_outputs

Floats = npt.NDArray[np.float64]
SAFE = 1 - 1e-9  # no rounding of floating point may lift a bound
ANY = "any schedule: recomputation, sums in place, any order of summation"


@dataclass(frozen=True, slots=True)
class Bound:
    """``words`` that must move at least. ``ours``: proven in this project's `bounds`, in no source."""

    name: str
    words: int
    statement: str
    valid_for: str
    source: str
    ours: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """What the bounds look at. ``kept`` scores of all heads; ``shape`` of one; inputs and outputs of all, in words."""

    form: str
    shape: Shape
    kept: int
    inputs: int
    outputs: int

    @classmethod
    def of(cls, form: str, shape: Shape, heads: int = 1, kv_heads: int | None = None) -> Problem:
        one, times = components(form, shape, heads, kv_heads)
        inputs, outputs = inputs_and_outputs(form, one)
        kept = one.n_q * one.n_k if one.mask is None else one.mask.words
        return cls(form, one, times * kept, times * inputs, times * outputs)

    @property
    def widths(self) -> tuple[int, int]:
        """Words of a row and of a column without which no score of theirs can be computed from inputs."""
        d, d_v = self.shape.d, self.shape.d_v
        return {"qkv": (d + d_v + 2, d + d_v), "forward": (d, d), "weights": (d + d_v, d + min(d, d_v))}[self.form]


def _dominator(at: Problem, memory: Floats) -> Floats:
    row, column = at.widths
    step = memory[:, None] * np.geomspace(1 / 2, 8, 25)  # X - M

    def most(x: Floats) -> Floats:
        return np.maximum(x, x * x / (4.0 * row * column))

    loads = step * (float(at.kept) - most(step)) / most(step + memory[:, None])
    best: Floats = np.maximum(loads.max(axis=1), float(at.inputs)) + float(at.outputs)
    return best


def _dominator_closed(at: Problem, memory: Floats) -> Floats:
    row, column = at.widths if at.form != "qkv" else (at.shape.d + at.shape.d_v,) * 2
    bound: Floats = at.kept * float(row * column) / (memory + 2.0 * row * column) - memory
    return bound


def _loomis_whitney(at: Problem, memory: Floats) -> Floats:
    least = float(min(at.shape.d, at.shape.d_v))
    products = at.kept * float(at.shape.d + at.shape.d_v)
    bound: Floats = products * least / (memory + math.sqrt(3) * least * np.sqrt(memory)) - memory
    return bound


def _scores(at: Problem, memory: Floats) -> Floats:
    d, d_v = at.shape.d, at.shape.d_v
    return _phases(float(at.kept) * (d + d_v), min(d, d_v), 1 / 4, memory)


BACKWARD_ALPHA = (2 + math.sqrt(7)) / 72


def most_products(words: Floats, d: int, alpha: float) -> Floats:
    """G(Y): the largest alpha s^2 / d + (s/2) sqrt(Y - s). With u^2 = (Y - s) / Y its slope has one zero in (0, 1)."""
    weight = 2 * alpha * np.sqrt(words) / d
    u = 2 / (4 * weight + np.sqrt(16 * weight**2 + 12))  # the zero of 1 - 4 weight u - 3 u^2, which is a little less
    for _ in range(4):
        u -= (4 * weight * u**3 - 3 * u**2 - 4 * weight * u + 1) / (12 * weight * u**2 - 6 * u - 4 * weight)
    s = 1 - u**2
    found: Floats = words**1.5 / 2 * (weight * s**2 + s * u)
    return found


def _phases(products: float, d: int, alpha: float, memory: Floats) -> Floats:
    """The best T (full phases) over many T."""
    memory = memory[:, None]
    step = memory * np.geomspace(1, 8, 21)  # T
    full = 1 + (products - 2 * most_products(memory + step, d, alpha)) / most_products(2 * memory + step, d, alpha)
    words = np.where(most_products(step, d, alpha) < products, step * np.maximum(full, 1), 0)
    best: Floats = words.max(axis=1)
    return best


def _products(at: Problem, memory: Floats) -> Floats:
    d, d_v = at.shape.d, at.shape.d_v
    if at.form == "qkv":
        return _phases(3.0 * at.kept * d, d, BACKWARD_ALPHA, memory)
    return np.maximum(
        _phases(float(at.kept) * d_v, d, 1 / 16, memory), _phases(float(at.kept) * (d + d_v), d, 1 / 4, memory)
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """A lower bound for some forms. ``words(problem, memories)`` are floating point, not yet rounded down."""

    name: str
    forms: tuple[str, ...]
    statement: str
    source: str
    words: Callable[[Problem, Floats], Floats]
    widths: Callable[[Problem], bool] = lambda at: True  # for which d and d_v

    def holds(self, at: Problem) -> bool:
        return at.form in self.forms and self.widths(at)


RULES = (
    Rule(
        "dominator",
        ("qkv", "forward", "weights"),
        "outputs + the best over X > M of (X - M) (N - F(X - M)) / F(X), F(X) = max(X, X^2 / 4 w_row w_column)",
        "kernels_ref/bounds.py, 1; after Hong and Kung, STOC 1981",
        _dominator,
    ),
    Rule(
        "dominator-closed",
        ("qkv", "forward", "weights"),
        "N w^2 / (M + 2 w^2) - M; backward with d_v = d: 4 n^2 d^2 / (M + 8 d^2) - M",
        "kernels_ref/bounds.py, 1",
        _dominator_closed,
    ),
    Rule(
        "loomis-whitney",
        ("qkv",),
        "N (d + d_v) w / (M + sqrt(3) w sqrt(M)) - M, w = min(d, d_v); with d_v = d N (d + d_v) w is 2 n^2 d^2",
        "kernels_ref/bounds.py, 2; after Loomis and Whitney, 1949, and Irony, Toledo, Tiskin, JPDC 2004",
        _loomis_whitney,
    ),
    Rule(
        "products",
        ("qkv", "forward"),
        "the best over T of T (1 + (W - 2 G(M + T)) / G(2M + T)), W multiplications of dV, dK, dQ (forward: of O)",
        "kernels_ref/bounds.py, 3",
        _products,
        lambda at: at.form == "forward" or at.shape.d == at.shape.d_v,
    ),
    Rule(
        "scores",
        ("qkv", "weights"),
        "the best over T of T (1 + (W - 2 G(M + T)) / G(2M + T)), W multiplications of S and dP",
        "kernels_ref/bounds.py, 4",
        _scores,
        lambda at: at.form == "qkv" or at.shape.d_v <= at.shape.d,
    ),
)  # fmt: skip


def all_bounds(
    form: str,
    shape: Shape,
    memory: int,
    mask: MaskLike = None,
    *,
    heads: int = 1,
    kv_heads: int | None = None,
) -> list[Bound]:
    """Every lower bound that holds for this form and shape, the largest first; inputs + outputs is one of them.

    None of the others is below inputs + outputs: each is the maximum of the two. ``mask`` replaces the shape's own.
    Raises `BadInput` for an unknown form, or more than one head in the weights form.
    """
    check(memory=memory)
    if mask is not None:
        shape = Shape(*shape.sizes, as_mask(mask, shape.n_q, shape.n_k))
    at = Problem.of(form, shape, heads, kv_heads)
    least = at.inputs + at.outputs
    found = [
        Bound("floor", least, "every input that matters is read, every output written", ANY, "by definition", False)
    ]
    for rule in RULES:
        if rule.holds(at):
            words = max(least, rounded_down(rule.words(at, np.array([float(memory)])))[0])
            found.append(Bound(rule.name, words, rule.statement, ANY, rule.source, True))
    return sorted(found, key=lambda bound: -bound.words)


def lower_bound(
    form: str,
    shape: Shape,
    memory: int,
    mask: MaskLike = None,
    *,
    heads: int = 1,
    kv_heads: int | None = None,
) -> Bound:
    """The best of `all_bounds`.

    >>> lower_bound("qkv", Shape(4096, 4096, 64, 64), 16 * 64**2).name
    'products'
    """
    return all_bounds(form, shape, memory, mask, heads=heads, kv_heads=kv_heads)[0]


def rounded_down(words: Floats) -> list[int]:
    return [max(0, math.floor(float(value) * SAFE)) for value in words]


def lower_bounds(
    form: str, shape: Shape, memories: Sequence[int], *, heads: int = 1, kv_heads: int | None = None
) -> list[tuple[int, str]]:
    """For many memories at once: the best bound's words and its name."""
    if not memories:
        return []
    at = Problem.of(form, shape, heads, kv_heads)
    words = np.array([float(memory) for memory in memories])
    parts = np.array_split(words, 1 + len(words) // 2000)
    best = [(at.inputs + at.outputs, "floor")] * len(memories)
    for rule in RULES:
        if rule.holds(at):
            found = rounded_down(np.concatenate([rule.words(at, part) for part in parts]))
            best = [max(old, (new, rule.name), key=lambda pair: pair[0]) for old, new in zip(best, found, strict=True)]
    return best


@dataclass(frozen=True, slots=True)
class Certified:
    """``io`` words of an algorithm are at most ``ratio`` times the fewest that any schedule moves."""

    algorithm: str
    io: int
    bound: Bound
    ratio: float


def certified_ratio(
    algorithm: str,
    n: int | None = None,
    d: int = 1,
    memory: int = 1,
    *,
    mask: MaskLike = None,
    heads: int = 1,
    kv_heads: int | None = None,
    **given: Any,
) -> Certified | None:
    """An algorithm's exact I/O over the best lower bound: "at most x times the optimum". Parameters as in `count`.

    None where the algorithm does not fit. The optimum is that of one form: products by A1 and X in the weights form,
    for example, are counted but not part of its bound.

    >>> certified_ratio("flash-two-sweep", n=2**16, d=64, memory=16 * 64**2).ratio < 2.8
    True
    """
    if given.get("patterns"):
        raise BadInput("the bounds are of inputs without zeros; of stored nonzeros see sparse.per_instance_floor")
    counts = count(algorithm, n, d, memory, mask=mask, heads=heads, kv_heads=kv_heads, **given)
    if counts.io is None:
        return None
    shape = Shape(
        counts.n_q, counts.n_k, counts.d, counts.d if counts.d_v is None else counts.d_v,
        as_mask(mask, counts.n_q, counts.n_k),
    )  # fmt: skip
    bound = lower_bound(counts.form, shape, memory, heads=heads, kv_heads=kv_heads)
    return Certified(algorithm, counts.io, bound, counts.io / bound.words)


def matrix_product(m: int, k: int, q: int, memory: int, *, in_place: bool = True) -> list[Bound]:
    """Lower bounds for C = A B, A m x k, B k x q, by multiply-adds and without recomputation, the largest first.

    The sources' games have no sums in place; a game in place with M words is one without in M + 1 words (the new
    partial sum beside the old), so with ``in_place`` every formula has M + 1 for M. The condition matters too: for
    m, k, q = 2, 1, 2 and M = 3 the first formula would give 8.62, and 8 words suffice in place.

    >>> [(bound.name, bound.words) for bound in matrix_product(4, 4, 4, 8)]
    [('cosma', 58), ('floor', 48), ('smith', 24)]
    """
    check(m=m, k=k, q=q, memory=memory)
    words = memory + 1 if in_place else memory
    every = "multiply-add chains, no recomputation" + (", sums in place (M + 1 for M)" if in_place else "")
    least = m * k + k * q + m * q
    bounds = [Bound("floor", least, "A and B are read, C is written", ANY, "by definition", False)]
    leading = 2.0 * m * k * q / math.sqrt(words)
    if words < min(m * k, k * q, m * q):
        bounds.append(
            Bound(
                "cosma",
                math.floor((leading + m * q) * SAFE),
                "2mkq / sqrt(M) + mq, where M < mk, kq, mq",
                every,
                "arXiv 1908.09606, Theorem 1",
                False,
            )
        )
    bounds.append(
        Bound(
            "smith",
            max(0, math.floor((leading - 2 * words) * SAFE)),
            "2mkq / sqrt(M) - 2M",
            every,
            "Smith, Lowery, Langou, van de Geijn, arXiv 1702.02017",
            False,
        )
    )
    return sorted(bounds, key=lambda bound: -bound.words)
