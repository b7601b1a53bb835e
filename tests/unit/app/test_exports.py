"""The buttons that give files away are there when there is something to give."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.i18n import Texts
from tests.unit.app.test_pages import opened

EN = Texts("en")
REPLAY, SHEET = EN("replay.download"), EN("replay.sheet")


def offered(at: AppTest) -> set[str]:
    assert not at.exception
    return {button.proto.label for button in at.get("download_button")}


@pytest.mark.parametrize(
    ("page", "query", "expected"),
    [
        ("lab", {}, {REPLAY, SHEET}),
        ("lab", {"a": "flash2", "m": "14"}, {REPLAY, SHEET}),
        ("lab", {"a": "flash2", "m": "3"}, set()),  # does not fit
        ("play", {"level": "sum", "p": "1"}, set()),  # no move yet
        ("play", {"level": "sum", "p": "1A"}, {REPLAY}),
    ],
)
def test_files_are_offered(page: str, query: dict[str, str], expected: set[str]) -> None:
    at = opened(f"pages/{page}.py", lang="en", **query)
    assert offered(at) & {REPLAY, SHEET} == expected
