"""What a component says to the server. Any program can speak in its place, so nothing of it is taken on trust."""

from typing import Any

import streamlit as st


def said(key: str, name: str) -> Any:
    """What the component `key` says under `name`; None when it says nothing."""
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, dict) else None


def parts(key: str, name: str) -> dict[str, Any]:
    """The same where it has names itself; {} for anything else."""
    found = said(key, name)
    return found if isinstance(found, dict) else {}


def counter(value: object) -> int:
    """A number that a component counts its questions by; 0 for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0
