"""What can be chosen: kernels, problem, heads, number type, mask, model, device; what does not go together."""

from dataclasses import replace
from math import isclose

import pytest

from kernels_ref import ALGORITHMS, certified_ratio, count, lower_bound, masks, theory
from kernels_ref.sizes import Shape
from pages.shared import curve_data, curve_figures
from pages.shared import curves as page
from pages.shared.curve_fields import MaskField
from pages.shared.curve_models import PRESETS, RIDGED, ridge
from pages.shared.device_data import Model
from pages.shared.fields import Problem, validate
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.settings import CURVE_FORMS, CURVE_MASKED_N, CURVE_PLOTS, CURVES, DTYPES, CurveSettings

FIELD = MaskField("mask", "mask")


@pytest.mark.parametrize("text", ["none", "causal", "window:1", "window:512", "block:16:0.25", "block:1:1"])
def test_masks_of_the_address_are_masks_of_the_kernels(text: str) -> None:
    assert FIELD.check(text) == text
    if text != "none":
        assert masks.named(text, 64, 64).shape == (64, 64)


@pytest.mark.parametrize("text", ["", "window", "window:0", "window:-1", "window:1e3", "block:16", "block:16:0.0", "x"])
def test_other_masks_are_answered(text: str) -> None:
    assert isinstance(FIELD.check(text), Problem)
    _, problems = validate(CURVES, {"mask": text}, CurveSettings())
    assert all("window:512" in page.plain(problem.sentence(Texts(lang))) for problem in problems for lang in LANGUAGES)


def test_settings_that_do_not_go_together_are_settled_and_told() -> None:
    asked = CurveSettings(n=2 * CURVE_MASKED_N, algorithms=("flash1", "flash2"), form="weights", heads=3, mask="causal")
    used, problems = curve_data.settled(asked)
    assert used == replace(asked, algorithms=("flash2",), heads=1, mask="none")
    assert [problem.field for problem in problems] == ["algorithms", "heads", "mask"]
    assert all(problem.sentence(Texts(lang)) for problem in problems for lang in LANGUAGES)
    assert curve_data.settled(used) == (used, [])


@pytest.mark.parametrize("form", CURVE_FORMS)
@pytest.mark.parametrize("mask", ["none", "causal", "block:4:0.5"])
def test_every_kernel_of_a_form_is_drawn_as_counted(form: str, mask: str) -> None:
    names = tuple(name for name, entry in ALGORITHMS.items() if form in entry.forms)
    heads = 1 if form == "weights" else 3
    settings = CurveSettings(200, 16, 1000, names, form, heads, mask=mask)
    data = curve_data.curves(settings)
    kept = None if mask == "none" else masks.named(mask, 200, 200)
    for name in names:
        right = count(name, n=200, d=16, memory=1000, form=form, heads=heads, mask=kept)
        assert data.io[name][1000] == right.io
        certified = certified_ratio(name, n=200, d=16, memory=1000, form=form, heads=heads, mask=kept)
        assert certified is not None
        assert isclose(data.io[name][1000] / data.bound[1000], certified.ratio)
    assert data.bound[1000] == lower_bound(form, Shape(200, 200, 16, 16, kept), 1000, heads=heads).words
    figure = curve_figures.figure(data, Texts("es"))
    drawn = [trace.meta["algorithm"] for trace in figure.data if trace.meta["role"] == "count"]
    assert drawn == list(names)
    assert any(trace.meta["role"] == "theta" for trace in figure.data) == (mask == "none")


def test_the_other_quantities() -> None:
    base = CurveSettings(1000, 59, 2000)
    exact = count("small-cache", n=1000, d=59, memory=2000)
    assert exact.io
    assert exact.multiplications
    assert exact.peak_slow
    found = {plot: curve_data.curves(replace(base, plot=plot)).words["small-cache"][2000] for plot in CURVE_PLOTS}
    assert found["multiplications"] == exact.multiplications
    assert found["slow"] == exact.peak_slow + theory.floor(1000, 59)
    assert found["roofline"] == 2 * exact.multiplications / (2 * exact.io)
    wide = curve_data.curves(replace(base, plot="roofline", dtype="float64")).words["small-cache"][2000]
    assert found["roofline"] == 4 * wide


def test_number_type_changes_no_word() -> None:
    assert len({str(curve_data.curves(CurveSettings(dtype=dtype)).words) for dtype in DTYPES}) == 1


def test_two_kernels_are_compared_in_either_order() -> None:
    """The one that wins in the end comes first in the sentence, whatever was ticked first."""
    one = curve_data.curves(CurveSettings(algorithms=("small-cache", "flash2")))
    other = curve_data.curves(CurveSettings())
    assert (one.first, one.second, one.crossing) == (other.first, other.second, other.crossing)
    assert one.first == "flash2"


@pytest.mark.parametrize("model", PRESETS.values(), ids=lambda model: model.id)
def test_models_can_be_shown(model: Model) -> None:
    raw = {page.FIELDS[name]: value for name, value in page._model_wish(model).items()}
    settings, problems = validate(CURVES, raw, CurveSettings(mask="causal"))
    assert not problems
    assert (settings.n, settings.d, settings.heads, settings.memory) == (model.n, model.d, model.heads, model.d**2)
    assert curve_data.settled(settings) == (settings, [])


def test_ridge_is_peak_over_bandwidth() -> None:
    device = RIDGED[CurveSettings().device]
    assert isclose(ridge(device), 989e12 / 3350e9)
    assert device.bytes == 227 * 1024
    assert all(device.source for device in RIDGED.values())
    figure = curve_figures.figure(curve_data.curves(CurveSettings(plot="roofline")), Texts("en"))
    (line,) = [trace for trace in figure.data if trace.meta["role"] == "ridge"]
    assert set(line.y) == {ridge(device)}
