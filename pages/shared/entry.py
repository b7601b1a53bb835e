"""The guard that every page file begins with.

Streamlit treats a folder called ``pages/`` beside the entry script as an old-style multipage app until some session
has run ``st.navigation``. The first deep link after a start would then run a page file without ``app.py``: no
language, no navigation, no page configuration. So each page file begins with ``guard()``.
"""

import streamlit as st

from pages.shared import process  # noqa: F401

_MARK = "_entry_has_run"


def mark_entry() -> None:
    """Note that the entry script runs in this session (called by ``app.main`` alone)."""
    st.session_state[_MARK] = True


def guard() -> None:
    """When a page file was started without its entry script: run the app, which draws this page, and stop."""
    if _MARK not in st.session_state:
        from app import main

        main()
        st.stop()
