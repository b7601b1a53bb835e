"""The pebble lab: two kernels pebble the same small backward pass with the same fast memory, move by move."""

from pages.shared.entry import guard

guard()

import streamlit as st

from pages.shared.board import board
from pages.shared.exports import offer_files
from pages.shared.i18n import texts
from pages.shared.lab import BOARD, NO_ALGORITHM, adopt_place, adopt_wish, choose, last_tick, notation, runs_of, take
from pages.shared.settings import ALGORITHM_IDS, LAB
from pages.shared.url_state import sync

t = texts()
address = sync(LAB)
settings = address.settings


def name(algorithm: str) -> str:
    return t("lab.none") if algorithm == NO_ALGORITHM else t(f"algorithm.{algorithm}")


# Title and controls in one row, so that the board has the rest of the page.
with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
    st.title(t("page.lab"), anchor=False, width="content")
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content")
with controls:
    for field in ("n", "d", "memory"):
        st.session_state[f"lab.{field}_typed"] = str(getattr(settings, field))
        st.text_input(
            t(f"lab.{field}"),
            key=f"lab.{field}_typed",
            on_change=take,
            args=(field,),
            help=t(f"lab.{field}_help"),
            width=110 if field == "memory" else 84,
        )
    left, right = (*settings.algorithms, NO_ALGORITHM)[:2]
    for side, chosen, options in (("left", left, ALGORITHM_IDS), ("right", right, (*ALGORITHM_IDS, NO_ALGORITHM))):
        st.session_state[f"lab.{side}"] = chosen
        st.selectbox(
            t(f"lab.{side}"), options, key=f"lab.{side}", format_func=name, on_change=choose, args=(side,), width=226
        )
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
    st.markdown(t.prose("lab_guide"))
    offer_files(runs, address.settings, t)
    for run in runs:
        if run.get("fits") is False:
            continue
        for form, ending, mime in (("text", "txt", "text/plain"), ("json", "json", "application/json")):
            st.download_button(
                t(f"lab.download_{form}", name=run["title"]),
                data=notation(run["algorithm"], settings, form),
                file_name=f"{run['algorithm']}-n{settings.n}-d{settings.d}-m{settings.memory}.{ending}",
                mime=mime,
                key=f"lab.download.{run['algorithm']}.{form}",
                on_click="ignore",
                width="stretch",
            )
