"""A kernel's run as pebbles: the game accepts it, at the same I/O. This is what certifies the count."""

import numpy as np
import pytest

from kernels_ref import ALGORITHMS, BadInput, NoPebbling, count, kernel_source, masks, pebble
from pebble_engine import replay, schedule_faults

FORMS = [(name, form) for name, entry in ALGORITHMS.items() for form in entry.forms]
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
@pytest.mark.parametrize(("algorithm", "form"), FORMS)
def test_the_game_accepts_every_run(algorithm, form, n_q, n_k, d):
    for extra in EXTRA[:: 1 if n_q * n_k < 10 else 2]:
        check(algorithm, form, n_q, n_k, d, extra)


@pytest.mark.parametrize("text", MASKS)
@pytest.mark.parametrize(("algorithm", "form"), FORMS)
def test_the_game_accepts_every_run_under_a_mask(algorithm, form, text):
    n_q, n_k, d = 5, 6, 2
    mask = masks.named(text, n_q, n_k)
    kept = mask.kept(slice(0, n_q), slice(0, n_k)).copy()
    kept[0, ~kept.any(axis=0)] = True  # where the mask leaves a key or a query alone there is no pebbling
    kept[~kept.any(axis=1), 0] = True
    assert not kept.all()
    for extra in EXTRA[::2]:
        check(algorithm, form, n_q, n_k, d, extra, masks.entries(kept))


@pytest.mark.parametrize("algorithm", [name for name, form in FORMS if form == "weights"])
def test_a_target_instead_of_an_output_gradient(algorithm):
    for extra in EXTRA[::3]:
        check(algorithm, "weights", 4, 3, 2, extra, target=True)
        check(algorithm, "weights", 4, 4, 2, extra, masks.causal(4, 4), target=True)


@pytest.mark.parametrize(("algorithm", "form"), FORMS)
def test_every_move_names_the_line_that_made_it(algorithm, form):
    pebbling = pebble(algorithm, n=3, d=2, memory=30, form=form)
    source = kernel_source(algorithm, form)
    verbs = {"load": ("fast.load", "fast.resume", "fast.stream", "fast.apply"), "store": ("fast.store", "fast.zero")}
    verbs |= {"delete": ("fast.free", "fast.stream", "fast.apply", "fast.zero")}
    verbs |= {"compute": ("+=", "fast.apply", "fast.zero"), "slide": ("+=", "fast.apply")}
    assert len(pebbling.lines) == len(pebbling.moves)
    for move, line in zip(pebbling.moves, pebbling.lines, strict=True):
        assert any(verb in source[line] for verb in verbs[move.op]), (str(move), source[line])


def test_the_listing_begins_with_the_kernel():
    assert kernel_source("flash2")[0].startswith("def flash2(")
    assert any(line.startswith("def blocked_product(") for line in kernel_source("small-cache"))


@pytest.mark.parametrize(
    ("algorithm", "form", "mask"),
    [(name, form, np.zeros((3, 3), bool)) for name, form in FORMS] + [("flash2", "qkv", np.eye(3, k=1) > 0)],
)
def test_zeros_out_of_nothing_have_no_pebbling(algorithm, form, mask):
    """A vertex without operands is an input and blue from the start: zeros that are written would cost nothing."""
    with pytest.raises(NoPebbling, match="no vertex for a word that is made out of nothing") as caught:
        pebble(algorithm, n=3, d=2, memory=60, form=form, mask=mask)
    assert caught.value.reason == "zero_rows"


def test_the_zeros_of_flash1_are_vertices():
    """Each is made and stored once, before anything else is stored; only those of dQ are ever read."""
    n, d = 3, 2
    pebbling = pebble("flash1", n=n, d=d, memory=40)
    zeros = [label for label in pebbling.dag.labels if label.startswith("zero_")]
    stored = [move.vertex for move in pebbling.moves if move.op == "store"]
    assert sorted(stored[: len(zeros)]) == sorted(zeros)
    assert len(zeros) == 3 * n * d
    loaded = {move.vertex for move in pebbling.moves if move.op == "load"}
    assert loaded & set(zeros) == {f"zero_dQ[{i},{c}]" for i in range(n) for c in range(d)}
    dag = pebbling.dag
    assert "zero_dQ[0,0]" in {dag.labels[u] for u in dag.predecessors[dag.index("dQ[0,0]#0")]}
    assert {place.tensor for place in dag.places} >= {"zero_dQ", "O", "m", "l", "D", "lse"}


def test_what_pebble_refuses():
    with pytest.raises(BadInput, match="a target is for the weights form"):
        pebble("flash2", n=3, d=2, memory=60, target=True)
    for algorithm, form in (("flash2", "qkv"), ("flash1", "qkv"), ("flash2", "weights"), ("forward-flash", "forward")):
        with pytest.raises(BadInput, match=r"has no pebbling here: the DAG .* at most 100000 are allowed"):
            pebble(algorithm, n=4096, d=64, memory=4096, form=form)
    with pytest.raises(BadInput, match="n_q must be at least 1, got 0"):
        pebble("flash2", n_q=0, n_k=3, d=2, memory=60)
