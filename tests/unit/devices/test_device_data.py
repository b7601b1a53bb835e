"""The data of the Devices page: every row is read, has a source, and a fault is named by line and column."""

import csv
from pathlib import Path

import pytest

from pages.shared.device_data import (
    DEVICES,
    DEVICES_FILE,
    LEVELS,
    MODELS,
    MODELS_FILE,
    DataError,
    read_devices,
    read_models,
)
from pages.shared.device_view import cite
from pages.shared.i18n import LANGUAGES, Texts

GOOD_DEVICE = "Chip,2020,CPU L2,64.0,,,,its manual,"
GOOD_MODEL = "Net,2020,self-attention,64,64,12.0,1024,its config,"


def raw(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def with_row(path: Path, folder: Path, row: str) -> Path:
    """A file with the header of `path`, one good row and then `row`."""
    header = path.read_text(encoding="utf-8").splitlines()[0]
    good = GOOD_DEVICE if path == DEVICES_FILE else GOOD_MODEL
    copy = folder / path.name
    copy.write_text(f"{header}\n{good}\n{row}\n", encoding="utf-8")
    return copy


@pytest.mark.parametrize(("path", "read"), [(DEVICES_FILE, DEVICES), (MODELS_FILE, MODELS)], ids=["devices", "models"])
def test_every_row_is_read_and_names_its_source(path: Path, read: tuple) -> None:
    rows = raw(path)
    assert len(read) == len(rows) > 20
    for one, row in zip(read, rows, strict=True):
        assert one.source == row["source"].strip() != ""
        assert one.name in (row.get("name"), row.get("model"))
    assert len({one.id for one in read}) == len(read)


def test_bytes_are_those_of_the_file() -> None:
    """Kibibytes with two decimals: exact to ten bytes."""
    for device, row in zip(DEVICES, raw(DEVICES_FILE), strict=True):
        assert abs(device.bytes - float(row["fast_kib"]) * 1024) < 16
        assert device.bandwidth == (float(row["slow_bw_gb_s"]) if row["slow_bw_gb_s"] else None)
    assert next(one.bytes for one in DEVICES if one.id == "apple-a7-a8-class-gpu") == 16_352, "as its source states"


@pytest.mark.parametrize(("path", "read"), [(DEVICES_FILE, DEVICES), (MODELS_FILE, MODELS)], ids=["devices", "models"])
def test_what_the_file_calls_weak_is_called_weak(path: Path, read: tuple) -> None:
    for one, row in zip(read, raw(path), strict=True):
        if "show as unverified" in row["note"]:
            assert one.evidence == "weak", one.id
        assert "show as unverified" not in one.note, "that is said to us and not to the reader"
        if one.evidence == "weak":
            assert cite(one.source, one.evidence)[1] is None, "no link to a weak source"
    assert any(one.evidence == "firm" for one in read)


def test_short_sources_have_a_text_and_a_whole_address() -> None:
    for one in (*DEVICES, *MODELS):
        text, address = cite(one.source, one.evidence)
        assert 3 <= len(text) <= 48
        assert address is None or address.startswith("https://")
        assert address is None or not any(char in address for char in " \"'<>,;:()".replace(":", ""))
        assert text.split("/")[0] in one.source


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_level_has_a_name_and_a_device(lang: str) -> None:
    t = Texts(lang)
    for level in LEVELS:
        assert t(f"devices.level.{level}")
        assert any(device.level == level for device in DEVICES)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("Chip 2,2020,CPU L2,,,,,its manual,", "fast_kib"),
        ("Chip 2,2020,CPU L2,many,,,,its manual,", "fast_kib"),
        ("Chip 2,2020,CPU L2,-4,,,,its manual,", "fast_kib"),
        ("Chip 2,2020,CPU L2,0,,,,its manual,", "fast_kib"),
        ("Chip 2,2020,CPU L2,nan,,,,its manual,", "fast_kib"),
        ("Chip 2,2020,CPU L2,64,1e3,,,its manual,", "slow_bw_gb_s"),
        ("Chip 2,2020,CPU L2,64,,3.5,,its manual,", "peak_type"),
        ("Chip 2,2020,CPU L2,64,,,FP32,its manual,", "peak_type"),
        ("Chip 2,2020,CPU L9,64,,,,its manual,", "kind"),
        ("Chip 2,2020.5,CPU L2,64,,,,its manual,", "year"),
        ("Chip 2,2020,CPU L2,64,,,,,", "source"),
        (",2020,CPU L2,64,,,,its manual,", "name"),
        ("Chip,2020,CPU L2,64,,,,its manual,", "name"),
        ("Own,2020,CPU L2,64,,,,its manual,", "name"),
        ("Chip 2,2020,CPU L2,64,,,,its manual", "note"),
        ("Chip 2,2020,CPU L2,64,,,,its manual,a,b", "note"),
    ],
)
def test_a_fault_in_devices_is_named(tmp_path: Path, row: str, column: str) -> None:
    with pytest.raises(DataError, match=r"devices\.csv, line 3, column") as caught:
        read_devices(with_row(DEVICES_FILE, tmp_path, row))
    assert (caught.value.line, caught.value.column) == (3, column)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("Net 2,2020,x,,64,,,its config,", "d_qk"),
        ("Net 2,2020,x,64,,,,its config,", "d_v"),
        ("Net 2,2020,x,64,64.5,,,its config,", "d_v"),
        ("Net 2,2020,x,64,64,twelve,,its config,", "heads"),
        ("Net 2,2020,,64,64,,,its config,", "part"),
        ("Net 2,2020,x,64,64,,,,", "source"),
        ("Net,2020,self-attention,64,64,,,its config,", "model"),
    ],
)
def test_a_fault_in_models_is_named(tmp_path: Path, row: str, column: str) -> None:
    with pytest.raises(DataError) as caught:
        read_models(with_row(MODELS_FILE, tmp_path, row))
    assert (caught.value.line, caught.value.column) == (3, column)


def test_other_columns_are_no_such_table(tmp_path: Path) -> None:
    path = tmp_path / "devices.csv"
    path.write_text("name,size\nChip,64\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        read_devices(path)
