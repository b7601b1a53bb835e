"""A kernel's run as pebbles: the game accepts it, at the same I/O. This is what certifies the count."""

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, BadInput, NoPebbling, count, kernel_source, masks, pebble
from pebble_engine import replay, schedule_faults

FORMS = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]
PLAYABLE = [pair for pair in FORMS if pair[0] != "flash1"]
SHAPES = [(1, 1, 1), (1, 3, 2), (3, 1, 2), (5, 5, 3), (4, 6, 3)]  # n_q, n_k, d
EXTRA = (0, 1, 2, 5, 16, 45, 400)  # words beside the least memory
MASKS = ["causal", "window:2", "block:3:0.6:3", "strided:2", "global:1:1", "random:0.6:3"]


def check(algorithm, form, n_q, n_k, d, extra, mask=None, target=False):
    """Legal, by the game and by the independent checker, and it moves the words that are counted."""
    memory = ALGORITHMS[algorithm].least_memory(d, d, form) + extra
    options = {"n_q": n_q, "n_k": n_k, "d": d, "memory": memory, "form": form, "mask": mask}
    pebbling, counts = pebble(algorithm, **options, target=target), count(algorithm, **options)
    assert not schedule_faults(pebbling.dag, pebbling.rules, pebbling.moves)
    summary = replay(pebbling)
    made = n_q * d if target else 0  # dO, made from E, is stored
    assert (summary.loads, summary.stores) == (counts.loads, counts.stores + made), memory
    assert summary.peak <= counts.peak_fast <= memory


@pytest.mark.parametrize(("n_q", "n_k", "d"), SHAPES)
@pytest.mark.parametrize(("algorithm", "form"), PLAYABLE)
def test_the_game_accepts_every_run(algorithm, form, n_q, n_k, d):
    for extra in EXTRA[:: 1 if n_q * n_k < 10 else 2]:
        check(algorithm, form, n_q, n_k, d, extra)


@pytest.mark.parametrize("text", MASKS)
@pytest.mark.parametrize(("algorithm", "form"), PLAYABLE)
def test_the_game_accepts_every_run_under_a_mask(algorithm, form, text):
    n_q, n_k, d = 5, 6, 2
    mask = masks.named(text, n_q, n_k)
    kept = mask.kept(slice(0, n_q), slice(0, n_k)).copy()
    kept[0, ~kept.any(axis=0)] = True  # where the mask leaves a key or a query alone there is no pebbling
    kept[~kept.any(axis=1), 0] = True
    assert not kept.all()
    for extra in EXTRA[::2]:
        check(algorithm, form, n_q, n_k, d, extra, masks.entries(kept))


@pytest.mark.parametrize("algorithm", [name for name, form in PLAYABLE if form == "weights"])
def test_a_target_instead_of_an_output_gradient(algorithm):
    for extra in EXTRA[::3]:
        check(algorithm, "weights", 4, 3, 2, extra, target=True)
        check(algorithm, "weights", 4, 4, 2, extra, masks.causal(4, 4), target=True)


@pytest.mark.parametrize(("algorithm", "form"), PLAYABLE)
def test_every_move_names_the_line_that_made_it(algorithm, form):
    pebbling = pebble(algorithm, n=3, d=2, memory=30, form=form)
    source = kernel_source(algorithm, form)
    verbs = {"load": ("fast.load", "fast.resume", "fast.stream", "fast.apply"), "store": ("fast.store",)}
    verbs |= {"delete": ("fast.free", "fast.stream", "fast.apply")}
    verbs |= {"compute": ("+=", "fast.apply"), "slide": ("+=", "fast.apply")}
    assert len(pebbling.lines) == len(pebbling.moves)
    for move, line in zip(pebbling.moves, pebbling.lines, strict=True):
        assert any(verb in source[line] for verb in verbs[move.op]), (str(move), source[line])


def test_the_listing_begins_with_the_kernel():
    assert kernel_source("flash2")[0].startswith("def flash2(")
    assert any(line.startswith("def blocked_product(") for line in kernel_source("small-cache"))


@pytest.mark.parametrize(
    ("algorithm", "form", "mask", "reason"),
    [("flash1", "qkv", None, "zeros_first")]
    + [(name, form, np.zeros((3, 3), bool), "zero_rows") for name, form in PLAYABLE]
    + [("flash2", "qkv", np.eye(3, k=1) > 0, "zero_rows")],
)
def test_zeros_out_of_nothing_have_no_pebbling(algorithm, form, mask, reason):
    """A vertex without operands is an input and blue from the start: zeros that are written would cost nothing."""
    with pytest.raises(NoPebbling, match="no vertex for a word that is made out of nothing") as caught:
        pebble(algorithm, n=3, d=2, memory=60, form=form, mask=mask)
    assert caught.value.reason == reason


def test_what_pebble_refuses():
    with pytest.raises(BadInput, match="a target is for the weights form"):
        pebble("flash2", n=3, d=2, memory=60, target=True)
    with pytest.raises(BadInput, match="n_q must be at least 1, got 0"):
        pebble("flash2", n_q=0, n_k=3, d=2, memory=60)
