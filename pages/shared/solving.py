"""The solver beside the page: apart from it, one search at a time, so that a class that solves does not stop a class.

Knows nothing of Streamlit.
"""

import threading
from functools import lru_cache

from pages.shared.apart import Exhausted, Limits, apart
from pebble_engine import PebbleDag, Rules, solve
from pebble_engine.solver import Solution

PATIENCE = 10.0  # seconds to wait for other readers' searches
STARTING = 20.0  # seconds for the process to begin, on a busy machine
MEMORY = 1 << 30  # bytes of address space; 150,000 states take a tenth of it
QUICK_SECONDS, QUICK_STATES = 0.2, 2_000  # a search that is made here, when there is no turn
_turn = threading.Semaphore(1)


def solved(dag: PebbleDag, rules: Rules, seconds: float, states: int) -> Solution:
    """`pebble_engine.solve` within these limits. When too many others search it searches little: its cost is then that
    of a good pebbling, and the bound may be lower than it could be.

    Raises `pebble_engine.solver.DoesNotFit`.
    """
    if _turn.acquire(timeout=PATIENCE):
        try:
            return _solved(dag, rules, seconds, states)
        except Exhausted:
            pass
        finally:
            _turn.release()
    return solve(dag, rules, time_limit=QUICK_SECONDS, max_states=QUICK_STATES)


@lru_cache(maxsize=32)  # the same link, opened by a class; an entry is a few hundred moves
def _solved(dag: PebbleDag, rules: Rules, seconds: float, states: int) -> Solution:
    asked = {"dag": dag, "rules": rules, "time_limit": seconds, "max_states": states}
    found: Solution = apart("pebble_engine:solve", asked, Limits(seconds + STARTING, MEMORY))
    return found
