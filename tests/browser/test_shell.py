"""The shell as a reader meets it: header, language, addresses, first request, requests to others."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATHS, PageFactory, Server, no_exception, settled


def query(page: Page) -> dict[str, str]:
    return {name: ",".join(values) for name, values in parse_qs(urlsplit(page.url).query).items()}


def has(name: str, value: object) -> re.Pattern[str]:
    return re.compile(rf"[?&]{name}={re.escape(str(value))}(&|$)")


def problems(page: Page) -> str:
    return page.locator(".stAlert").first.inner_text()


@pytest.mark.parametrize("path", ["/", "/lab"])  # that every page begins with the guard is a test in tests/unit
def test_deep_link_is_the_first_request_to_a_fresh_server(fresh_server, page_factory: PageFactory, path: str) -> None:
    """Streamlit runs a file of `pages/` without its entry until st.navigation has run once."""
    server = fresh_server()
    page = page_factory()
    page.goto(f"{server.url}{path}?v=1&lang=es")
    settled(page)
    no_exception(page)
    expect(page.locator("html")).to_have_attribute("lang", "es")
    expect(page.get_by_role("radio", name="Español")).to_be_checked()
    page.reload()
    settled(page)
    no_exception(page)
    assert urlsplit(page.url).path == path


def test_language_switch_keeps_everything_else(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    page.goto(f"{server.url}/curves?v=1&n=2048&d=128&m=5000&a=small-cache&lang=en")
    settled(page)
    before = query(page)
    page.get_by_role("radio", name="Español").click()
    expect(page).to_have_url(has("lang", "es"))
    settled(page)
    expect(page).to_have_title(re.compile("Curvas de E/S"))
    expect(page.locator("html")).to_have_attribute("lang", "es")
    assert query(page) == before | {"lang": "es"}
    page.get_by_test_id("stTopNavLink").filter(has_text="Laboratorio").click()
    expect(page).to_have_url(re.compile("/lab[?]"))
    expect(page).to_have_url(has("lang", "es"))
    page.get_by_test_id("stTopNavLink").filter(has_text="Curvas").click()
    expect(page).to_have_url(re.compile("/curves[?]"))
    expect(page).to_have_url(has("m", 5000))
    settled(page)
    assert query(page) == before | {"lang": "es"}


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("n=0", "0 is outside"),
        ("n=x", "“x” is not a whole number"),
        ("m=1e30", "“1e30” is not a whole number"),
        ("a=flash9", "“flash9” is not known"),
        ("v=7", "version “7”"),
        ("depth=3", "“depth”"),
    ],
)
def test_bad_addresses_are_answered(server: Server, page_factory: PageFactory, asked: str, says: str) -> None:
    page = page_factory()
    page.goto(f"{server.url}/curves?{asked}")
    settled(page)
    no_exception(page)
    assert says in problems(page)
    expect(page).to_have_url(has("n", 4096))
    expect(page).to_have_url(has("m", 4096))


def test_problem_follows_the_language(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    page.goto(f"{server.url}/lab?n=99&lang=en")
    settled(page)
    assert "Numbers from 1 to 8 work" in problems(page)
    page.get_by_role("radio", name="Español").click()
    expect(page.locator(".stAlert").first).to_contain_text("Sirven los números de 1 a 8")


def test_back_and_forward_undo_and_redo(server: Server, page_factory: PageFactory) -> None:
    """Each entry of the history is a state that the reader made: no bare addresses, none of mixed pages."""
    page = page_factory()
    page.goto(f"{server.url}/curves?v=1&n=2048&d=64&m=4096&a=flash2%2Csmall-cache&lang=en")
    settled(page)
    start = page.evaluate("history.length")
    page.get_by_role("radio", name="Español").click()
    expect(page).to_have_title(re.compile("Curvas"))
    expect(page).to_have_url(re.compile("/curves[?].*lang=es"))
    settled(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="Laboratorio").click()
    expect(page).to_have_url(re.compile("/lab[?].*n=4&.*lang=es"))
    settled(page)
    assert page.evaluate("history.length") == start + 2
    page.wait_for_timeout(1_100)  # within this time an old address counts as an echo, not as an act (url_state)
    page.go_back()
    expect(page).to_have_url(re.compile("/curves[?].*n=2048.*lang=es"))
    expect(page).to_have_title(re.compile("Curvas"))
    settled(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/curves[?].*n=2048.*lang=en"))
    expect(page).to_have_title(re.compile("I/O curves"))
    settled(page)
    page.go_forward()
    expect(page).to_have_title(re.compile("Curvas"))
    no_exception(page)
    expect(page.locator(".stAlert")).to_have_count(0)


def test_no_request_leaves_for_anybody_else(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    for path in PATHS.values():
        page.goto(server.url + path)
        settled(page)
    page.get_by_role("radio", name="Español").click()
    expect(page).to_have_url(has("lang", "es"))
    assert page.seen.requests
    assert page.seen.foreign() == []


def test_embedded_pages_have_no_chrome(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    page.goto(f"{server.url}/lab?embed=true&lang=en")
    settled(page)
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    expect(page.get_by_role("radiogroup", name="Language")).to_be_hidden()
    expect(page).to_have_url(has("embed", "true"))


def test_keyboard_reaches_the_language(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    page.goto(server.url + "/lab")
    settled(page)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "English":
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page).to_have_url(has("lang", "es"))


def test_colours_reach_the_page_resolved(server: Server, page_factory: PageFactory) -> None:
    """A canvas needs `rgb(...)`, not the pair that the style sheet states."""
    wanted = {"light": "rgb(200, 50, 43)", "dark": "rgb(240, 100, 90)"}
    for theme, red in wanted.items():
        page = page_factory(theme=theme)
        page.goto(server.url + "/lab")
        settled(page)
        style = "getComputedStyle(document.querySelector('.stMain')).getPropertyValue('--pa-red')"
        assert page.evaluate(style) == red


def test_nothing_moves_for_those_who_ask_for_it(server: Server, page_factory: PageFactory) -> None:
    """Streamlit's own transitions too."""
    page = page_factory(reduced_motion=True)
    page.goto(server.url + "/lab")
    settled(page)
    page.wait_for_function("document.getAnimations().length === 0")
    duration = "getComputedStyle(document.querySelector('.stMain button')).transitionDuration"
    assert all(float(part.strip().rstrip("ms")) < 0.001 for part in page.evaluate(duration).split(","))
