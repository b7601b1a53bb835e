"""Pebblings as text and as JSON, written and read.

Text: one move a line, by label; blank lines are skipped and `;` starts a comment. The DAG and the rules are not in it.

    ; C = A B
    load A[0,0]
    slide C[0,0]#0 C[0,0]#1

JSON, `pebbling/1`: everything, in one document. Vertex numbers count from 0 into `vertices`.

    {"format": "pebbling/1",
     "dag": {"name": str, "vertices": [label, ...], "edges": [[u, v], ...], "inputs": [u, ...], "outputs": [v, ...]},
     "rules": {"red": M, "sliding": bool, "recompute": bool},
     "moves": [["load", v], ["store", v], ["compute", v], ["slide", u, v], ["delete", v], ...],
     "io": int, "made_by": str}

`io` and `made_by` may be missing. Reading is strict: no other key, no other type, every move legal, `io` right. What is
refused is refused with the line, the move and the reason.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from pebble_engine.dag import MAX_EDGES, MAX_VERTICES, PebbleDag
from pebble_engine.errors import IllegalMove, InvalidDag, InvalidMove, InvalidPebbling, InvalidRules
from pebble_engine.pebbling import Pebbling, replay
from pebble_engine.rules import SLIDE, Move, Rules, encode

FORMAT = "pebbling/1"
MAX_SIZE = 100_000_000  # characters of a text, bytes of a file
MAX_MOVES = 5_000_000

Source = str | os.PathLike[str] | IO[str] | IO[bytes]


def read_pebbling(
    source: Source,
    *,
    dag: PebbleDag | None = None,
    rules: Rules | None = None,
    made_by: str = "",
    check: bool = True,
) -> Pebbling:
    """Read a pebbling, JSON or text, and check that every move is legal.

    Parameters
    ----------
    source : a path, an open file, or the text itself: a `str` is text when it has a line break in it or starts
        with `{`, and a path otherwise
    dag, rules : what a text pebbling is for. JSON brings its own, and these are ignored
    made_by : as `dag`
    check : False reads a pebbling whose moves may be illegal and its total wrong, to have its faults listed

    Raises
    ------
    InvalidPebbling : it cannot be read, or its total is wrong
    IllegalMove : a move that the rules forbid, with its line
    OSError : the file cannot be opened

    Examples
    --------
    >>> from pebble_engine.examples import chain
    >>> read_pebbling("load x[0]\\ncompute x[2]\\n", dag=chain(2), rules=Rules(red=2))
    Traceback (most recent call last):
    ...
    pebble_engine.errors.IllegalMove: line 2: step 2, compute x[2]: x[1] is not red (red: x[0]; 1 of 2)
    """
    text = text_of(source)
    total: int | None = None
    if text.lstrip()[:1] in ("{", "["):  # no move begins like this, so a cut-off list is broken JSON, too
        pebbling, total = _from_json(text)
    elif dag is None or rules is None:
        sentence = f"this is no {FORMAT} document, and a pebbling in text form does not say its DAG and its rules"
        raise InvalidPebbling("no_dag", sentence)
    else:
        pebbling = Pebbling(dag, rules, parse_moves(text), made_by)
    if not check:
        return pebbling
    try:
        replay(pebbling)
    except IllegalMove as error:
        raise IllegalMove(error.fault, line=line_of_move(text, error.step)) from None
    if total not in (None, pebbling.io):
        raise InvalidPebbling("wrong_total", f"the file says io {total}, its moves make {pebbling.io}")
    return pebbling


def write_pebbling(
    pebbling: Pebbling, to: str | os.PathLike[str] | IO[str] | None = None, *, form: str = "json"
) -> str:
    """Write a pebbling to a path or an open text file, or nowhere, and return what was written.

    Parameters
    ----------
    form : `json` for `pebbling/1`, one move a line; `text` for the moves alone, under a comment that says what they are

    Raises
    ------
    InvalidPebbling, InvalidMove : in JSON, a move with a vertex that the DAG does not have, or what is no move at all
    OSError : the file cannot be written

    Examples
    --------
    >>> from pebble_engine.examples import chain
    >>> print(write_pebbling(Pebbling(chain(1), Rules(red=2), (Move.load("x[0]"),), "me"), form="text"), end="")
    ; chain 1, 2 red pebbles, io 1, made by me
    load x[0]
    """
    if form == "json":
        text = "".join(_json_lines(pebbling))
    elif form == "text":
        text = "".join(f"{line}\n" for line in (_comment(pebbling), *map(str, pebbling.moves)))
    else:
        raise ValueError(f"form must be json or text, got {form!r}")
    if to is None:
        return text
    if isinstance(to, (str, os.PathLike)):
        Path(to).write_text(text, encoding="utf-8")
    else:
        to.write(text)
    return text


def parse_moves(text: str) -> tuple[Move, ...]:
    """The moves of a pebbling in text form. Raises InvalidPebbling, which names the line.

    >>> parse_moves("load a ; the first\\n\\nstore a")
    (Move(op='load', vertex='a', source=None), Move(op='store', vertex='a', source=None))
    """
    moves: list[Move] = []
    known: dict[str, Move] = {}  # most lines of a long pebbling are repeats
    for line, written in _move_lines(text):
        move = known.get(written)
        if move is None:
            try:
                move = known[written] = Move.parse(written)
            except InvalidMove as error:
                raise InvalidPebbling("bad_move", f"move {len(moves) + 1}: {error}", line, written) from None
        moves.append(move)
        _limit(len(moves), MAX_MOVES, "moves")
    return tuple(moves)


def line_of_move(text: str, step: int) -> int | None:
    """The line (from 1) of a pebbling's text or JSON on which move `step` (from 1) stands.

    >>> line_of_move("; two moves\\nload a\\n\\nstore a", 2)
    4
    """
    if text.lstrip()[:1] != "{":
        return next((line for move, (line, _) in enumerate(_move_lines(text), start=1) if move == step), None)
    start = re.search(r'"moves"\s*:\s*\[', text)  # no string can hold this: its quotation marks would be escaped
    at = start.end() if start else len(text)
    decoder = json.JSONDecoder()
    for move in range(1, step + 1):
        while text[at : at + 1] in (" ", "\t", "\r", "\n", ","):
            at += 1
        if move == step or text[at : at + 1] in ("", "]"):
            break
        at = decoder.raw_decode(text, at)[1]
    return text.count("\n", 0, at) + 1


def _move_lines(text: str) -> Iterator[tuple[int, str]]:
    """(line number, line) of the lines that are neither blank nor a comment alone."""
    for line, written in enumerate(text.split("\n"), start=1):
        stripped = written.strip()
        if stripped and stripped[0] != ";":
            yield line, stripped


def text_of(source: Source) -> str:
    """What a source holds, within the size limit."""
    if isinstance(source, str) and ("\n" in source or source.lstrip()[:1] == "{"):
        held: str | bytes = source
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            held = file.read(MAX_SIZE + 1)
    else:
        held = source.read(MAX_SIZE + 1)
    _limit(len(held), MAX_SIZE, "characters")
    if isinstance(held, str):
        return held
    try:
        text = held.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:  # UTF-8 knows it, but no text has it: UTF-16, or no text at all
        raise InvalidPebbling("not_text", "the file is not text in UTF-8")
    return text


def _limit(size: int, most: int, what: str) -> None:
    if size > most:
        raise InvalidPebbling("too_large", f"a pebbling has at most {most} {what}", data={"most": most})


# ------------------------------------------------------------------------------------------------ pebbling/1, written


def _json_lines(pebbling: Pebbling) -> Iterator[str]:
    dag, rules = pebbling.dag, pebbling.rules

    def dump(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    yield f'{{"format": {dump(FORMAT)},\n'
    yield f'"dag": {{"name": {dump(dag.name)},\n'
    yield f'"vertices": {dump(dag.labels)},\n'
    yield f'"edges": {dump(dag.edges)},\n'
    yield f'"inputs": {dump(dag.inputs)},\n'
    yield f'"outputs": {dump(dag.outputs)}}},\n'
    rule_set = {"red": rules.red, "sliding": rules.sliding, "recompute": rules.recompute}
    yield f'"rules": {dump(rule_set)},\n'
    known: dict[Move, str] = {}
    for move in pebbling.moves:
        if move not in known:
            op, v, u = encode(dag, move)
            words = [u, v] if op == SLIDE else [v]
            if min(words) < 0:
                raise InvalidPebbling("bad_move", f"{move}: the DAG has no such vertex", move=str(move))
            known[move] = dump([move.op, *words])
    entries = ",\n".join(map(known.__getitem__, pebbling.moves))
    yield f'"moves": [\n{entries}\n],\n' if entries else '"moves": [],\n'
    yield f'"io": {pebbling.io},\n"made_by": {dump(pebbling.made_by)}}}\n'


def _comment(pebbling: Pebbling) -> str:
    """What a pebbling in text form is for, as a comment."""
    rules = pebbling.rules
    variants = (", sliding" if rules.sliding else "") + ("" if rules.recompute else ", one-shot")
    by = f", made by {pebbling.made_by}" if pebbling.made_by else ""
    line = f"; {pebbling.dag.name}, {rules.red} red pebbles{variants}, io {pebbling.io}{by}"
    return " ".join(line.split())  # one line, whatever the names hold


# --------------------------------------------------------------------------------------------------- pebbling/1, read


def _from_json(text: str) -> tuple[Pebbling, int | None]:
    """A pebbling, no move checked, and the total that the document gives for it."""
    needed: dict[str, type] = {"format": str, "dag": dict, "rules": dict, "moves": list}
    document = parse_json(text)
    if isinstance(document, dict) and document.get("format", FORMAT) != FORMAT:
        bad_format(document["format"])  # first: another format may well have other keys
    document = _fields(document, "", needed, {"io": int, "made_by": str})
    dag = dag_of(document["dag"])
    rules = _rules(document["rules"])
    moves = _moves(document["moves"], dag, text)
    return Pebbling(dag, rules, moves, document.get("made_by", "")), document.get("io")


def parse_json(text: str) -> Any:
    """Strict JSON: no key twice, no NaN. Raises InvalidPebbling (`not_json`)."""

    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not a number in JSON")

    def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            names = [name for name, _ in pairs]
            raise ValueError(f"the key {max(names, key=names.count)!r:.60} is given twice")
        return fields

    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=unrepeated)
    except json.JSONDecodeError as error:
        raise InvalidPebbling("not_json", f"this is not JSON: {error.msg}", line=error.lineno) from None
    except ValueError as error:
        raise InvalidPebbling("not_json", f"this is not JSON: {error}") from None
    except RecursionError:
        raise InvalidPebbling("not_json", "this is not a pebbling: its brackets are nested too deeply") from None


def _fields(value: Any, at: str, needed: dict[str, type], optional: dict[str, type]) -> dict[str, Any]:
    """A JSON object with exactly the keys that it should have, each of its type; `at` is its key in the document."""
    kinds = {**needed, **optional}
    what, path = (f"the {at}", f"{at}.") if at else ("the document", "")
    if type(value) is not dict:
        _bad(f"{what} must be an object, got {shown(value)}", "wrong_type", at, got=shown(value), kind="dict")
    fields: dict[str, Any] = value
    for key in needed:
        if key not in fields:
            _bad(f"{what} has no {key!r}", "no_key", path + key)
    for key, entry in fields.items():
        if key not in kinds:
            sentence = f"{what} has an unknown key {key!r:.60}; its keys are {', '.join(kinds)}"
            _bad(sentence, "unknown_key", f"{path}{key:.60}", known=", ".join(kinds))
        if type(entry) is not kinds[key]:
            got, kind = shown(entry), kinds[key]
            sentence = f"{key!r} of {what} must be {_JSON_NAMES[kind]}, got {got}"
            _bad(sentence, "wrong_type", path + key, got=got, kind=kind.__name__)
    return fields


_JSON_NAMES = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def dag_of(value: dict[str, Any]) -> PebbleDag:
    """The DAG of a `pebbling/1` document. Raises InvalidPebbling (`bad_document`, `bad_dag`, `too_large`)."""
    fields = _fields(value, "dag", {"vertices": list, "edges": list, "inputs": list, "outputs": list}, {"name": str})
    _limit(len(fields["vertices"]), MAX_VERTICES, "vertices")
    _limit(len(fields["edges"]), MAX_EDGES, "edges")
    for k, edge in enumerate(fields["edges"]):
        if type(edge) is not list or len(edge) != 2 or type(edge[0]) is not int or type(edge[1]) is not int:
            sentence = f"edge {k} must be two vertex numbers, got {shown(edge)}"
            _bad(sentence, "bad_edge", f"dag.edges[{k}]", got=shown(edge))
    for ends in ("inputs", "outputs"):
        for v in fields[ends]:
            if type(v) is not int:
                _bad(f"{ends} must be vertex numbers, got {shown(v)}", "bad_vertex", f"dag.{ends}", got=shown(v))
    edges = [(u, v) for u, v in fields["edges"]]
    try:
        return PebbleDag(
            fields["vertices"], edges, fields["outputs"], inputs=fields["inputs"], name=fields.get("name", "")
        )
    except InvalidDag as error:
        raise InvalidPebbling("bad_dag", f"the dag: {error}") from error


def _rules(value: dict[str, Any]) -> Rules:
    fields = _fields(value, "rules", {"red": int, "sliding": bool, "recompute": bool}, {})
    try:
        return Rules(**fields)
    except InvalidRules as error:
        raise InvalidPebbling("bad_rules", f"the rules: {error}") from error


def _moves(entries: list[Any], dag: PebbleDag, text: str) -> tuple[Move, ...]:
    """Moves from entries like ["slide", 3, 4]. Each different move is made once."""
    _limit(len(entries), MAX_MOVES, "moves")
    known: dict[tuple[Any, ...], Move] = {}
    moves: list[Move] = []
    for step, entry in enumerate(entries, start=1):
        try:
            key = _key(entry)
            move = known.get(key)
            if move is None:
                move = known[key] = _move(*key, labels=dag.labels)
        except InvalidMove as error:
            written = shown(entry)
            sentence = f"move {step}, {written}: {error.explanation}"
            raise InvalidPebbling("bad_move", sentence, line_of_move(text, step), written) from None
        moves.append(move)
    return tuple(moves)


def _key(entry: Any) -> tuple[Any, ...]:
    """An entry as a tuple: an operation and vertex numbers. (Types first: 1, 1.0 and true would be equal keys.)"""
    if type(entry) is not list or not entry or type(entry[0]) is not str:
        raise InvalidMove("", "empty", 'a move is a list like ["load", 0]')
    for v in entry[1:]:
        if type(v) is not int:
            raise InvalidMove("", "vertex_count", f"a vertex is a number, got {shown(v)}")
    return tuple(entry)


def _move(op: str, *vertices: int, labels: tuple[str, ...]) -> Move:
    for v in vertices:
        if not 0 <= v < len(labels):
            raise InvalidMove("", "unknown_vertex", f"there is no vertex {v}; they go from 0 to {len(labels) - 1}")
    return Move.of(op, *(labels[v] for v in vertices))


def shown(value: Any) -> str:
    """A JSON value for a sentence, cut to a length that can be read."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def bad_format(value: Any) -> NoReturn:
    """Refuse a document of another format."""
    _bad(f"the format is {value!r:.60}, this reads {FORMAT!r}", "bad_format", "format", got=shown(value))


def _bad(sentence: str, what: str, at: str, **data: str) -> NoReturn:
    raise InvalidPebbling("bad_document", sentence, data={"what": what, "at": at, **data})
