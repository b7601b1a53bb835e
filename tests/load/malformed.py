"""What no browser of ours would send, made from a seed: messages of every wrong kind, and links that cannot be right.

Messages are made for a visitor who is on a page, so that wrong values go to widgets and components which are there:
they reach the app's own callbacks. `tests.load.siege` sends them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.shared.fields import IdField, IdsField, IntField
from pages.shared.settings import SPECS
from tests.load.acts import PAGES, named
from tests.load.visitor import Visitor

# What each component says to the server, by its key: state -> the names in it.
COMPONENTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "kitchen": {"memory": ()},
    "lab_board": {"step": ("rev", "t"), "wish": ("memory",)},
    "play_board": {"log": ("level", "seq", "moves", "shown"), "wish": ("level",)},
    "curves_explorer": {
        "question": ("number", "n", "d", "m", "a", "form", "h", "dtype", "mask", "plot", "device", "view", "moving"),
        "csv": (),
    },
    "sparse_board": {"question": ("number", "mask", "n", "d", "m", "tiles", "moving"), "csv": ()},
    "devices_map": {"pair": ("device", "model")},
    "devices_table": {"pair": ("device", "model")},
    "why_phases": {"phase": ("rev", "phase")},
    "document": {"connected": ()},
}
LARGE = 10_000_000  # characters: beyond what the server takes
NUMBERS = (0, -1, 1.5, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 1e308, 5e-324, float("nan"), float("inf"), float("-inf"))
TEXTS = (
    "", " ", "0", "-1", "+1", "01", "1.5", "1e309", "-1e309", "NaN", "inf", str(2**63), "9" * 400, "\u0663", "\u00bd",
    "true", "null", "[]", "{}", "<img src=x onerror=alert(1)>", "![x](http://192.0.2.1/x.png)",
    "[x](javascript:alert(1))", ":material/home:", ":red[x]", "$\\frac{1}{0}$", "\u202eabc", "\u0000", "\u0007\n\r\t",
    "a" * 5_000, "\U0001d54f" * 50, "../../etc/passwd", "{value}", "{0.__class__}", "%s%n", "' OR 1=1 --", ",,,,",
    "flash2,flash2", "own", "window:window:3", "window:999999999999", "window:0", "block:1:2:3:4", "block:64:1e9:0",
    "block:0:0:0", "random:0.5:99999999", "strided:0", "global:0:0", "painted:", "painted:" + "_" * 43, "1A", "1",
    "1" + "A" * 1_799, "2AAAA",
)  # fmt: skip
# JSON that Python's own encoder does not make.
RAW_JSON = (
    "", "null", "[]", '"x"', "{", "\u0000", "NaN", "9" * 5_000, '{"memory": 1e309}', '{"step": ' + "9" * 5_000 + "}",
    "[" * 100_000, '{"a":' * 50_000, '{"log": {"seq": 1, "seq": []}}', '"\\ud800"', '{"wish": "\\udc00\\ud800"}',
)  # fmt: skip
ENCODED = ("%ED%A0%80", "%ff%fe", "%00", "%", "%zz", "&&&===;;;", "?" * 100, "a=1#b", "%F0%9F%92%A9" * 20)


class Link(NamedTuple):
    """A page's path ("" for home) and the query that follows it."""

    page: str
    query: str


def links(chance: random.Random, count: int) -> Iterator[Link]:
    """Links that cannot be right, to every page in turn."""
    by_name = {spec.page: spec for spec in SPECS}
    for number in range(count):
        page = PAGES[number % len(PAGES)]
        fields = {field.parameter: field for field in by_name[named(page)].fields}
        parts = []
        for _ in range(chance.randint(1, 4)):
            parameter = chance.choice([*fields, *fields, "v", "lang", "embed", chance.choice(TEXTS)[:40]])
            value = _extreme(chance, fields.get(parameter)) if chance.random() < 0.2 else chance.choice(TEXTS)
            encoded = chance.choice(ENCODED) if chance.random() < 0.1 else quote(value)
            parts += [f"{quote_plus(parameter)}={encoded}"] * (2 if chance.random() < 0.15 else 1)
        if chance.random() < 0.05:
            parts += [f"{chance.choice(['x', 'n', 'm'])}{k}=1" for k in range(chance.choice([50, 1_500]))]
        yield Link(page, chance.choice(["&", "&", "&", ";", "&&"]).join(parts))


def _extreme(chance: random.Random, field: object) -> str:
    """A value at the edge of what a field takes, or just beyond."""
    if isinstance(field, IntField):
        return str(chance.choice([field.low, field.low - 1, field.high + 1, field.high]))
    if isinstance(field, IdField | IdsField):
        return ",".join(chance.choice(field.ids) for _ in range(chance.choice([1, 1, 2, 9])))
    return chance.choice(TEXTS)


Frame = bytes | str
Maker = Callable[[random.Random, Visitor], Frame]


