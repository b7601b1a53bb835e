"""Words, one catalogue per language: labels in JSON, prose in Markdown. Ids travel; words appear at the last moment."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from pages.shared.naming import naming

TEXT = Path(__file__).resolve().parents[2] / "assets" / "text"
LANGUAGES = {"en": "English", "es": "Español"}
DEFAULT = "en"
JOINER = "\u2060"  # takes no place
# Between the characters of which Streamlit makes something when the backslashes are gone: `:material/home:`, `http://`,
# `a@b.org`, `www.`, `->`.
_MADE_LATER = re.compile(r"(?<=:)(?=[\w/])|(?<=@)(?=\w)|(?<=www)(?=\.)|(?<=[<>=~!-])(?=[<>=-])", re.IGNORECASE)


@cache
def _labels(lang: str, file: str) -> dict[str, str]:
    path = TEXT / lang / "labels" / f"{file}.json"
    if not path.is_file():
        return {}
    with naming(path):
        labels: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return labels


@cache
def _prose(lang: str, name: str) -> str:
    path = TEXT / lang / f"{name}.md"
    with naming(path):
        return path.read_text(encoding="utf-8")


def labels(lang: str) -> dict[str, str]:
    """Every label of one language, by its full dotted key."""
    merged: dict[str, str] = {}
    for path in sorted((TEXT / lang / "labels").glob("*.json")):
        merged |= _labels(lang, path.stem)
    return merged


@cache  # as many as the program names; a page asks for some in every run
def _group(lang: str, start: str) -> dict[str, str]:
    return {key.removeprefix(start): text for key, text in labels(lang).items() if key.startswith(start)}


@dataclass(frozen=True)
class Texts:
    """The catalogue of one language. Calling it with a key gives the words."""

    lang: str

    def __call__(self, key: str, /, **values: object) -> str:
        """The label `key`; with `values`, formatted by ``str.format``.

        Raises
        ------
        KeyError
            No such key, or a placeholder without a value.
        """
        text = self._find(key)
        return text.format(**values) if values else text

    def _find(self, key: str) -> str:
        first = key.split(".", 1)[0]
        for file in (first, "common"):
            text = _labels(self.lang, file).get(key)
            if text is not None:
                return text
        raise KeyError(f"no label {key!r} in {self.lang}")

    def group(self, prefix: str) -> dict[str, str]:
        """The labels whose key begins with ``prefix.``, without it: to hand to a component."""
        return dict(_group(self.lang, prefix + "."))

    def prose(self, name: str) -> str:
        """Markdown of ``assets/text/<lang>/<name>.md``."""
        return _prose(self.lang, name)


def texts() -> Texts:
    """The catalogue of the reader's language."""
    lang = st.session_state.get("lang")
    return Texts(lang if lang in LANGUAGES else DEFAULT)


def escaped(text: str) -> str:
    """User text or a number that Markdown must show as it is: no markup, and no icon, link or arrow made of it."""
    parted = _MADE_LATER.sub(JOINER, text)
    return "".join("\\" + char if char in "\\`*_{}[]()#+-.!|<>$~:^&" else char for char in parted)
