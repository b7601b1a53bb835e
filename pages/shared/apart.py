"""Work in a process of its own, so that the interpreter which everybody's pages share stays free meanwhile.

``apart("kernels_ref:run", {...}, limits)`` calls a function there and gives back what it returns or raises. The process
is bounded (memory, seconds, one thread for linear algebra), yields to everything else on the machine, and can be left
at any time: it is killed. It ends by itself when the app does. In a browser there are no processes: the function is
called here. ``python -m pages.shared.apart`` is that process; it knows nothing of Streamlit.
"""

import contextlib
import functools
import importlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

from pages.shared.where import IN_BROWSER

ROOT = Path(__file__).resolve().parents[2]
LOOK = 0.1  # seconds between two looks at whether the work is still wanted
NICE = 10
NO_MEMORY = 3  # how the process ends when it met its limit of memory
P = ParamSpec("P")
R = TypeVar("R")
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class Limits:
    """What a piece of work may take: seconds on the clock, and bytes of address space."""

    seconds: float
    memory: int


class Exhausted(Exception):
    """The work has no answer. `reason` is "seconds" or "memory", a limit that it met; or "ended", for a process that
    somebody killed (the machine itself, when its memory is full) or that broke off."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"work apart came to nothing: {reason}")


def apart(
    name: str,
    arguments: Mapping[str, Any],
    limits: Limits,
    watch: Callable[[], object] = lambda: None,
    progress: Callable[[float], object] | None = None,
) -> Any:
    """Call ``module:function`` in another process; its result, or its exception.

    Parameters
    ----------
    arguments : by name; can be pickled, as can the result
    watch : called ten times a second; whatever it raises ends the work, and is raised here
    progress : if given, the function has a parameter of that name, and what it reports comes here

    Raises
    ------
    Exhausted : beyond its limits, or the process came to an end without an answer
    """
    if IN_BROWSER:
        return _function(name)(**arguments, **({} if progress is None else {"progress": progress}))
    environment = os.environ | dict.fromkeys(_ONE_THREAD, "1")
    command = [sys.executable, "-m", "pages.shared.apart"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe) as process:
        try:
            return _followed(process, (name, dict(arguments), limits, progress is not None), limits, watch, progress)
        finally:
            process.kill()
            with contextlib.suppress(BrokenPipeError):  # it had gone before it had read its task
                process.stdin.close()  # type: ignore[union-attr]


def once(maxsize: int, watch: Callable[[], object] = lambda: None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A cache of `maxsize` entries whose misses are made one after the other: what many ask for is made once.

    For what is made apart and takes long: others wait here meanwhile, and are then served from the cache. While one
    waits, `watch` is called; whatever it raises ends the wait. What raises is not kept: the next one tries again.
    """

    def decorate(make: Callable[P, R]) -> Callable[P, R]:
        turn, cached = threading.Lock(), functools.lru_cache(maxsize)(make)

        @functools.wraps(make)
        def found(*arguments: P.args, **named: P.kwargs) -> R:
            while not turn.acquire(timeout=LOOK):
                watch()
            try:
                return cached(*arguments, **named)  # type: ignore[arg-type]
            finally:
                turn.release()

        return found

    return decorate


def _followed(
    process: subprocess.Popen[bytes],
    task: tuple[str, dict[str, Any], Limits, bool],
    limits: Limits,
    watch: Callable[[], object],
    progress: Callable[[float], object] | None,
) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):  # it has gone already, which is heard below
        pickle.dump(task, process.stdin)
        process.stdin.flush()  # and it stays open: its end tells the process that nobody waits any more
    heard: queue.Queue[tuple[str, Any]] = queue.Queue()
    threading.Thread(target=_listen, args=(process.stdout, heard), daemon=True, name="apart").start()
    end = time.monotonic() + limits.seconds
    while True:
        watch()
        if time.monotonic() > end:
            raise Exhausted("seconds")
        with contextlib.suppress(queue.Empty):
            kind, value = heard.get(timeout=LOOK)
            if kind == "progress" and progress is not None:
                progress(value)
            elif kind == "returned":
                return value
            elif kind == "raised":
                raise _error(*value)
            elif kind == "over":
                raise Exhausted("memory" if process.wait() == NO_MEMORY else "ended")


def _listen(stream: IO[bytes], heard: "queue.Queue[tuple[str, Any]]") -> None:
    """Pass on what the process says, until it says no more."""
    try:
        with contextlib.suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
            while True:
                heard.put(pickle.load(stream))
    finally:  # an answer that was cut off can raise anything
        heard.put(("over", None))


def _error(kind: type[BaseException], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """An exception as it was. Pickle cannot: it would call ``__init__`` with the sentence alone."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


# ------------------------------------------------------------------------------------------------------ in the process


def _bound(memory: int) -> None:
    """Take no more than this, and only what others leave. Windows knows neither."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        os.nice(NICE)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _end_with(stream: IO[bytes]) -> None:
    """The app has gone, or wants no answer."""
    stream.read()
    os._exit(1)


def main() -> None:
    """Do the one task that comes in, say what came of it."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what the function prints is no answer
    name, arguments, limits, reports = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()

    def say(kind: str, value: Any) -> None:
        pickle.dump((kind, value), answers)
        answers.flush()

    _bound(limits.memory)
    try:
        if reports:
            arguments["progress"] = lambda share: say("progress", share)
        say("returned", _function(name)(**arguments))
    except MemoryError:
        os._exit(NO_MEMORY)
    except Exception as error:
        say("raised", (type(error), error.args, vars(error)))


if __name__ == "__main__":
    main()
