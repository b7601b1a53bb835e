"""What a page can be set to: kinds of fields, and the one place where values are checked.

A value comes from an address (text), from a widget or from a component (numbers, ids). Whatever is wrong with it
becomes a `Problem`: a code and data, turned into a sentence by the catalogue of the reader's language. The field then
keeps its fallback, and the sentence says which value the page shows instead. `pages.shared.settings` has the fields of
each page.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from pages.shared.i18n import Texts, escaped
from pages.shared.numbers import grouped
from pages.shared.play_board import LONGEST, VERSION

# No value of any field is longer than this (moves have a limit of their own); longer text is not read further.
VALUE_LENGTH = 64

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?", re.ASCII)
_MOVES = re.compile(rf"{VERSION}[A-Za-z0-9_-]*", re.ASCII)
Data = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Problem:
    """What is wrong with one value that was asked for.

    `code` names the sentence ``problem.<code>``, `field` the field (or, for an unknown parameter, its name), `value`
    what was asked, `used` what the page shows instead, `data` what would work.
    """

    code: str
    field: str
    value: str
    used: str = ""
    data: Data = ()

    def sentence(self, t: Texts) -> str:
        """One sentence in the reader's language, safe inside Markdown."""
        shown = {name: grouped(data) if isinstance(data, int) else escaped(str(data)) for name, data in self.data}
        words = {"value": escaped(_short(self.value)), "used": escaped(self.used)}
        return t(f"problem.{self.code}", field=t(f"field.{self.field}"), **words, **shown)


class Field(ABC):
    """One field of a page's settings: its name, its parameter in the address, and the values that it takes."""

    name: str
    parameter: str
    length: ClassVar[int] = VALUE_LENGTH

    @abstractmethod
    def check(self, raw: object) -> Any:
        """The value in `raw`, which is text or comes from a widget; else the `Problem` with it."""

    def write(self, value: Any) -> str:
        """The value as text for the address."""
        return str(value)

    def show(self, value: Any) -> str:
        """The value as a reader sees it."""
        return str(value)

    def read(self, raw: object, kept: Any) -> tuple[Any, Problem | None]:
        """The value in `raw` and no problem; or `kept` and the problem, which says that `kept` is shown."""
        if isinstance(raw, str) and len(raw) > self.length:
            found: Any = Problem("too_long", self.name, raw, data=(("length", self.length),))
        else:
            found = self.check(raw)
        if isinstance(found, Problem):
            return kept, replace(found, used=self.show(kept))
        return found, None


@dataclass(frozen=True)
class IntField(Field):
    """A whole number from `low` to `high`, in plain ASCII digits when it is text."""

    name: str
    parameter: str
    low: int
    high: int

    def check(self, raw: object) -> int | Problem:
        limits = (("low", self.low), ("high", self.high))
        if isinstance(raw, bool) or not isinstance(raw, int | str):
            return Problem("whole_number", self.name, str(raw), data=limits)
        if isinstance(raw, str) and not _INTEGER.fullmatch(raw):
            return Problem("whole_number", self.name, raw, data=limits)
        value = int(raw)
        return value if self.low <= value <= self.high else Problem("range", self.name, str(raw), data=limits)

    def show(self, value: int) -> str:
        return grouped(value)


@dataclass(frozen=True)
class DecimalField(Field):
    """A number from 0 to `high`, six places after the point at most, in plain ASCII digits when it is text."""

    name: str
    parameter: str
    high: float

    def check(self, raw: object) -> float | Problem:
        limits = (("high", self.write(self.high)),)
        text = self.write(raw) if isinstance(raw, float) and raw >= 0 else str(raw)
        if not _DECIMAL.fullmatch(text) or float(text) > self.high:
            return Problem("decimal", self.name, str(raw), data=limits)
        return float(text)

    def write(self, value: float) -> str:
        text = f"{value:.6f}"
        return text.rstrip("0").rstrip(".")

    def show(self, value: float) -> str:
        return self.write(value)


@dataclass(frozen=True)
class NameField(Field):
    """A name of the reader's own: one line, `most` characters at most; empty for none."""

    name: str
    parameter: str
    most: int = 40

    def check(self, raw: object) -> str | Problem:
        text = str(raw).strip()
        if len(text) > self.most or not text.isprintable():
            return Problem("name", self.name, text, data=(("most", self.most),))
        return text

    def show(self, value: str) -> str:
        return f"“{value}”"


