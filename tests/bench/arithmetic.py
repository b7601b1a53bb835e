"""Closed forms, full-size runs and replays: what needs no browser."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import numpy as np

from kernels_ref import log_spaced, pebble, sweep
from kernels_ref.checks import random_problem
from kernels_ref.numpy_memory import NumpyMemory
from kernels_ref.reference import forward
from kernels_ref.runs import execute
from pebble_engine import Game, Move, Pebbling, Rules, read_pebbling, replay, schedule_faults, write_pebbling
from tests.bench.measure import Row, ratio, seconds


def rows() -> Iterator[Row]:
    memories = log_spaced(1024, 2**30, 200)
    yield Row(
        "closed forms: 200 memories, both kernels, n = 2^20, d = 128, exact",
        1000 * seconds(lambda: sweep(["flash2", "small-cache"], n=2**20, d=128, memory=memories)),
        "ms",
        "under 50",
    )
    for algorithm, memory in (("flash2", 4096), ("flash2", 65536), ("small-cache", 4096), ("small-cache", 65536)):
        counted, plain = backward_both_ways(algorithm, 2048, 64, memory)
        yield Row(
            f"run {algorithm}, n = 2048, d = 64, M = {memory}, against plain NumPy",
            ratio(counted, plain),
            "x",
            "<= 1.5",
        )
    yield Row(
        "run flash2, n = 4096, d = 64, M = d^2",
        seconds(backward_both_ways("flash2", 4096, 64, 4096)[0], 3),
        "s",
        "seconds",
    )
    long = long_pebbling()
    text = io.StringIO()
    write_pebbling(long, text)
    size = f"{len(long.moves):,} moves on {len(long.dag):,} vertices"
    yield Row(f"replay and check, {size}", seconds(lambda: replay(fresh(long))), "s", "under 1")
    yield Row(
        f"read from pebbling/1 text, replay and check, {size}",
        seconds(lambda: replay(read_pebbling(text.getvalue()))),
        "s",
        "",
    )
    moves, cpu = len(long.moves), time.process_time
    rate = moves / seconds(lambda: replay(fresh(long)), clock=cpu)
    yield Row("replay and check, moves a processor second", rate, "1/s", ">= 2,000,000")
    yield Row(
        "all faults listed, moves a second",
        len(long.moves) / seconds(lambda: schedule_faults(long.dag, long.rules, long.moves)), "1/s", "",
    )  # fmt: skip
    rate = moves / seconds(lambda: push_all(long), 3, cpu)
    yield Row("Game.push, one by one, moves a processor second", rate, "1/s", ">= 100,000")


def backward_both_ways(algorithm: str, n: int, d: int, memory: int):
    """The same backward pass, lse and D given: by the counted kernel, and in five plain products."""
    q, k, v, dout = random_problem(n, n, d, seed=0)
    scale = 1 / np.sqrt(d)
    out, lse = forward(q, k, v, scale=scale)
    delta = (dout * out).sum(axis=1)

    def counted() -> None:
        arrays = {"Q": q, "K": k, "V": v, "dO": dout, "lse": lse, "D": delta}
        execute(algorithm, NumpyMemory(memory, arrays), n, n, d, scale=scale)

    def plain() -> None:
        p = np.exp(scale * (q @ k.T) - lse[:, None])
        ds = p * (dout @ v.T - delta[:, None])
        p.T @ dout, scale * (ds @ k), scale * (ds.T @ q)

    return counted, plain


def long_pebbling() -> Pebbling:
    """Algorithm 6 at n = d = 8 in three words of fast memory, and on with loads and deletes up to 50,000 moves."""
    pebbling = pebble("small-cache", n=8, d=8, memory=3)
    moves = list(pebbling.moves)
    inputs = [pebbling.dag.labels[v] for v in pebbling.dag.inputs]
    while len(moves) < 50_000:
        label = inputs[len(moves) // 2 % len(inputs)]
        moves += [Move.load(label), Move.delete(label)]
    return Pebbling(pebbling.dag, pebbling.rules, tuple(moves[:50_000]), "bench")


def fresh(pebbling: Pebbling) -> Pebbling:
    """A copy without anything remembered from an earlier replay."""
    return Pebbling(pebbling.dag, pebbling.rules, pebbling.moves)


def push_all(pebbling: Pebbling) -> None:
    game = Game(pebbling.dag, Rules(pebbling.rules.red, sliding=True))
    for move in pebbling.moves:
        game.push(move)
