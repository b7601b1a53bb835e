"""A fault of ours. The visitor reads a sentence with a number; the server's log has the number and all the rest."""

import contextlib
import functools
import logging
import secrets
from collections.abc import Callable, Iterator
from typing import ParamSpec

import streamlit as st
from streamlit.errors import FragmentHandledException

from pages.shared.apart import Exhausted
from pages.shared.i18n import texts
from pages.shared.unfinished import show_unfinished

_LOG = logging.getLogger("pages")
_LEFT = "_fault"  # the number of a fault in a callback, for the drawing that follows it
LOGGED = 500  # characters of an address: it is the visitor's, and may be long
P = ParamSpec("P")


class Fault(Exception):
    """What Streamlit hears of a fault instead of the fault: nothing that a visitor should not see."""


@contextlib.contextmanager
def told(where: str) -> Iterator[None]:
    """Draw a page, or a part of it, in here. Streamlit's own signals (stop, rerun) are no exceptions and pass."""
    if number := st.session_state.pop(_LEFT, None):
        with st.container(key=f"fault_{number}"):
            st.error(texts()("fault.act", number=number))
            st.exception(Fault(number))  # hidden, but there: tests everywhere look for exceptions
    try:
        yield
    except (Fault, FragmentHandledException):
        raise
    except Exhausted as error:  # no fault: there is an answer another time
        show_unfinished(error, where)
    except Exception:
        number = _noted(where)
        with st.container(key=f"fault_{number}"):
            st.error(texts()("fault.sentence", number=number))
        raise Fault(number) from None


def callback(act: Callable[P, None]) -> Callable[P, None]:
    """A widget's callback. A fault in it is told by the drawing that follows, which shows the page as it was before."""

    @functools.wraps(act)
    def acted(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            act(*arguments, **named)
        except Exception:
            st.session_state[_LEFT] = _noted(f"the callback {act.__module__}.{act.__qualname__}")

    return acted


def _noted(where: str) -> str:
    """Log the exception that is being handled; its number."""
    number = secrets.token_hex(3)
    address = repr(st.query_params.to_dict())[:LOGGED]
    _LOG.exception("fault %s on %s, language %s, address %s", number, where, texts().lang, address)
    return number
