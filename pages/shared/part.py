"""A part of a page: what its own controls draw again, and nothing else of the app."""

import functools
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from pages.shared.fault import told

P = ParamSpec("P")


def part(where: str, run_every: float | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Draw with this function as a part of the page; `where` names it in the log when it has a fault.

    An act inside runs the part alone (Streamlit's fragment). The navigation, the style sheet and the rest of the page
    are not drawn again, some 20 messages less. The address is read inside, with `sync`. With `run_every` it is drawn
    again every so many seconds, too.
    """

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @st.fragment(run_every=run_every)
        @functools.wraps(draw)
        def drawn(*arguments: P.args, **named: P.kwargs) -> None:
            with told(where):
                draw(*arguments, **named)

        return drawn

    return decorate
