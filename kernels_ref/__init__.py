"""The algorithms at full size: run, counted, and in closed form.

>>> from kernels_ref import count
>>> count("small-cache", n=4096, d=64, memory=1024).io < count("flash2", n=4096, d=64, memory=1024).io
True
"""

from . import fits, masks, sparse, theory
from .algorithms import ALGORITHMS, Algorithm
from .bounds import Bound, Certified, all_bounds, certified_ratio, lower_bound
from .checks import Check, run
from .counts import Counts, count
from .errors import BadInput, Cancelled, CapacityExceeded, DoesNotFit, KernelError, NoPebbling
from .pebbling import kernel_source, pebble
from .runs import Run, backward, backward_weights, forward
from .sizes import Shape
from .sweep import Swap, crossover, frame_of, log_spaced, swaps, sweep, sweep_columns, winner_map

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "BadInput",
    "Bound",
    "Cancelled",
    "CapacityExceeded",
    "Certified",
    "Check",
    "Counts",
    "DoesNotFit",
    "KernelError",
    "NoPebbling",
    "Run",
    "Shape",
    "Swap",
    "all_bounds",
    "backward",
    "backward_weights",
    "certified_ratio",
    "count",
    "crossover",
    "fits",
    "forward",
    "frame_of",
    "kernel_source",
    "log_spaced",
    "lower_bound",
    "masks",
    "pebble",
    "run",
    "sparse",
    "swaps",
    "sweep",
    "sweep_columns",
    "theory",
    "winner_map",
]
