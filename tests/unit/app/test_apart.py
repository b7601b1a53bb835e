"""Work in a process of its own: what it gives back, and what ends it."""

import os
import shutil
import subprocess
import sys
import threading
import time

import psutil
import pytest

from kernels_ref import Cancelled, DoesNotFit, run
from pages.shared import curve_data, curve_maps
from pages.shared.apart import ROOT, Exhausted, Limits, apart, once
from pages.shared.settings import CurveSettings
from pebble_engine import Rules, matmul, solve

ENOUGH = Limits(seconds=60, memory=2 << 30)
SOLVE = {"dag": matmul(2, 2, 1), "rules": Rules(4)}


def nap(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def hoard(words: int) -> int:
    return len(bytearray(words))


NAP, HOARD = f"{__name__}:nap", f"{__name__}:hoard"


def workers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]


def test_it_gives_back_what_the_function_returns():
    found = apart("pebble_engine:solve", SOLVE, ENOUGH)
    assert found.proved
    assert found.cost == solve(**SOLVE).cost
    assert not workers()


def test_it_raises_what_the_function_raises_with_its_data():
    asked = {"algorithm": "flash2", "n": 8, "d": 4, "memory": 3}
    with pytest.raises(DoesNotFit) as here:
        run(**asked)
    with pytest.raises(DoesNotFit) as there:
        apart("kernels_ref:run", asked, ENOUGH)
    assert vars(there.value) == vars(here.value)
    assert str(there.value) == str(here.value)


def test_progress_comes_through():
    seen: list[float] = []
    check = apart(
        "kernels_ref:run", {"algorithm": "flash2", "n": 64, "d": 8, "memory": 200}, ENOUGH, progress=seen.append
    )
    assert check.counts.io == run("flash2", n=64, d=8, memory=200).counts.io
    assert seen
    assert seen == sorted(seen)


def test_whoever_watches_can_end_it():
    stop = threading.Event()

    def watch() -> None:
        if stop.is_set():
            raise Cancelled

    threading.Timer(0.3, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        apart(NAP, {"seconds": 60}, ENOUGH, watch)
    assert time.monotonic() - begun < 20
    assert not workers()


def test_it_ends_after_its_seconds():
    begun = time.monotonic()
    with pytest.raises(Exhausted) as error:
        apart(NAP, {"seconds": 60}, Limits(seconds=0.3, memory=2 << 30))
    assert time.monotonic() - begun < 20
    assert error.value.reason == "seconds"
    assert not workers()


def test_it_ends_beyond_its_memory():
    assert apart(HOARD, {"words": 1 << 20}, Limits(60, 1 << 30)) == 1 << 20
    with pytest.raises(Exhausted) as error:
        apart(HOARD, {"words": 2 << 30}, Limits(60, 1 << 30))
    assert error.value.reason == "memory"


def killed_soon() -> threading.Thread:
    """A thread that kills the process that works apart, as soon as there is one."""

    def kill() -> None:
        end = time.monotonic() + 20
        while time.monotonic() < end and not (found := workers()):
            time.sleep(0.02)
        for process in found:
            process.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_a_killed_process_is_no_limit_and_the_next_one_works():
    thread = killed_soon()
    with pytest.raises(Exhausted) as error:
        apart(NAP, {"seconds": 60}, ENOUGH)
    thread.join()
    assert error.value.reason == "ended"
    assert not workers()
    assert apart(HOARD, {"words": 8}, ENOUGH) == 8


def test_a_process_that_has_gone_before_it_has_read_its_task(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    with pytest.raises(Exhausted) as error:
        apart(HOARD, {"words": bytes(1 << 20)}, ENOUGH)  # more than a pipe takes
    assert error.value.reason == "ended"


def test_it_ends_with_the_app():
    """The app is killed outright; nobody is left to tell the process."""
    code = f"from pages.shared.apart import *; apart({NAP!r}, {{'seconds': 600}}, Limits(600, 2 << 30))"
    app = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    end = time.monotonic() + 20
    while time.monotonic() < end and not (children := psutil.Process(app.pid).children()):
        time.sleep(0.02)
    app.kill()
    app.wait()
    _, left = psutil.wait_procs(children, timeout=20)
    for process in left:
        process.kill()
    assert children
    assert not left


def test_others_get_their_turn_after_one_that_came_to_nothing():
    made: list[int] = []

    @once(maxsize=2)
    def work(number: int) -> int:
        made.append(number)
        if len(made) == 1:
            raise Exhausted("ended")
        return number

    with pytest.raises(Exhausted):
        work(1)
    assert [work(1), work(1)] == [1, 1]
    assert made == [1, 1], "what came to nothing is not kept; what came out is"


def test_whoever_no_longer_wants_it_does_not_wait_for_a_turn():
    going, free = threading.Event(), threading.Event()

    def watch() -> None:
        raise Cancelled

    @once(2, watch)
    def work(number: int) -> int:
        going.set()
        free.wait(20)
        return number

    thread = threading.Thread(target=work, args=(1,))
    thread.start()
    going.wait(20)
    with pytest.raises(Cancelled):
        work(2)
    free.set()
    thread.join()
    assert work(3) == 3


def test_what_many_ask_for_at_once_is_made_once():
    made: list[int] = []

    @once(maxsize=2)
    def slow(number: int) -> int:
        made.append(number)
        time.sleep(0.05)
        return number + 1

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(slow(1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 8
    assert made == [1]


@pytest.mark.parametrize("plot", ["io", "winners"])
def test_a_heavy_count_under_a_mask_is_made_apart_and_is_the_same(plot: str, monkeypatch: pytest.MonkeyPatch):
    asked = CurveSettings(n=256, mask="causal", plot=plot)
    here = curve_maps.map_of(asked) if plot == "winners" else curve_data._sweep.__wrapped__(asked, None)
    used: list[str] = []
    for module in (curve_maps, curve_data):
        monkeypatch.setattr(module, "HEAVY", 0)
        monkeypatch.setattr(module, "apart", lambda name, *rest: (used.append(name), apart(name, *rest))[1])
    there = curve_maps.map_of(asked) if plot == "winners" else curve_data._sweep.__wrapped__(asked, None)
    assert there == here
    assert len(used) == 1


def test_it_is_another_process_that_yields():
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(apart(NAP, {"seconds": 2}, ENOUGH)))
    thread.start()
    end = time.monotonic() + 20
    while time.monotonic() < end and not any(child.nice() == 10 for child in workers()):
        time.sleep(0.02)
    assert any(child.nice() == 10 for child in workers())
    thread.join()
    assert found[0] != os.getpid()
