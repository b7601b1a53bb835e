"""Whole-number sizes, checked in one place."""

from __future__ import annotations

from .errors import BadInput


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
