"""What the sparse page says and draws at a point, against kernels_ref and against plain arithmetic."""

import io
import json

import pandas as pd
import pytest

from kernels_ref import count, sparse, theory
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.numbers import grouped
from pages.shared.settings import SparseSettings
from pages.shared.sparse import START, csv, curve, mask_of, painted_start, point, reach
from pages.shared.sparse_board import payload
from pages.shared.sparse_figure import figure

EMPTY = "painted:" + "A" * 43
EVERY = [*START.values(), painted_start(), EMPTY]
BOTH = ("flash2", "small-cache")


def drawn(settings: SparseSettings, lang: str = "en") -> dict:
    at = point(settings)
    data = curve(settings.mask, settings.n, settings.d, reach(settings.memory, at.nonzeros.split))
    return figure(at, data, Texts(lang))


def test_dense_is_n_d_and_n_squared_and_splits_at_d_squared() -> None:
    at = point(SparseSettings("none", 256, 16, 1024))
    assert at.nonzeros == (256 * 16, 256**2)
    assert at.nonzeros.split == 16**2
    assert all(rows[2] == rows[3] for rows in at.tiles.values())
    assert at.masked == at.dense


def test_causal_is_aligned_bottom_right_and_counted() -> None:
    n, d = 128, 8
    at = point(SparseSettings("causal", n, d, 512))
    assert at.nonzeros.z_qk == n * (n + 1) // 2
    assert at.nonzeros.split == pytest.approx((n * d) ** 2 / (n * (n + 1) / 2))
    rows, columns, met, every = at.tiles["flash2"]
    assert rows == 1
    assert every == n * -(-n // columns)
    assert met == sum(-(-(query + 1) // columns) for query in range(n))


@pytest.mark.parametrize("mask", EVERY)
def test_words_never_fall_below_the_bound_nor_rise_above_dense(mask: str) -> None:
    settings = SparseSettings(mask, 256, 16, 700)
    at = point(settings)
    for name in BOTH:
        words = at.masked[name].io
        dense = at.dense[name].io
        assert words is not None
        assert dense is not None
        assert at.bound.words <= words <= dense
    data = curve(mask, 256, 16, reach(700, at.nonzeros.split))
    bounds = dict(zip(*data.bound, strict=True))
    for name, (memories, words_of) in data.masked.items():
        for memory, words in zip(memories, words_of, strict=True):
            assert words == count(name, n=256, d=16, memory=memory, mask=mask_of(settings)).io
            assert bounds[memory] <= words


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("mask", EVERY)
@pytest.mark.parametrize("memory", [1, 40, 8192])
def test_every_mask_says_and_draws_something_whole(mask: str, lang: str, memory: int) -> None:
    settings = SparseSettings(mask, 128, 8, memory)
    figure_text, state_text = payload(settings, lang)
    state, shown = json.loads(state_text), json.loads(figure_text)
    at = point(settings)
    assert state["readout"]["z_qk"] == grouped(at.nonzeros.z_qk)
    for row in state["readout"]["rows"]:
        io_words = at.masked[row["id"]].io
        assert row["fits"] is (io_words is not None)
        if io_words is not None:
            assert grouped(io_words) in row["words"]
    assert ("Θ" in state["readout"]["split"]) is (at.nonzeros.z_qk > 0)
    roles = [trace["meta"]["role"] for trace in shown["data"]]
    assert roles.count("count") == 2
    assert "bound" in roles
    assert len(figure_text) + len(state_text) < 150_000


def test_theta_is_dashed_bends_at_the_split_and_has_no_unit() -> None:
    settings = SparseSettings("causal", 512, 16, 700)
    zeros = point(settings).nonzeros
    shown = drawn(settings)
    (line,) = [trace for trace in shown["data"] if trace["meta"]["role"] == "theta"]
    assert line["line"]["dash"] == "dash"
    assert line["hoverinfo"] == "skip"
    assert zeros.split in line["x"]
    for x, y in zip(line["x"], line["y"], strict=True):
        assert y >= theory.floor(512, 16, mask=mask_of(settings)) * 0.999, "no schedule can go below inputs + outputs"
        assert y == theory.theta_sparse(zeros.z_input, zeros.z_qk, x)
    (split,) = [shape for shape in shown["layout"]["shapes"] if shape["name"] == "split"]
    assert split["x0"] == zeros.split == zeros.z_input**2 / zeros.z_qk


def test_nothing_kept_has_no_split() -> None:
    settings = SparseSettings(EMPTY, 128, 8, 700)
    shown = drawn(settings)
    assert "split" not in [shape["name"] for shape in shown["layout"]["shapes"]]
    assert "theta" not in [trace["meta"]["role"] for trace in shown["data"]]
    assert sparse.of_pattern(128, 128, 8, mask_of(settings)).split == float("inf")


def test_the_file_has_every_number_of_the_chart() -> None:
    settings = SparseSettings("strided:16", 128, 8, 700)
    frame = pd.read_csv(io.StringIO(csv(settings)))
    assert set(frame["mask"]) == {"strided:16", "none"} or frame["mask"].isna().any()
    shown = drawn(settings)
    for trace in shown["data"]:
        if trace["meta"]["role"] != "count":
            continue
        rows = frame[(frame["algorithm"] == trace["meta"]["algorithm"]) & (frame["mask"] == "strided:16")]
        assert [float(x) for x in rows["io"].dropna()] == trace["y"]
