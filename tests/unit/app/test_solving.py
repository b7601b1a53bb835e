"""The solver beside the page."""

import threading
import time

import pytest

from pages.shared import solving
from pages.shared.apart import Exhausted
from pages.shared.solving import solved
from pebble_engine import Rules, attention_backward, matmul, solve
from pebble_engine.solver import DoesNotFit


def test_it_proves_what_the_solver_proves():
    dag, rules = matmul(2, 2, 1), Rules(4)
    found = solved(dag, rules, 30.0, 150_000)
    assert found.proved
    assert found.cost == solve(dag, rules).cost


def test_it_says_what_does_not_fit():
    with pytest.raises(DoesNotFit) as error:
        solved(matmul(2, 2, 1), Rules(1), 4.0, 1_000)
    assert error.value.least == 3


def test_one_search_at_a_time_and_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solving, "PATIENCE", 0.05)
    monkeypatch.setattr(solving, "_turn", threading.Semaphore(0))
    dag = attention_backward(2, 1)
    begun = time.process_time()
    found = solved(dag, Rules(8, sliding=True), 60.0, 10**9)
    assert time.process_time() - begun < 5
    assert not found.proved
    assert found.moves


def test_a_search_beyond_its_limits_becomes_a_small_one_and_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch):
    def exhausted(*_: object) -> None:
        raise Exhausted("memory")

    monkeypatch.setattr(solving, "_solved", exhausted)
    monkeypatch.setattr(solving, "_turn", turn := threading.Semaphore(1))
    assert solved(matmul(2, 2, 1), Rules(4), 4.0, 1_000).moves
    assert turn.acquire(blocking=False)
