"""The Play page's side of the game: levels for the component, logs checked again, files and DAGs of the reader's own.

The browser knows the rules and answers at once; nothing that it says is believed. Every log of moves is played again by
`pebble_engine`, and what is legal of it becomes the setting ``moves``, which is also in the address.
"""

import io
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared.fault import callback
from pages.shared.fields import Problem
from pages.shared.i18n import Texts, escaped
from pages.shared.levels import LEVEL_IDS, OWN, Level, best_bound, levels
from pages.shared.numbers import grouped
from pages.shared.play_board import layout, most_moves, played, read, written
from pages.shared.said import parts
from pages.shared.settings import PLAY, PlaySettings
from pages.shared.solving import solved
from pages.shared.theme import css_tokens, source
from pages.shared.url_state import Address
from pebble_engine import (
    Fault,
    Game,
    InvalidDag,
    InvalidPebbling,
    Move,
    PebbleDag,
    Pebbling,
    Rules,
    read_pebbling,
    schedule_faults,
)
from pebble_engine.notation import MAX_SIZE
from pebble_engine.own_dag import read_dag
from pebble_engine.solver import DoesNotFit

BOARD = "play_board"  # the component's key
OWN_VERTICES = 80  # drawn, every vertex a button
OWN_LENGTH = 200_000  # characters: eighty vertices with long names and every edge take less
OWN_PASTED = 1_000_000  # characters that the field takes: what is longer than `OWN_LENGTH` is answered with a sentence
OWN_RED = 64
OWN_SECONDS, OWN_STATES = 4.0, 150_000  # for the solver, on the reader's own DAG
FAULTS_SHOWN = 40
_UNREADABLE = ("bad_move", "not_json", "not_text", "too_large", "bad_dag", "bad_rules")  # reasons with a sentence
_OWN, _REPORT, _SOLVED, _LISTED = "_play_own", "_play_report", "_play_solved", "_play_listed"

_JS = ["board/element.js", "board/words.js"]
_JS += [f"play/{name}.js" for name in ("rules", "hint", "scene", "panel", "play")]
_component = st.components.v2.component(
    "pebble_play",
    html=source("play/play.html"),
    css=css_tokens() + source("play/play.css"),
    js=source(*_JS),
)


# ------------------------------------------------------------------------------------------- the level and its moves


def names_of(dag: PebbleDag, t: Texts) -> list[str]:
    """What the vertices are called on the page: the cell, and which term of its sum where it has several."""
    return [
        label.partition("#")[0] if place.steps == 1 and place.tensor else _term(label, place.step, place.steps, t)
        for label, place in zip(dag.labels, dag.places, strict=True)
    ]


def _term(label: str, step: int, steps: int, t: Texts) -> str:
    return t("play.term", cell=label.partition("#")[0], k=step + 1, steps=steps) if steps > 1 else label


def options(level: Level, t: Texts) -> list[str]:
    """The levels that can be chosen now, for the list of levels, where `level` is chosen.

    The list goes by the words that it shows. When those have changed, by another language or a level solved, it must be
    told again which level it is.
    """
    ids = [*LEVEL_IDS, OWN] if _OWN in st.session_state else list(LEVEL_IDS)
    words = [title(level_id, t) for level_id in ids]
    if st.session_state.get(_LISTED) != words:
        st.session_state[_LISTED] = words
        st.session_state["play.level"] = level.id
    return ids


def title(level_id: str, t: Texts) -> str:
    """A level's number and name, and how well this reader has solved it in this session."""
    io = st.session_state.get(_SOLVED, {}).get(level_id)
    if io is None:
        return plain_title(level_id, t)
    words = {"number": LEVEL_IDS.index(level_id) + 1, "title": t(f"play.title.{level_id}")}
    return t("play.level_par", **words) if io <= levels()[level_id].par else t("play.level_solved", io=io, **words)


def plain_title(level_id: str, t: Texts) -> str:
    """A level's number and name."""
    if level_id == OWN:
        return t("play.own")
    return t("play.level_name", number=LEVEL_IDS.index(level_id) + 1, title=t(f"play.title.{level_id}"))


def _named(level_id: str, t: Texts) -> str:
    """A level inside a sentence."""
    if level_id == OWN:
        return t("play.own")
    return t("play.level_named", number=LEVEL_IDS.index(level_id) + 1, title=t(f"play.title.{level_id}"))


