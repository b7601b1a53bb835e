"""The settings of each page: fields, defaults, limits."""

from dataclasses import dataclass

from kernels_ref import ALGORITHMS
from pages.shared.curve_fields import KernelsField, MaskField
from pages.shared.curve_models import RIDGED
from pages.shared.device_data import DEVICE_IDS, LEVELS, MODEL_IDS
from pages.shared.fields import DecimalField, IdField, IdsField, IntField, MovesField, NameField, Spec, TextField
from pages.shared.levels import LEVEL_IDS, OWN
from pages.shared.play_board import VERSION
from pages.shared.sparse_fields import SparseMask

ALGORITHM_IDS = ("flash2", "small-cache")

# The lab plays every kernel that is a pebbling, by the form of the problem, and two orders with an eviction rule.
ORDER_IDS = ("belady", "lru")
LAB_KERNELS = {
    "qkv": tuple(id for id, entry in ALGORITHMS.items() if "qkv" in entry.forms),
    "weights": tuple(id for id, entry in ALGORITHMS.items() if "weights" in entry.forms),
    "forward": tuple(id for id, entry in ALGORITHMS.items() if "forward" in entry.forms),
}
LAB_ALGORITHMS = (*dict.fromkeys(id for ids in LAB_KERNELS.values() for id in ids), *ORDER_IDS)
LAB_MASKS = ("none", "causal", "window")

# The lab draws every vertex. At n = d = 8 the chain DAG has 5 n^2 d + 2 n^2 + 4 n d + 2 n = 2,960 of them, just under
# the 3,000 vertices and 50,000 moves at which the board was measured (60 frames/s, under 400 kB).
LAB_SIDE = 8
LAB_VERTICES = 3_000
LAB_MOVES = 50_000  # a link may ask for any step: what is beyond the end is answered with where the end is
# More red pebbles than vertices change nothing.
LAB_MEMORY = LAB_VERTICES
# The closed forms have no limit of their own. At these sizes a page still answers at once and numbers still fit their
# places: a sequence of a million tokens, heads four times the widest in use, a fast memory of 2^40 words.
CURVE_N = 2**20
CURVE_D = 2**10
CURVE_MEMORY = 2**40
CURVE_HEADS = 2**10
# Under a mask each M is counted by itself, in time that grows with n: here a slider's redraw still takes 0.1 s.
CURVE_MASKED_N = 2**14
CURVE_FORMS = ("qkv", "weights", "forward")
CURVE_PLOTS = ("io", "multiplications", "slow", "roofline", "exponents", "winners")
DTYPES = ("float16", "float32", "float64")
# The reference, section by section; "all" puts them on one page, to print or to search.
SECTIONS = (
    "model", "formulas", "algorithms", "theorems", "bounds", "questions", "glossary", "formats", "limits", "lessons",
    "sources", "all",
)  # fmt: skip
# The proof page lights sets of vertices, so it may draw a few more: 5 n^2 d + 2 n^2 + 4 n d + 2 n, at most 3,384.
WHY_N, WHY_D = 12, 4
WHY_RUNS = (*ALGORITHM_IDS, "order", "optimum")
# Home shows n = 4096, d = 64 and moves M through d^2 = 4096, four doublings either way. The low end is less than
# FlashAttention-2 needs (6 d + 2 = 386 words), so the reader meets "does not fit" too.
HOME_N, HOME_D = 4096, 64
HOME_MEMORY = (2**8, 2**16)
# Bytes of one word. bfloat16 counts as float16 here: both are two bytes.
WORD_BYTES = {"float64": 8, "float32": 4, "float16": 2, "bits8": 1}
ALL_LEVELS = "all"

# Under a mask each M of the curve is counted by itself. Up to these sizes a slider's redraw stays within 0.25 s: masks
# of runs or blocks, and masks that are drawn entry by entry. 64 rows at least, so that each block has one.
SPARSE_N = (64, 2**13)
SPARSE_N_BY_ENTRY = 2**10
SPARSE_D = 2**9
SPARSE_MEMORY = 2**26


@dataclass(frozen=True)
class HomeSettings:
    """The kitchen: words of fast memory on the counter."""

    memory: int = HOME_D**2


@dataclass(frozen=True)
class LabSettings:
    """The pebble lab: toy sizes, every move drawn. `step` counts the moves made so far."""

    n: int = 4
    d: int = 2
    memory: int = 16
    algorithms: tuple[str, ...] = ALGORITHM_IDS
    step: int = 0
    form: str = "qkv"
    mask: str = "none"
    granularity: str = "chain"
    sliding: str = "yes"


@dataclass(frozen=True)
class PlaySettings:
    """The game: which level, and the moves made so far."""

    level: str = LEVEL_IDS[0]
    moves: str = VERSION


@dataclass(frozen=True)
class CurveSettings:
    """The I/O curves: full size. `memory` is the point that "Run it" executes, `plot` what is drawn over M.

    `dtype` makes bytes out of words and changes no word; `device` has the ridge of the roofline.
    """

    n: int = 4096
    d: int = 64
    memory: int = 4096
    algorithms: tuple[str, ...] = ALGORITHM_IDS
    form: str = "qkv"
    heads: int = 1
    dtype: str = "float16"
    mask: str = "none"
    plot: str = "io"
    device: str = "nvidia-h100-sxm"


