"""One clock for two runs: both move their k-th word in the same tick."""

from hypothesis import given
from hypothesis import strategies as st

from kernels_ref import kernel_source, pebble
from pages.shared.board import clock_length, encode_run, operations

LOAD, COMPUTE = 0, 2
schedules = st.lists(st.sampled_from([0, 1, 2, 3, 4]), max_size=40)


def test_alone_a_tick_is_a_move() -> None:
    assert clock_length([[LOAD, COMPUTE, COMPUTE]]) == 3
    assert clock_length([]) == 0


def test_two_runs_meet_at_every_word() -> None:
    left = [LOAD, COMPUTE, COMPUTE, LOAD]
    right = [COMPUTE, LOAD, LOAD, LOAD, COMPUTE]
    # words: 1 (after 0 and 1 computations), 2 (after 2 and 0), 3 (right alone), then right's last computation
    assert clock_length([left, right]) == 2 + 3 + 1 + 1


@given(schedules, schedules)
def test_length_is_the_longer_of_both_between_words(left: list[int], right: list[int]) -> None:
    def lengths(run: list[int]) -> list[int]:
        segments, current = [], 0
        for op in run:
            current += 1
            if op <= 1:
                segments.append(current)
                current = 0
        return [*segments, current]

    a, b = lengths(left), lengths(right)
    longest = max(len(a), len(b))
    a, b = (x + [0] * (longest - len(x)) for x in (a, b))
    assert clock_length([left, right]) == sum(max(pair) for pair in zip(a, b, strict=True))


@given(schedules)
def test_a_run_beside_itself_takes_its_own_time(run: list[int]) -> None:
    assert clock_length([run, run]) == clock_length([run]) == len(run)


def test_operations_of_a_kernel() -> None:
    pebbling = pebble("flash2", n=2, d=1, memory=8)
    run = encode_run(pebbling, kernel_source("flash2"), 0, "")
    names = ["load", "store", "compute", "slide", "delete"]
    assert [names[op] for op in operations(run)] == [move.op for move in pebbling.moves]
