"""Runs beside the page: what a job does when it ends well, badly, or not at all."""

import csv
import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from kernels_ref import Check, DoesNotFit, count
from pages.shared import curve_runs
from pages.shared.apart import Exhausted
from pages.shared.curve_runs import Job, beyond, command_line, csv_of, same, scientific, table
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.settings import CurveSettings

SMALL = CurveSettings(32, 8, 64)


def work(job: Job, turn: threading.Semaphore | None = None) -> Job:
    job.work(turn or threading.Semaphore(1))
    return job


def fake(act: Callable[[Callable[[float], None]], None]) -> curve_runs.Runner:
    """A runner that does `act` and then answers with the closed form."""

    def runner(algorithm: str, *, progress: Callable[[float], None], watch: object, **given: Any) -> Check:
        act(progress)
        return Check(count(algorithm, **given), 1e-15, 0.5)

    return runner


def test_a_run_counts_what_the_closed_form_says() -> None:
    job = work(Job(SMALL))
    assert job.stage == "done"
    for name, check in job.results.items():
        assert isinstance(check, Check)
        assert same(check.counts, count(name, n=32, d=8, memory=64))
        assert check.max_relative_error < 1e-10


def test_a_difference_in_any_count_is_told() -> None:
    exact = count("flash2", n=32, d=8, memory=64)
    wrong = count("flash2", n=32, d=8, memory=640)
    assert same(exact, exact)
    assert not same(wrong, exact)


def test_one_that_does_not_fit_does_not_stop_the_other() -> None:
    job = work(Job(CurveSettings(32, 8, 20)))
    assert job.stage == "done"
    assert isinstance(job.results["flash2"], DoesNotFit)
    assert isinstance(job.results["small-cache"], Check)
    text = table(job, Texts("en"))
    assert f"needs at least {grouped(50)} words" in text


def test_cancel_ends_it_at_the_next_look() -> None:
    job = Job(SMALL)
    job.runner = fake(lambda progress: (job.stop.set(), progress(0.5))[0])
    assert work(job).stage == "cancelled"
    assert not job.results


def test_cancel_ends_the_wait_for_a_turn() -> None:
    job = Job(SMALL)
    job.stop.set()
    taken = threading.Semaphore(0)
    assert work(job, taken).stage == "cancelled"


def test_a_run_that_nobody_watches_gives_up() -> None:
    job = Job(SMALL, fake(lambda progress: progress(0.5)))
    job.seen = time.monotonic() - curve_runs.FORGOTTEN - 1
    assert work(job).stage == "cancelled"


def test_an_error_is_told_and_the_turn_is_given_back() -> None:
    def fail(progress: Callable[[float], None]) -> None:
        raise MemoryError

    turn = threading.Semaphore(1)
    job = work(Job(SMALL, fake(fail)), turn)
    assert (job.stage, job.error) == ("failed", "MemoryError")
    assert turn.acquire(blocking=False)


@pytest.mark.parametrize("reason", ["seconds", "memory", "ended"])
def test_a_run_beyond_its_limits_says_which(reason: str) -> None:
    def fail(progress: Callable[[float], None]) -> None:
        raise Exhausted(reason)

    job = work(Job(SMALL, fake(fail)))
    assert (job.stage, job.error) == ("exhausted", reason)
    for lang in ("en", "es"):
        assert Texts(lang)(f"curves.run.exhausted_{job.error}", seconds=300)


def test_stages_follow_the_share_done() -> None:
    seen: list[tuple[str, float]] = []
    job = Job(SMALL)

    def act(progress: Callable[[float], None]) -> None:
        for share in (0.25, 1.0):
            progress(share)
            seen.append((job.stage, job.share))

    job.runner = fake(act)
    work(job)
    assert seen == [("running", 0.25), ("checking", 1.0)] * 2


@pytest.mark.parametrize("lang", ["en", "es"])
def test_table_has_both_columns_and_says_yes(lang: str) -> None:
    t = Texts(lang)
    text = table(work(Job(SMALL)), t)
    (row,) = [line for line in text.splitlines() if t("curves.run.equal") in line]
    assert row.count(t("curves.run.yes")) == 2
    assert text.count(grouped(count("flash2", n=32, d=8, memory=64).io or 0)) == 2, "counted and closed form"


def test_a_run_can_be_taken_away_whole() -> None:
    job = work(Job(CurveSettings(32, 8, 20)))
    unfit, made = csv.DictReader(io.StringIO(csv_of(job)))
    assert (unfit["algorithm"], unfit["io"], unfit["least_memory"]) == ("flash2", "", "50")
    exact = count("small-cache", n=32, d=8, memory=20)
    assert made["io"] == made["closed_form_io"] == str(exact.io)
    assert made["multiplications"] == str(exact.multiplications)
    assert made["peak_slow"] == str(exact.peak_slow)
    assert (made["memory"], made["least_memory"]) == ("20", "")
    assert float(made["max_relative_error"]) < 1e-10


@pytest.mark.parametrize(("n", "d", "refused"), [(4096, 512, False), (4097, 64, True), (64, 513, True)])
def test_limit_is_the_one_that_the_page_states(n: int, d: int, refused: bool) -> None:
    assert beyond(CurveSettings(n, d, 4096)) is refused


def test_command_line_is_the_same_run() -> None:
    lines = command_line(CurveSettings(8192, 64, 100)).splitlines()
    assert lines[0] == "python -m kernels_ref run --algorithm flash2 --n 8192 --d 64 --memory 100"
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.23e-15, "1.2\u202f·\u202f10⁻¹⁵"), (0.0, "0"), (float("nan"), "NaN"), (2e3, "2.0\u202f·\u202f10³")],
)
def test_scientific(number: float, text: str) -> None:
    assert scientific(number) == text
