"""The reference page says what the code says, in both languages, and its links open what they promise."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from kernels_ref import ALGORITHMS, Shape, all_bounds, count
from kernels_ref.bounds import RULES
from pages.shared import reference
from pages.shared.i18n import LANGUAGES, TEXT, Texts
from pages.shared.lessons import LESSONS, Step
from pages.shared.levels import levels
from pages.shared.reference import (
    SLOTS,
    cut,
    displayed,
    filled,
    found,
    glossary,
    on_page,
    one_pass,
    section,
    table,
    terms,
)
from pages.shared.settings import REFERENCE, SECTIONS
from pages.shared.url_state import decode
from pebble_engine import Rules, matmul, read_pebbling, solve

ROOT = Path(__file__).resolve().parents[3]
WRITTEN = [name for name in SECTIONS if name != reference.ALL]
SLOT = re.compile(r"\{\{(\w+)\}\}")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", WRITTEN)
def test_every_slot_is_filled_and_every_number_used(name: str, lang: str) -> None:
    wanted = set(SLOT.findall((TEXT / lang / f"reference_{name}.md").read_text(encoding="utf-8")))
    assert wanted == set(SLOTS[name](Texts(lang)) if name in SLOTS else ())
    text = section(name, lang)
    assert "{{" not in text
    assert text.count("$") % 2 == 0


def test_equations_side_by_side_stand_below_each_other_on_the_page() -> None:
    """Streamlit sets ``$$ $$`` within one line as text, where equations broke at any place on a phone."""
    text = on_page("formulas", "en")
    assert not re.search(r"(?m)^\$\$.", text)
    assert "\\qquad" not in text
    assert "&S = Q K^T" in text
    assert displayed("x") == "$$\nx\n$$"
    assert not re.search(r"(?m)^## ", text)


def test_a_slot_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        filled("{{words}}", {})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_algorithm_stands_in_the_table_with_its_count(lang: str) -> None:
    text = section("algorithms", lang)
    for name, entry in ALGORITHMS.items():
        row = next(line for line in text.splitlines() if line.startswith("| ") and f"`{name}`" in line)
        io = count(name, n=4096, d=64, memory=4096).io
        assert io is not None
        assert f"{io / 4096**2:.3g}\u202fn²" in row
        shown = Texts(lang)(f"reference.source.{name}")
        for number in re.findall(r"\d{4}\.\d{5}|Algorithm \d", entry.source):
            assert number.replace("Algorithm", "Algoritmo" if lang == "es" else "Algorithm") in shown
        assert shown.startswith(("own", "propio")) == entry.source.startswith("ours")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_bound_has_a_name(lang: str) -> None:
    for rule in RULES:
        assert Texts(lang)(f"reference.bound.{rule.name}") in section("bounds", lang)


def test_formulas_of_the_bounds_are_those_of_the_code() -> None:
    """As typed in the prose: 4 n^2 d^2 / (M + 8 d^2) - M, forward n^2 d^2 / (M + 2 d^2) - M, Loomis-Whitney."""
    n, d, memory = 2**14, 32, 2048
    words = {
        form: {b.name: b.words for b in all_bounds(form, Shape(n, n, d, d), memory)} for form in ("qkv", "forward")
    }
    work = n * n * d * d
    assert words["qkv"]["dominator-closed"] == pytest.approx(4 * work / (memory + 8 * d * d) - memory, abs=2)
    assert words["forward"]["dominator-closed"] == pytest.approx(work / (memory + 2 * d * d) - memory, abs=2)
    loomis = 2 * work / (memory + 3**0.5 * d * memory**0.5) - memory
    assert words["qkv"]["loomis-whitney"] == pytest.approx(loomis, abs=2)


def test_leading_terms_of_the_bound_by_products() -> None:
    """5.8 n^2 d^2 / M for large M, 4.2 n^2 d / sqrt(M) for small: not more than what the code gives, and near it."""
    n = 2**24
    for d, memory, shown, unit in ((64, 2**20, 5.8, 64**2 / 2**20), (4096, 2**12, 4.2, 4096 / 64)):
        words = next(b.words for b in all_bounds("qkv", Shape(n, n, d, d), memory) if b.name == "products")
        assert words / (n * n * unit) == pytest.approx(shown, rel=0.06)


def test_rounding_keeps_a_bound_true() -> None:
    rng = np.random.default_rng(0)
    for number in 10 ** rng.uniform(-3, 3, 200):
        assert float(cut(number).replace("\u202f", "")) <= number <= float(cut(number, up=True).replace("\u202f", ""))


def test_more_memory_can_cost_more_under_a_mask() -> None:
    before, after = re.findall(r"([\d\u202f]+) (?:words at|at) M = 2[67]", section("questions", "en"))
    assert int(before.replace("\u202f", "")) < int(after.replace("\u202f", ""))


def test_one_pass_is_where_it_begins() -> None:
    for n, d in ((10, 2), (4096, 64)):
        memory = one_pass(n, d)
        here, less = (count("flash2", n=n, d=d, memory=m).tile for m in (memory, memory - 1))
        assert here is not None
        assert less is not None
        assert here["columns"] == n > less["columns"]


def test_cosma_fails_where_the_page_says_so() -> None:
    m, k, q = reference.SMALL_PRODUCT
    best = solve(matmul(m, q, k), Rules(reference.SMALL_MEMORY), time_limit=30)
    assert best.proved
    assert best.cost < 2 * m * k * q / reference.SMALL_MEMORY**0.5 + m * q
    assert f"{best.cost} are enough" in section("bounds", "en")


def test_the_large_optimum_agrees_with_what_is_known() -> None:
    """21 words at M = 10 without sliding: not below the known bound, and between its neighbours."""
    known = json.loads((ROOT / "tests/data/optimal.json").read_text(encoding="utf-8"))
    name = "attention backward chain n_q=2 n_k=2 d=1"
    row = {(each["sliding"], each["red"]): each for each in known if each["dag"] == name}
    assert row[False, 10]["lower_bound"] <= 21
    assert row[False, 11]["cost"] <= 21
    assert "exactly 21 words" in section("bounds", "en")


def test_optima_are_those_of_the_levels() -> None:
    text = section("bounds", "en")
    for level in levels().values():
        title = re.escape(Texts("en")(f"play.title.{level.id}"))
        words = f"{level.par}{'' if level.proven else '*'}"
        assert re.search(rf"\| {title} \|.*\| {re.escape(words)} \|", text)


def test_the_samples_can_be_read_back() -> None:
    text = section("formats", "en")
    written = re.search(r"```json\n(.+?)```", text, re.DOTALL)
    assert written
    pebbling = read_pebbling(written[1])
    assert pebbling.io == 3
    for move in pebbling.moves:
        assert f"\n{move}\n" in text


def test_the_glossary_finds_in_either_language_without_accents() -> None:
    assert "word" in found("PALABRA")
    assert "schedule" in found("planificacion")
    assert "crossover" in found(" crossover ")
    assert not found("xyzzy")
    assert found("") == terms()
    assert len(terms()) > 30
    for lang in LANGUAGES:
        text = glossary(("spill",), Texts(lang))
        assert "**spill**" in text
        assert "**apartar**" in text


def test_a_column_of_numbers_stands_to_the_right() -> None:
    assert table(["a", "b"], [["x", "1"], ["y", "**2**"]]).splitlines()[1] == "| :-- | --: |"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_takes_the_time_it_says(lesson: str) -> None:
    assert sum(step.minutes for step in LESSONS[lesson]) == {"ten": 10, "full": 45}[lesson]


STEPS = {step.id: step for steps in LESSONS.values() for step in steps}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_every_step_opens_in_its_state(step: Step, lang: str) -> None:
    query = step.query(lang)
    settings, problems = decode({name: [text] for name, text in query.items()}, step.spec)
    assert not problems
    assert {name: getattr(settings, name) for name in step.values} == dict(step.values)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params.update({"lang": lang})
    at.run()
    at.switch_page(step.page)
    at.query_params.clear()
    at.query_params.update(query)
    at.run()
    assert not at.exception
    assert not at.warning
    assert {name: at.query_params[name] for name in query} == query


def page(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params.update({"lang": query.get("lang", "en")})
    at.run()
    at.switch_page("pages/reference.py")
    at.query_params.clear()
    at.query_params.update({"v": "1", "section": "model", "find": ""} | query)
    return at.run()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", SECTIONS)
def test_a_link_opens_its_section(name: str, lang: str) -> None:
    at = page(section=name, lang=lang)
    assert not at.exception
    assert not at.warning
    headers = [header.value for header in at.header]
    wanted = WRITTEN if name == reference.ALL else [name]
    assert headers == [Texts(lang)(f"reference.section.{each}") for each in wanted]
    assert at.query_params["section"] == name


def test_a_search_travels_in_the_link() -> None:
    at = page(section="glossary", find="guijarro")
    assert at.text_input[0].value == "guijarro"
    assert any("**pebbling**" in each.value and "**word**" not in each.value for each in at.markdown)
    at.text_input[0].set_value("xyz*").run()
    assert at.query_params["find"] == "xyz*"
    assert any(r"“xyz\*”" in each.value for each in at.markdown)


def test_the_fields_are_those_of_the_page() -> None:
    assert [field.name for field in REFERENCE.fields] == ["section", "find"]
