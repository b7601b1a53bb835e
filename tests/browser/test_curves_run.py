"""Run it: the kernels really run, the page says what they counted, and a run can be left."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kernels_ref import count, masks
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from tests.browser.conftest import PageFactory, Server, no_exception, shot
from tests.browser.curves_page import at_rest, open_curves, slider, type_exact, value


def start(page: Page, t: Texts) -> None:
    page.get_by_role("button", name=t("curves.run.start")).click()


def cells(page: Page, label: str) -> list[str]:
    """A row of the result's table: one cell an algorithm."""
    row = page.locator(".st-key-curves_run tr").filter(has=page.get_by_role("cell", name=label, exact=True))
    expect(row).to_be_visible()
    return row.locator("td").all_inner_texts()[1:]


@pytest.mark.parametrize(
    ("lang", "more", "options"),
    [
        ("en", "", {}),
        ("es", "&form=weights&mask=window:50", {"form": "weights", "mask": masks.sliding_window(203, 203, 50)}),
    ],
)
def test_run_shows_counted_equal_to_closed_form(
    server: Server, page_factory: PageFactory, lang: str, more: str, options: dict[str, Any]
) -> None:
    t = Texts(lang)
    page = open_curves(page_factory(), server.url, f"?n=203&d=16&m=300&lang={lang}{more}")
    expect(page.locator(".st-key-curves_run")).to_contain_text(grouped(4096))
    start(page, t)
    words = [grouped(count(name, n=203, d=16, memory=300, **options).io or 0) for name in ("flash2", "small-cache")]
    assert cells(page, t("curves.run.io")) == words
    assert cells(page, t("curves.run.closed")) == words
    assert cells(page, t("curves.run.equal")) == [t("curves.run.yes")] * 2
    assert all("10⁻¹" in error for error in cells(page, t("curves.run.error")))
    where = t("curves.run.point", n=grouped(203), d="16", m=grouped(300))
    expect(page.get_by_text(where)).to_be_visible()
    no_exception(page)
    page.locator(".st-key-curves_run").scroll_into_view_if_needed()
    shot(page, f"curves-run-{lang}")


def test_one_that_does_not_fit_says_its_least_m(server: Server, page_factory: PageFactory) -> None:
    t = Texts("en")
    page = open_curves(page_factory(), server.url, "?n=64&d=64&m=385&lang=en")
    start(page, t)
    assert cells(page, t("curves.run.loads"))[0] == t("curves.run.unfit", least=grouped(386))
    assert cells(page, t("curves.run.equal")) == ["–", t("curves.run.yes")]


def test_a_run_can_be_cancelled_and_the_page_stays_alive(server: Server, page_factory: PageFactory) -> None:
    """While the kernels run, n still moves; Cancel ends the run; another one may follow."""
    t = Texts("en")
    page = open_curves(page_factory(), server.url, "?n=4096&d=128&m=800&lang=en")
    start(page, t)
    expect(page.get_by_test_id("stProgress")).to_be_visible()
    redraws = page.evaluate("__pa_curves.redraws.length")
    slider(page, "n").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"__pa_curves.redraws.length > {redraws}")
    assert value(page, "n") == 3584
    page.get_by_role("button", name=t("curves.run.cancel")).click()
    expect(page.get_by_text(t("curves.run.cancelled"))).to_be_visible(timeout=90_000)
    type_exact(page, "n", "64")
    at_rest(page)
    start(page, t)
    assert cells(page, t("curves.run.equal")) == [t("curves.run.yes")] * 2
    expect(page.get_by_text(t("curves.run.cancelled"))).to_have_count(0)


def test_limit_is_stated_before_it_is_hit(server: Server, page_factory: PageFactory) -> None:
    """And the command line offered; back within it, the button works again."""
    t = Texts("es")
    page = open_curves(page_factory(), server.url, "?n=4096&d=64&m=4096&lang=es")
    button = page.get_by_role("button", name=t("curves.run.start"))
    expect(button).to_be_enabled()
    type_exact(page, "n", "8192")
    expect(button).to_be_disabled()
    limit = t("curves.run.limit", n=grouped(8192), d="64", most_n=grouped(4096), most_d="512")
    expect(page.get_by_text(limit)).to_be_visible()
    command = "python -m kernels_ref run --algorithm flash2 --n 8192 --d 64 --memory 4096"
    expect(page.locator(".st-key-curves_run code")).to_contain_text(command)
    at_rest(page)
    type_exact(page, "n", "64")
    expect(button).to_be_enabled()
    expect(page.get_by_text(limit)).to_have_count(0)
