"""Every word that the board's JavaScript asks for is in both catalogues, with the values that it is given."""

import re
from pathlib import Path
from string import Formatter

import pytest

from pages.shared.board import ASSETS, PLAYER_FILES, board_js
from pages.shared.i18n import LANGUAGES, Texts

SOURCE = board_js((*PLAYER_FILES, "board.js", "standalone.js"))
MOVE = {"v", "u", "k", "steps", "red", "m"}
VALUES = {
    **{f"move_{name}": MOVE for name in ("load", "store", "compute", "add", "slide", "delete")},
    "move_waits": {"io"},
    "move_held": {"move"},
    "counter": {"red", "m"},
    "counter_hidden": {"k"},
    "tick": {"t", "total"},
    "speed_value": {"speed"},
    "board_label": {"name"},
    "code_label": {"name"},
    "strip_label": {"name", "peak", "m", "io"},
    "strip_red": {"m", "peak", "io"},
    "strip_io": {"m", "peak", "io"},
    "sum": {"k", "steps"},
    "made_from": {"list"},
    "misfit": {"least", "m"},
    "fit_button": {"least"},
}
LEGEND = {f"legend_{name}" for name in ("red", "blue", "both", "stale", "sum", "past")}
WHERE = {f"where_{name}" for name in ("red", "blue", "both", "stale", "past", "none")}
BUTTONS = {"start", "back", "forward", "end"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_labels_are_those_that_the_board_uses(lang: str) -> None:
    asked = set(re.findall(r"labels\.(\w+)", SOURCE)) | LEGEND | WHERE | BUTTONS
    given = Texts(lang).group("lab.board")
    assert asked - set(given) == set()
    assert set(given) - asked == set()
    assert all(text.strip() for text in given.values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_placeholders_are_values_that_the_board_fills_in(lang: str) -> None:
    for name, text in Texts(lang).group("lab.board").items():
        holes = {hole for _, hole, _, _ in Formatter().parse(text) if hole is not None}
        assert holes <= VALUES.get(name, set()), name
        if name in VALUES and not name.startswith(("move_", "strip_")):
            assert holes == VALUES[name], name


def test_files_know_nothing_of_streamlit_but_the_last() -> None:
    for name in {*PLAYER_FILES, "standalone.js"}:
        text = (ASSETS / name).read_text(encoding="utf-8")
        assert text.startswith("//")
        assert not re.search(r"^(import|export)\b|setStateValue|setTriggerValue|--st-", text, re.MULTILINE), name
    assert "export default function" in (Path(ASSETS) / "board.js").read_text(encoding="utf-8")


def test_no_markup_is_made_from_data() -> None:
    assert re.findall(r"innerHTML = (.*)", SOURCE) == [
        '\'<svg viewBox="0 0 30 6"><line x1="0" y1="3" x2="30" y2="3" /></svg>\';'
    ]
