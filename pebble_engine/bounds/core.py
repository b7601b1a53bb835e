"""What the bounds share: the record, and a DAG without the vertices that no output needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pebble_engine.dag import PebbleDag
from pebble_engine.rules import Rules
from pebble_engine.schedules import needed

_ROUNDING = 1e-6  # a value this little above a whole number counts as that number


@dataclass(frozen=True)
class Bound:
    """A lower bound on the words moved by any pebbling, for M and the sliding rule as asked.

    Attributes
    ----------
    name : stable identifier
    value : words, not rounded
    source : where it is proven
    recompute : whether it holds when vertices may be computed again; otherwise for one-shot rules only
    sliding : whether it holds with the sliding rule
    """

    name: str
    value: float
    source: str
    recompute: bool = True
    sliding: bool = True

    @property
    def words(self) -> int:
        """`value` as whole words: a pebbling moves no fraction of one."""
        return max(0, math.ceil(self.value - _ROUNDING))

    @property
    def holds_for(self) -> str:
        """The rule sets for which it holds, in words."""
        if self.recompute:
            return "every rule set" if self.sliding else "no sliding"
        return "no recomputation" if self.sliding else "no recomputation, no sliding"

    def holds(self, rules: Rules) -> bool:
        """Whether it is a bound under these rules."""
        return (self.recompute or not rules.recompute) and (self.sliding or not rules.sliding)


class Core:
    """The part of a DAG that outputs need, in topological numbers.

    A pebbling that touches another vertex stays legal, and moves no more words, without every move on it.

    Attributes
    ----------
    operands, users : vertex -> vertices
    is_input, is_output : vertex -> bool; an output that is an input is blue from the start and no output here
    ends : inputs + outputs
    """

    def __init__(self, dag: PebbleDag) -> None:
        self.dag = dag
        wanted = needed(dag)
        vertices = [v for v in dag.order if v in wanted]
        numbers = {v: i for i, v in enumerate(vertices)}
        self.operands = [[numbers[u] for u in dag.predecessors[v]] for v in vertices]
        self.users = [[numbers[w] for w in dag.successors[v] if w in wanted] for v in vertices]
        self.is_input = [not operands for operands in self.operands]
        outputs = set(dag.outputs)
        self.is_output = [v in outputs and bool(dag.predecessors[v]) for v in vertices]
        # An input that is an output and nothing else is never touched.
        self.ends = sum(self.is_output) + sum(
            map(bool, (u for u, i in zip(self.users, self.is_input, strict=True) if i))
        )

    def __len__(self) -> int:
        return len(self.operands)
