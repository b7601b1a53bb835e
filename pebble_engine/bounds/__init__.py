"""Lower bounds on the words that any pebbling of a DAG moves, each with the rule set for which it holds.

>>> from pebble_engine import Rules, matmul
>>> for bound in bounds(matmul(3, 3, 3), Rules(red=4)):
...     print(bound.name, bound.words, bound.holds_for)
trivial 27 every rule set
matrix-product 36 every rule set
matrix-product-safe 19 every rule set

`bounds` returns those that hold for the rules asked about, and that say anything (are above 0). The methods:

    trivial              inputs that an output needs + outputs that are computed
    matrix-product       DAGs that are a product of matrices in chains (`products`)
    matrix-product-safe  the same, for every M
    attention-entries    DAGs that are an attention pass (`attention`)
    attention-products   the same, QKV form of the backward pass, by Loomis-Whitney
    hong-kung            small DAGs (`partition`)
    wavefront            one-shot rules only (`wavefront`), up to 2,000 vertices
    spectral             one-shot rules only (`spectral`), up to 1,000 vertices

A bound for one rule set holds for every stricter one: a one-shot game is a game, and so is one without sliding.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble_engine.bounds.attention import attention_entries, attention_products
from pebble_engine.bounds.core import Bound, Core
from pebble_engine.bounds.partition import hong_kung
from pebble_engine.bounds.products import matrix_product
from pebble_engine.bounds.spectral import spectral
from pebble_engine.bounds.wavefront import wavefront
from pebble_engine.dag import PebbleDag
from pebble_engine.rules import Rules

__all__ = ["Bound", "best_bound", "bounds"]


def bounds(dag: PebbleDag, rules: Rules) -> list[Bound]:
    """The bounds that hold for these rules. `trivial` is always the first.

    Deterministic, and a second or two at most: methods that cost more on larger DAGs leave those out.
    """
    core = Core(dag)
    return [bound for bound in _all(core, rules) if bound.holds(rules) and (bound.value > 0 or bound.name == "trivial")]


def best_bound(dag: PebbleDag, rules: Rules) -> int:
    """The largest of the bounds, in whole words.

    >>> from pebble_engine import matmul
    >>> best_bound(matmul(2, 2, 2), Rules(red=7))
    12
    """
    return max(bound.words for bound in bounds(dag, rules))


def _all(core: Core, rules: Rules) -> Iterator[Bound]:
    yield Bound("trivial", core.ends, source="every input is read, every output written")
    yield from matrix_product(core.dag, rules)
    yield from attention_entries(core.dag, rules)
    yield from attention_products(core.dag, rules)
    yield from hong_kung(core, rules)
    if not rules.recompute:
        yield from wavefront(core, rules)
        yield from spectral(core, rules)
