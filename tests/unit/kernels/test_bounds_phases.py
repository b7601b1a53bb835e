"""The proof of `bounds.products`, looked at in real pebblings: no phase of any run does more than the proof allows."""

import math
import re
from collections import Counter

import pytest

from kernels_ref import ALGORITHMS, pebble
from kernels_ref.bounds import BACKWARD_ALPHA

PLAYABLE = [name for name, entry in ALGORITHMS.items() if "qkv" in entry.forms]
WIDE = ("Q", "K", "dO", "V", "dV", "dK", "dQ")


def phases(pebbling, step):
    """For every ``step`` words of I/O: the words seen (red at either end, loaded or stored) and what was computed."""
    red, seen, done, moved = set(), set(), Counter(), 0
    for move in pebbling.moves:
        if move.op in ("load", "store"):
            if moved == step:
                yield seen | red, done
                seen, done, moved = set(red), Counter(), 0
            moved += 1
        if move.op == "load":
            red.add(move.vertex)
            seen.add(move.vertex)
        elif move.op == "store":
            seen.add(move.vertex)
        elif move.op == "delete":
            red.discard(move.vertex)
        else:
            if move.op == "slide":
                red.discard(move.source)
            red.add(move.vertex)
            done[move.vertex] += 1
    yield seen, done


@pytest.mark.parametrize("algorithm", PLAYABLE)
@pytest.mark.parametrize(("n", "d", "extra"), [(5, 2, 0), (6, 1, 9), (8, 2, 30), (8, 1, 60)])
def test_no_phase_does_more_than_the_proof_allows(algorithm, n, d, extra):
    memory = ALGORITHMS[algorithm].least_memory(d) + extra
    pebbling = pebble(algorithm, n=n, d=d, memory=memory)
    for step in (1, memory, 2 * memory, 4 * memory):
        before: set[str] = set()
        for seen, done in phases(pebbling, step):
            assert len(seen) <= 2 * memory + step
            tensors = {word: word.split("[")[0] for word in seen}
            s = len({word.split("#")[0] for word, tensor in tensors.items() if tensor in WIDE})
            e = len(
                {re.search(r"\[.*\]", word)[0] for word, tensor in tensors.items() if tensor in ("S", "P", "dP", "dS")}
            )
            new = {word for word in done if word.split("[")[0] in ("dV", "dK", "dQ")} - before
            before |= new
            assert len(new) <= BACKWARD_ALPHA * s * s / d + math.sqrt(e) * s / 2 + 1e-9
        assert len(before) == 3 * n * n * d
