"""A pebbling on paper: an HTML page that lists each move with its line of code, words moved and red pebbles."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate
from typing import Any

from pages.shared.board import ASSETS, VERTEX_BITS, Run, unpacked
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.replay_file import About, made_with
from pages.shared.theme import css_tokens
from pebble_engine.rules import COMPUTE, DELETE, LOAD, SLIDE, STORE

MOST = 2_000  # moves of a run on a sheet: some thirty pages
_KEYS = {LOAD: "load", STORE: "store", COMPUTE: "compute", DELETE: "delete"}


def step_sheet(runs: Sequence[Run], about: About, t: Texts) -> bytes:
    """The sheet (HTML, UTF-8): for each run that fits its code, then a table of its moves, at most `MOST` of them."""
    sections = "\n".join(_section(run, t) for run in runs if run.get("fits") is not False)
    title = escape(t("replay.sheet_title", title=about.title))
    css = css_tokens() + (ASSETS / "sheet.css").read_text(encoding="utf-8")
    page = f"""<!doctype html>
<html lang="{t.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
<button type="button" onclick="print()">{escape(t("replay.sheet_print"))}</button>
</header>
<p>{escape(about.sentence)}</p>
{sections}
<footer>{made_with(about, t)}</footer>
</body>
</html>
"""
    return page.encode()


def _section(run: Run, t: Texts) -> str:
    memory, total = grouped(run["red"]), len(unpacked("H", run["moves"]))
    head = "".join(
        f'<th scope="col">{escape(t(f"replay.sheet_{name}", **({"m": memory} if name == "red" else {})))}</th>'
        for name in ("step", "what", *(["line"] if run["code"] else []), "io", "red")
    )
    rows = "\n".join(_row(step, bool(run["code"])) for step in moves_of(run, t, MOST))
    ending = t(
        "replay.sheet_end", io=grouped(run["io"]), peak=grouped(run["peak"]), m=memory, floor=grouped(run["floor"])
    )
    if total > MOST:
        ending = t("replay.sheet_cut", shown=grouped(MOST), moves=grouped(total)) + " " + ending
    return f"""<section>
<h2>{escape(run["title"])}</h2>
<p>{escape(t("replay.sheet_how", m=memory))}</p>
{_code(run["code"], t)}
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
<p class="end">{escape(ending)}</p>
</section>"""


def _code(lines: Sequence[str], t: Texts) -> str:
    if not lines:
        return ""
    items = "".join(f"<li><code>{escape(line) or ' '}</code></li>" for line in lines)
    return f"<h3>{escape(t('replay.sheet_code'))}</h3>\n<ol>{items}</ol>"


def _row(step: dict[str, Any], with_line: bool) -> str:
    line = f"<td>{step['line'] + 1}</td>" if with_line else ""
    mark = ' class="word"' if step["word"] else ""
    what = escape(step["what"])
    return f"<tr{mark}><td>{step['number']}</td><td>{what}</td>{line}<td>{step['io']}</td><td>{step['red']}</td></tr>"


def moves_of(run: Run, t: Texts, most: int) -> Iterator[dict[str, Any]]:
    """The first `most` moves of an encoded run: number from 1, what happens in words, line of code from 0, whether it
    moves a word, and words moved and red pebbles after it."""
    names, terms = _names(run)
    codes = unpacked("H", run["moves"])[:most]
    ops = [code >> VERTEX_BITS for code in codes]
    sources = iter(unpacked("H", run["sources"]))
    io = accumulate(int(op in (LOAD, STORE)) for op in ops)
    red = accumulate((op in (LOAD, COMPUTE)) - (op == DELETE) for op in ops)
    lines = unpacked("B", run["lines"])
    for number, (code, op, words, pebbles) in enumerate(zip(codes, ops, io, red, strict=True), start=1):
        vertex = code & ((1 << VERTEX_BITS) - 1)
        source = next(sources) if op == SLIDE else None
        step, steps = terms[vertex]
        if op in (COMPUTE, SLIDE) and steps > 1:
            what = t("replay.move_add", v=names[vertex], k=step + 1, steps=steps)
        elif source is not None:
            what = t("replay.move_slide", v=names[vertex], u=names[source])
        else:
            what = t(f"replay.move_{_KEYS[op]}", v=names[vertex])
        yield {
            "number": number,
            "what": what,
            "line": lines[number - 1],
            "word": op in (LOAD, STORE),
            "io": words,
            "red": pebbles,
        }


def _names(run: Run) -> tuple[list[str], list[tuple[int, int]]]:
    """For each vertex: the name of its cell; its place in the cell's sum, and how many terms that has."""
    cells, steps = [], []
    for tensor in run["tensors"]:
        for row in range(tensor["rows"]):
            for column in range(tensor["columns"]):
                cells.append(f"{tensor['name']}[{row}]" if tensor["vector"] else f"{tensor['name']}[{row},{column}]")
                steps.append(tensor["steps"])
    cells = run.get("names", cells)
    cell, step = unpacked("H", run["cell"]), unpacked("H", run["step"])
    return [cells[c] for c in cell], [(k, steps[c]) for k, c in zip(step, cell, strict=True)]
