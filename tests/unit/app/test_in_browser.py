"""Where Python runs in the visitor's browser: one thread, no process; the pages work and say what is different."""

import subprocess
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from pages.shared import apart, curve_runs, stlite, where
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.solving import solved
from pages.shared.why_study import optimum
from pebble_engine import Rules, matmul
from tests.unit.app.test_pages import PAGES, opened


@pytest.fixture(autouse=True)
def in_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """As there: no thread can be started (but by this Streamlit, which is not stlite's), and no process."""
    for module in (where, apart, curve_runs):
        monkeypatch.setattr(module, "IN_BROWSER", True)
    monkeypatch.setattr(curve_runs, "RUN_N", 1024)
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        if not (thread.name.startswith("ScriptRunner") or isinstance(thread, threading.Timer)):
            raise RuntimeError(f"can't start new thread {thread.name}")
        start(thread)

    def process(*_: Any, **__: Any) -> None:
        raise OSError("emscripten does not support processes.")

    monkeypatch.setattr(threading.Thread, "start", started)
    monkeypatch.setattr(subprocess, "Popen", process)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs(page: str) -> None:
    at = opened(page)
    assert not at.exception
    assert not at.warning


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_says_what_is_different(lang: str) -> None:
    at = opened("pages/curves.py", lang=lang)
    captions = [caption.value for caption in at.caption]
    assert Texts(lang)("curves.run.in_browser") in captions
    assert any("1\u202f024" in text for text in captions), "the page begins beyond the limit, which is the smaller one"


def test_a_run_is_made_on_the_spot() -> None:
    t = Texts("en")
    at = opened("pages/curves.py", n="32", d="8", m="64")
    at.button(key="curves.run").click().run()
    assert not at.exception
    (table,) = [text.value for text in at.markdown if t("curves.run.equal") in text.value]
    assert t("curves.run.yes") in table


def test_a_long_run_is_not_given_up_for_want_of_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve_runs, "FORGOTTEN", -1.0)
    job = curve_runs.Job(curve_runs.CurveSettings(32, 8, 64))
    job.start(threading.Semaphore(1))
    assert job.stage == "done"


def test_the_solver_searches_on_the_spot() -> None:
    assert solved(matmul(2, 2, 1), Rules(5), 4.0, 10_000).proved
    assert optimum(2, 1, 17)


def test_what_stlite_lacks_is_mended_and_what_is_there_is_kept() -> None:
    bare = SimpleNamespace(instance="theirs")
    stlite.lacking(bare)
    assert bare.instance == "theirs"
    assert callable(bare.exists)


def test_a_file_is_made_before_its_button_is_drawn() -> None:
    drawn = stlite.made_first(lambda label, **named: (label, named) == ("Save", {"data": "text", "key": "k"}))
    assert drawn("Save", data=lambda: "text", key="k")
    assert drawn("Save", data="text", key="k")
