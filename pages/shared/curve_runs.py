"""Running the kernels for real, beside the page, and what they counted: in a process that can be watched and left.

A thread of the app follows it; the numbers are made in the process, so that other readers' pages are not held up.
"""

import csv
import io
import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from kernels_ref import Cancelled, Check, Counts, DoesNotFit, count, masks
from kernels_ref.masks import Mask
from pages.shared.apart import Exhausted, Limits, apart
from pages.shared.curve_data import mask_of
from pages.shared.fault import callback
from pages.shared.i18n import Texts, escaped
from pages.shared.numbers import grouped
from pages.shared.settings import CurveSettings
from pages.shared.where import IN_BROWSER

# Under a minute an algorithm on two cores; the reference's n x n matrices of 64-bit numbers take 0.5 GB at most. In a
# browser, where a run occupies the one thread and cannot be cancelled, some seconds an algorithm.
RUN_N, RUN_D = (1024, 128) if IN_BROWSER else (4096, 512)
RUN_LIMITS = Limits(seconds=300, memory=2 << 30)  # of one algorithm: on a slower or a busy machine it is not forever
FORGOTTEN = 30.0  # seconds without anyone looking, after which a run gives up
JOB = "curves.job"

Runner = Callable[..., Check]
_LOG = logging.getLogger(__name__)


def run_apart(algorithm: str, *, progress: Callable[[float], None], watch: Callable[[], None], **given: Any) -> Check:
    """`kernels_ref.run` in a process of its own. Raises as it does, `Exhausted`, and whatever `watch` raises."""
    check: Check = apart("kernels_ref:run", {"algorithm": algorithm, **given}, RUN_LIMITS, watch, progress)
    return check


@st.cache_resource
def turns() -> threading.Semaphore:
    """One run at a time in the whole process: a class of thirty must not fill the memory."""
    return threading.Semaphore(1)


@dataclass
class Job:
    """One press of the button: every chosen algorithm, one head each. The page reads it, the thread writes it."""

    settings: CurveSettings
    runner: Runner = run_apart
    stage: str = "waiting"  # waiting, preparing, running, checking; then done, cancelled, exhausted or failed
    algorithm: str = ""
    share: float = 0.0
    error: str = ""
    results: dict[str, Check | DoesNotFit] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    seen: float = field(default_factory=time.monotonic)

    @property
    def part(self) -> int:
        """Which of the algorithms it is at, from 0."""
        return list(self.settings.algorithms).index(self.algorithm) if self.algorithm else 0

    @property
    def done(self) -> float:
        """Share of the whole that is done, all algorithms together."""
        return min(1.0, (self.part + self.share) / len(self.settings.algorithms))

    @property
    def running(self) -> bool:
        return self.stage in ("waiting", "preparing", "running", "checking")

    def start(self, turn: threading.Semaphore) -> None:
        """Begin in a thread of its own; `turn` is held while it computes. In a browser it is over on return."""
        if IN_BROWSER:
            self.seen = math.inf  # nobody can look meanwhile
            self.work(turn)
            return
        threading.Thread(target=self.work, args=(turn,), daemon=True, name="run-kernels").start()

    def work(self, turn: threading.Semaphore) -> None:
        """Wait for a turn, run every algorithm, keep what came out. Never raises."""
        try:
            while not turn.acquire(timeout=0.2):
                self._watch()
            try:
                for algorithm in self.settings.algorithms:
                    self.results[algorithm] = self._one(algorithm)
            finally:
                turn.release()
            self.stage = "done"
        except Cancelled:
            self.stage = "cancelled"
        except Exhausted as error:
            self.error, self.stage = error.reason, "exhausted"
        except Exception as error:  # shown on the page, and in the server's log with all that is known
            _LOG.exception("a run failed: %s", self.settings)
            self.error, self.stage = type(error).__name__, "failed"

    def _one(self, algorithm: str) -> Check | DoesNotFit:
        self.algorithm, self.share, self.stage = algorithm, 0.0, "preparing"
        self._watch()
        s = self.settings
        try:
            given = {"n": s.n, "d": s.d, "memory": s.memory, "form": s.form, "mask": kept_scores(s)}
            return self.runner(algorithm, progress=self._progress, watch=self._watch, **given)
        except DoesNotFit as error:
            return error

    def _progress(self, share: float) -> None:
        self._watch()
        self.share = share
        self.stage = "running" if share < 1 else "checking"

    def _watch(self) -> None:
        if self.stop.is_set() or time.monotonic() - self.seen > FORGOTTEN:
            raise Cancelled


