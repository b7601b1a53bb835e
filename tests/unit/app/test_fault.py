"""A fault of ours: what a visitor sees of it, and what the log has."""

import logging
import os
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
