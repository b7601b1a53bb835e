"""Closed forms against the machines that count, and against what the algorithms are known to cost."""

import itertools
import math

import pytest

from kernels_ref import ALGORITHMS, count, theory
from kernels_ref.counts import COUNTED, closed_form
from kernels_ref.flash import flash1_printed
from kernels_ref.memory import TwoLevelMemory
from kernels_ref.products import outer_tile
from kernels_ref.runs import execute
from tests.unit.kernels.grid import BACKWARD, CASES, SHAPES, memories


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize(("n_q", "n_k", "d", "d_v"), SHAPES)
def test_closed_form_equals_both_machines(algorithm, n_q, n_k, d, d_v):
    """Tile by tile and in one go: the same words, multiplications and peaks. With numbers: `test_gradients`."""
    for memory in memories(algorithm, d, d_v)[:: 1 if n_q * n_k < 100 else 2]:
        closed = count(algorithm, d=d, d_v=d_v, memory=memory, n_q=n_q, n_k=n_k)
        assert closed.fits
        for rows_at_once in (None, 10**9):
            fast = TwoLevelMemory(memory, rows_at_once=rows_at_once)
            execute(algorithm, fast, n_q, n_k, d, d_v=d_v)
            for name in COUNTED:
                assert getattr(closed, name) == getattr(fast, name), (name, memory, rows_at_once)
            assert fast.in_fast == 0
        assert closed.peak_fast <= memory
        assert closed.io >= theory.floor(n_q=n_q, n_k=n_k, d=min(d, d_v))