def kept_scores(settings: CurveSettings) -> Mask | None:
    """The mask of the settings at their size; None without one."""
    name = mask_of(settings)
    return None if name is None else masks.named(name, settings.n, settings.n)


def beyond(settings: CurveSettings) -> bool:
    """Whether a run at these settings is more than the page takes on."""
    return settings.n > RUN_N or settings.d > RUN_D


def command_line(settings: CurveSettings) -> str:
    """The same run without a browser."""
    s, mask = settings, mask_of(settings)
    more = (f" --form {s.form}" if s.form == "weights" else "") + (f" --mask {mask}" if mask else "")
    return "\n".join(
        f"python -m kernels_ref run --algorithm {name} --n {s.n} --d {s.d} --memory {s.memory}{more}"
        for name in s.algorithms
    )


def panel(current: Callable[[], CurveSettings], t: Texts) -> None:
    """The button, the progress, the table. Drawn every half second while a run goes on."""
    job: Job | None = st.session_state.get(JOB)
    if job is not None and job.running:
        _watch(job, t)
        return
    if st.session_state.pop(f"{JOB}.watched", False):
        st.rerun()  # the whole page once more: this time without the half-second clock
    now = current()
    st.button(t("curves.run.start"), key="curves.run", on_click=_begin, args=(current,), disabled=beyond(now))
    if now.heads > 1:
        st.caption(t("curves.run.head", heads=grouped(now.heads)))
    if beyond(now):
        most = {"most_n": grouped(RUN_N), "most_d": grouped(RUN_D)}
        say = st.caption if IN_BROWSER else st.warning  # there the page itself begins beyond the limit
        say(t("curves.run.limit", n=grouped(now.n), d=grouped(now.d), **most))
        st.code(command_line(now), language="bash", wrap_lines=True)
    elif job is not None:
        _outcome(job, t)


@callback
def _begin(current: Callable[[], CurveSettings]) -> None:
    settings = current()
    if beyond(settings):  # the button is off, but any program can press it
        return
    st.session_state[JOB] = job = Job(settings)
    job.start(turns())


def _watch(job: Job, t: Texts) -> None:
    job.seen = time.monotonic()
    if not st.session_state.get(f"{JOB}.watched"):
        st.session_state[f"{JOB}.watched"] = True
        st.rerun()  # the whole page once more: this time with the half-second clock
    name = t(f"algorithm.{job.algorithm}") if job.algorithm else ""
    stage = "stopping" if job.stop.is_set() else job.stage
    words = {"name": name, "share": round(100 * job.done), "part": job.part + 1, "parts": len(job.settings.algorithms)}
    st.progress(job.done, text=t(f"curves.run.{stage}", **words))
    st.button(t("curves.run.cancel"), key="curves.run.cancel", on_click=job.stop.set, disabled=job.stop.is_set())