def current(address: Address, t: Texts) -> tuple[Level, Pebbling]:
    """The level and the game so far. What the address asks for and cannot be had is put right there, and said."""
    settings: PlaySettings = address.settings
    if settings.level == OWN and _OWN not in st.session_state:
        first = PlaySettings()
        address.correct(Problem("own_missing", "level", OWN), level=first.level, moves=first.moves)
    level = st.session_state[_OWN] if address.settings.level == OWN else levels()[address.settings.level]
    moves, unreadable = read(level.dag, level.rules, address.settings.moves)
    game, refusal = played(level.dag, level.rules, moves)
    legal = written(level.dag, level.rules, game.moves)
    if refusal and refusal.move:
        why = refusal_sentence(refusal.fault, level, t)
        broken = (("step", refusal.step), ("move", _move_words(refusal.move, level, t)), ("why", why))
        address.correct(Problem("moves_illegal", "moves", address.settings.moves, data=broken), moves=legal)
    elif unreadable:
        at = (("step", len(moves) + 1),)
        address.correct(Problem("moves_number", "moves", address.settings.moves, data=at), moves=legal)
    address.problems = [_clearer(problem, level, t) for problem in address.problems]
    _note_solved(level, game)
    return level, Pebbling(level.dag, level.rules, game.moves, made_by="play")


def _clearer(problem: Problem, level: Level, t: Texts) -> Problem:
    """A problem with a link in words of this page: the level by its title, not by its id."""
    shown = (("title", _named(level.id, t)),)
    if problem.field == "level" and problem.code == "id":
        return Problem("level", "level", problem.value, data=(("count", len(LEVEL_IDS)), *shown))
    if problem.field == "moves" and problem.code in ("moves_text", "too_long"):
        return Problem("moves_link", "moves", problem.value, data=shown)
    return replace(problem, data=(*problem.data, *shown))


def _note_solved(level: Level, game: Game) -> None:
    """The level is solved by moves made here, not by a link or the shown solution: the list of levels says so."""
    log = _log()
    here = log.get("level") == level.id and log.get("moves") == written(level.dag, level.rules, game.moves)
    if here and game.is_solved and log.get("shown") is False and level.id != OWN:
        solved: dict[str, int] = st.session_state.setdefault(_SOLVED, {})
        if game.io < solved.get(level.id, game.io + 1):
            solved[level.id] = game.io


def _move_words(move: Move, level: Level, t: Texts) -> str:
    """A move as the page's list of moves says it."""
    names = dict(zip(level.dag.labels, names_of(level.dag, t), strict=True))
    return t(f"play.board.move_{move.op}", v=names[move.vertex], u=names[move.source] if move.source else "")


def refusal_sentence(fault: Fault, level: Level, t: Texts) -> str:
    """Why a move is refused, in the reader's language, from the reason and its data alone."""
    names = dict(zip(level.dag.labels, names_of(level.dag, t), strict=True))
    listed = ", ".join(names.get(label, label) for label in fault.vertices)
    if fault.reason in ("unknown_vertex", "output_not_blue"):
        return t(f"play.fault_{fault.reason}", names=listed)
    v = names.get(fault.move.vertex, "") if fault.move else ""
    return t(f"play.board.refusal_{fault.reason}", v=v, names=listed, m=level.rules.red)


@lru_cache(maxsize=64)
def _content(level: Level, lang: str) -> str:
    """A level as the component reads it: a JSON text that depends on the level and the language alone."""
    t, dag = Texts(lang), level.dag
    own = level.id == OWN
    after = dict(pairwise(LEVEL_IDS)).get(level.id)
    content: dict[str, Any] = {
        "id": level.id,
        "names": names_of(dag, t),
        "marks": [f"{place.step + 1}/{place.steps}" if place.steps > 1 else "" for place in dag.places],
        "preds": dag.predecessors,
        "outputs": dag.outputs,
        "layout": layout(dag, level.view),
        "red": level.rules.red,
        "sliding": level.rules.sliding,
        "recompute": level.rules.recompute,
        "par": level.par,
        "proven": level.proven,
        "bound": level.bound,
        "bound_kind": level.bound_kind,
        "best": written(dag, level.rules, level.solution),
        "most": most_moves(dag, level.rules),
        "next": after,
        "shareable": not own,
        "task": t("play.own_task", vertices=len(dag), red=level.rules.red) if own else t(f"play.task.{level.id}"),
        "lesson": "" if own else t(f"play.lesson.{level.id}"),
    }
    content["stamp"] = zlib.crc32(
        json.dumps([dag.labels, content["preds"], content["red"], level.rules.sliding]).encode()
    )
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def board(level: Level, game: Pebbling, t: Texts) -> None:
    """Draw the board. ``log`` is every move of the game at each change (not an event that can be missed), and whether
    they are the shown solution; ``wish`` is ``{"level": id}`` when the reader goes on to the next level."""
    content = _content(level, t.lang)
    _component(
        key=BOARD,
        data={
            "rev": f"{level.id}-{json.loads(content)['stamp']}",
            "lang": t.lang,
            "seq": _log().get("seq", 0),
            "moves": written(level.dag, level.rules, game.moves),
            "ticked": level.id in st.session_state.get(_SOLVED, {}),
            "labels": t.group("play.board"),
            "level": content,
        },
        default={"log": None, "wish": None},
        on_log_change=_adopt_log,
        on_wish_change=_adopt_wish,
    )


