"""The two languages say the same things: same files, same keys, same placeholders; every key that a page asks for."""

import ast
import json
import re
from pathlib import Path
from string import Formatter

import pytest

from pages.shared.i18n import LANGUAGES, TEXT, Texts, labels

ROOT = TEXT.parents[1]
FILES = sorted(path.relative_to(TEXT / "en") for path in (TEXT / "en").rglob("*") if path.suffix in (".json", ".md"))
LABEL_FILES = [path for path in FILES if path.suffix == ".json"]
PROSE_FILES = [path for path in FILES if path.suffix == ".md"]
SOURCES = sorted([ROOT / "app.py", *(ROOT / "pages").rglob("*.py")])


def read(lang: str, path: Path) -> dict[str, str]:
    pairs = json.loads((TEXT / lang / path).read_text(encoding="utf-8"), object_pairs_hook=list)
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), "a key twice"
    return dict(pairs)


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_has_the_same_files(lang: str) -> None:
    assert sorted(path.relative_to(TEXT / lang) for path in (TEXT / lang).rglob("*") if path.is_file()) == FILES


@pytest.mark.parametrize("path", LABEL_FILES, ids=str)
def test_labels_have_the_same_keys_and_placeholders(path: Path) -> None:
    english = read("en", path)
    for lang in LANGUAGES:
        other = read(lang, path)
        assert list(other) == list(english), "the same keys in the same order"
        for key, text in other.items():
            assert text.strip(), key
            assert placeholders(text) == placeholders(english[key]), key


@pytest.mark.parametrize("path", LABEL_FILES, ids=str)
def test_keys_begin_with_the_name_of_their_file(path: Path) -> None:
    if path.stem != "common":
        assert {key.split(".")[0] for key in read("en", path)} == {path.stem}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("path", PROSE_FILES, ids=str)
def test_prose_is_there_and_has_the_same_placeholders_and_formulas(path: Path, lang: str) -> None:
    english, other = ((TEXT / name / path).read_text(encoding="utf-8") for name in ("en", lang))
    assert other.strip()
    slots = re.compile(r"(?<![\\{$])\{([a-z_]+)\}(?!\})")
    assert set(slots.findall(other)) == set(slots.findall(english))
    assert other.count("$") % 2 == 0, "a formula is not closed"
    assert other.count("\n#") == english.count("\n#"), "the same sections"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("path", FILES, ids=str)
def test_tone(path: Path, lang: str) -> None:
    """No exclamation marks; inverted marks in pairs; no label of the other language left by mistake."""
    text = (TEXT / lang / path).read_text(encoding="utf-8")
    assert not re.search(r"(?<![\\\[<(])!(?!\[|=|!)", text)
    assert "¡" not in text
    if lang == "es":
        assert text.count("¿") == text.count("?")
    if lang == "en":
        assert not re.search(r"\b(color|colors|neighbor|center|gray)\b", text, re.IGNORECASE), "British spelling"


def asked() -> list[tuple[str, int, str, str]]:
    """Every ``t("...")``, ``texts()("...")`` and ``t.prose("...")`` with a literal key: (file, line, kind, key)."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            key, name = node.args[0].value, ast.unparse(node.func)
            if not isinstance(key, str):
                continue
            if name in ("t", "texts()", "self.t"):
                found.append((path.name, node.lineno, "label", key))
            elif name in ("t.prose", "texts().prose", "t.group"):
                found.append((path.name, node.lineno, name.rsplit(".", 1)[1], key))
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_that_the_code_asks_for_exists(lang: str) -> None:
    t = Texts(lang)
    wanted = asked()
    assert len(wanted) > 5
    for file, line, kind, key in wanted:
        where = f"{file}:{line} {key}"
        if kind == "label":
            assert key in labels(lang), where
        elif kind == "group":
            assert t.group(key), where
        else:
            assert t.prose(key), where


def test_a_missing_key_is_an_error_and_not_a_blank() -> None:
    with pytest.raises(KeyError, match=r"no\.such\.key"):
        Texts("en")("no.such.key")
    with pytest.raises(KeyError):
        Texts("en")("problem.range", field="n")


def test_every_problem_code_has_its_sentence() -> None:
    """The codes as they stand in the source, so that a new one cannot be forgotten."""
    codes = set()
    for file in (ROOT / "pages").rglob("*.py"):
        codes |= set(re.findall(r'Problem\(\s*"(\w+)"', file.read_text(encoding="utf-8")))
    assert len(codes) >= 10
    for lang in LANGUAGES:
        assert {f"problem.{code}" for code in codes} <= set(labels(lang))