@pytest.mark.parametrize(
    ("algorithm", "n_q", "n_k", "d", "d_v", "memory"),
    [case for case in CASES if case[3] == case[4] and case[0] in ("flash2", "small-cache")],
)
def test_never_more_than_published(algorithm, n_q, n_k, d, d_v, memory):
    """FlashAttention-2's own count with zeros written first; Algorithm 6's five products and its elementwise words."""
    io = count(algorithm, d=d, memory=memory, n_q=n_q, n_k=n_k).io
    n = max(n_q, n_k)
    if algorithm == "flash2":
        strict = (memory - 2 * d - 2 - 2) // (4 * d + 2)  # 4 Bc d + 2 Br d + 2 Br Bc + 2 Br <= M with Br = 1
        if strict >= 1:
            passes = -(-n_k // strict)
            assert io <= 7 * n * d + n + passes * (4 * n_q * d + 2 * n_q)
    else:
        side = math.isqrt(memory // 3)

        def product(m, k, q):
            return k * (-(-q // side) * m + -(-m // side) * q) + m * q

        products = 2 * product(n_q, d, n_k) + 2 * product(n_k, n_q, d) + product(n_q, n_k, d)
        assert io <= products + 4 * n_q * n_k + 2 * n * -(-n // side) + 2 * n * d


@pytest.mark.parametrize("algorithm", BACKWARD)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (6, 3), (24, 8), (100, 16)])
def test_counts_never_rise_with_memory_and_never_pass_below_the_floor(algorithm, n, d):
    least = ALGORITHMS[algorithm].least_memory(d)
    counted = closed_form(algorithm, n, n, d, range(least, least + 6 * n * d + 3 * n * n, 1 if n < 50 else 17))
    io = [int(words) for words in counted["loads"] + counted["stores"]]
    assert all(after <= before for before, after in itertools.pairwise(io))
    assert io[-1] >= theory.floor(n, d)
    if algorithm == "flash2":
        assert io[-1] == theory.floor(n, d), "with everything in fast memory nothing moves twice"


def test_who_wins_on_either_side_of_d_squared():
    def io(algorithm, memory):
        return count(algorithm, n=4096, d=64, memory=memory).io

    assert io("flash2", 4 * 64**2) < io("small-cache", 4 * 64**2)
    assert io("small-cache", 64**2 // 4) < io("flash2", 64**2 // 4)


@pytest.mark.parametrize(
    ("algorithm", "memory", "in_n_squares"),
    [
        ("flash2", 512, 258), ("small-cache", 512, 53), ("flash2", 4096, 17.3), ("small-cache", 4096, 21.6),
        ("flash2", 16384, 4.2), ("small-cache", 16384, 12.3), ("flash-two-sweep", 512, 194),
        ("flash-two-sweep", 4096, 15.2), ("flash-two-sweep", 16384, 3.8),
    ],
)  # fmt: skip
def test_an_independent_simulation_counted_the_same(algorithm, memory, in_n_squares):
    """Values of an independent count at n = 4096, d = 64, rounded as it gave them."""
    assert count(algorithm, n=4096, d=64, memory=memory).io / 4096**2 == pytest.approx(in_n_squares, rel=0.012)


def test_leading_constants():
    """16 and 14 n^2 d^2 / M for FlashAttention, 10 n^2 d / B + 3 n^2 for Algorithm 6, B = sqrt(M) by rank-1 updates."""
    n, d = 2**16, 64
    for algorithm, constant in (("flash2", 16), ("flash-two-sweep", 14)):
        io = count(algorithm, n=n, d=d, memory=16 * d * d).io
        assert io * 16 * d * d / (n * n * d * d) == pytest.approx(constant, rel=0.05)
    outer = count("small-cache-outer", n=n, d=512, memory=4096).io
    assert (outer - 3 * n * n) * 64 / (n * n * 512) == pytest.approx(10, rel=0.03)
    n, d, memory = 2**16, 512, 3 * 32**2
    assert (count("small-cache", n=n, d=d, memory=memory).io - 3 * n * n) * 32 / (n * n * d) == pytest.approx(
        10, rel=0.03
    )


@pytest.mark.parametrize("algorithm", BACKWARD)
def test_totals_past_64_bits_are_exact(algorithm):
    """NumPy's int64 gives n^2 d^2 = 0 at n = 2^32: every total here is a Python int."""
    counts = count(algorithm, n=2**40, d=2**12, memory=2**16)
    products = 7 if algorithm == "flash-two-sweep" else 5
    assert counts.multiplications == products * 2**80 * 2**12
    assert counts.io > 2**80
    assert all(type(getattr(counts, name)) is int for name in (*COUNTED, "io"))


def test_where_it_does_not_fit():
    counts = count("flash2", n=16, d=64, memory=100)
    assert not counts.fits
    assert counts.least_memory == 386
    assert counts.io is counts.loads is counts.tile is None
    record = counts.as_dict()
    assert list(record)[:5] == ["algorithm", "form", "n", "d", "memory"]


@pytest.mark.parametrize(("m", "k", "q"), [(9, 7, 5), (20, 3, 20), (6, 30, 11), (1, 1, 1)])
@pytest.mark.parametrize(("extra", "each"), [(0, 0), (2, 0), (0, 40), (3, 500)])
def test_no_tile_is_better_than_the_one_chosen(m, k, q, extra, each):
    """Every a x b with a b + a + 1 <= M tried. ``each``: what every tile costs besides, here far more than in use."""
    for memory in (3, 4, 9, 30, 77, 400):
        tiles = [(a, b) for a in range(1, m + 1) for b in range(1, q + 1) if a * b + a + 1 <= memory]

        def words(tile):
            across, down = -(-q // tile[1]), -(-m // tile[0])
            return m * (k + extra) * across + q * k * down + each * across * down

        assert words(outer_tile(m, k, q, memory, extra, each)) == min(map(words, tiles))


def test_the_printed_blocks_of_flash1_do_not_fit():
    """Bc = ceil(M / 4d), Br = min(Bc, d): the four resident blocks alone take M words."""
    for d, memory in ((64, 4096), (64, 65536), (128, 2000), (16, 600)):
        printed = flash1_printed(d, memory)
        assert 4 * d * printed["columns"] >= memory
        assert printed["words"] > memory
        assert count("flash1", n=512, d=d, memory=memory).peak_fast <= memory


@pytest.mark.parametrize(
    ("memory", "winner"),
    [(512, "small-cache-outer"), (2048, "small-cache-panel"), (4096, "small-cache-panel"), (6000, "flash-stored-ds"),
     (8192, "flash-stored-ds"), (16384, "flash-two-sweep")],
)  # fmt: skip
def test_who_moves_fewest_words(memory, winner):
    """At n = 4096, d = 64. The two schedules of ours win around M = d^2 = 4096."""
    words = {name: count(name, n=4096, d=64, memory=memory).io for name in BACKWARD}
    assert min((io, name) for name, io in words.items() if io is not None)[1] == winner
