"""Work apart, as a page meets it: a reader who no longer wants it, and an end without an answer."""

import logging

import streamlit as st

from pages.shared.apart import Exhausted
from pages.shared.i18n import texts

_LOG = logging.getLogger("pages")


def wanted() -> None:
    """To be called while a page waits for work apart. When the reader has left, or has asked for something else, this
    raises Streamlit's own signal (stop, rerun): reading the session's state is where Streamlit looks for one."""
    st.session_state.get("lang")


def show_unfinished(error: Exhausted, where: str) -> None:
    """In place of a page, or of a part of it: why there is no answer, and a button that asks once more."""
    _LOG.warning("unfinished on %s: %s", where, error)
    t = texts()
    with st.container(key="unfinished"):
        st.warning(t(f"unfinished.{error.reason}"))
        st.button(t("unfinished.again"), key="unfinished.again")
