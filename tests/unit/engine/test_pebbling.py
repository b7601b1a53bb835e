"""Whole pebblings: replayed, counted, and all of their faults listed without cascades."""

import numpy as np
import pytest

from pebble_engine import (
    IllegalMove,
    InvalidMove,
    InvalidPebbling,
    Move,
    PebbleDag,
    Pebbling,
    Rules,
    chain,
    matmul,
    replay,
    schedule_faults,
)

PRODUCT = matmul(1, 1, 2)
GOOD = """load A[0,0]/load B[0,0]/compute C[0,0]#0/delete A[0,0]/delete B[0,0]/load A[0,1]/load B[1,0]
/slide C[0,0]#0 C[0,0]#1/store C[0,0]#1""".replace("\n", "").split("/")
RULES = Rules(red=3, sliding=True)


def moves(*texts: str) -> tuple[Move, ...]:
    return tuple(map(Move.parse, texts))


def without(at: int) -> list[str]:
    return GOOD[:at] + GOOD[at + 1 :]


def faults(dag: PebbleDag, rules: Rules, *texts: str) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(fault.step, fault.reason, fault.vertices) for fault in schedule_faults(dag, rules, moves(*texts))]


def test_replay_counts_and_keeps_the_course_of_both() -> None:
    run = replay(Pebbling(PRODUCT, RULES, moves(*GOOD), "hand"))
    assert (run.loads, run.stores, run.io, run.peak, run.is_solved) == (4, 1, 5, 3, True)
    assert run.red.tolist() == [0, 1, 2, 3, 2, 1, 2, 3, 3, 3]
    assert run.io_at.tolist() == [0, 1, 2, 2, 2, 2, 3, 4, 4, 5]
    assert {type(count) for count in (run.loads, run.stores, run.io, run.peak)} == {int}
    assert run.red.dtype == run.io_at.dtype == np.int64


def test_replay_of_no_moves() -> None:
    run = replay(Pebbling(PRODUCT, RULES, ()))
    assert (run.io, run.peak, run.is_solved, run.red.tolist(), run.io_at.tolist()) == (0, 0, False, [0], [0])


def test_replay_stops_at_the_first_illegal_move() -> None:
    with pytest.raises(IllegalMove, match=r"step 7, .*: B\[1,0\] is not red \(red: A\[0,1\], C\[0,0\]#0; 2 of 3\)"):
        replay(Pebbling(PRODUCT, RULES, moves(*without(6))))


@pytest.mark.parametrize("bad", [Move("lift", "A[0,0]"), Move("slide", "A[0,0]"), Move("load", "A[0,0]", "B[0,0]")])
def test_what_is_no_move_cannot_be_replayed(bad: Move) -> None:
    with pytest.raises(InvalidMove):
        replay(Pebbling(PRODUCT, RULES, (bad,)))
    with pytest.raises(InvalidMove):
        schedule_faults(PRODUCT, RULES, [bad])


def test_lines_belong_to_moves() -> None:
    pebbling = Pebbling(PRODUCT, RULES, moves(*GOOD), "hand", lines=(0,) * 9)
    assert pebbling == Pebbling(PRODUCT, RULES, moves(*GOOD), "hand")  # lines are not compared
    with pytest.raises(InvalidPebbling, match="9 moves have 2 line numbers"):
        Pebbling(PRODUCT, RULES, moves(*GOOD), lines=(1, 2))


def test_a_good_pebbling_has_no_faults() -> None:
    assert faults(PRODUCT, RULES, *GOOD) == []


def test_a_forgotten_load_is_one_fault() -> None:
    """The operand is then both used and deleted, and nothing more is said about it."""
    assert faults(PRODUCT, RULES, *without(1)) == [(2, "operand_not_red", ("B[0,0]",))]


def test_a_forgotten_delete_is_one_fault() -> None:
    """One pebble too many from there on, reported once."""
    assert faults(PRODUCT, RULES, *without(4)) == [(6, "capacity", ())]


def test_a_forgotten_store_is_one_fault() -> None:
    dag, rules = chain(2), Rules(red=2)
    good = ["load x[0]", "compute x[1]", "store x[1]", "delete x[0]", "delete x[1]", "load x[1]", "compute x[2]"]
    assert faults(dag, rules, *good, "store x[2]") == []
    assert faults(dag, rules, *good[:2], *good[3:], "store x[2]") == [(5, "not_blue", ("x[1]",))]
    again = ["delete x[1]", "load x[1]", "store x[1]"]
    assert faults(dag, rules, *good[:2], *good[3:], "store x[2]", *again) == [(5, "not_blue", ("x[1]",))]


def test_a_forgotten_computation_is_one_fault() -> None:
    dag, rules = chain(2), Rules(red=3)
    good = ["load x[0]", "compute x[1]", "store x[1]", "compute x[2]", "store x[2]", "delete x[1]"]
    assert faults(dag, rules, *good) == []
    assert faults(dag, rules, *good[:1], *good[2:]) == [(2, "not_red", ("x[1]",))]


def test_capacity_is_reported_again_once_it_was_kept_again() -> None:
    dag = PebbleDag.of({"a": (), "b": (), "c": (), "d": ("a", "b", "c")}, outputs=["a"])
    course = ["load a", "load b", "load c", "delete b", "load b", "delete b", "delete c", "load b"]
    assert faults(dag, Rules(red=1), *course) == [(2, "capacity", ()), (3, "capacity", ()), (8, "capacity", ())]


def test_one_move_can_break_several_rules() -> None:
    assert faults(PRODUCT, Rules(red=1), "load A[0,0]", "slide A[0,0] C[0,0]#0") == [
        (2, "sliding_off", ()),
        (2, "operand_not_red", ("B[0,0]",)),
        (2, "output_not_blue", ("C[0,0]#1",)),
    ]


def test_a_move_with_an_unknown_vertex_is_passed_over() -> None:
    assert faults(PRODUCT, RULES, *GOOD[:3], "load Z", "slide Z C[0,0]#1", *GOOD[3:]) == [
        (4, "unknown_vertex", ("Z",)),
        (5, "unknown_vertex", ("Z",)),
    ]


def test_an_unfinished_pebbling_names_its_missing_outputs() -> None:
    fault = schedule_faults(matmul(2, 1, 1), Rules(red=3), ())[0]
    assert (
        str(fault) == "after step 0: C[0,0]#0 and C[1,0]#0 are not blue, and every output must be (red: none; 0 of 3)"
    )
    assert fault.as_json()["move"] is None


def test_faults_of_a_whole_bad_file() -> None:
    found = faults(
        chain(3),
        Rules(red=2, recompute=False),
        "load x[0]",
        "load x[0]",  # already red
        "compute x[1]",
        "compute x[0]",  # an input
        "store x[0]",  # blue already
        "delete x[0]",
        "compute x[1]",  # for the second time, needs x[0], and is red
        "slide x[1] x[3]",  # sliding is off, and x[2] is missing
        "store x[3]",
    )
    assert found == [
        (2, "already_red", ("x[0]",)),
        (4, "is_input", ("x[0]",)),
        (5, "already_blue", ("x[0]",)),
        (7, "operand_not_red", ("x[0]",)),
        (7, "recompute_off", ("x[1]",)),
        (7, "already_red", ("x[1]",)),
        (8, "sliding_off", ()),
        (8, "not_an_operand", ("x[1]",)),
        (8, "operand_not_red", ("x[2]",)),
    ]
