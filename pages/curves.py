from pages.shared.entry import guard

guard()

import streamlit as st

from pages.shared.curve_runs import JOB, RUN_D, RUN_N, panel
from pages.shared.curves import address_of_now, current, explorer
from pages.shared.i18n import texts
from pages.shared.numbers import grouped
from pages.shared.part import part
from pages.shared.where import IN_BROWSER


@part("curves")
def explore() -> None:
    """The explorer, and the run at its point: moving n or d draws these again and nothing else of the page."""
    explorer(address_of_now(), t)
    with st.container(key="curves_run"):
        st.header(t("curves.run.title"), anchor=False)
        lead, beside = st.columns([5, 8], gap="large")
        lead.markdown(t("curves.run.lead", n=grouped(RUN_N), d=grouped(RUN_D)))
        if IN_BROWSER:
            lead.caption(t("curves.run.in_browser"))
        job = st.session_state.get(JOB)
        with beside:
            part("curves, run", run_every=0.5 if job is not None and job.running else None)(panel)(current, t)


t = texts()
st.title(t("page.curves"))
st.markdown(t("curves.lead"))
explore()
with st.container(key="curves_prose"):
    st.markdown(t.prose("curves_reading"))
