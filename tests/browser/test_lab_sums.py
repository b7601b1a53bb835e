"""The lab with sums that are trees: each product and each sum has a cell of its own."""

import re

from playwright.sync_api import expect

from pages.shared.i18n import Texts
from tests.browser.conftest import PageFactory, Server, no_exception
from tests.browser.lab_page import open_lab


def test_a_tree_is_chosen_and_its_products_are_told_apart(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    seen = open_lab(page_factory(), server, n=2, d=2, memory=16)
    page = seen.page
    page.get_by_role("button", name=t("lab.more")).click()
    page.get_by_role("combobox", name=t("lab.granularity")).click()
    page.get_by_role("option", name=t("lab.granularity.tree")).click()
    expect(page).to_have_url(re.compile(r"[?&]sums=tree(&|$)"))
    expect(seen.side(0).locator(".title")).to_have_text(t("algorithm.belady"))
    expect(page.locator(".stAlert")).to_have_count(0)  # algorithms made room by themselves
    page.keyboard.press("Escape")
    seen.stage().focus()
    page.keyboard.press("Enter")
    for key in ["PageDown"] * 6 + ["ArrowRight"] * 2:
        page.keyboard.press(key)
    live = page.locator("[aria-live=polite]").filter(has_text="[")
    made = t("lab.board.made_from", list="S[0,0]#0, S[0,0]#1")
    expect(live).to_have_text(f"S[0,0]#2: {t('lab.board.where_none')}; {made}")
    no_exception(page)
