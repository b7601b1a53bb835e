"""A graph of the reader's own on the Play page: where it is given, and how it is passed on."""

from functools import partial

import streamlit as st

from pages.shared.i18n import Texts
from pages.shared.play import OWN_PASTED, open_own, play_own, show_report
from pebble_engine import Pebbling, write_pebbling


def own_graph(t: Texts) -> None:
    """Ask for a graph. A file is played as soon as it is open, with M as it was last sent; pasted text at the button.

    The button plays the file again with another M, when no text is there. A form, so that a press of its button is one
    run, not one for the field that is left and one for the button.
    """
    st.markdown(t("play.dag"))
    st.file_uploader(
        t("play.dag_file"),
        type=["txt", "json"],
        key="play.own_file",
        on_change=open_own,
        args=(t,),
        max_upload_size=1,
    )
    with st.form("play.own", border=False):
        example = "a sum\nb sum"
        st.text_area(t("play.dag_text"), key="play.own_text", placeholder=example, max_chars=OWN_PASTED, height=120)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(t("play.dag_red"), "3", key="play.own_red", width=150)
            st.checkbox(t("play.dag_sliding"), key="play.own_sliding")
        st.form_submit_button(t("play.dag_play"), on_click=play_own, args=(t,))
    show_report("dag")


def offer_own(game: Pebbling, t: Texts) -> None:
    """Say above the board that the address does not carry the graph, and offer the file that does."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(t("play.own_share"), width="content")
        st.download_button(
            t("play.own_take"),
            data=partial(write_pebbling, game),
            file_name="own.json",
            mime="application/json",
            key="play.own_take",
            on_click="ignore",
            type="tertiary",
        )
