"""Two tabs of one browser, at the same place with different games and settings."""

import re

from playwright.sync_api import expect

from pages.shared.i18n import Texts
from pebble_engine import Move
from tests.browser.play_page import opened as game_opened
from tests.drills.common import Report, at_rest, browser, server


def drill(report: Report) -> None:
    with server() as app, browser() as chromium:
        context = chromium.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB")
        one, other = context.new_page(), context.new_page()
        games = game_opened(one, app), game_opened(other, app)
        for game, label in ((games[0], "a"), (games[1], "b"), (games[0], "b")):
            game.make(Move.load(label))
        for game in games:
            game.shows()
        report.must("two games of one level", [page.url.partition("p=")[2][:4] for page in (one, other)], True)
        for page in (one, other):
            page.goto(f"{app.url}/lab?lang=en")
            at_rest(page)
        for page, memory in ((one, "24"), (other, "18"), (one, "26"), (other, "30")):
            field = page.get_by_label(Texts("en")("lab.memory"), exact=True)
            field.fill(memory)
            field.press("Enter")
            expect(page).to_have_url(re.compile(f"[?&]m={memory}&"))
        apart = "m=26" in one.url and "m=30" in other.url
        report.must("two labs", [re.findall("m=[0-9]+", page.url) for page in (one, other)], apart)
        third = context.new_page()
        third.goto(one.url)
        at_rest(third)
        report.must("a copied link is what it was", third.url == one.url, third.url == one.url)
        one.get_by_text("Español", exact=True).click()
        expect(one).to_have_url(re.compile("lang=es"))
        other.reload()
        at_rest(other)
        report.must("the language of one is not that of the other", other.url[-7:], other.url.endswith("lang=en"))