def noise(chance: random.Random, visitor: Visitor) -> Frame:
    return chance.randbytes(chance.choice([0, 1, 2, 7, 100, 5_000]))


def cut(chance: random.Random, visitor: Visitor) -> Frame:
    """A right message that ends too early."""
    whole = visitor.asked().SerializeToString()
    return whole[: chance.randrange(len(whole))]


def flipped(chance: random.Random, visitor: Visitor) -> Frame:
    """A right message with some bits turned over."""
    message = bytearray(visitor.asked().SerializeToString())
    for _ in range(chance.randint(1, 8)):
        message[chance.randrange(len(message))] ^= 1 << chance.randrange(8)
    return bytes(message)


def stranger(chance: random.Random, visitor: Visitor) -> Frame:
    """Pages, fragments, widgets and addresses that do not exist."""
    message = visitor.asked()
    run = message.rerun_script
    for field in chance.sample(["page_script_hash", "page_name", "fragment_id", "query_string"], chance.randint(1, 3)):
        setattr(run, field, chance.choice(TEXTS))
    if chance.random() < 0.1:
        run.query_string = "n=" + "9" * 200_000
    run.is_auto_rerun, run.is_history_navigation = chance.random() < 0.3, chance.random() < 0.3
    run.cached_message_hashes.extend(chance.choice(TEXTS) for _ in range(chance.choice([0, 1, 3_000])))
    for _ in range(chance.choice([0, 1, 500])):
        run.widget_states.widgets.add(id=chance.choice(["", "x", f"$$ID-{chance.randrange(10**9)}-lang"]), int_value=1)
    run.context_info.locale = run.context_info.timezone = chance.choice(TEXTS)
    run.context_info.url, run.context_info.timezone_offset = chance.choice(TEXTS), chance.randrange(-(2**31), 2**31)
    return message.SerializeToString()


def mistyped(chance: random.Random, visitor: Visitor) -> Frame:
    """A widget of the page says something of another kind, or a value that it does not have."""
    key = chance.choice(list(visitor.elements))
    return _with(visitor, key, _anything(chance, visitor.elements[key].id))


def numbers(chance: random.Random, visitor: Visitor) -> Frame:
    """Numbers that are none, or far too large."""
    key = chance.choice(list(visitor.elements))
    state = WidgetState(id=visitor.elements[key].id)
    if chance.random() < 0.5:
        state.double_array_value.data.extend(chance.choice(NUMBERS) for _ in range(chance.choice([0, 1, 2, 100])))
    else:
        state.double_value = chance.choice(NUMBERS)
    return _with(visitor, key, state)


def typed(chance: random.Random, visitor: Visitor) -> Frame:
    """Text that nobody types, in a widget of the page."""
    key = chance.choice(list(visitor.elements))
    text = chance.choice(TEXTS) * chance.choice([1, 1, 1, 90])
    return _with(visitor, key, WidgetState(id=visitor.elements[key].id, string_value=text))


def surrogate(chance: random.Random, visitor: Visitor) -> Frame:
    """Half a surrogate pair where UTF-8 is wanted."""
    key = chance.choice(list(visitor.elements))
    message = _with(visitor, key, WidgetState(id=visitor.elements[key].id, string_value="XYZ"))
    return message.replace(b"XYZ", b"\xed\xa0\x80")


def said(chance: random.Random, visitor: Visitor) -> Frame:
    """A component of the page says what its own script would not: each of its states in turn, in wrong shapes."""
    key = chance.choice([key for key in visitor.elements if key in COMPONENTS])
    part = visitor.elements[key]
    states: dict[str, Any] = {}
    for name, inner in COMPONENTS[key].items():
        if chance.random() < 0.3 or not inner:
            states[name] = _junk(chance)
        else:
            shown = json.loads(part.json or "{}").get("rev", "")
            almost = {one: _junk(chance) for one in inner if chance.random() < 0.8}
            states[name] = almost | ({"rev": shown} if chance.random() < 0.8 else {})
    return _with(visitor, key, WidgetState(id=part.id, json_value=json.dumps(states)))


def shapes(visitor: Visitor) -> Iterator[Frame]:
    """Every state of every component of the page, in each wrong shape by itself: what `said` does by chance."""
    for key in visitor.elements.keys() & COMPONENTS.keys():
        part = visitor.elements[key]
        shown = json.loads(part.json or "{}").get("rev", "")
        for name, inner in COMPONENTS[key].items():
            wrong: list[Any] = [0, "x", [], [[1]], {}, {"rev": shown}, {"x": None}]
            for value in (None, "x", -1, 1.5, float("nan"), [1, 2], {"a": 1}):
                wrong.append(dict.fromkeys(inner, value) | ({"rev": shown} if "rev" in inner else {}))
            for state in wrong:
                yield _with(visitor, key, WidgetState(id=part.id, json_value=json.dumps({name: state})))


