"""What the Play page says about its levels is true: solutions replay, par is par, bounds stay below."""

import json
from dataclasses import replace

import pytest

from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.levels import DATA, LEVEL_IDS, PLANS, Level, better, check, levels, main, solved
from pebble_engine import Game, PebbleDag, Rules, attention_backward, matmul
from pebble_engine.bounds import bounds
from pebble_engine.solver import solve

QUICK = [level for level in levels().values() if level.proven and len(level.dag) <= 16]
LISTED = list(levels().values())


def named(level: Level) -> str:
    return level.id


@pytest.mark.parametrize("level", LISTED, ids=named)
def test_the_stored_solution_makes_its_par(level: Level) -> None:
    game = Game(level.dag, level.rules)
    for move in level.solution:
        assert not game.is_solved, "moves after the goal"
        game.push(move)
    assert game.is_solved
    assert game.io == level.par
    assert game.peak <= level.rules.red


@pytest.mark.parametrize("level", QUICK, ids=named)
def test_par_is_proven_again(level: Level) -> None:
    solution = solve(level.dag, level.rules, time_limit=120, must_prove=True)
    assert solution.cost == level.par


@pytest.mark.parametrize("level", LISTED, ids=named)
def test_the_bound_is_the_best_that_holds_and_says_which_it_is(level: Level) -> None:
    known = {bound.name: bound.words for bound in bounds(level.dag, level.rules)}
    assert max(known.values()) <= level.bound <= level.par
    if level.bound_kind == "search":
        assert not level.proven
        assert max(known.values()) < level.bound < level.par
    else:
        assert known[level.bound_kind] == level.bound
    for lang in LANGUAGES:
        assert Texts(lang)(f"play.board.bound_{level.bound_kind}")


@pytest.mark.parametrize("rules", [Rules(6), Rules(6, sliding=True), Rules(6, recompute=False)], ids=str)
@pytest.mark.parametrize("dag", [matmul(3, 3, 3), attention_backward(2)], ids=repr)
def test_every_bound_that_can_be_shown_has_a_name_in_both_languages(dag: PebbleDag, rules: Rules) -> None:
    for bound in bounds(dag, rules):
        for lang in LANGUAGES:
            assert Texts(lang)(f"play.board.bound_{bound.name}")


def test_the_file_is_about_these_levels() -> None:
    known = json.loads(DATA.read_text(encoding="utf-8"))
    assert tuple(known) == LEVEL_IDS
    assert [known[plan.id]["red"] for plan in PLANS] == [plan.red for plan in PLANS]
    assert sum(level.proven for level in LISTED) >= 15


def test_recomputing_pays_where_the_level_says_so() -> None:
    level = levels()["recompute"]
    remembered = solve(level.dag, replace(level.rules, recompute=False), must_prove=True)
    assert remembered.cost == level.par + 1


def test_sliding_is_worth_one_red_pebble_on_the_pyramid() -> None:
    plain, sliding = levels()["pyramid-3"], levels()["pyramid-3-slide"]
    assert (plain.dag, plain.par, plain.rules.red) == (sliding.dag, sliding.par, sliding.rules.red + 1)


def test_a_broken_solution_is_noticed() -> None:
    level = levels()["spill"]
    with pytest.raises(AssertionError, match="spill"):
        check(replace(level, par=level.par - 1))


def test_the_command_checks_and_says_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(LEVEL_IDS)
    assert "best known, at least" in lines[-1]


def test_a_slower_machine_loses_no_proof() -> None:
    found = solved(PLANS[0], seconds=60)
    assert found["proven"]
    worse = found | {"proven": False, "bound": 2, "par": 4}
    assert better(worse, found) == found
    assert better(found, worse) == found
    assert better(worse, None) == worse
