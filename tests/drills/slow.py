"""A slow line: 50 kB a second, 0.4 seconds there and back."""

import re
import time
from urllib.parse import urlsplit

from playwright.sync_api import expect

from pages.shared.i18n import Texts
from pages.shared.levels import levels
from tests.browser.conftest import PATHS
from tests.browser.curves_page import at_rest as answered
from tests.browser.curves_page import drag, open_curves, value
from tests.browser.play_page import opened as game_opened
from tests.drills.common import Report, at_rest, browser, opened, server
from tests.drills.line import line
from tests.server import Server

T = Texts("en")


def drill(report: Report) -> None:
    with server() as app, browser() as chromium, line(urlsplit(app.url).port or 0) as wire:
        url = f"http://127.0.0.1:{wire.port}"
        page = opened(chromium, f"{url}/?lang=en")  # what a browser keeps is fetched at full speed
        page.set_default_timeout(90_000)
        wire.rate, wire.delay = 50_000, 0.2
        for name, path in PATHS.items():
            begun = time.monotonic()
            page.goto(f"{url}{path}?lang=en")
            at_rest(page)
            report.must(f"{name} is there after (s)", round(time.monotonic() - begun, 1), True)
        game = game_opened(page, Server(url, app.process, app.log))
        for move in levels()["sum"].solution:
            game.make(move)
        game.shows()
        report.must("Play: moves made at once, all in the address", page.url.partition("p=")[2], True)
        open_curves(page, url, "?lang=en")
        for name, start, end in (("n", 0.2, 0.8), ("d", 0.2, 0.6), ("n", 0.8, 0.4), ("m", 0.8, 0.4)):
            drag(page, name, start, end)
            page.mouse.up()
        left = {name: value(page, name) for name in "ndm"}
        answered(page)
        expect(page).to_have_url(re.compile("n={n}&d={d}&m={m}&".format(**left)), timeout=60_000)
        report.must(
            "curves: where the sliders were left, and the address", left, left == {n: value(page, n) for n in "ndm"}
        )
        page.goto(f"{url}/lab?lang=en")
        at_rest(page)
        for field, text in (("n", "4"), ("d", "3"), ("memory", "40")):
            box = page.get_by_label(T(f"lab.{field}"), exact=True)
            box.fill(text)
            box.press("Enter")
            page.wait_for_timeout(700)
        expect(page).to_have_url(re.compile("n=4&d=3&m=40&"), timeout=60_000)
        report.must("lab: three numbers typed one after the other", re.findall("[ndm]=[0-9]+", page.url), True)
