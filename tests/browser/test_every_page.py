"""Every page, in both languages, on a desk and on a phone, light and dark: no fault, nothing cut, axe content.

The pages are those of `pages/`, so that a new one is looked at without a word here. Screenshots go to `shots/`.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.shared.i18n import LANGUAGES, Texts
from tests.browser.conftest import (
    PATHS,
    ROOT,
    SIZES,
    PageFactory,
    Server,
    no_exception,
    no_sideways_scroll,
    settled,
    shot,
)

AXE = Axe()
# What is hidden from sight on purpose, for screen readers, is no cut text.
CUT = """() => [...document.querySelectorAll('.stApp *')].filter((element) => {
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  if (element.children.length || !element.textContent.trim() || box.width < 4) return false;
  const cut = style.textOverflow === 'ellipsis' && style.clipPath === 'none';
  return cut && element.scrollWidth > element.clientWidth + 1;
}).map((element) => element.textContent.trim())"""


def opened(page: Page, server: Server, name: str) -> Page:
    page.goto(server.url + PATHS[name])
    settled(page)
    no_exception(page)
    return page


def faults(page: Page) -> list[str]:
    """What axe finds serious or critical: the rule, and where."""
    found = AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    grave = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    return [f"{fault['id']}: {node['target']} {node['failureSummary']}" for fault in grave for node in fault["nodes"]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", PATHS)
def test_page_is_whole(server: Server, page_factory: PageFactory, name: str, lang: str, size: str) -> None:
    page = opened(page_factory(*SIZES[size], lang=lang), server, name)
    words = Texts(lang)
    expect(page).to_have_title(f"{words(f'page.{name}')} · {words('page.product')}")
    expect(page.locator("html")).to_have_attribute("lang", lang)
    expect(page.locator(".stAlert")).to_have_count(0)
    header = page.get_by_test_id("stHeader").bounding_box()
    switch = page.get_by_role("radiogroup").first.bounding_box()
    content = page.locator(".stMainBlockContainer > div > *").nth(1).bounding_box()  # after the shell, which floats
    assert header
    assert switch
    assert content
    assert header["height"] <= 60
    assert switch["y"] + switch["height"] <= header["height"]
    assert switch["x"] + switch["width"] <= SIZES[size][0] - 40, "beside the menu, not over it"
    assert content["y"] <= 80, "nothing between the header and the title"
    links = page.get_by_test_id("stTopNavLink")
    if size == "desk":
        expect(links).to_have_text([words(f"page.{p}") for p in in_order()])
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        expect(page.locator(".stApp")).to_have_css("color-scheme", theme)
        no_sideways_scroll(page)
        assert page.evaluate(CUT) == []
        shot(page, f"page-{name}-{size}-{theme}-{lang}")
        if (lang, size) in (("en", "desk"), ("es", "phone")):
            assert faults(page) == []
        no_exception(page)


def in_order() -> list[str]:
    """The pages as the navigation lists them."""
    source = (ROOT / "app.py").read_text(encoding="utf-8")
    return sorted(PATHS, key=lambda name: source.index(f'"pages/{name}.py"'))


def test_axe_sees_what_is_wrong(page_factory: PageFactory) -> None:
    """The check itself: a button without a name, grey on grey."""
    page = page_factory()
    page.set_content(
        "<html lang=en><title>x</title><main><button></button><p style='color:#999;background:#aaa'>pale</p>"
    )
    assert {fault.partition(":")[0] for fault in faults(page)} == {"button-name", "color-contrast"}