@dataclass(frozen=True)
class IdsField(Field):
    """Some of the stable ids `ids`, each once, in the order given, `most` of them at most.

    Empty parts (a comma too many) are passed over. Of a list with known and unknown ids the known ones are taken.
    """

    name: str
    parameter: str
    ids: tuple[str, ...]
    most: int = 8

    def check(self, raw: object) -> tuple[str, ...] | Problem:
        known = (("known", self.show(self.ids)), ("most", self.most))
        parts = raw if isinstance(raw, list | tuple) else () if raw is None else str(raw).split(",")
        parts = tuple(str(part) for part in parts if str(part))
        text = ",".join(parts)
        if not text:
            return Problem("no_id", self.name, text, data=known)
        unknown = [part for part in parts if part not in self.ids]
        if unknown:
            return Problem("unknown_id", self.name, ", ".join(unknown), data=known)
        if len(set(parts)) < len(parts):
            return Problem("id_twice", self.name, text, data=known)
        if len(parts) > self.most:
            return Problem("too_many", self.name, text, data=known)
        return parts

    def read(self, raw: object, kept: Any) -> tuple[Any, Problem | None]:
        value, problem = super().read(raw, kept)
        if problem and problem.code == "unknown_id":
            parts = raw if isinstance(raw, list | tuple) else str(raw).split(",")
            rest = self.check([part for part in parts if part in self.ids])
            if not isinstance(rest, Problem):
                return rest, replace(problem, used=self.show(rest))
        return value, problem

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def show(self, value: tuple[str, ...]) -> str:
        return ", ".join(value)


@dataclass(frozen=True)
class IdField(Field):
    """One of the stable ids `ids`."""

    name: str
    parameter: str
    ids: tuple[str, ...]

    def check(self, raw: object) -> str | Problem:
        if isinstance(raw, str) and raw in self.ids:
            return raw
        return Problem("id", self.name, str(raw), data=(("known", ", ".join(self.ids)),))


@dataclass(frozen=True)
class TextField(Field):
    """Words as the reader typed them, without spaces at the ends. Only their length is limited."""

    name: str
    parameter: str

    def check(self, raw: object) -> str | Problem:
        return str(raw).strip()


@dataclass(frozen=True)
class MovesField(Field):
    """Moves of a game, as `pages.shared.play_board` writes them; whether they are legal is for the level to say."""

    name: str
    parameter: str
    length: ClassVar[int] = LONGEST

    def check(self, raw: object) -> str | Problem:
        text = str(raw)
        return text if _MOVES.fullmatch(text) else Problem("moves_text", self.name, text)

    def show(self, value: str) -> str:
        return value if len(value) <= 24 else f"{value[:23]}\u2026"


@dataclass(frozen=True)
class Spec:
    """A page: its settings class, the fields that its address carries, and which field begins anew.

    `restarts` names a field that goes back to its default when the reader changes another one: a step belongs to one
    run and means nothing in the next.
    """

    page: str
    settings: Callable[..., Any]
    fields: tuple[Field, ...]
    restarts: str | None = None

    def named(self, name: str) -> Field:
        """The field called `name`; KeyError when the page has none."""
        return {field.name: field for field in self.fields}[name]


def validate(spec: Spec, raw: Mapping[str, object], kept: Any) -> tuple[Any, list[Problem]]:
    """Settings from `raw` (field name -> value); a field that is missing or wrong keeps its value in `kept`."""
    values = asdict(kept)
    problems: list[Problem] = []
    for field in spec.fields:
        if field.name in raw:
            values[field.name], problem = field.read(raw[field.name], values[field.name])
            problems += [problem] if problem else []
    return spec.settings(**values), problems


def restarted(spec: Spec, before: Any, after: Any) -> Any:
    """`after`, with the field that `spec.restarts` names at its default if another field differs from `before`."""
    name = spec.restarts
    if name is None or getattr(before, name) != getattr(after, name) or before == after:
        return after
    return replace(after, **{name: getattr(spec.settings(), name)})


def _short(text: str, length: int = 24) -> str:
    return text if len(text) <= length else text[: length - 1] + "\u2026"
