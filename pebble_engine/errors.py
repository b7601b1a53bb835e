"""Every way in which this package says no, as typed exceptions with a reason code and data.

The English sentence is for people at a terminal. Programs (and pages in another language) read `reason` and
the data beside it, never the sentence. All exceptions share the base class `PebbleError`, a `ValueError`.

    InvalidMove      a move cannot be read
    IllegalMove      a move can be read, and the rules forbid it here
    InvalidDag       a graph is not a computation DAG
    InvalidRules     a rule set makes no sense (no red pebble at all)
    InvalidPebbling  a file or text is not a pebbling
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pebble_engine.rules import Move

NAMED = 8  # at most so many labels are spelled out in a sentence


class PebbleError(ValueError):
    """Base class of everything that this package refuses."""

    reason: str

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are rebuilt from `args`, the sentence alone; ours have other parameters.
        return (_rebuild, (type(self), self.args, self.__dict__))


def _rebuild(kind: type[PebbleError], args: tuple[Any, ...], state: dict[str, Any]) -> PebbleError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InvalidMove(PebbleError):
    """A move cannot be read.

    `reason` is one of `empty`, `unknown_op`, `vertex_count`, `bad_quote`, `long_label`; `text` is what was read.
    """

    def __init__(self, text: str, reason: str, explanation: str) -> None:
        super().__init__(f"{text!r:.120} is not a move: {explanation}")
        self.text = text
        self.reason = reason
        self.explanation = explanation


@dataclass(frozen=True)
class Fault:
    """One rule that one move breaks.

    Attributes
    ----------
    step : the number of the move, from 1. The goal's fault (`output_not_blue`) carries the number of moves made.
    move : the move, None for the goal's fault
    reason : `unknown_vertex`, `not_blue`, `already_red`, `not_red`, `already_blue`, `is_input`, `operand_not_red`,
        `capacity`, `sliding_off`, `not_an_operand`, `recompute_off` or `output_not_blue`
    vertices : labels of the vertices that break the rule (`operand_not_red`: the operands that are missing)
    red : labels of red vertices before the move, in vertex order, the first sixteen
    count : number of red vertices before the move (words)
    capacity : number of red pebbles M (words)
    """

    step: int
    move: Move | None
    reason: str
    vertices: tuple[str, ...]
    red: tuple[str, ...]
    count: int
    capacity: int

    @property
    def data(self) -> dict[str, Any]:
        """What a sentence in any language needs, as plain JSON values."""
        return {
            "vertices": list(self.vertices),
            "red": list(self.red),
            "count": self.count,
            "capacity": self.capacity,
        }

    def as_json(self) -> dict[str, Any]:
        """The whole fault as plain JSON values."""
        move = None if self.move is None else str(self.move)
        return {"step": self.step, "move": move, "reason": self.reason, **self.data, "sentence": str(self)}

    def __str__(self) -> str:
        why = _EXPLAIN[self.reason].format(names=listed(self.vertices), are="is" if len(self.vertices) == 1 else "are")
        where = f"step {self.step}, {self.move}" if self.move is not None else f"after step {self.step}"
        red = listed(self.red, of=self.count, joined=", ") or "none"
        return f"{where}: {why} (red: {red}; {self.count} of {self.capacity})"


_EXPLAIN = {
    "unknown_vertex": "the DAG has no vertex {names}",
    "not_blue": "{names} {are} not blue, so there is no copy in slow memory to load",
    "already_red": "{names} {are} red already",
    "not_red": "{names} {are} not red",
    "already_blue": "{names} {are} blue already",
    "is_input": "{names} {are} an input, which is loaded and never computed",
    "operand_not_red": "{names} {are} not red",
    "capacity": "no red pebble is free; delete one first",
    "sliding_off": "the sliding rule is off; compute, then delete",
    "not_an_operand": "{names} {are} not an operand",
    "recompute_off": "{names} {are} computed already, and this rule set allows it once",
    "output_not_blue": "{names} {are} not blue, and every output must be",
}


def listed(labels: Sequence[str], of: int | None = None, joined: str = " and ") -> str:
    """Labels as a phrase, cut after a few.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], of=5, joined=", ")
    ('a', 'a, b and c', 'a, b, 3 more')
    """
    total = len(labels) if of is None else of
    shown = list(labels[:NAMED])
    if total > len(shown):
        shown.append(f"{total - len(shown)} more")
    return ", ".join(shown[:-1]) + joined + shown[-1] if len(shown) > 1 else "".join(shown)


class IllegalMove(PebbleError):
    """A move that the rules forbid in the position where it was asked for.

    Attributes
    ----------
    fault : the first rule that it breaks
    reason, step, move : those of the fault
    data : what a sentence in any language needs
    line : the line of the file that the move was read from, None for a move that came from elsewhere
    """

    def __init__(self, fault: Fault, line: int | None = None) -> None:
        super().__init__(str(fault) if line is None else f"line {line}: {fault}")
        self.fault = fault
        self.reason = fault.reason
        self.step = fault.step
        self.move = fault.move
        self.data = fault.data
        self.line = line


@dataclass(frozen=True)
class DagFault:
    """One reason why a graph is not a computation DAG.

    `reason` is one of `bad_size`, `bad_choice`, `bad_mask`, `too_large`, `empty`, `bad_label`, `duplicate_label`,
    `unknown_vertex`, `self_loop`, `duplicate_edge`, `cycle`, `unknown_input`, `duplicate_input`, `input_has_operands`,
    `source_not_input`, `unknown_output`, `duplicate_output`, `no_outputs`; of a file also `not_text`, `not_json`,
    `bad_document`, `bad_line`, `not_directed`.
    """

    reason: str
    sentence: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return self.sentence


class InvalidDag(PebbleError):
    """A graph that is not a computation DAG.

    `faults` lists all that was found: labels are looked at first, then edges, then inputs and outputs, then cycles, and
    the first of these with a fault is the last. `reason` and `data` are the first fault's.
    """

    def __init__(self, *faults: DagFault) -> None:
        more = len(faults) - 1
        super().__init__(f"{faults[0]}" + (f" (and {more} more fault{'s' * (more > 1)})" if more else ""))
        self.faults = faults
        self.reason = faults[0].reason
        self.data = faults[0].data


class InvalidRules(PebbleError):
    """A rule set that makes no sense. `reason` is `bad_red` or `bad_flag`; `value` is what was asked for."""

    def __init__(self, reason: str, value: object, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.value = value


class InvalidPebbling(PebbleError):
    """A file or text that is not a pebbling.

    Attributes
    ----------
    reason : `too_large`, `not_text`, `not_json`, `bad_document`, `bad_dag`, `bad_rules`, `bad_move`, `wrong_total`,
        `no_dag`, `bad_lines`
    line : the line of the text, from 1; None where no line is to blame
    move : the move or the entry as it was read, None where no move is to blame
    data : what a sentence in any language needs. Of a `bad_document`: `what` (`no_key`, `unknown_key`, `wrong_type`,
        `bad_edge`, `bad_vertex`, `bad_id`, `bad_format`, `no_graph`), `at` (a path like ``dag.edges[3]``; empty for the
        whole), and where it helps `got` (the value as JSON, cut) and `kind` (`str`, `int`, `bool`, `list`, `dict`)
    """

    def __init__(
        self,
        reason: str,
        sentence: str,
        line: int | None = None,
        move: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(sentence if line is None else f"line {line}: {sentence}")
        self.reason = reason
        self.line = line
        self.move = move
        self.data = data or {}