def raw(chance: random.Random, visitor: Visitor) -> Frame:
    """A component's state that is no JSON, no object, or nested too deeply."""
    key = chance.choice([key for key in visitor.elements if key in COMPONENTS])
    state = WidgetState(id=visitor.elements[key].id)
    setattr(state, chance.choice(["json_value", "json_value", "json_trigger_value"]), chance.choice(RAW_JSON))
    return _with(visitor, key, state)


def other(chance: random.Random, visitor: Visitor) -> Frame:
    """Every other kind of message, with nonsense in it."""
    message = BackMsg()
    kinds = [field.name for field in BackMsg.DESCRIPTOR.fields if field.name != "rerun_script"]
    kind = chance.choice(kinds)
    if kind == "file_urls_request":
        message.file_urls_request.request_id = chance.choice(TEXTS)
        message.file_urls_request.file_names.extend(chance.choices(TEXTS, k=chance.choice([0, 1, 200])))
    elif kind == "backend_operation_request":
        request = message.backend_operation_request
        request.request_id, request.session_id = chance.choice(TEXTS), chance.choice([*TEXTS, visitor.session])
        payload = chance.choice(["deferred_file", "install_skills", "dismiss_skills_nudge", "dataframe_chunk"])
        getattr(request, payload).SetInParent()
    else:
        setattr(message, kind, chance.random() < 0.9)
    return message.SerializeToString()


def empty(chance: random.Random, visitor: Visitor) -> Frame:
    """A message without a kind."""
    return b""


def text(chance: random.Random, visitor: Visitor) -> Frame:
    """A text frame, where all frames are binary."""
    return chance.choice(TEXTS) or "{}"


def large(chance: random.Random, visitor: Visitor) -> Frame:
    """More than the server takes, in one widget."""
    key = chance.choice(list(visitor.elements))
    state = WidgetState(id=visitor.elements[key].id)
    if chance.random() < 0.5:
        state.string_value = "x" * LARGE
    else:
        state.json_value = json.dumps({"memory": "x" * LARGE})
    return _with(visitor, key, state)


# How often each comes, in a hundred.
MAKERS: Mapping[Maker, float] = {
    said: 30, mistyped: 14, typed: 8, numbers: 8, stranger: 8, raw: 7, flipped: 7, cut: 5, noise: 5, other: 4,
    text: 1.5, surrogate: 1.5, empty: 0.8, large: 0.2,
}  # fmt: skip


def message(chance: random.Random, visitor: Visitor) -> tuple[str, Frame]:
    """One message for a visitor as they stand, and the name of its kind."""
    (maker,) = chance.choices(list(MAKERS), list(MAKERS.values()))
    return maker.__name__, maker(chance, visitor)


def _with(visitor: Visitor, key: str, state: WidgetState) -> bytes:
    """A right message, but for what one widget says."""
    message = visitor.asked(visitor.fragment_of(key))
    widgets = message.rerun_script.widget_states.widgets
    kept = [widget for widget in widgets if widget.id != state.id]
    del widgets[:]
    widgets.extend([*kept, state])
    return message.SerializeToString()


def _anything(chance: random.Random, id: str) -> WidgetState:
    """A state with a value of any kind."""
    state = WidgetState(id=id)
    kind = chance.choice([field.name for field in WidgetState.DESCRIPTOR.fields if field.name != "id"])
    value = getattr(state, kind)
    if isinstance(value, bool):
        setattr(state, kind, True)
    elif isinstance(value, float):
        state.double_value = chance.choice(NUMBERS)
    elif isinstance(value, int):
        state.int_value = chance.choice([0, -1, 2**63 - 1, -(2**63)])
    elif isinstance(value, str):
        setattr(state, kind, chance.choice(TEXTS))
    elif isinstance(value, bytes):
        state.bytes_value = chance.randbytes(20)
    elif kind == "string_array_value":
        value.data.extend(chance.choices(TEXTS, k=chance.choice([1, 2, 50])))
    elif kind == "string_trigger_value":
        value.data = chance.choice(TEXTS)
    elif kind == "file_uploader_state_value":
        value.uploaded_file_info.add(file_id="x", name=chance.choice(TEXTS), size=2**63)
    else:
        value.SetInParent()
    return state


def _junk(chance: random.Random, depth: int = 0) -> Any:
    """Any value of JSON, mostly an unfortunate one."""
    kind = chance.randrange(7 if depth < 2 else 4)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind == 1:
        return chance.choice(NUMBERS)
    if kind <= 3:
        return chance.choice(TEXTS)
    if kind == 4:
        return [_junk(chance, depth + 1) for _ in range(chance.randrange(4))]
    names = chance.choices(["rev", "t", "number", "x", ""], k=chance.randrange(3))
    return {name: _junk(chance, depth + 1) for name in names}
