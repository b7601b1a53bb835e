"""A page left open overnight: the computer sleeps, the line is cut for longer than the server remembers a session."""

import os
import re
import time
from urllib.parse import urlsplit

import psutil
from playwright.sync_api import expect

from kernels_ref import count
from pages.shared.i18n import Texts
from pebble_engine import Move
from tests.browser.play_page import opened as game_opened
from tests.drills.common import Report, at_rest, browser, opened, server, until, workers
from tests.drills.line import line
from tests.server import Server

REMEMBERED = 3  # seconds here; 120 as the app runs
T = Texts("en")


def drill(report: Report) -> None:
    """Lab, Play and a run on the curves are open; the line is cut, and mended when the server has forgotten them."""
    os.environ["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = str(REMEMBERED)
    with server() as app, browser() as chromium, line(urlsplit(app.url).port or 0) as wire:
        url = f"http://127.0.0.1:{wire.port}"
        lab = opened(chromium, f"{url}/lab?v=1&n=3&d=2&m=20&a=flash2&t=7&lang=en")
        game = game_opened(opened(chromium, f"{url}/?lang=en"), Server(url, app.process, app.log))
        game.make(Move.load("a"))
        game.shows()
        curves = opened(chromium, f"{url}/curves?v=1&n=4096&d=512&m=262144&lang=en")
        curves.get_by_role("button", name=T("curves.run.start")).click()
        curves.locator(".stProgress").wait_for()
        report.must("a run goes on", len(workers(app)), bool(until(lambda: workers(app))))
        wire.down = True
        for page in (lab, game.page, curves):
            expect(page.locator(".stApp")).not_to_have_attribute("data-test-connection-state", "CONNECTED")
        begun = time.monotonic()
        ended = until(lambda: not workers(app), 60)
        report.must("the run of the reader who has gone ends (s)", round(time.monotonic() - begun, 1), ended)
        process = psutil.Process(app.process.pid)
        before = sum(process.cpu_times()[:2])
        time.sleep(10)
        spent = sum(process.cpu_times()[:2]) - before
        report.must("processor time of the server in 10 s that nobody looks (s)", round(spent, 2), spent < 0.5)
        wire.down = False
        for page in (lab, game.page, curves):
            expect(page.locator(".stApp")).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=120_000)
            at_rest(page)
        report.must("the lab's address", lab.url, "m=20" in lab.url and "t=7" in lab.url)
        field = lab.get_by_label(T("lab.memory"), exact=True)
        field.fill("24")
        field.press("Enter")
        expect(lab).to_have_url(re.compile("[?&]m=24&"))
        expect(lab.locator(".side .io").first).to_contain_text(str(count("flash2", n=3, d=2, memory=24).io))
        report.must("the first act in the lab counts", lab.url, True)
        game.make(Move.load("b"))
        game.shows()
        report.must("the first act on Play counts", game.page.url, True)
        again = curves.get_by_role("button", name=T("curves.run.start")).is_enabled()
        report.must("the curves can run again", again, again)
        exceptions = sum(page.locator(".stException").count() for page in (lab, game.page, curves))
        report.must("exceptions shown", exceptions, exceptions == 0)
