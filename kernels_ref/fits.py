"""Exponents out of exact counts: I/O ~ C n^a d^b M^c, least squares in logarithms, in one regime at a time.

The theorem's exponents are (2, 2, -1) where M >> d^2 (flash) and (2, 1, -1/2) where M << d^2 (small cache). Counts also
hold words that neither term describes: n d words of inputs and outputs, remainders of tiles, and in Algorithm 6 three
words a score, written and read once each, which no M makes fewer. These pull the small-cache exponents towards
(2, 0, 0), so there the fit is made a second time without them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .algorithms import ALGORITHMS, find
from .counts import counts_of
from .errors import BadInput
from .sizes import Shape

Point = tuple[int, int, int]  # n, d, M
ENVELOPE = "envelope"
OWN = {  # the regime that an algorithm is for, where the theorem says what its exponents should be
    "flash1": "flash", "flash2": "flash", "flash-two-sweep": "flash", "forward-flash": "flash",
    "small-cache": "small-cache", "small-cache-outer": "small-cache", "fused-split": "small-cache",
    "forward-small-cache": "small-cache",
}  # fmt: skip
ELEMENTWISE = {"small-cache": 3, "small-cache-outer": 3, "small-cache-panel": 3, "standard": 7, "flash-stored-ds": 2}


@dataclass(frozen=True, slots=True)
class Regime:
    """Where one term of the theorem rules: the grid that is fitted, and the exponents of (n, d, M) that it predicts."""

    name: str
    points: tuple[Point, ...]
    exponents: tuple[float, float, float]
    within: float


def _grid(rows: Sequence[int], widths: Sequence[int], shares: Sequence[int], *, large: bool) -> tuple[Point, ...]:
    found = itertools.product(rows, widths, shares)
    return tuple((n, d, d * d * share if large else d * d // share) for n, d, share in found)


REGIMES = {
    regime.name: regime
    for regime in (
        Regime(
            "flash",
            _grid([2**18, 2**19, 2**20, 2**21, 2**22], [16, 32, 64, 128], [16, 32, 64, 128, 256], large=True),
            (2, 2, -1),
            0.05,
        ),
        Regime(
            "small-cache",
            _grid([2**16, 2**17, 2**18, 2**19], [512, 1024, 2048, 4096], [16, 32, 64, 128, 256], large=False),
            (2, 1, -0.5),
            0.1,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Fit:
    """I/O ~ ``constant`` n^n d^d M^memory over ``points`` points. Residuals are of log(I/O): 0.01 is about 1 %.

    ``elementwise``: the share of the I/O that the words a score make, on average over the points; ``without`` them: the
    same fit of the rest, None where there are none.
    """

    algorithm: str
    regime: str
    n: float
    d: float
    memory: float
    constant: float
    points: int
    residual: float
    largest_residual: float
    expected: tuple[float, float, float]
    within: float
    elementwise: float = 0.0
    without: Fit | None = None

    @property
    def exponents(self) -> tuple[float, float, float]:
        return self.n, self.d, self.memory

    @property
    def is_own(self) -> bool:
        """Whether the theorem says anything of this algorithm in this regime: only of one that is made for it."""
        return self.algorithm == ENVELOPE or OWN.get(self.algorithm) == self.regime

    @property
    def as_expected(self) -> bool:
        """Whether every exponent is as near to the theorem's as this regime asks for."""
        return all(abs(a - b) <= self.within for a, b in zip(self.exponents, self.expected, strict=True))

    def __str__(self) -> str:
        n, d, memory = (f"{value:.3f}" for value in self.exponents)
        text = f"{self.algorithm}, {self.regime}: I/O ~ {self.constant:.3g} n^{n} d^{d} M^{memory}"
        text += f" (residual {self.residual:.3f}, {self.points} points)"
        if self.without is not None:
            n, d, memory = (f"{value:.3f}" for value in self.without.exponents)
            text += (
                f"; the elementwise n^2 words, {100 * self.elementwise:.1f} % here, pull it:"
                f" without them {self.without.constant:.3g} n^{n} d^{d} M^{memory}"
            )
        return text


