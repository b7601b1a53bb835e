"""The lab's choices: each algorithm that is offered plays its DAG by the rules, with the words that are shown."""

import itertools

import pytest

from kernels_ref import count
from pages.shared.fields import IdField
from pages.shared.lab import _optimum, _run, fitted, kept, pebbling_of, playable
from pages.shared.settings import LAB, LAB_KERNELS, LAB_MASKS, ORDER_IDS, LabSettings
from pages.shared.url_state import Address
from pebble_engine import replay

GRANULARITIES = next(f.ids for f in LAB.fields if isinstance(f, IdField) and f.name == "granularity")


@pytest.mark.parametrize("sliding", ["yes", "no"])
@pytest.mark.parametrize("mask", LAB_MASKS)
@pytest.mark.parametrize(
    ("form", "granularity"), [(f, g) for f, g in itertools.product(LAB_KERNELS, GRANULARITIES)], ids="-".join
)
def test_what_is_offered_plays(form: str, granularity: str, mask: str, sliding: str) -> None:
    settings = LabSettings(n=3, d=2, memory=24, form=form, mask=mask, granularity=granularity, sliding=sliding)
    offered = playable(settings)
    assert set(ORDER_IDS) <= set(offered)
    for algorithm in offered:
        pebbling = pebbling_of(algorithm, settings)
        seen = replay(pebbling)
        assert seen.is_solved
        assert seen.peak <= 24
        assert (pebbling.rules.red, pebbling.rules.sliding) == (24, sliding == "yes")
        assert _run(algorithm, settings)["io"] == seen.io
        if algorithm not in ORDER_IDS:
            words = 24 if sliding == "yes" else 23
            assert seen.io == count(algorithm, n=3, d=2, memory=words, form=form, mask=kept(mask, 3)).io


@pytest.mark.parametrize("sliding", ["yes", "no"])
def test_what_does_not_fit_says_what_would(sliding: str) -> None:
    for memory in (1, 5):
        settings = LabSettings(n=3, d=2, memory=memory, sliding=sliding)
        for algorithm in playable(settings):
            run = _run(algorithm, settings)
            if run.get("fits") is False:
                enough = LabSettings(n=3, d=2, memory=run["least"], sliding=sliding)
                assert _run(algorithm, enough).get("fits") is not False
                less = LabSettings(n=3, d=2, memory=run["least"] - 1, sliding=sliding)
                assert _run(algorithm, less).get("fits") is False


def test_the_optimum_is_shown_where_it_is_proven() -> None:
    small = pebbling_of("belady", LabSettings(n=1, d=1, memory=6))
    assert _optimum(small) == 9
    assert _optimum(pebbling_of("belady", LabSettings(n=2, d=2, memory=12))) is None


def address(settings: LabSettings, monkeypatch: pytest.MonkeyPatch) -> Address:
    monkeypatch.setattr("pages.shared.url_state._keep", lambda *_, **__: None)
    monkeypatch.setattr("pages.shared.url_state._write", lambda *_: None)
    return Address(LAB, settings, [])


def test_an_algorithm_for_another_problem_is_said_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = address(LabSettings(form="forward", algorithms=("flash2", "belady")), monkeypatch)
    fitted(asked)
    assert asked.settings.algorithms == ("belady",)
    (problem,) = asked.problems
    assert (problem.code, problem.value, problem.used) == ("not_for_this_dag", "flash2, belady", "belady")


def test_a_dag_too_large_for_the_board_is_said_and_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = address(LabSettings(n=8, d=8), monkeypatch)
    fitted(fine)
    assert not fine.problems
    asked = address(LabSettings(n=8, d=8, form="weights"), monkeypatch)
    fitted(asked)
    (problem,) = asked.problems
    assert problem.code == "too_many_vertices"
    assert (asked.settings.n, asked.settings.form) == (4, "weights")
    trees = address(LabSettings(n=8, d=8, algorithms=("belady",), granularity="tree"), monkeypatch)
    fitted(trees)
    assert [problem.code for problem in trees.problems] == ["too_many_vertices"]
    assert (trees.settings.n, trees.settings.granularity) == (4, "tree")
