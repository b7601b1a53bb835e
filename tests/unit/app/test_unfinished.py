"""Work apart that came to nothing: what a visitor reads, and that the next try has its answer."""

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.state import SafeSessionState, SessionState, session_state_proxy
from streamlit.testing.v1 import AppTest

from pages.shared import curve_data, curve_maps, why_study
from pages.shared.apart import Exhausted, apart
from pages.shared.i18n import Texts
from pages.shared.unfinished import wanted

PAGE = """
import streamlit as st
from pages.shared import curve_data, curve_maps, why_study
from pages.shared.fault import told
from pages.shared.settings import CurveSettings

with told("here"):
    st.text(len(str({})))
"""
HEAVY = {
    "why": "why_study.optimum(2, 1, 13)",
    "curves": "curve_data.curves(CurveSettings(n=128, mask='causal'))",
    "winners": "curve_maps.map_of(CurveSettings(n=128, mask='causal'))",
}


@pytest.mark.parametrize(
    ("work", "reason", "lang"), [("why", "ended", "en"), ("curves", "memory", "es"), ("winners", "seconds", "en")]
)
def test_a_sentence_and_another_try(work: str, reason: str, lang: str, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def at_second_try(name: str, *rest: object) -> object:
        asked.append(name)
        if len(asked) == 1:
            raise Exhausted(reason)
        return apart(name, *rest)  # type: ignore[arg-type]

    for module in (curve_data, curve_maps, why_study):
        monkeypatch.setattr(module, "apart", at_second_try)
    for module in (curve_data, curve_maps):
        monkeypatch.setattr(module, "HEAVY", 0)
    at = AppTest.from_string(PAGE.format(HEAVY[work]), default_timeout=60)
    at.session_state["lang"] = lang
    at.run()
    assert [warning.value for warning in at.warning] == [Texts(lang)(f"unfinished.{reason}")]
    assert not at.exception
    at.button(key="unfinished.again").click().run()
    assert not at.warning
    assert not at.exception
    assert len(at.text) == 1


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("reason", ["seconds", "memory", "ended"])
def test_every_reason_has_a_sentence(reason: str, lang: str):
    assert Texts(lang)(f"unfinished.{reason}")


def test_waiting_is_where_a_stop_is_heard(monkeypatch: pytest.MonkeyPatch):
    def stop() -> None:
        raise StopException

    wanted()
    state = SafeSessionState(SessionState(), stop)
    monkeypatch.setattr(session_state_proxy, "get_session_state", lambda: state)
    with pytest.raises(StopException):
        wanted()
