"""The kitchen of the home page: its component, and what it shows, which travels to the browser once."""

import json
import re
import zlib
from collections.abc import Callable

import streamlit as st

from kernels_ref import count, crossover, pebble, swaps, sweep
from pages.shared.board import encode_run
from pages.shared.fault import callback
from pages.shared.i18n import Texts
from pages.shared.said import said
from pages.shared.settings import ALGORITHM_IDS, HOME_D, HOME_MEMORY, HOME_N
from pages.shared.theme import source

# The pebbling that moves on the page: small enough to be followed, large enough that memory is short.
TOY_N, TOY_D, TOY_MEMORY = 3, 2, 14
STEPS_PER_OCTAVE = 20

_PARTS = (
    "board/replay",
    "document/buttons",
    "kitchen/base",
    "kitchen/scene",
    "kitchen/curve",
    "kitchen/toy",
    "kitchen/kitchen",
)


_TEXT = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`)""")


def _compact(text: str, css: bool = False) -> str:
    """CSS or JavaScript from `source`, also without comments at a line's end and spaces beside punctuation.

    The page's first message is half as long. Text in quotes stays as it is; lines stay lines.
    """
    parts = _TEXT.split(re.sub(r"\s+// .*$", "", text.rstrip(), flags=re.MULTILINE))
    tight = r" *([{};,]) *" if css else r" *([{}()\[\],;:=?<>&|*]) *| (\+) (?!\+)"
    return "".join(
        part if k % 2 else re.sub(tight, lambda match: match[0].strip(), part) for k, part in enumerate(parts)
    )


def _script() -> str:
    """The parts as one module. Of the replay core only the cursor is needed, not the clock for two runs in step."""
    cursor, *parts = (source(f"{part}.js") for part in _PARTS)
    return "// the kitchen\n" + _compact("".join([cursor.partition("class Timeline")[0], *parts]))


_component = st.components.v2.component(
    "kitchen",
    html=source("kitchen/kitchen.html"),
    css=_compact(source("document/quiet.css", "kitchen/kitchen.css"), css=True),  # the tokens are the page's
    js=_script(),
)


def memories(extra: int, n: int = HOME_N, d: int = HOME_D) -> list[int]:
    """Every M at which the slider can stop, in words: even steps on a logarithmic scale, d^2, each M from which the
    other kernel moves fewer words (the first of them: FlashAttention-2 fits) and the M before it, and `extra`."""
    low, high = HOME_MEMORY
    octaves = (high // low).bit_length() - 1
    grid = {round(low * 2 ** (step / STEPS_PER_OCTAVE)) for step in range(octaves * STEPS_PER_OCTAVE + 1)}
    changes = {swap.memory for swap in swaps("flash2", "small-cache", n=n, d=d)}
    special = {d * d, extra} | changes | {memory - 1 for memory in changes}
    return sorted(memory for memory in grid | special if low <= memory <= high)


@st.cache_data(max_entries=64, show_spinner=False)
def payload(extra: int, n: int = HOME_N, d: int = HOME_D) -> str:
    """What the browser draws from, as JSON: exact counts of both kernels for every M, and two small pebblings.

    Columns of numbers are text with commas, empty where the kernel does not fit: a list would make Streamlit load
    pandas into every session's message.
    """
    frame = sweep(list(ALGORITHM_IDS), n=n, d=d, memory=memories(extra, n, d))
    counts = {}
    for algorithm in ALGORITHM_IDS:
        rows = frame[frame["algorithm"] == algorithm]
        fitting = rows[rows["fits"]]
        counts[algorithm] = {
            "io": _joined(rows["io"]),
            "loads_percent": _joined(fitting["loads"] * 100 // fitting["io"]),
            "peak_slow": int(fitting["peak_slow"].max()),
        }
    runs: list[dict[str, object]] = []
    for algorithm in ALGORITHM_IDS:
        pebbling = pebble(algorithm, n=TOY_N, d=TOY_D, memory=TOY_MEMORY)
        run = encode_run(pebbling, [], 0, "", algorithm)
        runs.append({name: run[name] for name in ("algorithm", "io", "moves", "sources")})
    shape = ("name", "rows", "columns", "vector")
    toy = {"n": TOY_N, "d": TOY_D} | {name: run[name] for name in ("red", "cell", "step", "role")}
    toy["tensors"] = [{name: tensor.get(name) for name in shape} for tensor in run["tensors"]]
    content = {
        "n": n,
        "d": d,
        "least": count("flash2", n=n, d=d, memory=1).least_memory,
        "crossover": crossover("flash2", "small-cache", n=n, d=d),
        "memory": _joined(memories(extra, n, d)),
        "counts": counts,
        "runs": runs,
        "toy": toy,
    }
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def kitchen(memory: int, t: Texts, on_memory: Callable[[int], None], key: str = "kitchen") -> None:
    """Draw the kitchen at M = `memory` words. `on_memory` hears the M at which the reader lets the slider go.

    The slider lives in the browser and knows where it is, so a release changes nothing in the message below, which
    then is not sent again (60 kB). Only an M from elsewhere, an edited address say, is a new turn: the slider obeys.
    """
    state = st.session_state
    told: dict[str, int] | None = state.get("_kitchen")
    if told is None or key not in state or told["slider"] != memory:
        told = {"memory": memory, "slider": memory, "turn": told["turn"] + 1 if told else 0}
    state["_kitchen"] = told

    @callback
    def released() -> None:
        value = said(key, "memory")
        if isinstance(value, int):
            state["_kitchen"] = told | {"slider": value}
            on_memory(value)

    content = payload(told["memory"])
    data = {
        "revision": zlib.crc32(content.encode()),
        "payload": content,
        "memory": told["memory"],
        "turn": told["turn"],
        "lang": t.lang,
        "words": {name: text for name, text in t.group("home").items() if not name.startswith("door.")},
    }
    _component(key=key, data=data, default={"memory": None}, on_memory_change=released)


def _joined(numbers: object) -> str:
    return ",".join("" if number is None else str(int(number)) for number in numbers)  # type: ignore[attr-defined]