@dataclass(frozen=True)
class SparseSettings:
    """The sparse page: a mask over n queries and n keys, and the algorithm whose tiles are drawn over it."""

    mask: str = "window:128"
    n: int = 1024
    d: int = 64
    memory: int = 8192
    tiles: str = "flash2"


@dataclass(frozen=True)
class ReferenceSettings:
    """The reference: which section, and what the glossary is searched for."""

    section: str = SECTIONS[0]
    find: str = ""


@dataclass(frozen=True)
class WhySettings:
    """The proof: a small run that is cut into phases, the phase shown (from 1), and a full size for the same sum."""

    n: int = 8
    d: int = 2
    memory: int = 14
    run: str = WHY_RUNS[0]
    phase: int = 1
    full_n: int = 4096
    full_d: int = 64
    full_memory: int = 4096


@dataclass(frozen=True)
class DeviceSettings:
    """Real devices: the pair that is looked at, the dtype, the level of memory that is shown (`tier`), and how many
    percent of it are usable (`share`).

    The reader's own device: `name`, `bytes` of fast memory (0: none given), `bandwidth` in GB/s and `peak` in TFLOP/s
    (0: not known). The own model: `d` (0: none given) and `n`.
    """

    device: str = "nvidia-h100-sxm"
    model: str = "gemma-4-full-attention-layers"
    dtype: str = "float16"
    tier: str = "shared"
    share: int = 100
    name: str = ""
    bytes: int = 0
    bandwidth: float = 0.0
    peak: float = 0.0
    d: int = 0
    n: int = 4096


Settings = (
    HomeSettings
    | LabSettings
    | PlaySettings
    | CurveSettings
    | SparseSettings
    | DeviceSettings
    | WhySettings
    | ReferenceSettings
)

HOME = Spec("home", HomeSettings, (IntField("memory", "m", *HOME_MEMORY),))
LAB = Spec(
    "lab",
    LabSettings,
    (
        IntField("n", "n", 1, LAB_SIDE),
        IntField("d", "d", 1, LAB_SIDE),
        IntField("memory", "m", 1, LAB_MEMORY),
        IdsField("algorithms", "a", LAB_ALGORITHMS, most=2),
        IntField("step", "t", 0, 10**9),
        IdField("form", "form", tuple(LAB_KERNELS)),
        IdField("mask", "mask", LAB_MASKS),
        IdField("granularity", "sums", ("chain", "tree", "entry")),
        IdField("sliding", "slide", ("yes", "no")),
    ),
    restarts="step",
)
PLAY = Spec(
    "play",
    PlaySettings,
    (IdField("level", "level", (*LEVEL_IDS, OWN)), MovesField("moves", "p")),
    restarts="moves",
)
CURVES = Spec(
    "curves",
    CurveSettings,
    (
        IntField("n", "n", 1, CURVE_N),
        IntField("d", "d", 1, CURVE_D),
        IntField("memory", "m", 1, CURVE_MEMORY),
        KernelsField("algorithms", "a", tuple(ALGORITHMS), most=len(ALGORITHMS)),
        IdField("form", "form", CURVE_FORMS),
        IntField("heads", "h", 1, CURVE_HEADS),
        IdField("dtype", "dtype", DTYPES),
        MaskField("mask", "mask"),
        IdField("plot", "plot", CURVE_PLOTS),
        IdField("device", "device", tuple(RIDGED)),
    ),
)
SPARSE = Spec(
    "sparse",
    SparseSettings,
    (
        IntField("n", "n", SPARSE_N[0], SPARSE_N[1]),
        IntField("d", "d", 1, SPARSE_D),
        IntField("memory", "m", 1, SPARSE_MEMORY),
        SparseMask("mask", "mask"),
        IdField("tiles", "tiles", ALGORITHM_IDS),
    ),
)
REFERENCE = Spec("reference", ReferenceSettings, (IdField("section", "section", SECTIONS), TextField("find", "find")))
DEVICES = Spec(
    "devices",
    DeviceSettings,
    (
        IdField("device", "device", DEVICE_IDS),
        IdField("model", "model", MODEL_IDS),
        IdField("dtype", "dtype", tuple(WORD_BYTES)),
        IdField("tier", "level", (*LEVELS, ALL_LEVELS)),
        IntField("share", "share", 1, 100),
        NameField("name", "name"),
        IntField("bytes", "bytes", 0, CURVE_MEMORY),
        DecimalField("bandwidth", "gbs", 1e6),
        DecimalField("peak", "tflops", 1e6),
        IntField("d", "d", 0, CURVE_D),
        IntField("n", "n", 1, CURVE_N),
    ),
)
WHY = Spec(
    "why",
    WhySettings,
    (
        IntField("n", "n", 1, WHY_N),
        IntField("d", "d", 1, WHY_D),
        IntField("memory", "m", 1, LAB_MEMORY),
        IdField("run", "a", WHY_RUNS),
        IntField("phase", "p", 1, LAB_MOVES),
        IntField("full_n", "fn", 1, CURVE_N),
        IntField("full_d", "fd", 1, CURVE_D),
        IntField("full_memory", "fm", 1, CURVE_MEMORY),
    ),
)
SPECS = (HOME, LAB, PLAY, CURVES, SPARSE, DEVICES, WHY, REFERENCE)
