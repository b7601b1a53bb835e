"""The pebble board: runs as compact arrays, and the component that plays them without asking the server again."""

import base64
import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.theme import TOKENS, css_tokens, source
from pebble_engine import PebbleDag, Pebbling

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "board"
# Files that know nothing of Streamlit, in the order in which they build on each other; together they are one script.
PLAYER_FILES = (
    *("element.js", "replay.js", "words.js", "layout.js", "draw.js"),
    *("code.js", "strip.js", "controls.js", "side.js", "player.js"),
)

VERTEX_BITS = 13  # a move is 16 bits: 3 for what (its place in `pebble_engine.rules.OPS`), 13 for where
MAX_VERTICES = 1 << VERTEX_BITS

Run = dict[str, Any]


def board_js(files: Iterable[str]) -> str:
    """The named files of ``assets/board`` as one script."""
    return source(*(f"board/{name}" for name in files))


BOARD_CSS = css_tokens() + source("board/board.css")

_board = st.components.v2.component(
    "pebble_board",
    html=source("board/board.html"),
    css=BOARD_CSS,
    js=board_js((*PLAYER_FILES, "board.js")),
)


def encode_run(
    pebbling: Pebbling, code: Sequence[str], floor: int, title: str, algorithm: str = "", optimum: int | None = None
) -> Run:
    """A pebbling as the board's JavaScript reads it: tensors, and base64 arrays of 8, 16 and 32 bit (little endian).

    Parameters
    ----------
    code : the kernel's lines, as numbered by ``pebbling.lines``
    floor : inputs + outputs, in words: what any algorithm moves at least
    optimum : the least I/O of any pebbling, in words, where it is proven

    Raises
    ------
    ValueError : more than 8,192 vertices, or a label that names no cell of a tensor
    """
    tensors, arrays, words = _drawn(pebbling.dag)
    ops, vertices, all_sources = pebbling.codes
    sources = [source for source in all_sources if source >= 0]  # of the slides, in order
    return {
        "algorithm": algorithm,
        "title": title,
        "red": pebbling.rules.red,
        "tensors": [dict(tensor) for tensor in tensors],
        **dict(arrays),
        **{name: list(texts) for name, texts in words},
        "moves": _packed("H", (op << VERTEX_BITS | v for op, v in zip(ops, vertices, strict=True))),
        "sources": _packed("H", sources),
        "lines": _packed("B", pebbling.lines or bytes(len(ops))),
        "code": list(code),
        "floor": floor,
        "optimum": optimum,
        "io": pebbling.io,
        "peak": _peak(ops),
    }


Arrays = tuple[tuple[str, str], ...]
Words = tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=16)  # another M or algorithm plays on the same DAG; at 3,000 vertices an entry is 70 kB
def _drawn(dag: PebbleDag) -> tuple[tuple[dict[str, Any], ...], Arrays, Words]:
    """What the board draws of a DAG, whoever plays on it: tensors, and arrays by name; with sums that are trees also
    what each cell is called and the sign on it."""
    if len(dag) > MAX_VERTICES:
        raise ValueError(f"the board draws at most {MAX_VERTICES} vertices, got {len(dag)}")
    trees = _trees(dag)
    tensors, cells = _tensors(dag, trees)
    roles = bytearray(len(dag))
    for vertex in dag.outputs:
        roles[vertex] = 2
    for vertex in dag.inputs:
        roles[vertex] = 1
    starts = [0]
    for operands in dag.predecessors:
        starts.append(starts[-1] + len(operands))
    return (
        tuple(tensors),
        (
            ("cell", _packed("H", cells)),
            ("step", _packed("H", (0 if place.tensor in trees else place.step for place in dag.places))),
            ("role", _packed("B", roles)),
            ("pred_start", _packed("I", starts)),
            ("preds", _packed("H", (u for operands in dag.predecessors for u in operands))),
        ),
        _words(dag, trees, tensors, cells) if trees else (),
    )


def _own(dag: PebbleDag, vertex: int) -> list[int]:
    """The steps of a vertex's own cell that it is made from."""
    place = dag.places[vertex]
    return [dag.places[u].step for u in dag.predecessors[vertex] if dag.places[u][:3] == place[:3]]


def _trees(dag: PebbleDag) -> dict[str, int]:
    """Tensors with a sum whose steps do not follow one from the other, and of how many vertices the largest is.

    Such steps are alive side by side, so each has a cell of its own on the board: the sum is a strip of them.
    """
    found = {
        place.tensor
        for vertex, place in enumerate(dag.places)
        if place.steps > 1 and _own(dag, vertex) != ([place.step - 1] if place.step else [])
    }
    return {name: max(place.steps for place in dag.places if place.tensor == name) for name in found}


def _words(dag: PebbleDag, trees: dict[str, int], tensors: Sequence[dict[str, Any]], cells: Sequence[int]) -> Words:
    """By cell: its name; and in a strip the sign of a product or of a sum."""
    names = []
    for tensor in tensors:
        for row in range(tensor["rows"]):
            for across in range(tensor["columns"]):
                column, step = divmod(across, trees.get(tensor["name"], 1))
                at = f"{row}" if tensor["vector"] else f"{row},{column}"
                names.append(f"{tensor['name']}[{at}]" + (f"#{step}" if tensor["name"] in trees else ""))
    marks = [""] * len(names)
    for vertex, place in enumerate(dag.places):
        if place.tensor in trees:
            marks[cells[vertex]] = "+" if _own(dag, vertex) else "\u00d7"
    return ("names", tuple(names)), ("marks", tuple(marks))