def _log() -> dict[str, Any]:
    log = parts(BOARD, "log")
    return log if isinstance(log.get("seq"), int) else {}


@callback
def _adopt_log() -> None:
    """The reader has made or taken back moves. They become the setting `moves`, which `current` checks."""
    log = _log()
    if log and log.get("level") == st.session_state.get("play.level"):
        st.session_state["play.moves"] = str(log.get("moves"))
        st.session_state.pop(_REPORT, None)


@callback
def _adopt_wish() -> None:
    level = parts(BOARD, "wish").get("level")
    if level in LEVEL_IDS:
        st.session_state["play.level"] = level


# ------------------------------------------------------------------------------------------ files of the reader's own


@dataclass(frozen=True)
class Report:
    """What is said about a file: one sentence, then a list of faults."""

    ok: bool
    sentence: str
    faults: tuple[str, ...] = ()

    def show(self) -> None:
        """Draw it."""
        text = "\n".join([escaped(self.sentence), "", *(f"- {escaped(fault)}" for fault in self.faults)])
        (st.success if self.ok else st.warning)(text)


def show_report(kind: str) -> None:
    """Draw what is to be said about the last ``solution`` or ``dag`` that was opened, if it is the last thing done."""
    found: tuple[str, Report] | None = st.session_state.get(_REPORT)
    if found and found[0] == kind:
        found[1].show()


def check_solution(data: bytes, level: Level, t: Texts) -> tuple[Report, str | None]:
    """A solution file: what is to be said about it, and its moves for the address when it is right."""
    if not data.strip():
        return Report(False, t("play.open_empty")), None
    try:
        moves = read_pebbling(io.BytesIO(data), dag=level.dag, rules=level.rules, check=False).moves
    except InvalidPebbling as error:
        where = t("play.open_where", line=error.line) if error.line else ""
        why, broken_dag = _unreadable(error, t)
        return Report(False, f"{t('play.open_unreadable', where=where)} {why}", broken_dag), None
    if not moves:
        return Report(False, t("play.open_no_move")), None
    faults = schedule_faults(level.dag, level.rules, moves)
    if faults:
        broken = [fault for fault in faults if fault.move]
        sentence = t("play.open_faults", first=broken[0].step, count=len(faults)) if broken else t("play.open_goal")
        return Report(False, sentence, tuple(_lines(faults, level, t))), None
    if len(moves) > most_moves(level.dag, level.rules):
        return Report(False, t("play.open_many", most=most_moves(level.dag, level.rules))), None
    return Report(True, t("play.open_ok")), written(level.dag, level.rules, moves)


def _unreadable(error: InvalidPebbling, t: Texts) -> tuple[str, tuple[str, ...]]:
    """Why a file is no pebbling: a sentence, and the faults of the graph in it."""
    if error.reason == "bad_document":
        return _document_fault(error.data, t), ()
    cause = error.__cause__
    faults = cause.faults if isinstance(cause, InvalidDag) else ()
    reason = error.reason if error.reason in _UNREADABLE else "other"
    move = error.move or ""
    short = move if len(move) <= 40 else f"{move[:39]}\u2026"
    why = t(f"play.unreadable_{reason}", move=short, count=len(faults))
    return why, tuple(_dag_fault(fault.reason, fault.data, t) for fault in faults[:FAULTS_SHOWN])


def _document_fault(data: dict[str, Any], t: Texts) -> str:
    """What in a JSON document is missing or wrong, by its place: ``dag.edges[3]``."""
    what = "whole" if data["what"] == "wrong_type" and not data["at"] else data["what"]
    words = {name: t(f"play.json_{value}") if name == "kind" else value for name, value in data.items()}
    return t(f"play.document_{what}", **words)


def _lines(faults: list[Fault], level: Level, t: Texts) -> Iterable[str]:
    for fault in faults[:FAULTS_SHOWN]:
        why = refusal_sentence(fault, level, t)
        if fault.move:
            yield t("play.fault", step=fault.step, move=str(fault.move), why=why)
        else:
            yield t("play.fault_end", why=why)
    if len(faults) > FAULTS_SHOWN:
        yield t("play.fault_more", k=len(faults) - FAULTS_SHOWN)