def _outcome(job: Job, t: Texts) -> None:
    if job.stage == "cancelled":
        st.info(t("curves.run.cancelled"))
    elif job.stage == "exhausted":
        st.warning(t(f"curves.run.exhausted_{job.error}", seconds=round(RUN_LIMITS.seconds)))
        st.code(command_line(job.settings), language="bash", wrap_lines=True)
    elif job.stage == "failed":
        st.error(t("curves.run.failed", error=job.error))
    else:
        s = job.settings
        st.markdown(t("curves.run.point", n=grouped(s.n), d=grouped(s.d), m=grouped(s.memory)))
        st.markdown(table(job, t))
        st.download_button(
            t("curves.run.take"),
            data=partial(csv_of, job),
            file_name=f"run-n{s.n}-d{s.d}-m{s.memory}.csv",
            mime="text/csv",
            key="curves.run.take",
            on_click="ignore",
        )


def table(job: Job, t: Texts) -> str:
    """What was counted beside what the closed form says, as a Markdown table."""
    s = job.settings
    names = list(job.results)
    rows: list[tuple[str, Callable[[Check, Counts], str]]] = [
        ("loads", lambda check, _: _words(check.counts.loads)),
        ("stores", lambda check, _: _words(check.counts.stores)),
        ("io", lambda check, _: f"**{_words(check.counts.io)}**"),
        ("closed", lambda _, exact: f"**{_words(exact.io)}**"),
        ("equal", lambda check, exact: t("curves.run.yes" if same(check.counts, exact) else "curves.run.no")),
        ("error", lambda check, _: scientific(check.max_relative_error)),
        ("peak", lambda check, _: _words(check.counts.peak_fast)),
        ("seconds", lambda check, _: f"{check.seconds:.2f}"),
    ]
    kept = kept_scores(s)
    exact = {name: count(name, n=s.n, d=s.d, memory=s.memory, form=s.form, mask=kept) for name in names}
    lines = [
        "| | " + " | ".join(_heading(t(f"algorithm.{name}")) for name in names) + " |",
        "|:--|" + "--:|" * len(names),
    ]
    for quantity, cell in rows:
        cells = []
        for name in names:
            result = job.results[name]
            if isinstance(result, DoesNotFit):
                unfit = t("curves.run.unfit", least=grouped(result.least_memory))
                cells.append(unfit if quantity == "loads" else "\u2013")
            else:
                cells.append(cell(result, exact[name]))
        lines.append(f"| {t(f'curves.run.{quantity}')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def csv_of(job: Job) -> str:
    """The table's numbers, whole: a row an algorithm, empty where it did not fit. Nothing else keeps an outcome."""
    s = job.settings
    head = ["algorithm", "form", "mask", "n", "d", "memory", "loads", "stores", "io", "multiplications"]
    head += ["closed_form_io", "max_relative_error", "peak_fast", "peak_slow", "seconds", "least_memory"]
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(head)
    for name, result in job.results.items():
        asked = [name, s.form, s.mask, s.n, s.d, s.memory]
        if isinstance(result, DoesNotFit):
            lines.writerow([*asked, *[""] * 9, result.least_memory])
            continue
        c, exact = result.counts, count(name, n=s.n, d=s.d, memory=s.memory, form=s.form, mask=kept_scores(s))
        moved = [c.loads, c.stores, c.io, c.multiplications, exact.io, result.max_relative_error]
        lines.writerow([*asked, *moved, c.peak_fast, c.peak_slow, result.seconds, ""])
    return text.getvalue()


def same(counted: Counts, exact: Counts) -> bool:
    """Whether a run counted what the closed form says, in every kind of word and every multiplication."""
    kinds = ("loads", "stores", "io", "multiplications", "peak_fast", "peak_slow")
    return all(getattr(counted, kind) == getattr(exact, kind) for kind in kinds)


def scientific(number: float) -> str:
    """1.2 x 10^-15 as a reader writes it."""
    if number == 0 or number != number:
        return "0" if number == 0 else "NaN"
    mantissa, exponent = f"{number:.1e}".split("e")
    digits = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa}\u202f·\u202f10{digits}"


def _heading(name: str) -> str:
    return escaped(name.replace("-", "\u2011"))  # a narrow column does not break FlashAttention-2 in two


def _words(number: int | None) -> str:
    return "\u2013" if number is None else grouped(number)
