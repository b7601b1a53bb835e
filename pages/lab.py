"""The pebble lab: two kernels pebble the same small backward pass with the same fast memory, move by move."""

from pages.shared.entry import guard

guard()

from functools import partial

import streamlit as st

from pages.shared.board import board
from pages.shared.exports import offer_files
from pages.shared.i18n import texts
from pages.shared.lab import (
    BOARD,
    NO_ALGORITHM,
    adopt_place,
    adopt_wish,
    choices,
    choose,
    choose_dag,
    fitted,
    last_tick,
    notation,
    playable,
    runs_of,
)
from pages.shared.part import part
from pages.shared.settings import LAB
from pages.shared.url_state import show, sync

t = texts()


def name(algorithm: str) -> str:
    return t("lab.none") if algorithm == NO_ALGORITHM else t(f"algorithm.{algorithm}")


def chosen_name(field: str, option: str) -> str:
    return t(f"lab.{field}.{option}")


@part("lab")
def body() -> None:
    """All of it: every control is about the two runs."""
    address = sync(LAB)
    # Title and controls in one row, so that the board has the rest of the page.
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        st.title(t("lab.title"), anchor=False, width="content")
        controls = st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content")
    fitted(address)
    settings = address.settings
    with controls:
        for field in ("n", "d", "memory"):
            width = 110 if field == "memory" else 84
            address.number(field, t(f"lab.{field}"), help=t(f"lab.{field}_help"), width=width)
        left, right = (*settings.algorithms, NO_ALGORITHM)[:2]
        possible = playable(settings)
        for side, chosen, options in (("left", left, possible), ("right", right, (*possible, NO_ALGORITHM))):
            show(f"lab.{side}", chosen)
            st.selectbox(
                t(f"lab.{side}"),
                options,
                key=f"lab.{side}",
                format_func=name,
                on_change=choose,
                args=(side,),
                width=236,
            )
        st.popover(t("lab.guide"), width="content").markdown(t.prose("lab_guide"))
        more = st.popover(t("lab.more"), width="content")

    titles = {algorithm: name(algorithm) for algorithm in settings.algorithms}
    runs = runs_of(settings, titles)
    address.at_most("step", last_tick(runs))
    address.show_problems(t)
    board(
        runs,
        t.group("lab.board"),
        t.lang,
        key=BOARD,
        start=address.settings.step,
        on_rest=adopt_place,
        on_wish=adopt_wish,
    )

    with more:
        halves = st.columns(2)
        for place, field in enumerate(("form", "mask", "granularity", "sliding")):
            show(f"lab.{field}_chosen", getattr(settings, field))
            halves[place % 2].selectbox(
                t(f"lab.{field}"),
                choices(field),
                key=f"lab.{field}_chosen",
                format_func=partial(chosen_name, field),
                on_change=choose_dag,
                args=(field,),
            )
        offer_files(runs, address.settings, t)
        playing = [run for run in runs if run.get("fits") is not False]
        for half, run in zip(st.columns(2), playing, strict=False):
            for form, ending, mime in (("text", "txt", "text/plain"), ("json", "json", "application/json")):
                half.download_button(
                    t(f"lab.download_{form}", name=run["title"]),
                    data=notation(run["algorithm"], settings, form),
                    file_name=f"{run['algorithm']}-n{settings.n}-d{settings.d}-m{settings.memory}.{ending}",
                    mime=mime,
                    key=f"lab.download.{run['algorithm']}.{form}",
                    on_click="ignore",
                    width="stretch",
                )


body()
