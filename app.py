"""Pebbling Attention: page configuration, navigation, language; nothing else. Start: ``streamlit run app.py``."""

import streamlit as st

from pages.shared.document import document
from pages.shared.entry import mark_entry
from pages.shared.i18n import LANGUAGES, texts
from pages.shared.theme import ASSETS, page_style
from pages.shared.url_state import adopt_language


def main() -> None:
    """One run of the app: the language, the navigation, then the page that the address names."""
    mark_entry()
    adopt_language(st.context.locale)
    t = texts()
    page = st.navigation(
        [
            st.Page("pages/home.py", title=t("page.home"), default=True),
            st.Page("pages/lab.py", title=t("page.lab"), url_path="lab"),
            st.Page("pages/play.py", title=t("page.play"), url_path="play"),
            st.Page("pages/curves.py", title=t("page.curves"), url_path="curves"),
            st.Page("pages/sparse.py", title=t("page.sparse"), url_path="sparse"),
            st.Page("pages/devices.py", title=t("page.devices"), url_path="devices"),
            st.Page("pages/why.py", title=t("page.why"), url_path="why"),
            st.Page("pages/reference.py", title=t("page.reference"), url_path="reference"),
        ],
        position="top",
    )
    icon = ASSETS / "icon.svg"
    st.set_page_config(page_title=f"{page.title} \u00b7 {t('page.product')}", page_icon=icon, layout="wide")
    st.logo(icon, size="large")
    with st.container(key="shell", gap=None):  # out of the page's flow: in the header, beside the navigation
        page_style()
        document(t.lang)
        st.segmented_control(
            t("page.language"),
            list(LANGUAGES),
            key="lang",
            format_func=LANGUAGES.__getitem__,
            required=True,
            label_visibility="collapsed",
        )
    page.run()


if __name__ == "__main__":
    main()
