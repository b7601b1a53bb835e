"""A reader without a browser: one session over the app's websocket, speaking as Streamlit's own frontend does.

What a browser keeps, this keeps: which widgets are on the page and what they say, the address, the hashes of messages
that need not come again. No time is spent on drawing, so seconds here end where a browser's work begins.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

ANSWER = 60.0  # seconds after which a run counts as lost
REMEMBERED = 2  # runs after which a browser forgets a message that has not come again


@dataclass
class Visitor:
    """One session. `open` first, then `say`, `press` and `go`; each gives the seconds until the script's end."""

    url: str  # of the app, without a slash at its end
    locale: str = "en-US"
    query: str = ""
    errors: list[str] = field(default_factory=list)
    received: int = 0  # bytes, so far
    session: str = ""  # the server's name for it
    elements: dict[str, Any] = field(default_factory=dict)  # key -> the widget as it last came
    _states: dict[str, WidgetState] = field(default_factory=dict)  # id -> what the widget says
    _fragments: dict[str, str] = field(default_factory=dict)  # key -> the fragment that a change runs again
    _pages: dict[str, str] = field(default_factory=dict)  # path -> hash of its script
    _page: str = ""
    _cached: dict[str, int] = field(default_factory=dict)  # hash -> runs since it was used
    _socket: ClientConnection | None = None

    async def open(self, page: str, query: str = "") -> float:
        """Follow a deep link: connect, run the page. `page` is its path, "" for home."""
        self.query = query
        stream = f"{self.url.replace('http', 'ws', 1)}/_stcore/stream"
        started = time.perf_counter()
        self._socket = await connect(
            stream,
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
            compression=None,
            open_timeout=ANSWER,
        )
        await self._run(name=page)
        return time.perf_counter() - started

    async def close(self) -> None:
        """Leave."""
        if self._socket is not None:
            await self._socket.close()

    async def go(self, page: str) -> float:
        """Choose another page in the navigation, which clears the address and forgets the widgets of the last one."""
        self._page, self.query = self._pages[page], ""
        self._states = {id: state for id, state in self._states.items() if _key(id) == "lang"}
        self.elements, self._fragments = {}, {}
        return await self._run()

    async def say(self, key: str, value: object) -> float:
        """Move a widget: text, a list of words or of numbers, or a dict of a component's state."""
        part = self.elements[key]
        state = WidgetState(id=part.id)
        if isinstance(value, Mapping):
            state.json_value = json.dumps(value)
        elif isinstance(value, str):
            state.string_value = value
        elif isinstance(value, list) and value and isinstance(value[0], str):
            state.string_array_value.data.extend(value)
        elif isinstance(value, list):
            state.double_array_value.data.extend(value)
        else:
            raise TypeError(f"no widget says {value!r}")
        self._states[part.id] = state
        return await self._run(self._fragments.get(key, ""))

    async def press(self, key: str) -> float:
        """Press a button."""
        pressed = WidgetState(id=self.elements[key].id, trigger_value=True)
        return await self._run(self._fragments.get(key, ""), pressed)

    async def again(self, key: str) -> float:
        """Run the fragment of `key` as its clock does, nothing moved."""
        return await self._run(self._fragments.get(key, ""))

    def fragment_of(self, key: str) -> str:
        """The fragment that a change of the widget runs again; "" for the whole page."""
        return self._fragments.get(key, "")

    def asked(self, fragment: str = "", pressed: WidgetState | None = None, name: str = "") -> BackMsg:
        """The message that asks for a run of the page, or of a fragment of it, with all that the widgets say."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_script_hash, run.page_name = self.query, self._page, name
        run.fragment_id = fragment
        run.context_info.locale, run.context_info.timezone, run.context_info.url = self.locale, "UTC", self.url
        run.widget_states.widgets.extend(self._states.values())
        if pressed is not None:
            run.widget_states.widgets.append(pressed)
        run.cached_message_hashes.extend(self._cached)
        return message

    async def _run(self, fragment: str = "", pressed: WidgetState | None = None, name: str = "") -> float:
        message = self.asked(fragment, pressed, name)
        assert self._socket is not None
        started = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        while not self._look(await asyncio.wait_for(self._socket.recv(decode=False), ANSWER), fragment):
            pass
        self._forget()
        return time.perf_counter() - started

    def _forget(self) -> None:
        """Drop what has not come again for some runs, as a browser does."""
        self._cached = {hash: age + 1 for hash, age in self._cached.items() if age < REMEMBERED}

    def _look(self, raw: bytes, fragment: str) -> bool:
        """Take in one message; True when it ends the run."""
        self.received += len(raw)
        answer = ForwardMsg()
        answer.ParseFromString(raw)
        kind = answer.WhichOneof("type")
        if kind == "ref_hash":
            self._cached[answer.ref_hash] = 0
        elif answer.metadata.cacheable and answer.hash:
            self._cached[answer.hash] = 0
        if kind == "new_session":
            self.session = answer.new_session.initialize.session_id or self.session
            self._page = answer.new_session.page_script_hash or self._page
        elif kind == "navigation":
            self._page = answer.navigation.page_script_hash or self._page
            pages = answer.navigation.app_pages
            self._pages = {"" if page.is_default else page.url_pathname: page.page_script_hash for page in pages}
        elif kind == "page_info_changed":
            self.query = answer.page_info_changed.query_string
        elif kind == "page_not_found":
            self.errors.append("page not found")
        elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
            self._note(answer.delta.new_element, answer.delta.fragment_id)
        elif kind == "script_finished":
            return self._ended(answer.script_finished, fragment)
        return False

    def _ended(self, status: int, fragment: str) -> bool:
        """Whether this end is that of our run: one that was replaced by a newer run ends early."""
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.errors.append("compile error")
        ours = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY if fragment else ForwardMsg.FINISHED_SUCCESSFULLY
        return status in (ours, ForwardMsg.FINISHED_WITH_COMPILE_ERROR, ForwardMsg.FINISHED_SUCCESSFULLY)

    def _note(self, element: Any, fragment: str) -> None:
        """Keep a widget and what it says by itself; an exception on the page is an error."""
        kind = element.WhichOneof("type")
        part = getattr(element, kind)
        if kind == "exception":
            self.errors.append(f"{part.type}: {part.message}"[:200])
            return
        id = getattr(part, "id", "")
        if not id:
            return
        self.elements[_key(id)], self._fragments[_key(id)] = part, fragment
        if kind not in _SAYS or (id in self._states and not part.set_value):
            return
        state = WidgetState(id=id)
        _SAYS[kind](state, part)
        self._states[id] = state


def _text(state: WidgetState, part: Any) -> None:
    state.string_value = part.value if part.set_value else part.default


def _choice(state: WidgetState, part: Any) -> None:
    if part.set_value:
        state.string_value = part.raw_value
    elif part.options:
        state.string_value = part.options[part.default]


def _pills(state: WidgetState, part: Any) -> None:
    chosen = part.raw_values if part.set_value else [part.options[k].content for k in part.default]
    state.string_array_value.data.extend(chosen)


def _slider(state: WidgetState, part: Any) -> None:
    state.double_array_value.data.extend(part.value if part.set_value else part.default)


_SAYS = {"text_input": _text, "selectbox": _choice, "button_group": _pills, "slider": _slider}


def _key(id: str) -> str:
    """The key that the app gave a widget: an id is ``$$ID-<hash>-<key>``."""
    return id.split("-", 2)[-1]
