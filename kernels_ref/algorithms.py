"""Which algorithms there are: each one's kernel, how it chooses its tile, the least memory it runs in, its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import flash, small_cache
from .errors import BadInput, DoesNotFit

TileSizes = dict[str, int]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An entry of `ALGORITHMS`. ``helpers`` are functions whose lines count as the kernel's own when it is shown."""

    id: str
    title: str
    source: str
    kernel: Callable[..., None]
    least_memory: Callable[[int], int]
    choose_tile: Callable[[int, int, int, int], TileSizes]
    helpers: tuple[Callable[..., object], ...] = ()
    form: str = "qkv"

    def tile(self, n_q: int, n_k: int, d: int, memory: int) -> TileSizes:
        """The tile sizes for M = ``memory`` words, as the kernel's keyword arguments. Raises `DoesNotFit`."""
        if memory < self.least_memory(d):
            raise DoesNotFit(self.id, d=d, memory=memory, least_memory=self.least_memory(d))
        return self.choose_tile(n_q, n_k, d, memory)


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.id: algorithm
    for algorithm in (
        Algorithm(
            "flash2",
            "FlashAttention-2, backward",
            "arXiv 2307.08691, Algorithm 2",
            flash.flash2,
            flash.flash2_least_memory,
            flash.flash2_tile,
        ),
        Algorithm(
            "small-cache",
            "Algorithm 6 (small cache), backward",
            "arXiv 2410.09397, Algorithm 6, reconstructed for the QKV form; tile side floor(sqrt(M/3))",
            small_cache.small_cache,
            small_cache.small_cache_least_memory,
            small_cache.small_cache_tile,
            helpers=(small_cache.blocked_product,),
        ),
    )
}


def find(algorithm: str) -> Algorithm:
    """The algorithm with this id. Raises `BadInput` that lists the ids there are."""
    if algorithm not in ALGORITHMS:
        raise BadInput(f"no algorithm is called {algorithm!r}; there are: {', '.join(ALGORITHMS)}")
    return ALGORITHMS[algorithm]
