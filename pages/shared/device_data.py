"""Real devices and real models, from `assets/data`: every row read, checked and typed.

Each row names its source. What is wrong with a file is an error that names file, line and column: a number that cannot
be read must not become an empty cell on a page.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pages.shared.theme import ASSETS

DEVICES_FILE = ASSETS / "data" / "devices.csv"
MODELS_FILE = ASSETS / "data" / "models.csv"
OWN = "own"

# Which level of a device's memory a row describes, by its kind.
LEVEL_OF = {
    "WebGPU workgroup storage limit": "shared",
    "API limit (compute shared memory)": "shared",
    "Mobile GPU threadgroup memory": "shared",
    "Mobile GPU workgroup memory": "shared",
    "Mobile GPU OpenCL local memory": "shared",
    "Apple GPU threadgroup memory": "shared",
    "GPU SM shared memory (per block)": "shared",
    "GPU CU LDS": "shared",
    "GPU Xe-core SLM (per work-group)": "shared",
    "GPU register file per SM": "registers",
    "GPU register file per CU": "registers",
    "GPU tensor memory per SM": "registers",
    "NPU PSUM": "registers",
    "GPU SM sum (upper bound on M)": "sum",
    "TPU VMEM per TensorCore": "scratchpad",
    "NPU SBUF": "scratchpad",
    "NPU core SRAM (L1)": "scratchpad",
    "Wafer-scale core SRAM": "scratchpad",
    "CPU L1d": "l1",
    "Microcontroller L1d": "l1",
    "CPU L2": "l2",
    "Microcontroller SRAM": "micro",
    "Microcontroller SRAM (TCM)": "micro",
}
LEVELS = ("shared", "registers", "sum", "scratchpad", "l1", "l2", "micro")
# A row whose number rests on no vendor document, standard or source code says so in these words. ("weak source)" with
# a bracket speaks of another number in the note, "year unverified" of the year alone.
_WEAK = ("weak source:", "weak (non-vendor)", "pre-launch press", "measured in public reports")
_WEAK_SITES = ("gist.github.com", "pastebin.com")
_DERIVED = "DERIVED 40e9"


class DataError(ValueError):
    """What is wrong with a data file: file, line, column, reason."""

    def __init__(self, file: str, line: int, column: str, reason: str) -> None:
        super().__init__(f"{file}, line {line}, column {column!r}: {reason}")
        self.line, self.column = line, column


@dataclass(frozen=True)
class Device:
    """One fast memory of one device. `bytes` it holds; `bandwidth` of the slow memory in GB/s and `peak` in TFLOP/s of
    the whole device, None where unknown; `evidence`: "firm", "derived" or "weak"."""

    id: str
    name: str
    level: str
    bytes: int
    bandwidth: float | None = None
    peak: float | None = None
    peak_type: str = ""
    source: str = ""
    note: str = ""
    evidence: str = "firm"
    year: int | None = None


@dataclass(frozen=True)
class Model:
    """One kind of attention in one model: columns `d_qk` of Q and K and `d_v` of V, heads and rows where known."""

    id: str
    name: str
    part: str
    d_qk: int
    d_v: int
    heads: int | None = None
    n: int | None = None
    source: str = ""
    note: str = ""
    evidence: str = "firm"
    year: int | None = None

    @property
    def d(self) -> int:
        """The head dimension whose square M is held against: the smaller one, where the two differ."""
        return min(self.d_qk, self.d_v)

    @property
    def title(self) -> str:
        return f"{self.name}, {self.part}" if self.part else self.name

    @property
    def inference(self) -> bool:
        """Whether this form is for inference alone: trained in another form, so it has no backward pass."""
        return "absorbed" in self.part


def short(name: str) -> str:
    """A name without what it says in brackets.

    >>> short("NVIDIA H100 SXM (sm_90)"), short("MLA, absorbed (latent) form")
    ('NVIDIA H100 SXM', 'MLA, absorbed form')
    """
    return re.sub(r" *\([^)]*\)", "", name).strip()


def read_devices(path: Path = DEVICES_FILE) -> tuple[Device, ...]:
    """Every row of a table of devices. Raises `DataError`."""
    columns = ("name", "year", "kind", "fast_kib", "slow_bw_gb_s", "peak_tflop_s", "peak_type", "source", "note")
    devices = []
    for row in _rows(path, columns):
        kind = row.text("kind")
        if kind not in LEVEL_OF:
            raise row.error("kind", f"{kind!r} is no kind that is known here")
        peak, peak_type = row.number("peak_tflop_s"), row.cells["peak_type"]
        if (peak is None) != (not peak_type):
            raise row.error("peak_type", "a peak needs its type, and a type its peak")
        # Two decimals of a KiB (15.97) are less than exact; memories come in multiples of 16 bytes.
        size = int(row.needed("fast_kib") * 1024) // 16 * 16
        devices.append(
            Device(
                id=_slug(row.text("name")),
                name=row.text("name"),
                level=LEVEL_OF[kind],
                bytes=size,
                bandwidth=row.number("slow_bw_gb_s"),
                peak=peak,
                peak_type=peak_type,
                source=row.text("source"),
                note=_shown(row.cells["note"]),
                evidence=_evidence(row),
                year=row.whole("year"),
            )
        )
        _unique(row, "name", [device.id for device in devices])
    return tuple(devices)


def read_models(path: Path = MODELS_FILE) -> tuple[Model, ...]:
    """Every row of a table of models. Raises `DataError`."""
    models = []
    for row in _rows(path, ("model", "year", "part", "d_qk", "d_v", "heads", "n", "source", "note")):
        d_qk, d_v = row.whole("d_qk"), row.whole("d_v")
        if d_qk is None or d_v is None:
            raise row.error("d_qk" if d_qk is None else "d_v", "is empty")
        models.append(
            Model(
                id=_slug(f"{row.text('model')} {row.text('part')}"),
                name=row.text("model"),
                part=row.text("part"),
                d_qk=d_qk,
                d_v=d_v,
                heads=row.whole("heads"),
                n=row.whole("n"),
                source=row.text("source"),
                note=_shown(row.cells["note"]),
                evidence=_evidence(row),
                year=row.whole("year"),
            )
        )
        _unique(row, "model", [model.id for model in models])
    return tuple(models)


@dataclass(frozen=True)
class _Row:
    file: str
    line: int
    cells: dict[str, str]

    def error(self, column: str, reason: str) -> DataError:
        return DataError(self.file, self.line, column, reason)

    def text(self, column: str) -> str:
        if not self.cells[column]:
            raise self.error(column, "is empty")
        return self.cells[column]

    def number(self, column: str) -> float | None:
        text = self.cells[column]
        if not text:
            return None
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) or float(text) <= 0:
            raise self.error(column, f"{text!r} is not a number above zero")
        return float(text)

    def needed(self, column: str) -> float:
        value = self.number(column)
        if value is None:
            raise self.error(column, "is empty")
        return value

    def whole(self, column: str) -> int | None:
        value = self.number(column)
        if value is not None and value != int(value):
            raise self.error(column, f"{self.cells[column]!r} is not a whole number")
        return None if value is None else int(value)


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[_Row]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, restkey="", restval=None)
        if tuple(reader.fieldnames or ()) != columns:
            raise DataError(path.name, 1, ",".join(reader.fieldnames or ()), f"the columns must be {','.join(columns)}")
        for cells in reader:
            if "" in cells:
                raise DataError(path.name, reader.line_num, columns[-1], "there are more cells than columns")
            short = next((name for name in columns if cells[name] is None), None)
            if short:
                raise DataError(path.name, reader.line_num, short, "the row ends before this column")
            yield _Row(path.name, reader.line_num, {name: cells[name].strip() for name in columns})


def _unique(row: _Row, column: str, ids: list[str]) -> None:
    if ids[-1] in ids[:-1] or ids[-1] in ("", OWN):
        raise row.error(column, f"its id {ids[-1]!r} is taken")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\([^)]*\)", "", name).lower()).strip("-")


def _evidence(row: _Row) -> str:
    said = f"{row.cells['source']} {row.cells['note']}"
    if any(words in said for words in _WEAK + _WEAK_SITES):
        return "weak"
    return "derived" if _DERIVED in said else "firm"


def _shown(note: str) -> str:
    """A note without what it says to us and not to the reader."""
    return note.partition("weak source: ")[0].replace("the brief's ", "").strip(" ;")


DEVICES = read_devices()
MODELS = read_models()
DEVICE_IDS = (*(device.id for device in DEVICES), OWN)
MODEL_IDS = (*(model.id for model in MODELS), OWN)
