"""A fault of ours. The visitor reads a sentence with a number; the server's log has the number and all the rest."""

import contextlib
import logging
import secrets
from collections.abc import Iterator

import streamlit as st
from streamlit.errors import FragmentHandledException

from pages.shared.apart import Exhausted
from pages.shared.i18n import texts
from pages.shared.unfinished import show_unfinished

_LOG = logging.getLogger("pages")
LOGGED = 500  # characters of an address: it is the visitor's, and may be long


class Fault(Exception):
    """What Streamlit hears of a fault instead of the fault: nothing that a visitor should not see."""


@contextlib.contextmanager
def told(where: str) -> Iterator[None]:
    """Draw a page, or a part of it, in here. Streamlit's own signals (stop, rerun) are no exceptions and pass."""
    try:
        yield
    except (Fault, FragmentHandledException):
        raise
    except Exhausted as error:  # no fault: there is an answer another time
        show_unfinished(error, where)
    except Exception:
        number = secrets.token_hex(3)
        address = repr(st.query_params.to_dict())[:LOGGED]
        _LOG.exception("fault %s on %s, language %s, address %s", number, where, texts().lang, address)
        with st.container(key="fault"):
            st.error(texts()("fault.sentence", number=number))
        raise Fault(number) from None
