"""Why it cannot be beaten: the lower-bound proof, on real runs that the reader cuts into phases."""

from pages.shared.entry import guard

guard()

import streamlit as st

from pages.shared.i18n import texts
from pages.shared.numbers import grouped
from pages.shared.part import part
from pages.shared.settings import WHY, WHY_RUNS, WhySettings
from pages.shared.url_state import show, sync
from pages.shared.why import (
    FULL,
    TOY,
    adopt_phase,
    choose,
    constants_table,
    optimum_known,
    phases_board,
    settle,
    show_proven,
    still,
    sum_table,
    take,
)
from pages.shared.why_pictures import made, regimes, regimes_csv, seen

t = texts()


def sizes(fields: tuple[str, ...], settings: WhySettings) -> None:
    """n, d and M to type in; a label is that of the field without "full"."""
    for field in fields:
        label, key = field.removeprefix("full_"), f"why.{field}_typed"
        show(key, str(getattr(settings, field)))
        width = 124 if label == "memory" else 76
        st.text_input(
            t(f"why.{label}"), key=key, on_change=take, args=(field,), help=t(f"why.{label}_help"), width=width
        )


@part("why")
def body() -> None:
    """All of it: the sizes at the top are also those of the tables at the end."""
    address = sync(WHY)
    head, controls = st.columns([11, 10], vertical_alignment="bottom", gap="large")
    head.title(t("why.title"), anchor=False)
    settings = settle(address)  # may take a second, or come to nothing
    head.markdown(t.prose("why_lede"))
    with controls, st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        show("why.chosen", settings.run)
        named = {run: t(f"why.run_{run}" if run in ("order", "optimum") else f"algorithm.{run}") for run in WHY_RUNS}
        st.selectbox(
            t("why.run"), WHY_RUNS, key="why.chosen", format_func=named.__getitem__, on_change=choose, width=226
        )
        sizes(TOY, settings)
    address.show_problems(t)

    st.header(t("why.cut_title"), anchor="cut")
    phases_board(settings, t, on_rest=adopt_phase)
    st.container(width=640).markdown(t.prose("why_cut"))

    # From here on: the picture on the left, its sentence and its formula on the right.
    st.header(t("why.see_title"), anchor="see")
    picture, words = st.columns(2, gap="large")
    with picture:
        still(seen(t), "phase", t("why.see_title"), t)
    words.markdown(t.prose("why_see"))

    st.header(t("why.make_title"), anchor="make")
    picture, words = st.columns(2, gap="large")
    with picture:
        still(made(t), "products", t("why.make_title"), t)
    words.markdown(t.prose("why_make"))

    st.header(t("why.sum_title"), anchor="sum")
    picture, words = st.columns(2, gap="large")
    with picture:
        st.html(sum_table(settings, t))
        if not optimum_known(settings):
            st.caption(t("why.sum.optimum_hint"))
            st.button(t("why.sum.optimum_button"), key="why.proven", on_click=show_proven)
    words.markdown(t.prose("why_sum"))
    words.markdown(t.prose("why_sum_note"))
    with words, st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        sizes(FULL, settings)

    st.header(t("why.regimes_title"), anchor="regimes")
    picture, words = st.columns(2, gap="large")
    with picture:
        n, d, memory = (getattr(settings, field) for field in FULL)
        size = t("why.sum.size", n=grouped(n), d=grouped(d), memory=grouped(memory))
        title = f"{t('why.regimes_title')}: {size}"
        still(regimes(n, d, memory, t), f"regimes-n{n}-d{d}", title, t, regimes_csv(n, d))
    words.markdown(t.prose("why_regimes"))

    st.header(t("why.constants_title"), anchor="constants")
    picture, words = st.columns(2, gap="large")
    picture.html(constants_table(settings, t))
    words.markdown(t.prose("why_constants"))


body()