def power_law(
    points: Sequence[Point], words: Sequence[float]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(log C, a, b, c) of the least squares fit of log(words), and what it leaves of every point.

    >>> found, left = power_law([(2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 1, 1)], [12, 12, 1.5, 3])
    >>> [round(float(value), 6) for value in found[1:]]
    [2.0, 2.0, -1.0]
    """
    matrix = np.column_stack([np.ones(len(points)), np.log(np.array(points, np.float64))])
    if len(points) < 4 or np.linalg.matrix_rank(matrix) < 4:
        raise BadInput("n, d and M must each take at least two values, independently, to fit three exponents")
    logs = np.log(np.array([float(value) for value in words]))
    found, *_ = np.linalg.lstsq(matrix, logs, rcond=None)
    return found, logs - matrix @ found


def _fit(name: str, regime: Regime, points: Sequence[Point], words: Sequence[float]) -> Fit:
    found, left = power_law(points, words)
    log_constant, n, d, memory = (float(value) for value in found)
    return Fit(
        name, regime.name, n, d, memory, math.exp(log_constant), len(points),
        float(np.sqrt(np.mean(left**2))), float(np.abs(left).max()), regime.exponents, regime.within,
    )  # fmt: skip


def counted(algorithm: str, points: Sequence[Point], form: str | None = None) -> dict[Point, int]:
    """Exact I/O at those of the points at which the algorithm fits."""
    entry, found = find(algorithm), {}
    for (n, d), group in itertools.groupby(sorted(points), key=lambda point: point[:2]):
        memories = [memory for _, _, memory in group if memory >= entry.least_memory(d, None, form)]
        counts = counts_of(algorithm, Shape(n, n, d, d), memories, form)
        for memory, loads, stores in zip(memories, counts["loads"], counts["stores"], strict=True):
            found[n, d, memory] = int(loads + stores)
    return found


def fit(algorithm: str, regime: str | Regime, *, form: str | None = None) -> Fit:
    """Exponents of one algorithm's exact counts in a regime ("flash", "small-cache", or one of your own).

    >>> fit("flash2", "flash").as_expected
    True
    """
    return _with_and_without(algorithm, _named(regime), counted(algorithm, _named(regime).points, form), form)


def fit_envelope(regime: str | Regime, algorithms: Sequence[str] | None = None, *, form: str = "qkv") -> Fit:
    """The same for the best of several algorithms at every point: by default all that have the form."""
    where = _named(regime)
    names = [name for name, entry in ALGORITHMS.items() if form in entry.forms] if algorithms is None else algorithms
    best: dict[Point, int] = {}
    winners: dict[Point, str] = {}
    for name in names:
        for point, words in counted(name, where.points, form).items():
            if point not in best or words < best[point]:
                best[point], winners[point] = words, name
    return _with_and_without(ENVELOPE, where, best, form, winners)


def _with_and_without(
    name: str, regime: Regime, words: dict[Point, int], form: str | None, winners: dict[Point, str] | None = None
) -> Fit:
    if len(words) < 4:
        raise BadInput(f"{name} fits at {len(words)} points of the {regime.name} regime: too few for a fit")
    points = list(words)
    whole = _fit(name, regime, points, [words[point] for point in points])
    if form not in (None, "qkv"):
        return whole
    own = {point: ELEMENTWISE.get((winners or {}).get(point, name), 0) * point[0] ** 2 for point in points}
    if not any(own.values()):
        return whole
    rest = _fit(name, regime, points, [words[point] - own[point] for point in points])
    share = sum(own[point] / words[point] for point in points) / len(points)
    return replace(whole, elementwise=share, without=rest)


def _named(regime: str | Regime) -> Regime:
    if isinstance(regime, Regime):
        return regime
    if regime not in REGIMES:
        raise BadInput(f"no regime is called {regime!r}; there are: {', '.join(REGIMES)}")
    return REGIMES[regime]
