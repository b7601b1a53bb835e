"""Sparse: a mask keeps some of the scores. What is left to move, and what the theorem says of it."""

from pages.shared.entry import guard

guard()

import streamlit as st

from pages.shared.i18n import texts
from pages.shared.part import part
from pages.shared.sparse_board import address_of_now, board

t = texts()
st.title(t("page.sparse"))
st.markdown(t("sparse.lead"))


@part("sparse, board")
def mask() -> None:
    """The board, which all of the page's controls are on."""
    board(address_of_now(), t)


mask()
with st.container(key="sparse_prose"):
    reading, theorem = st.columns(2, gap="large")
    reading.markdown(t.prose("sparse_reading"))
    theorem.markdown(t.prose("sparse_theorem"))
