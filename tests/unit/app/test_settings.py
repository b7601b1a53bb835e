"""One place checks values: what is taken, what is refused, and that a refusal says what would work."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels_ref
from pages.shared.fields import IdsField, IntField, Problem, restarted, validate
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.settings import ALGORITHM_IDS, CURVES, LAB, LAB_MOVES, LAB_SIDE, LAB_VERTICES, SPECS

SIZE = IntField("n", "n", 1, 4096)
IDS = IdsField("algorithms", "a", ("one", "two", "three"), most=2)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("0", "range"),
        ("-1", "range"),
        ("4097", "range"),
        (0, "range"),
        (10**30, "range"),
        ("x", "whole_number"),
        ("", "whole_number"),
        ("1e6", "whole_number"),
        ("1e30", "whole_number"),
        ("4096.0", "whole_number"),
        ("４", "whole_number"),
        ("٤", "whole_number"),
        ("1_000", "whole_number"),
        ("+4", "whole_number"),
        ("007", "whole_number"),
        (" 4", "whole_number"),
        ("4\n", "whole_number"),
        ("0x10", "whole_number"),
        ("nan", "whole_number"),
        (4.0, "whole_number"),
        (True, "whole_number"),
        (None, "whole_number"),
        ("9" * 65, "too_long"),
        ("9" * 5_000, "too_long"),
    ],
)
def test_numbers_are_read_strictly(raw: object, code: str) -> None:
    value, problem = SIZE.read(raw, 64)
    assert value == 64
    assert problem
    assert (problem.code, problem.field, problem.used) == (code, "n", "64")


@given(st.integers(1, 4096))
def test_every_number_within_the_limits_is_taken(value: int) -> None:
    assert SIZE.read(value, 1) == (value, None)
    assert SIZE.read(SIZE.write(value), 1) == (value, None)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "no_id"),
        ([], "no_id"),
        (None, "no_id"),
        ("four", "unknown_id"),
        (",", "no_id"),
        (["", ""], "no_id"),
        ("four,one,one", "unknown_id"),
        ("One", "unknown_id"),
        ("one,one", "id_twice"),
        ("one,two,three", "too_many"),
    ],
)
def test_ids_are_read_strictly(raw: object, code: str) -> None:
    value, problem = IDS.read(raw, ("one",))
    assert value == ("one",)
    assert problem
    assert problem.code == code


@pytest.mark.parametrize("raw", ["two,,", ",two", ["two", ""]])
def test_a_comma_too_many_is_no_fault(raw: object) -> None:
    assert IDS.read(raw, ("one",)) == (("two",), None)


@pytest.mark.parametrize("raw", ["two,four,one,,five", ["two", "four", "one", "five"]])
def test_the_known_ids_of_a_list_are_kept_and_the_others_named(raw: object) -> None:
    value, problem = IDS.read(raw, ("three",))
    assert value == ("two", "one")
    assert problem
    assert (problem.code, problem.value, problem.used) == ("unknown_id", "four, five", "two, one")
    for lang in LANGUAGES:
        assert "two, one" in problem.sentence(Texts(lang))


def test_ids_keep_their_order() -> None:
    assert IDS.read("two,one", ()) == (("two", "one"), None)


@given(
    st.sampled_from(SPECS),
    st.dictionaries(st.sampled_from(["n", "d", "memory", "algorithms", "step", "other"]), st.text()),
)
def test_no_text_breaks_validation(spec: Any, raw: dict[str, str]) -> None:
    kept = spec.settings()
    settings, problems = validate(spec, raw, kept)
    wrong = {problem.field for problem in problems}
    for field in spec.fields:
        value = getattr(settings, field.name)
        assert field.read(value, None) == (value, None), "what a page shows is always valid"
        if field.name in wrong or field.name not in raw:
            assert value == getattr(kept, field.name)
    for lang in LANGUAGES:
        assert all(problem.sentence(Texts(lang)) for problem in problems)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.page)
def test_defaults_are_valid(spec: Any) -> None:
    defaults = spec.settings()
    for field in spec.fields:
        assert field.read(field.write(getattr(defaults, field.name)), None) == (getattr(defaults, field.name), None)


def test_a_step_begins_anew_with_another_run_alone() -> None:
    before = replace(LAB.settings(), step=7)
    assert restarted(LAB, before, before).step == 7
    assert restarted(LAB, before, replace(before, n=3)).step == 0
    assert restarted(LAB, before, replace(before, step=9)).step == 9
    assert restarted(CURVES, CURVES.settings(), CURVES.settings(n=1)).n == 1


def test_the_lab_stays_within_what_the_board_was_measured_at() -> None:
    n = d = LAB_SIDE
    assert 5 * n * n * d + 2 * n * n + 4 * n * d + 2 * n <= LAB_VERTICES


@pytest.mark.parametrize("algorithm", ALGORITHM_IDS)
def test_the_longest_run_of_the_lab_fits_its_board(algorithm: str) -> None:
    least = kernels_ref.count(algorithm, n=LAB_SIDE, d=LAB_SIDE, memory=1).least_memory
    run = kernels_ref.pebble(algorithm, n=LAB_SIDE, d=LAB_SIDE, memory=least)
    assert len(run.moves) <= LAB_MOVES


def test_algorithms_are_those_of_the_kernels() -> None:
    assert set(ALGORITHM_IDS) <= set(kernels_ref.ALGORITHMS)


def test_a_sentence_is_safe_in_markdown_and_short() -> None:
    problem = Problem("unknown_id", "algorithms", "<b>$x$</b> ~~ [a](b) " * 3, "flash2", (("known", "a_b"),))
    sentence = problem.sentence(Texts("en"))
    assert "\\<b\\>\\$x\\$" in sentence
    assert "a\\_b" in sentence
    assert "…" in sentence
