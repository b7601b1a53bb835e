"""Devices: which real fast memories are small caches (M < d^2) for which head dimensions, and what that costs."""

from pages.shared.entry import guard

guard()

from functools import partial

import streamlit as st

from pages.shared import device_view as view
from pages.shared.device_data import LEVELS
from pages.shared.devices import address_of_now, chosen, costs, devices, models, rows_of, table
from pages.shared.i18n import texts
from pages.shared.part import part
from pages.shared.settings import ALL_LEVELS, CURVES, WORD_BYTES
from pages.shared.url_state import link

t = texts()


@part("devices")
def body() -> None:
    """All but what never changes: each choice moves the map, the pair and both lists."""
    address = address_of_now()
    settings = address.settings
    choice = partial(view.choice, address, t)

    with st.container(key="devices_head"):
        head, lead = st.columns([1, 4], vertical_alignment="center")
    head.title(t("page.devices"), anchor=False)
    lead.markdown(t("devices.lead") + " " + view.lead(settings, t))
    address.show_problems(t)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        choice("dtype", {dtype: t(f"devices.dtype.{dtype}") for dtype in WORD_BYTES}, 190)
        choice("tier", {level: t(f"devices.level.{level}") for level in (*LEVELS, ALL_LEVELS)}, 330)
        own = st.popover(t("devices.own"), width="content")
    with own:
        st.slider(t("devices.share"), 1, 100, key=address.key("share"), format="%d %%", help=t("devices.share_help"))
        st.markdown(t("devices.own.lead"))
        view.own_fields(settings, t)

    picture, beside = st.columns([7, 5], gap="large")
    with picture:
        view.draw_map(settings, t)
    with beside, st.container(key="devices_pair"):
        devices_here = {one.id: view.short_name(one, t) for one in devices(settings)}
        models_here = {one.id: view.short_title(one, t) for one in models(settings)}
        choice("device", devices_here)
        choice("model", models_here)
        pair = chosen(settings)
        listed = costs(pair, settings.dtype)
        first, *others = view.verdict(pair, listed, settings, t)
        st.markdown(view.headline(pair, settings, t))
        st.markdown(view.cost_table(pair, listed, t))
        st.caption(view.caption(pair, t))
        st.markdown(first)
        query = link(CURVES, t.lang, n=rows_of(pair.model), d=pair.model.d_qk, memory=max(pair.words, 1))
        st.page_link("pages/curves.py", label=t("devices.curves"), icon=":material/arrow_forward:", query_params=query)
        with st.expander(t("devices.more")):
            st.markdown("\n".join(f"- {sentence}" for sentence in others))
            st.markdown(view.exact_words(listed, t))
            st.markdown(view.sources(pair, t))

    st.header(t("devices.list.title"), anchor=False)
    dtype, level = t(f"devices.in.{settings.dtype}"), t(f"devices.level.{settings.tier}")
    with st.container(key="devices_list"):
        st.markdown(t("devices.list.lead", dtype=dtype, level=level))
        st.markdown(view.small_list(settings, t))

    st.header(t("devices.every"), anchor=False)
    view.draw_table(settings, t)
    name = f"devices-{settings.dtype}-{settings.tier}-{settings.share}.csv"
    st.download_button(
        t("devices.csv"), data=partial(table, settings), file_name=name, mime="text/csv", on_click="ignore"
    )


body()
with st.container(key="devices_prose"):
    st.markdown(t.prose("devices_limits") + "\n" + t.prose("devices_sources"))
