"""The mask of the sparse page as text for its address: a name of the gallery with its numbers, or a painted grid.

``none``, ``causal``, ``window:KEYS``, ``block:BLOCKS:SHARE:SEED``, ``strided:STRIDE``, ``global:TOKENS:WINDOW``,
``random:SHARE:SEED`` as in `kernels_ref.masks.named`; ``painted:CELLS`` is 16 x 16 cells, a bit each, row by row, in
base64 for addresses: 43 characters.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernels_ref.masks import Booleans
from pages.shared.fields import Field, Problem

SIDE = 16
LENGTH = 43  # 256 bits in base64, without the sign that pads it
_WHOLE, _SHARE = r"(0|[1-9][0-9]{0,6})", r"(0\.[0-9]{1,2}|1)"
_SHAPES = {
    "none": "",
    "causal": "",
    "window": f":{_WHOLE}",
    "block": f":{_WHOLE}:{_SHARE}:{_WHOLE}",
    "strided": f":{_WHOLE}",
    "global": f":{_WHOLE}:{_WHOLE}",
    "random": f":{_SHARE}:{_WHOLE}",
}
KINDS = (*_SHAPES, "painted")
# What the numbers of a kind are called, and from where to where they go. A share travels as 0.2 and is set in percent.
LIMITS: dict[str, dict[str, tuple[int, int]]] = {
    "window": {"window": (1, 2**13)},
    "block": {"blocks": (1, 64), "share": (1, 100), "seed": (0, 999)},
    "strided": {"stride": (1, 2**10)},
    "global": {"tokens": (0, 2**10), "reach": (0, 2**10)},
    "random": {"share": (1, 100), "seed": (0, 999)},
}
EXAMPLES = "none, causal, window:128, block:16:0.2:0, strided:32, global:16:32, random:0.05:0"
# Drawn entry by entry, these take n^2 entries to count; the others take a few runs or blocks.
BY_ENTRY = ("strided", "global", "random")


def written(cells: Booleans) -> str:
    """16 x 16 booleans as text.

    >>> written(np.zeros((16, 16), bool)) == "A" * 43
    True
    """
    return base64.urlsafe_b64encode(np.packbits(cells).tobytes()).decode("ascii").rstrip("=")


def cells_of(text: str) -> Booleans:
    """The cells again, (16, 16). Raises ValueError when the text is not what `written` makes."""
    try:
        data = base64.b64decode(text + "=", altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
    if len(text) != LENGTH or len(data) != SIDE * SIDE // 8:
        raise ValueError(f"{SIDE} x {SIDE} cells are {LENGTH} characters, got {len(text)}")
    cells: Booleans = np.unpackbits(np.frombuffer(data, np.uint8)).astype(bool).reshape(SIDE, SIDE)
    if written(cells) != text:
        raise ValueError("bits beyond the last cell")
    return cells


def kind_of(mask: str) -> str:
    """What a mask is, without its numbers.

    >>> kind_of("window:128")
    'window'
    """
    return mask.partition(":")[0]


def numbers_of(mask: str) -> dict[str, int]:
    """The numbers of a mask by their names; a share in hundredths.

    >>> numbers_of("block:16:0.25:3")
    {'blocks': 16, 'share': 25, 'seed': 3}
    """
    kind, *numbers = mask.split(":")
    names = LIMITS.get(kind, {})
    return {
        name: round(float(number) * 100) if name == "share" else int(number)
        for name, number in zip(names, numbers, strict=False)
    }


@dataclass(frozen=True)
class SparseMask(Field):
    """A mask, checked: its kind, its numbers within `LIMITS`, the cells of a painted one."""

    name: str
    parameter: str
    length: ClassVar[int] = 128

    def check(self, raw: object) -> str | Problem:
        text = str(raw)
        kind, _, rest = text.partition(":")
        if kind == "painted":
            size = (("side", SIDE), ("length", LENGTH))
            return text if _is_painted(rest) else Problem("sparse_painted", self.name, text, data=size)
        if kind not in _SHAPES or not re.fullmatch(kind + _SHAPES[kind], text, re.ASCII):
            return Problem("sparse_mask", self.name, text, data=(("known", EXAMPLES),))
        for name, number in numbers_of(text).items():
            low, high = LIMITS[kind][name]
            if not low <= number <= high:
                data = (("number", number), ("low", low), ("high", high))
                return Problem("sparse_number", self.name, text, data=data)
        return text

    def show(self, value: str) -> str:
        return value if len(value) <= 24 else f"{value[:16]}\u2026"


def _is_painted(text: str) -> bool:
    try:
        cells_of(text)
    except ValueError:
        return False
    return True
