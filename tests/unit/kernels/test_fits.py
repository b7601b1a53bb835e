"""Exponents out of exact counts, and the leading constants that they go with."""

import pytest

from kernels_ref import ALGORITHMS, BadInput, count, fits
from kernels_ref.fits import REGIMES, Regime, fit, fit_envelope, power_law


@pytest.mark.parametrize("algorithm", ["flash1", "flash2", "flash-two-sweep"])
def test_flash_exponents(algorithm):
    found = fit(algorithm, "flash")
    assert found.exponents == pytest.approx((2, 2, -1), abs=0.05)
    assert found.as_expected
    assert found.residual < 0.02
    assert found.without is None


@pytest.mark.parametrize("algorithm", ["small-cache", "small-cache-outer", "fused-split"])
def test_small_cache_exponents(algorithm):
    found = fit(algorithm, "small-cache")
    assert found.exponents == pytest.approx((2, 1, -0.5), abs=0.1)
    assert found.as_expected
    assert found.residual < 0.02


def test_the_elementwise_words_pull():
    found = fit("small-cache-outer", "small-cache")
    assert 0.02 < found.elementwise < 0.08
    assert found.without is not None
    for whole, rest, right in zip(found.exponents[1:], found.without.exponents[1:], (1, -0.5), strict=True):
        assert abs(rest - right) < abs(whole - right)
    assert found.without.constant == pytest.approx(10, rel=0.06)
    assert "the elementwise n^2 words, 4.0 % here, pull it: without them" in str(found)
    assert "pull" not in str(fit("flash2", "flash"))


@pytest.mark.parametrize("regime", REGIMES)
def test_the_envelope_has_the_theorems_exponents(regime):
    assert fit_envelope(regime).as_expected
    assert fit_envelope(regime, form="forward").as_expected
    assert fit_envelope(regime, ["flash2", "small-cache"]).as_expected


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_in_every_form_can_be_fitted(name):
    for regime in REGIMES:
        for form in ALGORITHMS[name].forms:
            found = fit(name, regime, form=form)
            assert found.n == pytest.approx(2, abs=0.02), "every one of them is quadratic in n"
            assert found.points >= 40


def test_flash_is_not_what_the_theorem_asks_for_in_a_small_cache():
    """FlashAttention at M << d^2 keeps d^2 / M (and worse, as fewer rows fit): it is not optimal there."""
    assert not fit("flash2", "small-cache").as_expected
    assert not fit("small-cache", "flash").as_expected


def test_power_law():
    points = [(n, d, memory) for n in (3, 5) for d in (2, 7) for memory in (10, 90)]
    found, left = power_law(points, [5 * n**2 * d / memory**0.5 for n, d, memory in points])
    assert found[1:] == pytest.approx((2, 1, -0.5))
    assert abs(left).max() < 1e-9
    with pytest.raises(BadInput, match="independently"):
        power_law([(n, 2, 3) for n in range(1, 9)], range(1, 9))
    with pytest.raises(BadInput, match="no regime is called 'cold'"):
        fit("flash2", "cold")
    with pytest.raises(BadInput, match="fits at 0 points"):
        fit("flash2", Regime("tiny", ((64, 64, 3),), (2, 2, -1), 0.1))


def test_totals_past_64_bits():
    regime = Regime(
        "huge", tuple((2**40 * a, 64 * b, 2**16 * c) for a in (1, 2) for b in (1, 2) for c in (1, 2)), (2, 2, -1), 0.2
    )
    assert fit("flash2", regime).n == pytest.approx(2, abs=1e-6)
    assert fits.counted("flash2", [(2**40, 64, 2**16)]) == {
        (2**40, 64, 2**16): count("flash2", n=2**40, d=64, memory=2**16).io
    }


def test_leading_constants():
    n, d = 2**16, 64
    for algorithm, constant in (("flash2", 16), ("flash-two-sweep", 14)):
        io = count(algorithm, n=n, d=d, memory=16 * d * d).io
        assert io * 16 * d * d / (n * n * d * d) == pytest.approx(constant, rel=0.05)
    n, d, memory = 2**16, 512, 4096
    io = count("small-cache-outer", n=n, d=d, memory=memory).io
    assert (io - 3 * n * n) * 64 / (n * n * d) == pytest.approx(10, rel=0.03)
