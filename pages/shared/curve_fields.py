"""Fields of the curves' page alone: a long list of kernels, and a mask."""

import re
from dataclasses import dataclass
from typing import ClassVar

from pages.shared.fields import Field, IdsField, Problem

NONE = "none"
# What the gallery offers: block-sparse with an even grid and a share of blocks that are kept (the seed is 0).
_KNOWN = re.compile(r"none|causal|window:[1-9][0-9]{0,6}|block:[1-9][0-9]{0,2}:(0\.[0-9]{1,3}|1)", re.ASCII)
EXAMPLES = "none, causal, window:512, block:16:0.25"


@dataclass(frozen=True)
class KernelsField(IdsField):
    """Any number of kernels; all of them together are longer than other values."""

    length: ClassVar[int] = 256


@dataclass(frozen=True)
class MaskField(Field):
    """None, or a mask as `kernels_ref.masks` calls it: ``causal``, ``window:KEYS``, ``block:BLOCKS:SHARE``."""

    name: str
    parameter: str

    def check(self, raw: object) -> str | Problem:
        text = str(raw)
        if _KNOWN.fullmatch(text) and not re.fullmatch(r"block:\d+:0\.0+", text):
            return text
        return Problem("mask_name", self.name, text, data=(("known", EXAMPLES),))
