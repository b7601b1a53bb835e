"""Lessons for teachers: pages in prepared states. Links are built from settings, so that they never go stale."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pages.shared.fields import Spec
from pages.shared.settings import CURVES, HOME, HOME_D, HOME_N, LAB, PLAY
from pages.shared.url_state import link


@dataclass(frozen=True)
class Step:
    """One step of a lesson: which page, in which state, and for about how long. Its words are in the catalogue."""

    id: str
    spec: Spec
    minutes: int
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def page(self) -> str:
        return f"pages/{self.spec.page}.py"

    def query(self, lang: str) -> dict[str, str]:
        return link(self.spec, lang, **self.values)


_SQUARE = HOME_D**2
_KITCHEN = Step("kitchen_small", HOME, 2, {"memory": _SQUARE // 8})
_SUM = Step("first_game", PLAY, 2, {"level": "sum"})
_BOARD = Step("board", LAB, 4, {"n": 4, "d": 2, "memory": 16})
_CURVES = Step("curves", CURVES, 2, {"n": HOME_N, "d": HOME_D, "memory": _SQUARE})

LESSONS: dict[str, tuple[Step, ...]] = {
    "ten": (_KITCHEN, _SUM, _BOARD, _CURVES),
    "full": (
        _KITCHEN,
        Step("kitchen_equal", HOME, 2, {"memory": _SQUARE}),
        _SUM,
        Step("spill", PLAY, 4, {"level": "spill"}),
        Step("recompute", PLAY, 4, {"level": "recompute"}),
        Step("product", PLAY, 5, {"level": "outer-4"}),
        _BOARD,
        Step("board_narrow", LAB, 3, {"n": 4, "d": 4, "memory": 16}),
        Step("board_roomy", LAB, 3, {"n": 4, "d": 2, "memory": 64}),
        _CURVES,
        Step("curves_wide", CURVES, 4, {"n": HOME_N, "d": 128, "memory": 128**2}),
        Step("challenge", PLAY, 10, {"level": "challenge"}),
    ),
}
