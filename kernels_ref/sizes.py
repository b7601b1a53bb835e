"""Whole-number sizes, checked in one place."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import BadInput
from .masks import Mask

OF_QUERIES = ("Q", "dO", "O", "A1", "E")  # tensors of one row a query; those below are of one row a key
OF_KEYS = ("K", "V", "A2", "A3")


@dataclass(frozen=True, slots=True)
class Shape:
    """One attention problem: queries, keys, columns of Q and K, columns of V; the mask, where there is one.

    ``patterns``: of the inputs that are stored by their nonzeros, (name, which entries) each. ``target``: the weights
    form has the target E for an input, not dO.
    """

    n_q: int
    n_k: int
    d: int
    d_v: int
    mask: Mask | None = None
    patterns: tuple[tuple[str, Mask], ...] = ()
    target: bool = False

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        return self.n_q, self.n_k, self.d, self.d_v

    def extent(self, name: str) -> tuple[int, ...]:
        """Rows and columns of an input, such as ("K") -> (n_k, d)."""
        n_q, n_k, d, d_v = self.sizes
        if name in ("lse", "D", "l", "m"):
            return (n_q,)
        if name in ("X", "Y"):
            return (d, d if name == "X" else d_v)
        return (n_q if name in OF_QUERIES else n_k, d_v if name in ("V", "O", "dO", "E") else d)

    def pattern(self, name: str) -> Mask | None:
        """Which entries of an input are stored; None: all."""
        return dict(self.patterns).get(name)

    @classmethod
    def of(
        cls, n: int | None, d: int, *, n_q: int | None, n_k: int | None, d_v: int | None, mask: Mask | None = None
    ) -> Shape:
        """From sizes as a caller gives them. Raises `BadInput`."""
        n_q, n_k = rows(n, n_q, n_k)
        d_v = d if d_v is None else d_v
        check(n_q=n_q, n_k=n_k, d=d, d_v=d_v)
        return cls(n_q, n_k, d, d_v, mask)


def rows(n: int | None, n_q: int | None, n_k: int | None) -> tuple[int, int]:
    """n_q and n_k from ``n``, or from the two given apart. Raises `BadInput` when either is missing."""
    n_q, n_k = (n if n_q is None else n_q), (n if n_k is None else n_k)
    if n_q is None or n_k is None:
        raise BadInput("give n, or both n_q and n_k")
    return n_q, n_k


def check(**values: int) -> None:
    """Raises `BadInput` unless every size is a whole number of at least 1.

    >>> check(n=0)
    Traceback (most recent call last):
    kernels_ref.errors.BadInput: n must be at least 1, got 0
    """
    for name, value in values.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadInput(f"{name} must be a whole number, got {value!r}")
        if value < 1:
            raise BadInput(f"{name} must be at least 1, got {value}")
