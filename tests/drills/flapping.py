"""A line that comes and goes: connections are made and broken a moment later, for half a minute, then all is well."""

from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.drills.common import Report, at_rest, browser, opened, server
from tests.drills.line import line


def drill(report: Report) -> None:
    with server() as app, browser() as chromium, line(urlsplit(app.url).port or 0) as wire:
        page = opened(chromium, f"http://127.0.0.1:{wire.port}/lab?v=1&n=3&d=2&m=20&a=flash2&t=7&lang=en")
        address, errors = page.url, []
        page.on("pageerror", lambda error: errors.append(str(error)))
        wire.flaps = wire.down = True
        page.wait_for_timeout(30_000)
        wire.down = False
        expect(page.locator(".stApp")).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=90_000)
        at_rest(page)
        expect(page.locator(".side .io").first).to_be_visible()
        report.note("errors of the frontend meanwhile", sorted(set(errors)))
        report.must("the page is back, at", page.url, page.url == address)
