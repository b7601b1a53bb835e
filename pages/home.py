"""The kitchen: what fast memory is, what a trip costs, and what happens at M = d^2."""

from pages.shared.entry import guard

guard()

import streamlit as st

from kernels_ref import swaps
from pages.shared.i18n import texts
from pages.shared.kitchen import kitchen
from pages.shared.numbers import grouped, rounded
from pages.shared.part import part
from pages.shared.settings import CURVES, HOME, HOME_D, HOME_N, LAB, PLAY
from pages.shared.url_state import link, sync, update

t = texts()
head, lede = st.columns([1, 4], vertical_alignment="center")
head.title(t("home.title"), anchor=False)
lede.markdown(t.prose("home_lede").format(n=grouped(HOME_N), d=HOME_D))
above = st.container()
story, ways = st.columns([1.22, 1], gap="large")
# At this size FlashAttention-2 takes the lead twice, and the second time for good.
first, last, cross = (swap.memory for swap in swaps("flash2", "small-cache", n=HOME_N, d=HOME_D)[1:])
figures = {"n": grouped(HOME_N), "d": str(HOME_D), "crossover": grouped(cross), "ratio": rounded(cross / HOME_D**2)}
story.markdown(t.prose("home_story").format(first=grouped(first), last=grouped(last), **figures))

doors = {}
for name in ("lab", "play", "curves"):
    with ways.container(border=True):
        st.subheader(t(f"home.door.{name}"), anchor=False)
        st.markdown(t(f"home.door.{name}_text"))
        doors[name] = st.empty()


def door(name: str, query: dict[str, str]) -> None:
    label = t(f"home.door.{name}_link")
    doors[name].page_link(f"pages/{name}.py", label=label, icon=":material/arrow_forward:", query_params=query)


@part("home, kitchen")
def play_with_memory() -> None:
    """The kitchen, and the door to the curves, which opens at the kitchen's M."""
    address = sync(HOME)
    memory = address.settings.memory
    address.show_problems(t)
    kitchen(memory, t, on_memory=lambda value: update(HOME, memory=value))
    door("curves", link(CURVES, t.lang, n=HOME_N, d=HOME_D, memory=memory))


door("lab", link(LAB, t.lang))
door("play", link(PLAY, t.lang))
with above:
    play_with_memory()