@callback
def open_solution(level: Level, t: Texts) -> None:
    """The reader has chosen a file with a solution of this level."""
    data = _uploaded("play.file")
    if data is None:
        return
    report, moves = check_solution(data[: MAX_SIZE + 1], level, t)
    if moves:
        st.session_state["play.moves"] = moves
    st.session_state[_REPORT] = ("solution", report)


def _uploaded(key: str) -> bytes | None:
    """What is in the file of an upload field; None without one."""
    file = st.session_state.get(key)
    return file.getvalue() if isinstance(file, UploadedFile) else None


def check_dag(data: str | bytes, red: int, sliding: bool, t: Texts) -> tuple[Report | None, Level | None]:
    """A DAG of the reader's own, pasted or in a file, as a level; or what is wrong with it, every fault named."""
    if len(data) > OWN_LENGTH:
        return Report(False, t("play.dag_long", count=grouped(len(data)), most=grouped(OWN_LENGTH))), None
    try:
        dag = read_dag(io.StringIO(data) if isinstance(data, str) else io.BytesIO(data))
    except InvalidDag as error:
        faults = tuple(_dag_fault(fault.reason, fault.data, t) for fault in error.faults[:FAULTS_SHOWN])
        return Report(False, t("play.dag_refused", count=len(error.faults)), faults), None
    if len(dag) > OWN_VERTICES:
        return Report(False, t("play.dag_big", vertices=len(dag), most=OWN_VERTICES)), None
    rules = Rules(red, sliding=sliding)
    try:
        found = solved(dag, rules, OWN_SECONDS, OWN_STATES)
    except DoesNotFit as error:
        names = ", ".join(error.vertices[:8])
        return Report(False, t("play.dag_narrow", red=red, names=names, least=error.least)), None
    bound, kind = best_bound(dag, rules, 0 if found.proved else found.lower_bound)
    return None, Level(OWN, dag, rules, "layers", found.cost, found.proved, bound, kind, found.moves)


def _no_red(asked: str, t: Texts) -> Report | None:
    """What is wrong with the number of red pebbles that was typed."""
    if asked.isascii() and asked.isdecimal() and len(asked) < 9 and 1 <= int(asked) <= OWN_RED:
        return None
    short = asked if len(asked) <= 24 else f"{asked[:23]}\u2026"
    return Report(False, t("play.dag_red_wrong", value=short, most=OWN_RED))


def _dag_fault(reason: str, data: dict[str, Any], t: Texts) -> str:
    """A fault of a DAG in the reader's language, from its reason and data alone."""
    if reason == "bad_document":
        return _document_fault(data, t)
    if reason == "not_json" and data.get("line"):
        reason = "not_json_line"
    if "cycle" in data:
        data = data | {"cycle": [*data["cycle"], data["cycle"][0]]}
    words = {name: _path(value) if isinstance(value, list) else str(value) for name, value in data.items()}
    try:
        return t(f"play.dagfault_{reason}", **words) if words else t(f"play.dagfault_{reason}")
    except (KeyError, IndexError):
        return t("play.dagfault_other")


def _path(labels: list[object]) -> str:
    return " \u2192 ".join(map(str, labels))


def saved_game(data: bytes) -> Pebbling | None:
    """What a file says was played so far, on which graph and by which rules; None for a file with a graph alone."""
    if len(data) > OWN_LENGTH:
        return None
    try:
        return read_pebbling(io.BytesIO(data), check=False)
    except InvalidPebbling:
        return None


@callback
def open_own(t: Texts) -> None:
    """The reader has chosen a file with a DAG, or taken it away again. A game that was saved goes on where it was."""
    data, state = _uploaded("play.own_file"), st.session_state
    if data is None:
        return
    game = saved_game(data)
    if game:
        state["play.own_red"], state["play.own_sliding"] = str(game.rules.red), game.rules.sliding
    level = _play_own(data, t)
    if game and level:
        so_far, _ = played(level.dag, level.rules, game.moves[: most_moves(level.dag, level.rules)])
        state["play.moves"] = written(level.dag, level.rules, so_far.moves)


@callback
def play_own(t: Texts) -> None:
    """The reader wants to play on the DAG that was pasted; without one, on that of the file, with M as it is now."""
    text = str(st.session_state.get("play.own_text", ""))
    data = None if text.strip() else _uploaded("play.own_file")
    _play_own(text if data is None else data, t)


def _play_own(data: str | bytes, t: Texts) -> Level | None:
    state = st.session_state
    asked = str(state.get("play.own_red", "")).strip()
    report, level = _no_red(asked, t), None
    if report is None:
        report, level = check_dag(data, int(asked), bool(state.get("play.own_sliding")), t)
    if level:
        state[_OWN] = level
        state["play.level"], state["play.moves"] = OWN, PLAY.settings().moves
        state.pop(_REPORT, None)
    else:
        state[_REPORT] = ("dag", report)
    return level
