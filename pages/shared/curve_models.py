"""Presets of the curves from ``assets/data``: models by name, and devices whose bandwidth and peak are known."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "assets" / "data"
WEAK = "weak source"


@dataclass(frozen=True)
class Model:
    """One kind of attention in a model: n rows, d columns of Q, K and V, heads. `weak`: its source is."""

    id: str
    name: str
    n: int
    d: int
    heads: int
    source: str
    weak: bool


@dataclass(frozen=True)
class Device:
    """A fast memory (bytes) with the bandwidth (bytes/s) and the peak (flop/s, of `kind`) of what it feeds."""

    id: str
    name: str
    memory: int
    bandwidth: float
    peak: float
    kind: str
    source: str
    weak: bool

    @property
    def ridge(self) -> float:
        """Flop a byte from which on arithmetic, not bandwidth, is the limit."""
        return self.peak / self.bandwidth


def slug(name: str) -> str:
    """A stable id: lower-case letters and digits, at most 64 characters."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]


def _rows(file: str) -> list[dict[str, str]]:
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _models() -> dict[str, Model]:
    """Those with one width for Q, K and V, and with n and heads known: what this page can draw."""
    found = {}
    for row in _rows("models.csv"):
        if row["d_qk"] != row["d_v"] or not row["n"] or not row["heads"]:
            continue
        name = row["model"] if row["part"] == "self-attention" else f"{row['model']}, {row['part']}"
        n, d, heads = int(row["n"]), int(row["d_qk"]), int(float(row["heads"]))
        found[slug(name)] = Model(slug(name), name, n, d, heads, row["source"], WEAK in row["source"] + row["note"])
    return found


def _devices() -> dict[str, Device]:
    found = {}
    for row in _rows("devices.csv"):
        if not row["slow_bw_gb_s"] or not row["peak_tflop_s"]:
            continue
        found[slug(row["name"])] = Device(
            slug(row["name"]),
            row["name"],
            int(float(row["fast_kib"]) * 1024),
            float(row["slow_bw_gb_s"]) * 1e9,
            float(row["peak_tflop_s"]) * 1e12,
            row["peak_type"],
            row["source"],
            WEAK in row["source"] + row["note"],
        )
    return found


MODELS = _models()
DEVICES = _devices()
