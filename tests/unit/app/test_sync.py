"""Address, widgets and session meet: the reader's newest act wins. Scripts as small as a page can be."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import url_state
from pages.shared.settings import LAB, SPARSE


def lab_page() -> None:
    import streamlit as st

    from pages.shared.i18n import texts
    from pages.shared.settings import LAB
    from pages.shared.url_state import adopt_language, sync, update

    adopt_language("es-MX")
    address = sync(LAB)
    address.at_most("step", 100)
    st.segmented_control("language", ["en", "es"], key="lang", required=True)
    st.number_input("n", 1, 8, key=address.key("n"))
    st.multiselect("algorithms", ["flash2", "small-cache"], key=address.key("algorithms"))
    st.button("least", on_click=lambda: update(LAB, memory=3))
    st.button("step", on_click=lambda: update(LAB, step=40))
    st.button("far", on_click=lambda: update(LAB, memory=10**9))
    st.button("nothing")
    st.session_state["result"] = address.settings
    address.show_problems(texts())


def page(**query: str) -> AppTest:
    at = AppTest.from_function(lab_page, default_timeout=60)
    at.query_params.update(query)
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def settings(at: AppTest) -> Any:
    return at.session_state["result"]


def press(at: AppTest, label: str) -> AppTest:
    next(button for button in at.button if button.label == label).click()
    return run(at)


def no_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the reader took their time: no address counts as an echo of our own."""
    monkeypatch.setattr(url_state, "ECHO_SECONDS", 0.0)


def test_a_bare_address_is_completed() -> None:
    at = page()
    assert settings(at) == LAB.settings()
    wanted = {"v": "1", "n": "4", "d": "2", "m": "16", "a": "flash2,small-cache", "t": "0", "lang": "es"}
    wanted |= {"form": "qkv", "mask": "none", "sums": "chain", "slide": "yes"}
    assert dict(at.query_params) == wanted
    assert not at.warning


def test_an_address_sets_widgets_and_settings() -> None:
    at = page(n="3", a="small-cache", t="9", lang="en")
    assert settings(at) == LAB.settings(n=3, algorithms=("small-cache",), step=9)
    assert at.number_input[0].value == 3
    assert at.multiselect[0].value == ["small-cache"]
    assert at.query_params["lang"] == "en"


def test_a_widget_moves_the_address_and_restarts_the_step() -> None:
    at = page(t="9")
    at.number_input[0].set_value(2)
    run(at)
    assert settings(at) == LAB.settings(n=2)
    assert (at.query_params["n"], at.query_params["t"]) == ("2", "0")


def test_a_callback_updates_and_keeps_its_own_step() -> None:
    at = press(page(t="9", n="3"), "step")
    assert settings(at) == LAB.settings(n=3, step=40)
    press(at, "least")
    assert settings(at) == LAB.settings(n=3, memory=3)
    assert at.number_input[0].value == 3


def test_a_refused_update_says_so_and_changes_nothing() -> None:
    at = press(page(n="3"), "far")
    assert settings(at) == LAB.settings(n=3)
    assert "1\u202f000\u202f000" not in at.query_params["m"]
    assert "3\u202f000" in at.warning[0].value


def test_nothing_chosen_keeps_the_last_choice_and_says_so() -> None:
    at = page(a="small-cache")
    at.multiselect[0].set_value([])
    run(at)
    assert settings(at).algorithms == ("small-cache",)
    assert "flash2" in at.warning[0].value
    press(at, "nothing")
    assert at.warning, "it stays until it is mended"
    at.multiselect[0].set_value(["flash2"])
    run(at)
    assert not at.warning
    assert settings(at).algorithms == ("flash2",)


def test_problems_of_an_address_stay_until_the_reader_acts() -> None:
    at = page(n="0")
    assert at.query_params["n"] == "4"
    press(at, "nothing")
    assert at.warning
    at.number_input[0].set_value(5)
    run(at)
    assert not at.warning


def test_a_step_beyond_the_end_is_said_and_held() -> None:
    at = page(t="101", lang="en")
    assert settings(at).step == 100
    assert at.query_params["t"] == "100"
    assert "101 is beyond the end" in at.warning[0].value
    press(at, "nothing")
    assert settings(at).step == 100
    assert at.warning


def test_back_is_adopted(monkeypatch: pytest.MonkeyPatch) -> None:
    no_echo(monkeypatch)
    at = page(n="3")
    before = dict(at.query_params)
    at.number_input[0].set_value(2)
    run(at)
    after = dict(at.query_params)
    at.query_params.clear()
    at.query_params.update(before)
    run(at)
    assert settings(at).n == 3
    assert at.number_input[0].value == 3
    at.query_params.clear()
    at.query_params.update(after)
    run(at)
    assert settings(at).n == 2


def test_an_address_that_we_just_replaced_is_an_echo() -> None:
    at = page(n="3")
    before = dict(at.query_params)
    at.number_input[0].set_value(2)
    run(at)
    at.query_params.clear()
    at.query_params.update(before)  # the browser asks again before it has heard of n = 2
    press(at, "nothing")
    assert settings(at).n == 2
    assert at.query_params["n"] == "2"


def test_a_moved_widget_wins_over_an_old_address(monkeypatch: pytest.MonkeyPatch) -> None:
    no_echo(monkeypatch)
    at = page(n="3")
    before = dict(at.query_params)
    at.number_input[0].set_value(2)
    run(at)
    at.query_params.clear()
    at.query_params.update(before)
    at.number_input[0].set_value(5)
    run(at)
    assert settings(at).n == 5


def test_a_cleared_address_keeps_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The navigation clears the query string: a page that one comes back to is as one left it."""
    no_echo(monkeypatch)
    at = page(n="3", lang="en")
    at.query_params.clear()
    run(at)
    assert settings(at).n == 3
    assert (at.query_params["n"], at.query_params["lang"]) == ("3", "en")


def test_language_switch_keeps_the_rest() -> None:
    at = page(n="3", t="9", lang="en")
    at.segmented_control[0].set_value("es")
    run(at)
    assert at.query_params["lang"] == "es"
    assert settings(at) == LAB.settings(n=3, step=9)


@pytest.mark.parametrize("lang", ["xx", "EN", "", "e" * 70, ["en", "es"]])
def test_unknown_languages_are_answered(lang: str) -> None:
    at = page(lang=lang)
    assert at.query_params["lang"] == "es", "the browser's"
    assert "Idioma" in at.warning[0].value
    at.segmented_control[0].set_value("en")
    run(at)
    assert not at.warning


def test_an_address_that_belongs_to_a_page_of_before_is_not_taken_for_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty times back and forward: the browser gives the path of one entry and the parameters of another."""
    no_echo(monkeypatch)
    sparse = {field.parameter: field.write(getattr(SPARSE.settings(), field.name)) for field in SPARSE.fields}
    at = page(n="3", m="24")
    at.query_params.clear()
    at.query_params.update(sparse | {"v": "1"})
    assert "tiles" in run(at).warning[0].value, "never seen in this session: the link is wrong, which is said"
    at = page(n="3", m="24")
    at.session_state["_parameters"] = {"sparse": set(sparse)}
    at.query_params.clear()
    at.query_params.update(sparse | {"v": "1"})
    assert not run(at).warning
    assert (settings(at).n, settings(at).memory) == (3, 24)
    assert at.query_params["m"] == "24"
    assert "tiles" not in at.query_params
