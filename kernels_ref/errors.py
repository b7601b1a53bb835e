"""What can go wrong; every error carries the data that a page needs to say it in the reader's language."""

from __future__ import annotations


class KernelError(Exception):
    """Base of every error that this package raises on purpose."""


class BadInput(KernelError, ValueError):
    """A size, an array or a name that no kernel can work with."""


class NoPebbling(BadInput):
    """A run whose words are not all vertices of a DAG, so that no pebbling has its count.

    So it is where a mask leaves a query or a key alone, and zeros are its gradient. The game has no move that makes a
    word out of nothing: a vertex without operands is an input, and is in slow memory from the start.
    """

    reason = "zero_rows"

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{sentence}: the game has no vertex for a word that is made out of nothing")


class DoesNotFit(KernelError, ValueError):
    """The algorithm cannot run at all in so little fast memory.

    Attributes: ``algorithm`` (id), ``memory`` (words asked for), ``least_memory`` (words that would do), ``d``.
    """

    def __init__(self, algorithm: str, *, d: int, memory: int, least_memory: int) -> None:
        self.algorithm, self.d, self.memory, self.least_memory = algorithm, d, memory, least_memory
        super().__init__(f"{algorithm} with d = {d} needs at least {least_memory} words of fast memory, got {memory}")


class CapacityExceeded(KernelError):
    """A kernel held more words than fast memory has: a fault of the kernel, never of the reader.

    Attributes: ``needed`` and ``memory``, both in words.
    """

    def __init__(self, what: str, *, needed: int, memory: int) -> None:
        self.needed, self.memory = needed, memory
        super().__init__(f"{what} would put {needed} words into a fast memory of {memory}")


class Cancelled(KernelError):
    """A run was stopped by whoever watched its progress."""
