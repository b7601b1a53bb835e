"""Play: the reader moves the pebbles, level by level, from a sum of two numbers to the backward pass of attention."""

from pages.shared.entry import guard

guard()

from functools import partial

import streamlit as st

from pages.shared.exports import offer_game
from pages.shared.i18n import texts
from pages.shared.levels import OWN
from pages.shared.part import part
from pages.shared.play import board, current, open_solution, options, plain_title, show_report, title
from pages.shared.play_own import offer_own, own_graph
from pages.shared.settings import PLAY
from pages.shared.url_state import sync
from pebble_engine import write_pebbling


@part("play")
def body() -> None:
    """All of it: a move changes the address, the files and the list of levels."""
    t = texts()
    address = sync(PLAY)
    level, game = current(address, t)

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.title(t("page.play"), anchor=False, width="content")
        st.selectbox(
            t("play.level"),
            options(level, t),
            key=address.key("level"),
            format_func=lambda level_id: title(level_id, t),
            label_visibility="collapsed",
            width=360,
        )
        st.popover(t("play.how"), width="content").markdown(t.prose("play_guide"))
        more = st.popover(t("play.more"), width="content")

    address.show_problems(t)
    above = st.container()  # always there, so that the board keeps its place and is not made anew
    if level.id == OWN:
        with above:
            offer_own(game, t)
    board(level, game, t)

    with more:
        st.markdown(f"**{t('play.take')}**")
        with st.container(horizontal=True):
            for form, ending, mime in (("text", "txt", "text/plain"), ("json", "json", "application/json")):
                st.download_button(
                    t(f"play.take_{form}"),
                    data=partial(write_pebbling, game, form=form),
                    file_name=f"{level.id}.{ending}",
                    mime=mime,
                    key=f"play.take.{form}",
                    on_click="ignore",
                )
            offer_game(game, plain_title(level.id, t), address.settings, t)
        st.file_uploader(
            t("play.open"),
            type=["txt", "json"],
            key="play.file",
            on_change=open_solution,
            args=(level, t),
            max_upload_size=1,
        )
        show_report("solution")
        own_graph(t)


body()
