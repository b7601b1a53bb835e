"""What lab and Play give away besides the moves themselves: a replay as one file, a sheet to print."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from pages.shared.board import Run
from pages.shared.i18n import Texts
from pages.shared.levels import OWN
from pages.shared.numbers import grouped
from pages.shared.replay_file import About, game_file, replay_file
from pages.shared.settings import LAB, PLAY, LabSettings, PlaySettings
from pages.shared.step_sheet import MOST, step_sheet
from pages.shared.url_state import encode
from pebble_engine import Pebbling


def page_address(query: dict[str, str]) -> str:
    """This page's address with `query`; "" where the browser has not told it."""
    url = (st.context.url or "").partition("?")[0].partition("#")[0]
    return f"{url}?{urlencode(query)}" if url else ""


def about_lab(settings: LabSettings, t: Texts, address: str = "") -> About:
    """What the lab's files say of themselves."""
    problem = t(f"lab.form.{settings.form}")
    if settings.mask != "none":
        problem += "; " + t(f"lab.mask.{settings.mask}")
    sizes = {"n": settings.n, "d": settings.d, "m": grouped(settings.memory), "problem": problem}
    return About(t("replay.attention_title", **sizes), t("replay.attention", **sizes), address)


def offer_files(runs: Sequence[Run], settings: LabSettings, t: Texts) -> None:
    """Two buttons, where there is something to play. The files are made when a button is pressed."""
    playable = [run for run in runs if run.get("fits") is not False]
    if not playable:
        return
    about = about_lab(settings, t, page_address(encode(LAB, settings, t.lang)))
    name = f"pebbling-n{settings.n}-d{settings.d}-m{settings.memory}"
    for kind, make in (
        ("download", partial(replay_file, playable, about, t, settings.step)),
        ("sheet", partial(step_sheet, playable, about, t)),
    ):
        st.download_button(
            t(f"replay.{kind}"),
            data=make,
            file_name=f"{name}{'' if kind == 'download' else '-steps'}.html",
            mime="text/html",
            help=t(f"replay.{kind}_help", most=grouped(MOST)),
            key=f"lab.{kind}",
            on_click="ignore",
            width="stretch",
        )


def offer_game(game: Pebbling, title: str, settings: PlaySettings, t: Texts) -> None:
    """A button for the replay of the reader's game, once it has a move. A DAG of their own has no address."""
    if not game.moves:
        return
    address = "" if settings.level == OWN else page_address(encode(PLAY, settings, t.lang))
    st.download_button(
        t("replay.download"),
        data=partial(game_file, game, title, t("replay.you"), t, address),
        file_name=f"{settings.level}.html",
        mime="text/html",
        help=t("replay.download_help"),
        key="play.take.replay",
        on_click="ignore",
    )
