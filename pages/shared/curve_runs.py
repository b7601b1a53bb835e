"""Running both kernels for real, beside the page: a thread that can be watched and cancelled, and what it counted."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from kernels_ref import Cancelled, Check, Counts, DoesNotFit, count, run
from pages.shared.i18n import Texts, escaped
from pages.shared.numbers import grouped
from pages.shared.settings import CurveSettings

# Seconds, not minutes, on two cores; the reference's n x n matrices of 64-bit numbers take 0.5 GB at most.
RUN_N, RUN_D = 4096, 512
FORGOTTEN = 30.0  # seconds without anyone looking, after which a run gives up
JOB = "curves.job"

Runner = Callable[..., Check]


@st.cache_resource
def turns() -> threading.Semaphore:
    """One run at a time in the whole process: a class of thirty must not fill the memory."""
    return threading.Semaphore(1)


@dataclass
class Job:
    """One press of the button: both algorithms at one point. The page reads it, the thread writes it."""

    settings: CurveSettings
    runner: Runner = run
    stage: str = "waiting"  # waiting, preparing, running, checking; then done, cancelled or failed
    algorithm: str = ""
    share: float = 0.0
    error: str = ""
    results: dict[str, Check | DoesNotFit] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    seen: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> bool:
        return self.stage in ("waiting", "preparing", "running", "checking")

    def start(self, turn: threading.Semaphore) -> None:
        """Begin in a thread of its own; `turn` is held while it computes."""
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
        except Exception as error:  # shown on the page: the thread has nobody else to tell
            self.error = type(error).__name__
            self.stage = "failed"

    def _one(self, algorithm: str) -> Check | DoesNotFit:
        self.algorithm, self.share, self.stage = algorithm, 0.0, "preparing"
        self._watch()
        s = self.settings
        try:
            return self.runner(algorithm, n=s.n, d=s.d, memory=s.memory, progress=self._progress)
        except DoesNotFit as error:
            return error

    def _progress(self, share: float) -> None:
        self._watch()
        self.share = share
        self.stage = "running" if share < 1 else "checking"

    def _watch(self) -> None:
        if self.stop.is_set() or time.monotonic() - self.seen > FORGOTTEN:
            raise Cancelled


def beyond(settings: CurveSettings) -> bool:
    """Whether a run at these settings is more than the page takes on."""
    return settings.n > RUN_N or settings.d > RUN_D


def command_line(settings: CurveSettings) -> str:
    """The same run without a browser."""
    return "\n".join(
        f"python -m kernels_ref run --algorithm {name} --n {settings.n} --d {settings.d} --memory {settings.memory}"
        for name in settings.algorithms
    )


def panel(current: Callable[[], CurveSettings], t: Texts) -> None:
    """The button, the progress, the table. Drawn every half second while a run goes on."""
    job: Job | None = st.session_state.get(JOB)
    if job is not None and job.running:
        _watch(job, t)
        return
    if st.session_state.pop(f"{JOB}.watched", False):
        st.rerun()  # the whole page once more: this time without the half-second clock
    st.button(t("curves.run.start"), key="curves.run", on_click=_begin, args=(current,))
    refused: CurveSettings | None = st.session_state.get(f"{JOB}.refused")
    if refused is not None:
        most = {"most_n": grouped(RUN_N), "most_d": grouped(RUN_D)}
        st.warning(t("curves.run.limit", n=grouped(refused.n), d=grouped(refused.d), **most))
        st.code(command_line(refused), language="bash", wrap_lines=True)
    elif job is not None:
        _outcome(job, t)


def _begin(current: Callable[[], CurveSettings]) -> None:
    settings = current()
    st.session_state[f"{JOB}.refused"] = settings if beyond(settings) else None
    if beyond(settings):
        return
    st.session_state[JOB] = job = Job(settings)
    job.start(turns())


def _watch(job: Job, t: Texts) -> None:
    job.seen = time.monotonic()
    if not st.session_state.get(f"{JOB}.watched"):
        st.session_state[f"{JOB}.watched"] = True
        st.rerun()  # the whole page once more: this time with the half-second clock
    done = list(job.settings.algorithms).index(job.algorithm) if job.algorithm else 0
    share = (done + job.share) / len(job.settings.algorithms)
    name = t(f"algorithm.{job.algorithm}") if job.algorithm else ""
    stage = "stopping" if job.stop.is_set() else job.stage
    st.progress(min(1.0, share), text=t(f"curves.run.{stage}", name=name, share=round(100 * job.share)))
    st.button(t("curves.run.cancel"), key="curves.run.cancel", on_click=job.stop.set, disabled=job.stop.is_set())


def _outcome(job: Job, t: Texts) -> None:
    if job.stage == "cancelled":
        st.info(t("curves.run.cancelled"))
    elif job.stage == "failed":
        st.error(t("curves.run.failed", error=job.error))
    else:
        s = job.settings
        st.markdown(t("curves.run.point", n=grouped(s.n), d=grouped(s.d), m=grouped(s.memory)))
        st.markdown(table(job, t))


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
    exact = {name: count(name, n=s.n, d=s.d, memory=s.memory) for name in names}
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
