"""The red-blue pebble game: DAGs, rules, games, pebblings and their notation.

Knows nothing of kernels, of pages or of drawing.

>>> from pebble_engine import Game, Move, Rules
>>> from pebble_engine.examples import matmul
>>> game = Game(matmul(1, 1, 1), Rules(red=3))
>>> for text in ["load A[0,0]", "load B[0,0]", "compute C[0,0]#0", "store C[0,0]#0"]:
...     game.push(Move.parse(text))
>>> game.io, game.peak, game.is_solved
(3, 3, True)
"""

from pebble_engine.attention import attention_backward, attention_forward
from pebble_engine.bounds import Bound, best_bound, bounds
from pebble_engine.dag import PebbleDag, Place
from pebble_engine.errors import (
    DagFault,
    Fault,
    IllegalMove,
    InvalidDag,
    InvalidMove,
    InvalidPebbling,
    InvalidRules,
    PebbleError,
)
from pebble_engine.examples import butterfly, chain, grid, matmul, pyramid, summation_tree
from pebble_engine.game import Game, LegalMoves, Outcome
from pebble_engine.local_search import improve
from pebble_engine.notation import parse_moves, read_pebbling, write_pebbling
from pebble_engine.own_dag import read_dag, write_dag
from pebble_engine.pebbling import Pebbling, Replay, replay, schedule_faults
from pebble_engine.rules import Move, Rules
from pebble_engine.schedules import InvalidOrder, pebble_order
from pebble_engine.solver import SearchLimit, Solution, solve

__all__ = [
    "Bound",
    "DagFault",
    "Fault",
    "Game",
    "IllegalMove",
    "InvalidDag",
    "InvalidMove",
    "InvalidOrder",
    "InvalidPebbling",
    "InvalidRules",
    "LegalMoves",
    "Move",
    "Outcome",
    "PebbleDag",
    "PebbleError",
    "Pebbling",
    "Place",
    "Replay",
    "Rules",
    "SearchLimit",
    "Solution",
    "attention_backward",
    "attention_forward",
    "best_bound",
    "bounds",
    "butterfly",
    "chain",
    "grid",
    "improve",
    "matmul",
    "parse_moves",
    "pebble_order",
    "pyramid",
    "read_dag",
    "read_pebbling",
    "replay",
    "schedule_faults",
    "solve",
    "summation_tree",
    "write_dag",
    "write_pebbling",
]
