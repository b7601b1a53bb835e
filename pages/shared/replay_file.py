"""A pebbling as one HTML file that plays with the network off: for slides, a learning platform, a memory stick.

    python -m pages.shared.replay_file run.json replay.html --lang es

The file holds what the lab's board is made of (``assets/board``, the design tokens), the runs as `encode_run` packs
them, and words in one language. It asks nobody for anything; a content security policy in it says so to the browser.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from pages.shared.board import ASSETS, PLAYER_FILES, Run, board_js, encode_run, unpacked
from pages.shared.i18n import DEFAULT, LANGUAGES, Texts
from pages.shared.levels import ends
from pages.shared.numbers import grouped
from pages.shared.theme import TOKENS, css_tokens, source
from pebble_engine import PebbleDag, PebbleError, Pebbling, read_pebbling

STORE, OUTPUT = 1, 2  # a move's code and a vertex's role, as `encode_run` writes them
COLUMN = 12  # vertices of a layer one below the other; more make another column


@dataclass(frozen=True)
class About:
    """What a file says of itself: a title, a sentence below it, the address that shows the same in the app or ""."""

    title: str
    sentence: str
    address: str = ""


def replay_file(runs: Sequence[Run], about: About, t: Texts, start: int = 0) -> bytes:
    """The HTML file (UTF-8) that plays one or two runs, from tick `start`.

    Parameters
    ----------
    runs : as `encode_run` or `encode_game` makes them, with titles; all of them playable

    Raises
    ------
    ValueError : no run, or one that stands for an algorithm that does not fit
    """
    if not runs or any(run.get("fits") is False for run in runs):
        raise ValueError("a replay needs runs that can be played")
    dashes = {name: look["svg-dash"] for name, look in TOKENS["algorithms"].items()}
    dressed = [run | {"dash": dashes.get(run["algorithm"], "")} for run in runs]
    data = {"runs": dressed, "labels": t.group("lab.board"), "start": start}
    printing = source("document/print.js")
    scripts = [printing, board_js((*PLAYER_FILES, "standalone.js"))]
    said = [about.sentence, *(result(run, t) for run in runs)]
    foot = [f'<p class="keys">{escape(t("replay.keys"))}</p>', made_with(about, t)]
    page = Template((ASSETS / "standalone.html").read_text(encoding="utf-8")).substitute(
        lang=t.lang,
        title=escape(about.title),
        about="\n".join(f"<p>{escape(line)}</p>" for line in said if line),
        noscript=escape(t("replay.noscript")),
        foot="\n".join(foot),
        css=css_tokens() + source("board/board.css", "board/standalone.css"),
        data=inline_json(data),
        js="\n".join(scripts),
    )
    return page.encode()


def inline_json(data: object) -> str:
    """JSON for a ``<script>`` element: nothing in it can end the element or begin a comment."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def result(run: Run, t: Texts) -> str:
    """What a run costs, counted; and whether it reaches the goal."""
    key = "replay.result" if finished(run) else "replay.unfinished"
    return t(key, name=run["title"], io=grouped(run["io"]), moves=grouped(len(unpacked("H", run["moves"]))))


def finished(run: Run) -> bool:
    """Whether every output has been stored (an output is never an input: those are in slow memory already)."""
    stored = {code & 0x1FFF for code in unpacked("H", run["moves"]) if code >> 13 == STORE}
    return all(v in stored for v, role in enumerate(unpacked("B", run["role"])) if role == OUTPUT)


def made_with(about: About, t: Texts) -> str:
    """Where the file comes from; with a link when the app's address is a web address."""
    made = escape(t("replay.made"))
    if urlsplit(about.address).scheme in ("http", "https"):
        made += f' <a href="{escape(about.address)}" rel="noopener">{escape(t("replay.open"))}</a>'
    return f"<p>{made}</p>"


# ---------------------------------------------------------------------------------------- any DAG, not only matrices