def misfit(algorithm: str, title: str, memory: int, least: int) -> Run:
    """What stands in the place of a run whose algorithm needs `least` words and has only `memory`."""
    return {"fits": False, "algorithm": algorithm, "title": title, "red": memory, "least": least}


def clock_length(runs: Sequence[Sequence[int]]) -> int:
    """Ticks of the clock on which runs are played together, from each run's operation codes (`operations`).

    Alone, a tick is a move. Two runs meet at every word moved, so between two words the slower one sets the time.
    """
    if len(runs) == 1:
        return len(runs[0])
    between = []
    for ops in runs:
        ends = [i + 1 for i, op in enumerate(ops) if op <= 1]
        between.append([end - start for start, end in zip([0, *ends], [*ends, len(ops)], strict=True)])
    segments = max(map(len, between), default=0)  # one a word, then what follows a run's last word
    return sum(max(lengths[k] for lengths in between if k < len(lengths)) for k in range(segments))


def operations(run: Run) -> list[int]:
    """The operation codes of an encoded run."""
    return [move >> VERTEX_BITS for move in unpacked("H", run["moves"])]


def board(
    runs: Sequence[Run],
    labels: dict[str, str],
    lang: str,
    *,
    key: str,
    start: int = 0,
    on_rest: Callable[[], None],
    on_wish: Callable[[], None],
) -> None:
    """Draw the board with one or two runs, at tick `start`.

    ``st.session_state[key]["step"]`` is ``{"rev": ..., "t": tick}`` once the reader has come to rest somewhere
    (`on_rest`), and ``["wish"]`` is ``{"memory": words}`` when they accept the memory that a run needs (`on_wish`).
    """
    dashes = {name: look["svg-dash"] for name, look in TOKENS["algorithms"].items()}
    dressed = [run | {"dash": dashes.get(run["algorithm"], "")} for run in runs]
    _board(
        key=key,
        # A string, not a list: Streamlit looks at lists as tables.
        data={
            "rev": revision(runs),
            "lang": lang,
            "start": start,
            "labels": labels,
            "runs": json.dumps(dressed, allow_nan=False, ensure_ascii=False, separators=(",", ":")),
        },
        default={"step": None, "wish": None},
        on_step_change=on_rest,
        on_wish_change=on_wish,
        width="stretch",
        height="content",
    )


def revision(runs: Sequence[Run]) -> str:
    """A hash of what is played; the words around it do not count."""
    content = [{name: value for name, value in run.items() if name != "title"} for run in runs]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def unpacked(kind: str, text: str) -> list[int]:
    """The numbers in a base64 array: "B", "H" or "I" for 8, 16 or 32 bits."""
    numbers = array(kind)
    numbers.frombytes(base64.b64decode(text))
    return numbers.tolist()


def _packed(kind: str, numbers: Iterable[int]) -> str:
    return base64.b64encode(array(kind, numbers).tobytes()).decode("ascii")


def _tensors(dag: PebbleDag, trees: dict[str, int]) -> tuple[list[dict[str, Any]], list[int]]:
    """The grids on the board, and the number of each vertex's cell: tensor by tensor, row by row.

    `trees` as `_trees` gives them: there ``strip`` cells side by side are one sum.
    """
    inputs, outputs = set(dag.inputs), set(dag.outputs)
    tensors: dict[str, dict[str, Any]] = {}
    for vertex, place in enumerate(dag.places):
        if not place.tensor:
            raise ValueError(f"{dag.labels[vertex]!r} names no cell of a tensor, so the board has no place for it")
        tensor = tensors.setdefault(
            place.tensor,
            {"name": place.tensor, "role": "input", "rows": 0, "columns": 0, "steps": 1, "vector": True},
        )
        tensor["rows"] = max(tensor["rows"], place.row + 1)
        tensor["columns"] = max(tensor["columns"], (place.column + 1) * trees.get(place.tensor, 1))
        if place.tensor in trees:
            tensor["strip"] = trees[place.tensor]
        else:
            tensor["steps"] = max(tensor["steps"], place.steps)
        tensor["vector"] = tensor["vector"] and "," not in dag.labels[vertex][len(place.tensor) :]
        if vertex in outputs:
            tensor["role"] = "output"
        elif vertex not in inputs and tensor["role"] == "input":
            tensor["role"] = "middle"
    first, offset = {}, 0
    for name, tensor in tensors.items():
        first[name] = offset
        offset += tensor["rows"] * tensor["columns"]
    cells = []
    for name, row, column, step, _ in dag.places:
        across = column * trees[name] + step if name in trees else column
        cells.append(first[name] + row * tensors[name]["columns"] + across)
    return list(tensors.values()), cells


def _peak(ops: Sequence[int]) -> int:
    """Most red pebbles at once, in a legal sequence."""
    red = peak = 0
    for op in ops:
        red += op in (0, 2)
        red -= op == 4
        peak = max(peak, red)
    return peak
