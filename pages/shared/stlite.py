"""What the Streamlit of stlite 1.9.2 lacks, for the app in a browser (`deploy/static.py`).

Two static methods of `Runtime`, which its own components (v2) call. And downloads that are made when the button is
pressed: there such a button leads away from the app, so the file is made when the button is drawn.
"""

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator


def mend() -> None:
    """Bring this Streamlit to what the pages use."""
    lacking(runtime.Runtime)
    DeltaGenerator.download_button = made_first(DeltaGenerator.download_button)  # type: ignore[method-assign]
    st.download_button = made_first(st.download_button)


def lacking(kind: Any) -> None:
    """Give `kind`, the class `Runtime`, those of the two methods that it does not have."""
    for name, function in (("exists", runtime.exists), ("instance", runtime.get_instance)):
        if not hasattr(kind, name):
            setattr(kind, name, staticmethod(function))


def made_first(button: Callable[..., bool]) -> Callable[..., bool]:
    """`button` with its ``data`` made at once, where it is given as a function."""

    @functools.wraps(button)
    def drawn(*given: Any, data: Any, **named: Any) -> bool:
        return button(*given, data=data() if callable(data) else data, **named)

    return drawn
