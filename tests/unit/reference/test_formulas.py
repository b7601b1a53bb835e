"""The formulas that the reference page shows are the counts: the expressions behind them, evaluated."""

import itertools

import pytest

from kernels_ref import ALGORITHMS, count
from pages.shared.formulas import FORMULAS, Formula, latex, value

FORMS = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]


def test_every_algorithm_in_every_form_has_its_formula() -> None:
    assert set(FORMULAS) == set(FORMS)


@pytest.mark.parametrize(("algorithm", "form"), FORMS)
def test_the_closed_form_is_the_count(algorithm: str, form: str) -> None:
    """Ragged sizes on purpose; memories from the least that any algorithm runs with."""
    formula, fitting = FORMULAS[algorithm, form], 0
    for n, d, memory in itertools.product([1, 2, 7, 33, 100], [1, 2, 5, 16], [3, 5, 9, 17, 50, 101, 260, 1000, 5000]):
        counts = count(algorithm, n=n, d=d, memory=memory, form=form)
        assert value(formula.least, {"d": d}) == counts.least_memory
        if counts.tile is not None:
            fitting += 1
            assert value(formula.io, formula.names(n, d, memory, counts.tile)) == counts.io, (n, d, memory)
    assert fitting > 90


@pytest.mark.parametrize(("algorithm", "form"), FORMS)
@pytest.mark.parametrize("regime", ["small", "large"])
def test_the_leading_term_leads(algorithm: str, form: str, regime: str) -> None:
    """Far from where smaller terms matter: n = 2^24, d = 2^12. Blocks are whole numbers, hence a few per cent."""
    n, d = 2**24, 2**12
    memory = d * d // 16 if regime == "small" else 16 * d * d
    formula = FORMULAS[algorithm, form]
    leading = formula.large if regime == "large" or formula.small is None else formula.small
    io = count(algorithm, n=n, d=d, memory=memory, form=form).io
    assert io is not None
    assert io / value(leading, {"n": n, "d": d, "M": memory}) == pytest.approx(
        1, abs=0.035 if regime == "small" else 0.01
    )


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("n*(d + 2)", "n (d + 2)"),
        ("n - (d - 2)", "n - (d - 2)"),
        ("n - d + 2", "n - d + 2"),
        ("(n + d)**2", "(n + d)^{2}"),
        ("isqrt(M // 3)", r"\left\lfloor \sqrt{M/3} \right\rfloor"),
        ("min(n, (M - 1) // d)", r"\min\left(n, \left\lfloor \frac{M - 1}{d} \right\rfloor\right)"),
        ("2*sqrt(3)*n/sqrt(M)", r"\frac{2 \sqrt{3} n}{\sqrt{M}}"),
    ],
)
def test_latex_keeps_the_meaning(expression: str, shown: str) -> None:
    assert latex(expression) == shown


def test_what_has_no_latex_is_refused() -> None:
    with pytest.raises(ValueError, match="no LaTeX"):
        latex("n if d else M")


def test_names_are_computed_in_order() -> None:
    formula = Formula("a + b", large="n", least="3", where={"a": "n + 1", "b": "a*2"}, tiles={"c": "rows"})
    assert formula.names(3, 1, 9, {"rows": 5}) == {"n": 3, "d": 1, "M": 9, "c": 5, "a": 4, "b": 8}
