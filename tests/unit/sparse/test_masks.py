"""The page's masks: text and back, pictures against their matrices, and counts equal to those of `kernels_ref`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels_ref import count, masks, sparse
from pages.shared.fields import Problem
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.settings import SPARSE, SPARSE_N
from pages.shared.sparse import START, painted_start
from pages.shared.sparse_fields import KINDS, LENGTH, LIMITS, SIDE, cells_of, kind_of, numbers_of, written
from pages.shared.sparse_masks import built, met_shares, picture_edges, shares, tile_edges

FIELD = SPARSE.named("mask")
NAMES = (
    "none",
    "causal",
    "window:37",
    "block:7:0.4:1",
    "strided:9",
    "global:5:8",
    "random:0.1:2",
    painted_start(),
    "painted:" + "A" * LENGTH,
)


def matrix(name: str, n: int) -> np.ndarray:
    """Every entry, from kernels_ref alone."""
    kind, _, rest = name.partition(":")
    if kind == "none":
        return np.ones((n, n), bool)
    mask = masks.block(cells_of(rest), n, n) if kind == "painted" else masks.named(name, n, n)
    whole = slice(0, n)
    kept = mask.kept(whole, whole)
    return np.ones((n, n), bool) if kept is None else kept


@given(st.lists(st.booleans(), min_size=SIDE * SIDE, max_size=SIDE * SIDE))
def test_a_painting_is_read_as_it_was_written(bits: list[bool]) -> None:
    cells = np.array(bits).reshape(SIDE, SIDE)
    text = written(cells)
    assert len(text) == LENGTH
    assert (cells_of(text) == cells).all()
    assert FIELD.check(f"painted:{text}") == f"painted:{text}"


@pytest.mark.parametrize("name", NAMES)
def test_good_names_are_taken(name: str) -> None:
    assert FIELD.check(name) == name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "sparse_mask"),
        ("diagonal", "sparse_mask"),
        ("causal:3", "sparse_mask"),
        ("window", "sparse_mask"),
        ("window:1e30", "sparse_mask"),
        ("window:12.5", "sparse_mask"),
        ("window:٤", "sparse_mask"),
        ("random:0.333:0", "sparse_mask"),
        ("random:.5:0", "sparse_mask"),
        ("block:16:0.2", "sparse_mask"),
        ("window:0", "sparse_number"),
        ("window:8193", "sparse_number"),
        ("block:65:0.2:0", "sparse_number"),
        ("block:16:0.0:0", "sparse_number"),
        ("random:0.5:1000", "sparse_number"),
        ("painted:AAAA", "sparse_painted"),
        ("painted:" + "A" * 42 + "B", "sparse_painted"),  # bits beyond the last cell
        ("painted:" + "A" * 42 + "!", "sparse_painted"),
        ("painted:" + "é" * LENGTH, "sparse_painted"),
        (None, "sparse_mask"),
    ],
)
def test_bad_names_are_answered_with_what_would_work(text: str | None, code: str) -> None:
    value, problem = FIELD.read(text, "causal")
    assert value == "causal"
    assert isinstance(problem, Problem)
    assert problem.code == code
    for lang in LANGUAGES:
        assert problem.sentence(Texts(lang))


def test_the_gallery_begins_with_masks_that_are_valid() -> None:
    assert set(START) | {"painted"} == set(KINDS)
    for kind, name in (START | {"painted": painted_start()}).items():
        assert kind_of(name) == kind
        assert FIELD.check(name) == name
        assert set(numbers_of(name)) == set(LIMITS.get(kind, {}))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [SPARSE_N[0], 101])
def test_a_mask_keeps_what_its_matrix_keeps(name: str, n: int) -> None:
    mask, want = built(name, n), matrix(name, n)
    if mask is None:
        return
    assert mask.words == want.sum()
    assert sparse.of_pattern(n, n, 3, mask) == sparse.of_pattern(n, n, 3, want)
    for turned, other in ((mask, want), (mask.T, want.T), (mask.repeated(1), want)):
        for rows, columns in ((1, 7), (5, 5), (n, 3), (1, 1)):
            edges = tile_edges(n, rows), tile_edges(n, columns)
            exact = masks.entries(other)
            assert (turned.pairs(*edges) == exact.pairs(*edges)).all()
            found, wanted = turned.meetings(*edges), exact.meetings(*edges)
            assert (found.rows, found.columns, found.tiles) == (wanted.rows, wanted.columns, wanted.tiles)
            assert (found.rows_met, found.columns_met, found.sizes) == (
                wanted.rows_met, wanted.columns_met, wanted.sizes,
            )  # fmt: skip


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("algorithm", ["flash2", "small-cache"])
@pytest.mark.parametrize("memory", [50, 137, 900])
def test_counts_are_those_of_the_matrix(name: str, algorithm: str, memory: int) -> None:
    """Fast masks, slow truth: the same closed form over a plain boolean matrix."""
    n, d = 72, 5
    assert count(algorithm, n=n, d=d, memory=memory, mask=built(name, n)) == count(
        algorithm, n=n, d=d, memory=memory, mask=matrix(name, n)
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [64, 250])
def test_a_picture_shows_the_share_that_is_kept(name: str, n: int) -> None:
    side = 32
    edges, want = picture_edges(n, side), matrix(name, n)
    shown = shares(built(name, n), n, side)
    for row in range(side):
        for column in range(side):
            cell = want[edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
            assert shown[row, column] == pytest.approx(cell.mean(), abs=1e-5)


@pytest.mark.parametrize("name", NAMES[1:])
def test_tiles_are_shown_as_read_where_they_keep_anything(name: str) -> None:
    n, columns, side = 250, 11, 50
    want, mask = matrix(name, n), built(name, n)
    assert mask is not None
    shown = met_shares(mask, n, 1, columns, side)
    rows = picture_edges(n, side)
    strips = tile_edges(n, columns)
    assert shown.shape == (side, len(strips) - 1)
    for row in range(side):
        for strip in range(len(strips) - 1):
            tiles = want[rows[row] : rows[row + 1], strips[strip] : strips[strip + 1]].any(axis=1)
            assert shown[row, strip] == pytest.approx(tiles.mean(), abs=1e-5)
    assert met_shares(mask, n, 25, 25, side).shape == (10, 10)
