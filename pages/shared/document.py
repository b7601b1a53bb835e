"""What the browser's document needs and Streamlit does not give; ``assets/document`` has a script for each.

Its language: Streamlit always ships ``<html lang="en">``. A clean history. Word of being printed for what is drawn by
scripts. A session at once with a server that is back; the page anew when Streamlit has left an empty window. The
keyboard for what scrolls inside itself. Files out of what is shown: here once, and not in every component's message.
The component draws nothing.
"""

import streamlit as st

from pages.shared.theme import source

_SCRIPTS = ("print", "history", "connection", "scrollers", "files", "document")

_component = st.components.v2.component(
    "document",
    html="",
    js=source("curves/measure.js", *(f"document/{name}.js" for name in _SCRIPTS)),
)


def document(lang: str) -> None:
    """Tell the document its language (an id of `LANGUAGES`), and mend the rest."""
    _component(key="document", data={"lang": lang}, default={"connected": None}, on_connected_change=_begun, height=0)


def _begun() -> None:
    """The run itself is all that is wanted."""
