"""Which side of d^2 a pair is on, what it costs, what is said about it."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from kernels_ref import ALGORITHMS, count
from pages.shared import device_view as view
from pages.shared.device_data import DEVICES, DEVICES_FILE, LEVEL_OF, MODELS, MODELS_FILE
from pages.shared.devices import (
    ASSUMED_N,
    Pair,
    chosen,
    costs,
    own_device,
    pairs,
    small,
    table,
    truly_small,
    words_of,
)
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.numbers import grouped
from pages.shared.settings import ALL_LEVELS, WORD_BYTES, DeviceSettings

ROOT = Path(__file__).resolve().parents[3]
DEFAULT = DeviceSettings()


def raw(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_an_h100_block_is_a_small_cache_at_512_in_float16() -> None:
    """The reviewers' example: 227 KiB are 116,224 words of two bytes, 512^2 is 262,144."""
    pair = chosen(DEFAULT)
    assert (pair.device.name, pair.model.d) == ("NVIDIA H100 SXM (sm_90)", 512)
    assert pair.words == 227 * 1024 // 2
    assert pair.small
    assert not Pair(pair.device, replace(pair.model, d_qk=256, d_v=256), pair.words).small


def test_d_squared_itself_is_not_small() -> None:
    tensor_memory = next(one for one in DEVICES if "TMEM (" in one.name)
    words = words_of(tensor_memory, replace(DEFAULT, dtype="float32"))
    assert words == 256**2
    assert not small(words, 256)
    assert small(words - 1, 256)


@pytest.mark.parametrize("share", [100, 37])
@pytest.mark.parametrize("dtype", WORD_BYTES)
def test_small_pairs_are_those_of_the_files(dtype: str, share: int) -> None:
    """The same question asked of the raw files, without our classes."""
    settings = replace(DEFAULT, dtype=dtype, share=share, tier=ALL_LEVELS)
    expected = set()
    for device in raw(DEVICES_FILE):
        for model in raw(MODELS_FILE):
            words = float(device["fast_kib"]) * 1024 * share / 100 / WORD_BYTES[dtype]
            if words < min(int(model["d_qk"]), int(model["d_v"])) ** 2:
                expected.add((device["name"], model["model"], model["part"]))
    found = {(pair.device.name, model.name, model.part) for model, small in truly_small(settings) for pair in small}
    assert found == expected
    assert len(pairs(settings)) == len(DEVICES) * len(MODELS)
    rows = list(csv.DictReader(io.StringIO(table(settings))))
    assert {(row["device"], row["model"], row["part"]) for row in rows if row["small_cache"] == "yes"} == expected
    assert all(row["device_source"] and row["model_source"] for row in rows)


def test_a_level_shows_its_devices_alone() -> None:
    for level in set(LEVEL_OF.values()):
        shown = {pair.device.name for pair in pairs(replace(DEFAULT, tier=level))}
        assert shown == {row["name"] for row in raw(DEVICES_FILE) if LEVEL_OF[row["kind"]] == level}


@pytest.mark.parametrize("model", ["gemma-4-full-attention-layers", "glm-5-mla-absorbed-form", "mistral-small-4-mla"])
def test_costs_are_the_kernels_own_counts(model: str) -> None:
    pair = chosen(replace(DEFAULT, model=model))
    n, heads = pair.model.n or ASSUMED_N, pair.model.heads or 1
    every = {
        name: count(name, n=n, d=pair.model.d_qk, d_v=pair.model.d_v, memory=pair.words, form="qkv")
        for name, entry in ALGORITHMS.items()
        if "qkv" in entry.forms
    }
    least = min(one.io for one in every.values() if one.io)
    listed = costs(pair, "float16")
    assert [cost.algorithm for cost in listed][:2] == ["flash2", "small-cache"]
    assert min(cost.times or 9 for cost in listed) == 1
    for cost in listed:
        words = every[cost.algorithm].io
        assert words
        assert cost.counts.io == words
        assert cost.times == words / least
        assert cost.bytes == 2 * heads * words
        assert pair.device.bandwidth
        assert cost.seconds == pytest.approx(2 * heads * words / pair.device.bandwidth / 1e9)
    lean = [cost for cost in listed if cost.role == "lean"]
    assert all(not cost.counts.peak_slow for cost in lean)


def test_a_peak_of_another_dtype_says_nothing() -> None:
    pair = chosen(DEFAULT)
    assert costs(pair, "float16")[0].computing
    assert costs(pair, "float32")[0].computing is None, "989 TFLOP/s are those of 16-bit words"


