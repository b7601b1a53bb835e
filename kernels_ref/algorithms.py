"""Which algorithms there are: each one's kernels by form, how it chooses its tile, its least memory, its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import flash, forward, small_cache, split, standard, weights
from .closed_forms import flash as flash_counts
from .closed_forms import forward as forward_counts
from .closed_forms import products as product_counts
from .closed_forms import weights as weight_counts
from .closed_forms.layout import Layout
from .errors import BadInput, DoesNotFit
from .products import blocked_product, outer_product, panel_product
from .sizes import Shape

TileSizes = dict[str, int]
Function = Callable[..., Any]
WEIGHT_INPUTS = ("A1", "A2", "A3", "X", "Y", "dO")


@dataclass(frozen=True, slots=True)
class Kernel:
    """One algorithm in one form. ``run(fast, *inputs, scale=, mask=, **tile)`` is what the three machines run.

    ``helpers`` are functions whose lines count as the kernel's own when it is shown. ``inputs`` names the tensors that
    slow memory holds at the start, in the order in which ``run`` takes them. ``divide`` says when it divides by the
    row sums of a softmax of its own: "first" (P V) or "last" ((A V) / l), which makes a different DAG.
    """

    run: Callable[..., Any]
    least_memory: Callable[[int, int], int]
    choose_tile: Callable[[Shape, int], TileSizes]
    closed_form: Callable[[Layout, dict[str, Any]], dict[str, Any]]
    helpers: tuple[Function, ...] = ()
    inputs: tuple[str, ...] = ("Q", "K", "V", "dO", "lse", "D")
    divide: str = "first"


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An entry of `ALGORITHMS`. ``forms`` maps "qkv", "weights", "forward" to the kernel; the first is the default."""

    id: str
    title: str
    source: str
    forms: dict[str, Kernel]

    @property
    def form(self) -> str:
        return next(iter(self.forms))

    def kernel(self, form: str | None = None) -> Kernel:
        """Its kernel in a form. Raises `BadInput` that lists the forms there are."""
        form = self.form if form is None else form
        if form not in self.forms:
            raise BadInput(f"{self.id} has no {form!r} form; it has: {', '.join(self.forms)}")
        return self.forms[form]

    def least_memory(self, d: int, d_v: int | None = None, form: str | None = None) -> int:
        """Words of fast memory below which it cannot run at all."""
        return self.kernel(form).least_memory(d, d if d_v is None else d_v)

    def tile(self, shape: Shape, memory: int, form: str | None = None) -> TileSizes:
        """The tile sizes for M = ``memory`` words, as the kernel's keyword arguments. Raises `DoesNotFit`."""
        least = self.least_memory(shape.d, shape.d_v, form)
        if memory < least:
            raise DoesNotFit(self.id, d=shape.d, memory=memory, least_memory=least)
        return self.kernel(form).choose_tile(shape, memory)


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.id: algorithm
    for algorithm in (
        Algorithm(
            "flash2",
            "FlashAttention-2, backward",
            "arXiv 2307.08691, Algorithm 2",
            {
                "qkv": Kernel(flash.flash2, flash.flash2_least_memory, flash.flash2_tile, flash_counts.flash2),
                "weights": Kernel(
                    weights.flash,
                    weights.flash_least_memory,
                    weights.flash_tile,
                    weight_counts.flash,
                    (weights.store_all, outer_product),
                    inputs=WEIGHT_INPUTS,
                    divide="last",
                ),
            },
        ),
        Algorithm(
            "small-cache",
            "Algorithm 6 (small cache), backward",
            "arXiv 2410.09397, Algorithm 6, reconstructed for the QKV form; tile side floor(sqrt(M/3))",
            {
                "qkv": Kernel(
                    small_cache.small_cache,
                    small_cache.small_cache_least_memory,
                    small_cache.small_cache_tile,
                    product_counts.small_cache,
                    (blocked_product,),
                ),
                "weights": Kernel(
                    weights.small_cache,
                    weights.small_cache_least_memory,
                    weights.small_cache_tile,
                    weight_counts.small_cache,
                    (weights.store_all, blocked_product, forward.scores_by_blocks),
                    inputs=WEIGHT_INPUTS,
                ),
            },
        ),
        Algorithm(
            "standard",
            "Standard attention, backward",
            "arXiv 2205.14135, Algorithm 3: every matrix materialised",
            {
                "qkv": Kernel(
                    standard.standard,
                    standard.standard_least_memory,
                    standard.standard_tile,
                    product_counts.standard,
                    (panel_product, outer_product),
                ),
                "weights": Kernel(
                    weights.standard,
                    weights.standard_least_memory,
                    weights.standard_tile,
                    weight_counts.standard,
                    (weights.store_all, panel_product, outer_product),
                    inputs=WEIGHT_INPUTS,
                ),
            },
        ),
        Algorithm(
            "flash1",
            "FlashAttention, backward",
            "arXiv 2205.14135, Algorithm 4, with the largest blocks that fit (the printed ones do not)",
            {
                "qkv": Kernel(
                    flash.flash1,
                    flash.flash1_least_memory,
                    flash.flash1_tile,
                    flash_counts.flash1,
                    inputs=("Q", "K", "V", "O", "dO", "l", "m"),
                ),
            },
        ),
        Algorithm(
            "flash-two-sweep",
            "FlashAttention in two sweeps, backward",
            "ours: dK and dV in one sweep, dQ in another; 14 n^2 d^2 / M instead of 16",
            {
                "qkv": Kernel(
                    flash.flash_two_sweep,
                    flash.flash_two_sweep_least_memory,
                    flash.flash_two_sweep_tile,
                    flash_counts.flash_two_sweep,
                    (flash.key_sweep,),
                ),
            },
        ),
        Algorithm(
            "small-cache-outer",
            "Algorithm 6 with a x b tiles, backward",
            "arXiv 2410.09397 with the tile of arXiv 1908.09606 (COSMA), integer optimum",
            {
                "qkv": Kernel(
                    small_cache.small_cache_outer,
                    small_cache.small_cache_least_memory,
                    small_cache.small_cache_outer_tile,
                    product_counts.small_cache_outer,
                    (outer_product, small_cache.finish_by_outer_products),
                ),
                "weights": Kernel(
                    weights.small_cache_outer,
                    weights.small_cache_least_memory,
                    weights.small_cache_outer_tile,
                    weight_counts.small_cache_outer,
                    (weights.store_all, outer_product),
                    inputs=WEIGHT_INPUTS,
                ),
            },
        ),
        Algorithm(
            "fused-split",
            "Split columns, nothing n x n stored, backward",
            "ours: two tiles of scores resident, all columns pass; 12 n^2 d / B, O(n d) slow memory",
            {
                "qkv": Kernel(
                    split.fused_split,
                    split.fused_split_least_memory,
                    split.fused_split_tile,
                    product_counts.fused_split,
                ),
            },
        ),
        Algorithm(
            "small-cache-panel",
            "Algorithm 6 with panels for the scores, backward",
            "ours: whole rows of Q and dO stay while keys pass; wins from about 0.27 d^2 to 1.1 d^2",
            {
                "qkv": Kernel(
                    small_cache.small_cache_panel,
                    small_cache.small_cache_panel_least_memory,
                    small_cache.small_cache_panel_tile,
                    product_counts.small_cache_panel,
                    (outer_product, small_cache.finish_by_outer_products),
                ),
            },
        ),
        Algorithm(
            "flash-stored-ds",
            "FlashAttention's sweep, dS stored for dQ, backward",
            "ours: one sweep for dK and dV, one tiled product for dQ; wins from about 1.1 d^2 to 2.6 d^2",
            {
                "qkv": Kernel(
                    flash.flash_stored_ds,
                    flash.flash2_least_memory,
                    flash.flash_stored_ds_tile,
                    flash_counts.flash_stored_ds,
                    (flash.key_sweep, outer_product),
                ),
            },
        ),
        Algorithm(
            "forward-standard",
            "Standard attention, forward",
            "arXiv 2205.14135, Algorithm 0",
            {
                "forward": Kernel(
                    forward.forward_standard,
                    forward.forward_standard_least_memory,
                    forward.forward_standard_tile,
                    forward_counts.forward_standard,
                    helpers=(panel_product, outer_product),
                    inputs=("Q", "K", "V"),
                ),
            },
        ),
        Algorithm(
            "forward-flash",
            "FlashAttention-2, forward",
            "arXiv 2307.08691, Algorithm 1",
            {
                "forward": Kernel(
                    forward.forward_flash,
                    forward.forward_flash_least_memory,
                    forward.forward_flash_tile,
                    forward_counts.forward_flash,
                    inputs=("Q", "K", "V"),
                    divide="last",
                ),
            },
        ),
        Algorithm(
            "forward-small-cache",
            "Square tiles for small caches, forward",
            "arXiv 2402.07443; tile side floor(sqrt(M/4))",
            {
                "forward": Kernel(
                    forward.forward_small_cache,
                    forward.forward_small_cache_least_memory,
                    forward.forward_small_cache_tile,
                    forward_counts.forward_small_cache,
                    helpers=(forward.scores_by_blocks,),
                    inputs=("Q", "K", "V"),
                ),
            },
        ),
    )
}


def find(algorithm: str) -> Algorithm:
    """The algorithm with this id. Raises `BadInput` that lists the ids there are."""
    if algorithm not in ALGORITHMS:
        raise BadInput(f"no algorithm is called {algorithm!r}; there are: {', '.join(ALGORITHMS)}")
    return ALGORITHMS[algorithm]
