"""A fault of ours: what a visitor sees of it, and what the log has."""

import ast
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from pages.shared import kitchen
from pages.shared.i18n import Texts

APP = Path(__file__).resolve().parents[3] / "app.py"


@pytest.fixture(autouse=True)
def _options() -> Iterator[None]:
    yield
    os.environ.pop("STREAMLIT_CLIENT_SHOW_ERROR_DETAILS", None)
    config.get_config_options(force_reparse=True)


SECRET = "a path, a row, a password"


@pytest.mark.parametrize("details", ["type", "stacktrace"])  # ours, and what some hosts force
@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_visitor_reads_a_sentence_and_the_log_has_the_rest(
    lang: str, details: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def broken(*_: object) -> str:
        raise ValueError(SECRET)

    monkeypatch.setattr(kitchen, "payload", broken)
    monkeypatch.setitem(os.environ, "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS", details)
    config.get_config_options(force_reparse=True)
    app = AppTest.from_file(str(APP))
    app.query_params["lang"] = lang
    app.query_params["m"] = "512"
    with caplog.at_level(logging.ERROR, logger="pages"):
        app.run(timeout=60)
    record = next(record for record in caplog.records if record.name == "pages")
    number = record.args[0]
    assert [error.value for error in app.error] == [Texts(lang)("fault.sentence", number=number)]
    shown = "".join(str(exception.proto) for exception in app.exception)
    assert len(app.exception) == 1, "tests everywhere look for exceptions: a fault must not hide from them"
    assert SECRET not in shown
    assert "kitchen" not in shown
    assert "ValueError" not in shown
    assert SECRET in caplog.text
    assert "on home" in record.getMessage()
    assert "512" in record.getMessage()


def page_with_a_broken_button() -> None:
    import streamlit as st

    from pages.shared.fault import callback, told

    @callback
    def broken() -> None:
        st.session_state["begun"] = True
        raise ValueError("a path, a row, a password")

    with told("somewhere"):
        st.button("broken", on_click=broken)
        st.button("sound")
        st.text("the page")


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_fault_in_a_callback_is_told_and_the_page_stays(lang: str, caplog: pytest.LogCaptureFixture):
    app = AppTest.from_function(page_with_a_broken_button, default_timeout=60)
    app.session_state["lang"] = lang
    app.run()
    with caplog.at_level(logging.ERROR, logger="pages"):
        app.button[0].click().run()
    (record,) = (record for record in caplog.records if record.name == "pages")
    assert app.session_state["begun"]
    assert [error.value for error in app.error] == [Texts(lang)("fault.act", number=record.args[0])]
    assert SECRET in caplog.text
    assert SECRET not in "".join(str(exception.proto) for exception in app.exception)
    assert len(app.exception) == 1
    assert app.text[0].value == "the page"
    app.button[1].click().run()
    assert not app.error, "it is told once"
    assert not app.exception


def test_every_callback_of_a_widget_tells_its_faults():
    """Each function that is given to a widget, by name or inside a lambda, is marked ``@callback``."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (APP.parent / "pages").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    marked = {one.name for one in functions if any(ast.unparse(mark) == "callback" for mark in one.decorator_list)}
    given = [
        word.value
        for node in nodes
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg and re.fullmatch(r"on_(change|click|rest|wish|\w+_change)", word.arg)
    ]
    called = {ast.unparse(one.body.func if isinstance(one, ast.Lambda) else one) for one in given}
    passed_on = {"on_rest", "on_wish"}  # parameters of our own functions, looked at where these are called
    harmless = {"'ignore'", "job.stop.set", "_begun"}
    assert len(marked) > 15
    assert called - passed_on - harmless <= marked
