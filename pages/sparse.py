"""Sparse: a mask keeps some of the scores. What is left to move, and what the theorem says of it."""

from pages.shared.entry import guard

guard()

import streamlit as st

from pages.shared.i18n import texts
from pages.shared.sparse_board import address_of_now, board

t = texts()
st.title(t("page.sparse"))
st.markdown(t("sparse.lead"))


@st.fragment
def mask() -> None:
    """The board. A fragment: moving a slider or painting runs this and nothing else of the page."""
    board(address_of_now(), texts())


mask()
with st.container(key="sparse_prose"):
    reading, theorem = st.columns(2, gap="large")
    reading.markdown(t.prose("sparse_reading"))
    theorem.markdown(t.prose("sparse_theorem"))
