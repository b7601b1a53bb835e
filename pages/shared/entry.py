"""The guard that every page file begins with.

Streamlit treats a folder called ``pages/`` beside the entry script as an old-style multipage app until some session
has run ``st.navigation``. The first deep link after a start would then run a page file without ``app.py``: no
language, no navigation, no page configuration. So each page file begins with ``guard()``.

The two packages are loaded here, whole and before anything of them, since a class that opens a server just started
runs its pages in many threads at once: one thread inside the package and another at one of its modules would each wait
for the other, and Python gives up one of the two.
"""

import gc

import streamlit as st

import kernels_ref  # noqa: F401
import pebble_engine  # noqa: F401

_MARK = "_entry_has_run"

gc.collect()
gc.freeze()  # what is loaded stays: each look of the collector through everything now takes 50 ms and not 150


def mark_entry() -> None:
    """Note that the entry script runs in this session (called by ``app.main`` alone)."""
    st.session_state[_MARK] = True


def guard() -> None:
    """When a page file was started without its entry script: run the app, which draws this page, and stop."""
    if _MARK not in st.session_state:
        from app import main

        main()
        st.stop()
