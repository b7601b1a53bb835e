"""What `make loadtest` makes of its measurements."""

import math

import pytest

from tests.load.report import TARGETS, Act, Targets, growth, milliseconds, missed, rise, table, targets_for


def acts(*seconds: float, kind: str = "act", at: float = 0.0) -> list[Act]:
    return [Act(kind, "lab", at + k, value) for k, value in enumerate(seconds)]


def test_a_percentile_is_of_the_acts_asked_for():
    seen = [*acts(*(k / 1000 for k in range(1, 101))), *acts(9.0, kind="first")]
    assert milliseconds(seen, 0.5, "act") == pytest.approx(51, abs=1)
    assert milliseconds(seen, 0.95, "act") == pytest.approx(95, abs=1)
    assert milliseconds(seen, 1, "first") == 9000
    assert math.isnan(milliseconds(seen, 0.5, "page"))


def test_every_target_that_does_not_hold_is_named():
    wanted = Targets(p95=250, first_p95=2000, rss=400)
    assert missed(wanted, 250, 2000, 400, 0) == []
    found = missed(wanted, 251, 2001, 401, 1)
    assert len(found) == 4
    assert found[0] == "p95 251 ms, at most 250 ms wanted".replace("250 ms", "250")


def test_a_measurement_that_is_none_holds_nothing():
    assert missed(Targets(p95=250), float("nan"), 0, 0, 0)


@pytest.mark.parametrize(("sessions", "held_to"), [(1, 100), (100, 100), (101, 300), (300, 300)])
def test_a_class_is_held_to_the_promise_for_the_next_larger_one(sessions: int, held_to: int):
    assert targets_for(sessions) is TARGETS[held_to]


def test_nothing_is_promised_beyond_the_largest_class():
    assert targets_for(301).p95 is None


def test_acts_beside_a_run_are_set_against_those_without_one():
    seen = [*acts(*[0.9] * 5, at=0), *acts(*[0.1] * 20, at=10), *acts(*[0.15] * 20, at=30)]
    assert rise(seen, [(30, 60)], warm=10) == (pytest.approx(100), pytest.approx(150))


def test_growth_begins_after_ten_minutes():
    minutes = [(minute, 50.0 * minute) for minute in range(1, 10)] + [(minute, 200.0) for minute in range(10, 30)]
    assert growth(minutes) == 0
    assert growth([*minutes, (30, 220.0), (31, 220.0), (32, 220.0)]) == pytest.approx(0.1)
    assert math.isnan(growth(minutes[:9]))


def test_a_table_stands_in_columns():
    assert table([("", "ms"), ("home", "7")]) == "      ms\nhome   7"