def test_a_kernel_that_does_not_fit_says_what_it_needs() -> None:
    settings = replace(DEFAULT, device="webgpu-default-limit", dtype="float64")
    pair, t = chosen(settings), Texts("en")
    listed = costs(pair, settings.dtype)
    least = grouped(ALGORITHMS["flash2"].least_memory(512))
    assert not pair.fits
    assert f"does not fit: needs {least}" in view.cost_table(pair, listed, t)
    assert least in view.verdict(pair, listed, settings, t)[0]


def test_memory_without_a_word_is_answered() -> None:
    settings = replace(DEFAULT, device="own", bytes=3, dtype="float64")
    pair, t = chosen(settings), Texts("en")
    assert pair.words == 0
    listed = costs(pair, settings.dtype)
    assert all(cost.bytes is None for cost in listed)
    assert view.verdict(pair, listed, settings, t) == [t("devices.verdict.nothing")]
    assert "does not fit" in view.cost_table(pair, listed, t)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_device_and_every_model_has_its_words(lang: str) -> None:
    t = Texts(lang)
    seen = [(device.id, DEFAULT.model) for device in DEVICES] + [(DEFAULT.device, model.id) for model in MODELS]
    for device, model in seen:
        settings = replace(DEFAULT, device=device, model=model, share=90)
        pair = chosen(settings)
        listed = costs(pair, settings.dtype)
        said = [view.headline(pair, settings, t), view.cost_table(pair, listed, t), view.caption(pair, t)]
        said += [*view.verdict(pair, listed, settings, t), view.sources(pair, t), view.exact_words(listed, t)]
        assert all(said)
        assert not [text for text in said if re.search(r"\{|\bNone\b|\bnan\b", text)]
        for one in (pair.device, pair.model):
            if one.evidence != "firm":
                assert t(f"devices.evidence.{one.evidence}") in view.sources(pair, t)


def test_a_name_in_the_table_is_no_formula() -> None:
    settings = replace(DEFAULT, bytes=1024, name="=1+1")
    assert own_device(settings)
    rows = list(csv.DictReader(io.StringIO(table(settings))))
    assert "'=1+1" in {row["device"] for row in rows}
    assert "=1+1" not in {row["device"] for row in rows}


# The page


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params.update({"lang": query.pop("lang", "en")})
    at.run()
    at.switch_page("pages/devices.py")
    at.query_params.clear()
    at.query_params.update(query)
    at.run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    return " ".join(element.value for element in at.markdown)


def box(at: AppTest, field: str) -> Any:
    return at.selectbox(key=f"devices.{field}")


def test_a_link_opens_the_readers_own_device_and_model() -> None:
    at = opened(device="own", model="own", name="My chip", bytes="65536", gbs="819.2", d="300", n="100", lang="es")
    assert "32\u202f768 palabras" in said(at)
    assert "819.2" in " ".join(element.value for element in at.caption)
    assert "My chip" in box(at, "device").options
    assert not at.warning


def test_a_link_without_the_own_bytes_says_so() -> None:
    at = opened(device="own", model="own")
    shown = " ".join(warning.value for warning in at.warning)
    assert "bytes are not in the link" in shown
    assert "head dimension is not in the link" in shown
    assert at.query_params["device"] == DEFAULT.device
    assert at.query_params["model"] == DEFAULT.model


def test_bytes_that_are_typed_choose_the_own_device_and_none_leaves_it() -> None:
    at = opened()
    at.text_input(key="devices.bytes_typed").set_value("4096").run()
    assert at.query_params["device"] == "own"
    assert "2\u202f048 words" in said(at)
    at.text_input(key="devices.bytes_typed").set_value("4 kB").run()
    assert "“4 kB” is not a whole number" in at.warning[0].value
    assert at.query_params["bytes"] == "4096"
    at.text_input(key="devices.bytes_typed").set_value("").run()
    assert at.query_params["device"] == DEFAULT.device
    assert not at.exception


def test_level_and_device_follow_each_other() -> None:
    at = opened()
    box(at, "tier").set_value("l2").run()
    device = at.query_params["device"]
    assert next(one.level for one in DEVICES if one.id == device) == "l2"
    box(at, "device").set_value("google-tpu-v4").run()
    assert at.query_params["level"] == "scratchpad"
    box(at, "tier").set_value(ALL_LEVELS).run()
    assert at.query_params["device"] == "google-tpu-v4"
    assert not at.exception


def test_a_source_that_is_no_name_is_told_in_the_readers_language() -> None:
    told = {lang: json.loads(view.table_state(DEFAULT, lang))["devices"] for lang in LANGUAGES}
    shown = {lang: {row["source"][0] for row in told[lang]} for lang in LANGUAGES}
    said = {lang: Texts(lang)("devices.source.reports") for lang in LANGUAGES}
    assert said["en"] != said["es"]
    assert all(said[lang] in shown[lang] for lang in LANGUAGES)
    assert said["en"] not in shown["es"]
