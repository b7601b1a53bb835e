"""DAGs by name, as one writes them at a command line or in a link: `matmul 2 2 1`, `attention_backward n=2 d=1`.

Sizes come by position or as name=value. Attention takes n (or n_q and n_k), d, granularity, form, target=yes and mask:
`mask=causal`, or rows of 0 and 1 with slashes between them, `mask=10/11`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble_engine.attention import attention_backward, attention_forward
from pebble_engine.dag import PebbleDag, limit_vertices
from pebble_engine.errors import DagFault, InvalidDag
from pebble_engine.examples import butterfly, chain, grid, matmul, pyramid, summation_tree

BUILDERS: dict[str, Callable[..., PebbleDag]] = {
    builder.__name__: builder
    for builder in (
        attention_backward,
        attention_forward,
        butterfly,
        chain,
        grid,
        matmul,
        pyramid,
        summation_tree,
    )
}
_WORDS = {"form", "granularity"}


def dag_by_name(words: Sequence[str]) -> PebbleDag:
    """The DAG that a name and its sizes stand for.

    >>> dag_by_name(["matmul", "2", "2", "k=1"])
    PebbleDag('matmul chain 2x2x1', 8 vertices, 8 edges, 4 inputs, 4 outputs)
    >>> dag_by_name("attention-backward n=2 mask=causal granularity=tree".split()).name
    'attention_backward n_q=2 n_k=2 d=1 granularity=tree mask=10/11'
    >>> dag_by_name(["matmul", "2"])
    Traceback (most recent call last):
    ...
    pebble_engine.errors.InvalidDag: matmul needs m q k, and q k are not given
    """
    name = words[0].replace("-", "_") if words else ""
    builder = BUILDERS.get(name)
    if builder is None:
        raise _wrong(f"there is no DAG {name!r:.60}; there are {', '.join(BUILDERS)}")
    parameters = inspect.signature(builder).parameters
    given: dict[str, Any] = {}
    for place, word in enumerate(words[1:]):
        key, equals, value = word.partition("=")
        if not equals:
            names = [key for key, parameter in parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
            if place >= len(names):
                raise _wrong(f"{name} takes {len(names)} sizes by position, {word!r:.60} is one more")
            key, value = names[place], word
        if key not in parameters:
            raise _wrong(f"{name} has no {key!r:.60}; it takes {', '.join(parameters)}")
        if key in given:
            raise _wrong(f"{key} is given twice")
        given[key] = value
    missing = [
        key for key, value in parameters.items() if value.default is inspect.Parameter.empty and key not in given
    ]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise _wrong(f"{name} needs {' '.join(parameters)}, and {' '.join(missing)} {are} not given")
    sizes: dict[str, Any] = {key: _value(key, value) for key, value in given.items() if key != "mask"}
    if "mask" in given:
        sizes["mask"] = _mask(given["mask"], sizes)
    return builder(**sizes)


def _value(key: str, value: str) -> int | str | bool:
    if key in _WORDS:
        return value
    if key == "target":
        if value not in ("yes", "no"):
            raise _wrong(f"target must be yes or no, got {value!r:.60}")
        return value == "yes"
    if not (value.isascii() and value.isdigit() and len(value) <= 12):
        raise _wrong(f"{key} must be a whole number of at least 1, got {value!r:.60}", "bad_size")
    return int(value)


def _mask(value: str, sizes: dict[str, Any]) -> NDArray[np.bool_]:
    if value == "causal":
        n_q, n_k = (sizes.get(key, sizes.get("n", 1)) for key in ("n_q", "n_k"))
        limit_vertices(n_q * n_k)
        return np.tri(n_q, n_k, dtype=np.bool_)
    rows = value.split("/")
    if not set(value) <= set("01/") or len(set(map(len, rows))) != 1:
        raise _wrong(f"mask must be causal, or rows of 0 and 1 like 10/11, got {value!r:.60}", "bad_mask")
    return np.array([[bit == "1" for bit in row] for row in rows], dtype=np.bool_)


def _wrong(sentence: str, reason: str = "bad_choice") -> InvalidDag:
    return InvalidDag(DagFault(reason, sentence, {}))
