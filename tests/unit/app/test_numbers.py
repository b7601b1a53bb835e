"""Numbers as the eye reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.numbers import NARROW_NO_BREAK_SPACE, grouped, rounded, times_n_squared


@given(st.integers())
def test_grouping_loses_nothing(number: int) -> None:
    text = grouped(number)
    assert int(text.replace(NARROW_NO_BREAK_SPACE, "").replace("\u2212", "-")) == number
    assert all(len(part.lstrip("\u2212")) <= 3 for part in text.split(NARROW_NO_BREAK_SPACE))


@given(st.floats(1e-6, 1e18))
def test_rounding_stays_close_and_has_no_exponent(number: float) -> None:
    text = rounded(number)
    assert "e" not in text
    assert float(text.replace(NARROW_NO_BREAK_SPACE, "")) == pytest.approx(number, rel=5.1e-3)


@pytest.mark.parametrize(
    ("number", "shown"),
    [(17.34, "17.3"), (99.96, "100"), (999.6, "1\u202f000"), (0.5, "0.5"), (1, "1"), (0, "0"), (-2.5, "\u22122.5")],
)
def test_rounding(number: float, shown: str) -> None:
    assert rounded(number) == shown


def test_ratio() -> None:
    assert times_n_squared(290_340_864, 4096) == "17.3\u202fn²"