def encode_game(pebbling: Pebbling, title: str, t: Texts) -> Run:
    """Any pebbling as the board plays it: by matrices where its labels name such, else by layers.

    Raises
    ------
    ValueError : more than 8,192 vertices
    """
    dag, floor = pebbling.dag, ends(pebbling.dag)
    if _has_matrices(dag):
        return encode_run(pebbling, [], floor, title)
    layered, names = _by_layers(dag, t)
    new = dict(zip(dag.labels, layered.labels, strict=True))
    moves = tuple(
        move._replace(vertex=new[move.vertex], source=move.source and new[move.source]) for move in pebbling.moves
    )
    run = encode_run(Pebbling(layered, pebbling.rules, moves, pebbling.made_by), [], floor, title)
    cells = sum(tensor["rows"] * tensor["columns"] for tensor in run["tensors"])
    shown = [""] * cells
    for vertex, cell in enumerate(unpacked("H", run["cell"])):
        shown[cell] = names[vertex]
    return run | {"names": shown}


def _has_matrices(dag: PebbleDag) -> bool:
    """Whether every vertex has a cell, and each tensor is given or computed: ``p[layer,place]`` is no matrix."""
    given = {dag.places[v].tensor for v in dag.inputs}
    computed = {place.tensor for place, operands in zip(dag.places, dag.predecessors, strict=True) if operands}
    return "" not in given | computed and not given & computed


def _by_layers(dag: PebbleDag, t: Texts) -> tuple[PebbleDag, tuple[str, ...]]:
    """The same DAG with labels that give each vertex a cell: inputs, layers by depth, outputs; and the names it had."""
    layer = [t("replay.layer", k=depth) for depth in dag.depths]
    for v in dag.outputs:
        layer[v] = t("replay.outputs")
    for v in dag.inputs:
        layer[v] = t("replay.inputs")
    sizes, taken = Counter(layer), Counter[str]()
    labels = []
    for name in layer:
        at, columns = taken[name], -(-sizes[name] // COLUMN)
        labels.append(f"{name}[{at}]" if columns == 1 else f"{name}[{at // columns},{at % columns}]")
        taken[name] += 1
    return PebbleDag(labels, dag.edges, dag.outputs, name=dag.name), dag.labels


def about_game(pebbling: Pebbling, title: str, t: Texts, address: str = "") -> About:
    """What the file of a pebbling says of it."""
    vertices, memory = grouped(len(pebbling.dag)), grouped(pebbling.rules.red)
    return About(title, t("replay.game", vertices=vertices, m=memory), address)


def game_file(pebbling: Pebbling, title: str, player: str, t: Texts, address: str = "") -> bytes:
    """The replay of any one pebbling: the reader's game, a file's. `player` is who or what made it."""
    return replay_file([encode_game(pebbling, player, t)], about_game(pebbling, title, t, address), t)


# ------------------------------------------------------------------------------------------------------- command line


def main(arguments: Sequence[str] | None = None) -> int:
    """Turn a ``pebbling/1`` file into a replay; 2, with one line on standard error, when it cannot be done."""
    parser = argparse.ArgumentParser(
        prog="python -m pages.shared.replay_file", description="A pebbling/1 file as one HTML file that plays it."
    )
    parser.add_argument("pebbling", type=Path, help="a pebbling in JSON (pebbling/1)")
    parser.add_argument("html", type=Path, help="the file to write")
    parser.add_argument("--title", default="", help="what it is called (default: the name of its DAG)")
    parser.add_argument("--lang", choices=sorted(LANGUAGES), default=DEFAULT)
    asked = parser.parse_args(arguments)
    try:
        pebbling = read_pebbling(asked.pebbling)
        title = asked.title or pebbling.dag.name or asked.pebbling.stem
        player = pebbling.made_by or asked.pebbling.stem
        asked.html.write_bytes(game_file(pebbling, title, player, Texts(asked.lang)))
    except (PebbleError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
