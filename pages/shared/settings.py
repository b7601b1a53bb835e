"""The settings of each page: fields, defaults, limits."""

from dataclasses import dataclass

from kernels_ref import ALGORITHMS
from pages.shared.curve_fields import KernelsField, MaskField
from pages.shared.curve_models import DEVICES
from pages.shared.fields import IdField, IdsField, IntField, MovesField, Spec
from pages.shared.levels import LEVEL_IDS, OWN
from pages.shared.play_board import VERSION

ALGORITHM_IDS = ("flash2", "small-cache")

# The lab draws every vertex. At n = d = 8 the chain DAG has 5 n^2 d + 2 n^2 + 4 n d + 2 n = 2,960 of them, just under
# the 3,000 vertices and 50,000 moves at which the board was measured (60 frames/s, under 400 kB).
LAB_SIDE = 8
LAB_VERTICES = 3_000
LAB_MOVES = 50_000
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
# Home shows n = 4096, d = 64 and moves M through d^2 = 4096, four doublings either way. The low end is less than
# FlashAttention-2 needs (6 d + 2 = 386 words), so the reader meets "does not fit" too.
HOME_N, HOME_D = 4096, 64
HOME_MEMORY = (2**8, 2**16)


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
    device: str = "nvidia-h100-sxm-sm-90"


Settings = HomeSettings | LabSettings | PlaySettings | CurveSettings


HOME = Spec("home", HomeSettings, (IntField("memory", "m", *HOME_MEMORY),))
LAB = Spec(
    "lab",
    LabSettings,
    (
        IntField("n", "n", 1, LAB_SIDE),
        IntField("d", "d", 1, LAB_SIDE),
        IntField("memory", "m", 1, LAB_MEMORY),
        IdsField("algorithms", "a", ALGORITHM_IDS, most=2),
        IntField("step", "t", 0, LAB_MOVES),
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
        IdField("device", "device", tuple(DEVICES)),
    ),
)
SPECS = (HOME, LAB, PLAY, CURVES)
