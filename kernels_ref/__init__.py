"""The algorithms at full size: run, counted, and in closed form.

>>> from kernels_ref import count
>>> count("small-cache", n=4096, d=64, memory=1024).io < count("flash2", n=4096, d=64, memory=1024).io
True
"""

from . import masks, sparse, theory
from .algorithms import ALGORITHMS, Algorithm
from .checks import Check, run
from .counts import Counts, count
from .errors import BadInput, Cancelled, CapacityExceeded, DoesNotFit, KernelError
from .pebbling import kernel_source, pebble
from .runs import Run, backward, backward_weights, forward
from .sweep import Swap, crossover, log_spaced, swaps, sweep

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "BadInput",
    "Cancelled",
    "CapacityExceeded",
    "Check",
    "Counts",
    "DoesNotFit",
    "KernelError",
    "Run",
    "Swap",
    "backward",
    "backward_weights",
    "count",
    "crossover",
    "forward",
    "kernel_source",
    "log_spaced",
    "masks",
    "pebble",
    "run",
    "sparse",
    "swaps",
    "sweep",
    "theory",
]
