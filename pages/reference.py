"""The reference: model, formulas, algorithms, proofs, glossary, formats, lessons, sources."""

from pages.shared.entry import guard

guard()

import streamlit as st

from pages.shared.i18n import escaped, texts
from pages.shared.lessons import LESSONS
from pages.shared.part import part
from pages.shared.reference import ALL, found, glossary, markdown, on_page, terms
from pages.shared.settings import REFERENCE, SECTIONS
from pages.shared.url_state import Address, sync

t = texts()


def show(name: str, address: Address) -> None:
    """One section: its prose, and what is no prose."""
    st.header(t(f"reference.section.{name}"), anchor=name)
    st.markdown(on_page(name, t.lang))
    if name == "glossary":
        words(address)
    elif name == "lessons":
        lessons()


def words(address: Address) -> None:
    """The glossary, and a field that searches it."""
    st.text_input(t("reference.find"), key=address.key("find"), max_chars=64)
    shown = found(address.settings.find)
    if shown:
        st.markdown(f":small[{t('reference.found', count=len(shown), all=len(terms()))}]")
        st.markdown(glossary(shown, t))
    else:
        st.markdown(t("reference.find_none", text=escaped(address.settings.find)))


def lessons() -> None:
    """Links to prepared states, a list for each length of lesson."""
    for lesson, steps in LESSONS.items():
        st.subheader(t(f"reference.lesson.{lesson}"), anchor=lesson)
        for number, step in enumerate(steps, 1):
            title = t(f"reference.step.{step.id}")
            minutes = t("reference.minutes", minutes=step.minutes)
            with st.container(gap=None):
                st.markdown(f"**{number}. {title}** · {minutes}  \n{t(f'reference.step_text.{step.id}')}")
                st.page_link(
                    step.page,
                    label=t("reference.open", page=t(f"page.{step.spec.page}")),
                    icon=":material/arrow_forward:",
                    query_params=step.query(t.lang),
                )


st.title(t("page.reference"), anchor=False)
st.markdown(t("reference.lead"))


@part("reference")
def sections() -> None:
    """The list of sections, and the one that is chosen."""
    address = sync(REFERENCE)
    chosen = address.settings.section
    address.show_problems(t)
    contents, text = st.columns([1, 4], gap="medium")
    with contents, st.container(key="reference_contents"):
        st.pills(
            t("reference.contents"),
            SECTIONS,
            key=address.key("section"),
            format_func=lambda name: t(f"reference.section.{name}"),
            required=True,
            label_visibility="collapsed",
        )
    with text, st.container(key="reference_text"):
        names = [name for name in SECTIONS if name != ALL] if chosen == ALL else [chosen]
        for name in names:
            show(name, address)
        st.download_button(
            t("reference.save"),
            data=lambda: "\n\n".join(markdown(name, t.lang) for name in names),
            file_name=f"reference-{chosen}-{t.lang}.md",
            mime="text/markdown",
            on_click="ignore",
        )


sections()
