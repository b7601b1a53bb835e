"""The reference in a browser: contents, links, formulas that stay inside a narrow page, a step of a lesson, print."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import PageFactory, Server, no_exception, no_sideways_scroll, settled

TOO_WIDE = """() => [...document.querySelectorAll('.st-key-reference_text *')].filter((e) => {
    if (e.closest('.katex-mathml') || e.getClientRects().length === 0) return false;
    for (let box = e.parentElement; box; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== 'visible' && box.clientWidth < innerWidth) return false;
    return e.getBoundingClientRect().right > innerWidth + 1;
}).map((e) => e.outerHTML.slice(0, 80))"""


def opened(page: Page, server: Server, query: str) -> Page:
    page.goto(f"{server.url}/reference?v=1&{query}")
    expect(page.locator(".st-key-reference_text h2").first).to_be_visible()
    settled(page)
    no_exception(page)
    return page


def test_the_contents_lead_to_sections_and_the_address_follows(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server, "section=model&find=&lang=en")
    expect(page.locator(".katex").first).to_be_visible()
    page.get_by_role("radio", name="What readers ask").click()
    expect(page.get_by_role("heading", name="Why does M divide the cost")).to_be_visible()
    expect(page).to_have_url(re.compile("section=questions"))
    page.get_by_text("Español", exact=True).click()
    expect(page.get_by_role("heading", name="¿Por qué el coste se divide entre M")).to_be_visible()


def test_the_glossary_is_searched_and_the_link_carries_it(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server, "section=glossary&find=&lang=en")
    field = page.get_by_label("Find a term")
    field.fill("planificacion")
    field.press("Enter")
    expect(page.get_by_role("row", name="fast memory", exact=False).first).to_be_hidden()
    expect(page.get_by_role("row", name="planificación").first).to_be_visible()
    expect(page).to_have_url(re.compile("find=planificacion"))


def test_nothing_is_wider_than_a_phone(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(390, 844), server, "section=all&find=&lang=es")
    expect(page.get_by_role("heading", name="Cómo citar")).to_be_attached()
    no_sideways_scroll(page)
    assert page.evaluate(TOO_WIDE) == []
    assert page.locator(".katex-error").count() == 0


def test_a_step_of_a_lesson_opens_its_page(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server, "section=lessons&find=&lang=en")
    page.get_by_role("link", name="Open: Pebble lab").first.click()
    expect(page).to_have_url(re.compile(r"/lab\?.*n=4.*m=16"))
    expect(page.get_by_role("heading", name="Pebble lab")).to_be_visible()


def test_all_of_it_is_printed_without_its_frame(server: Server, page_factory: PageFactory, tmp_path: Path) -> None:
    page = opened(page_factory(), server, "section=all&find=&lang=en")
    page.emulate_media(media="print")
    expect(page.locator(".st-key-reference_contents")).to_be_hidden()
    expect(page.locator("header.stAppHeader")).to_be_hidden()
    expect(page.get_by_role("heading", name="How to cite")).to_be_visible()
    pdf = page.pdf(path=tmp_path / "reference.pdf")
    assert len(re.findall(rb"/Type /Page\b(?!s)", pdf)) > 10
