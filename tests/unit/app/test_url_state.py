"""The codec: every state has one address and comes back from it; every bad address is answered."""

from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.curve_fields import MaskField
from pages.shared.fields import DecimalField, IdField, IntField, MovesField, NameField, TextField
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.settings import CURVES, HOME, LAB, SPECS
from pages.shared.sparse_fields import SparseMask
from pages.shared.url_state import decode, encode, link


@st.composite
def pages(draw: st.DrawFn) -> tuple[Any, Any]:
    """A page and settings that it can have."""
    spec = draw(st.sampled_from(SPECS))
    values: dict[str, Any] = {}
    for field in spec.fields:
        if isinstance(field, IntField):
            values[field.name] = draw(st.integers(field.low, field.high))
        elif isinstance(field, IdField):
            values[field.name] = draw(st.sampled_from(field.ids))
        elif isinstance(field, DecimalField):
            values[field.name] = draw(st.integers(0, int(field.high * 10**6))) / 10**6
        elif isinstance(field, NameField):
            named = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=field.most)
            values[field.name] = draw(named)
        elif isinstance(field, SparseMask):
            masks = ("none", "causal", "window:128", "block:16:0.25:0", "strided:32", "random:0.05:3")
            values[field.name] = draw(st.sampled_from(masks))
        elif isinstance(field, MaskField):
            masks = ("none", "causal", "window:128", "block:16:0.25", "block:1:1")
            values[field.name] = draw(st.sampled_from(masks))
        elif isinstance(field, MovesField):
            values[field.name] = draw(st.from_regex(r"1[A-Za-z0-9_-]{0,400}", fullmatch=True))
        elif isinstance(field, TextField):
            values[field.name] = draw(st.text(max_size=field.length).map(str.strip))
        else:
            chosen = st.lists(st.sampled_from(field.ids), min_size=1, max_size=field.most, unique=True)
            values[field.name] = tuple(draw(chosen))
    return spec, spec.settings(**values)


@given(pages(), st.sampled_from(sorted(LANGUAGES)))
def test_an_address_comes_back_as_the_same_settings(page: tuple[Any, Any], lang: str) -> None:
    spec, settings = page
    address = urlencode(encode(spec, settings, lang))
    assert decode(parse_qs(address), spec) == (settings, [])
    assert parse_qs(address)["lang"] == [lang]


def test_addresses_of_version_1_stay_readable() -> None:
    """Links in the wild. A change that breaks one of these needs a new version."""
    first = {"v": "1", "n": "4", "d": "2", "m": "16", "a": "flash2,small-cache", "t": "0", "lang": "en"}
    since = {"form": "qkv", "mask": "none", "sums": "chain", "slide": "yes"}  # what a link without them means
    assert encode(LAB, LAB.settings(), "en") == first | since
    lab, problems = decode(parse_qs("v=1&n=8&d=1&m=3000&a=small-cache&t=50000&lang=es"), LAB)
    assert lab == LAB.settings(n=8, d=1, memory=3000, algorithms=("small-cache",), step=50_000)
    assert problems == []
    assert encode(HOME, HOME.settings(), "es") == {"v": "1", "m": "4096", "lang": "es"}
    assert encode(CURVES, CURVES.settings(), "es")["a"] == "flash2,small-cache"


def test_what_is_not_given_has_its_default() -> None:
    assert decode({}, LAB) == (LAB.settings(), [])
    assert decode({"n": ["2"]}, LAB) == (LAB.settings(n=2), [])


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("n=0", "range", "n"),
        ("d=-1", "range", "d"),
        ("n=x", "whole_number", "n"),
        ("m=1e30", "whole_number", "memory"),
        ("m=" + "9" * 30, "range", "memory"),
        ("n=" + "1" * 65, "too_long", "n"),
        ("n=1&n=2", "repeated", "n"),
        ("n=4&n=4", "repeated", "n"),
        ("a=flash3", "unknown_id", "algorithms"),
        ("a=", "no_id", "algorithms"),
        ("a=flash2,flash2", "id_twice", "algorithms"),
        ("t=1000000001", "range", "step"),
        ("v=2", "version", "version"),
        ("v=2&n=2", "version", "version"),
        ("v=", "version", "version"),
        ("v=1&v=1", "version", "version"),
        ("depth=3", "parameter", "parameter"),
        ("N=3", "parameter", "parameter"),
    ],
)
def test_a_bad_address_is_answered_and_the_default_shown(query: str, code: str, field: str) -> None:
    settings, problems = decode(parse_qs(query, keep_blank_values=True), LAB)
    assert settings == LAB.settings()
    assert [(problem.code, problem.field) for problem in problems] == [(code, field)]
    sentences = {problems[0].sentence(Texts(lang)) for lang in LANGUAGES}
    assert len(sentences) == len(LANGUAGES)


def test_every_fault_is_named_and_the_rest_is_kept() -> None:
    settings, problems = decode(parse_qs("v=1&n=0&d=3&m=x&a=flash2"), LAB)
    assert settings == LAB.settings(d=3, algorithms=("flash2",))
    assert [problem.field for problem in problems] == ["n", "memory"]


def test_unknown_parameters_are_named_in_one_sentence() -> None:
    settings, problems = decode(parse_qs("v=1&depth=3&d=3&Width=2&" + "x" * 70 + "=1"), LAB)
    assert settings == LAB.settings(d=3)
    assert [problem.code for problem in problems] == ["parameters"]
    for lang in LANGUAGES:
        sentence = problems[0].sentence(Texts(lang))
        assert "(depth, Width, xxx" in sentence.replace("\\", "")
        assert "x" * 30 not in sentence
    _, many = decode({f"x{k}": ["1"] for k in range(30)}, LAB)
    assert len(many) == 1
    assert "x8" not in many[0].sentence(Texts("en"))


def test_an_unknown_id_in_a_link_does_not_drop_the_list() -> None:
    settings, problems = decode(parse_qs("a=flash2,nope,small-cache"), LAB)
    assert settings == LAB.settings(algorithms=("flash2", "small-cache"))
    assert [(problem.code, problem.value) for problem in problems] == [("unknown_id", "nope")]
    assert decode(parse_qs("a=flash2,,"), LAB) == (LAB.settings(algorithms=("flash2",)), [])


def test_what_others_add_to_links_is_no_fault() -> None:
    query = "n=2&utm_source=letter&utm_medium=x&fbclid=1&gclid=2&ref=3&lang=es&embed=true&embed_options=dark_theme"
    assert decode(parse_qs(query), LAB) == (LAB.settings(n=2), [])


@given(
    st.sampled_from(SPECS), st.dictionaries(st.text(max_size=8), st.lists(st.text(max_size=80), min_size=1, max_size=3))
)
def test_no_address_breaks_the_codec(spec: Any, query: dict[str, list[str]]) -> None:
    settings, problems = decode(query, spec)
    assert decode(parse_qs(urlencode(encode(spec, settings, "en"))), spec) == (settings, [])
    for lang in LANGUAGES:
        assert all(problem.sentence(Texts(lang)) for problem in problems)


def test_links_carry_the_language_and_everything_else() -> None:
    assert link(HOME, "es", memory=512) == {"v": "1", "m": "512", "lang": "es"}
