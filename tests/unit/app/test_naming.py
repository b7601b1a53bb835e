"""A damaged file of the project is named."""

import json
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from pages.shared import i18n, levels


def labels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(i18n, "TEXT", folder)
    path = folder / "en" / "labels" / "damaged.json"
    path.parent.mkdir(parents=True)
    return path


def known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(levels, "DATA", folder / "levels.json")
    return folder / "levels.json"


@pytest.mark.parametrize(
    ("place", "read"),
    [(labels, lambda: i18n._labels.__wrapped__("en", "damaged")), (known, lambda: levels.levels.__wrapped__())],
)
def test_the_trace_of_a_damaged_file_names_it(
    place: Callable[..., Path], read: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = place(tmp_path, monkeypatch)
    path.write_text('{"cut sho', encoding="utf-8")
    with pytest.raises(json.JSONDecodeError) as error:
        read()
    assert str(path) in "".join(traceback.format_exception(error.value))
