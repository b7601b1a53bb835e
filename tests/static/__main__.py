"""Build the site on a stand-in for Pyodide, serve it below a folder, open it in Chromium: ``python -m tests.static``.

Needs npm. With ``--pyodide FOLDER`` it takes a real distribution, and every page must work. With the stand-in only the
reference must, since numpy is an empty package there; what the others do is printed. ``--shots FOLDER`` keeps pictures.
"""

import argparse
import functools
import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.static.stand_in import distribution

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("", "lab", "play", "curves", "sparse", "devices", "why", "reference")
BELOW = "some/class"
READY = ".stMainBlockContainer h1, .st-key-fault"
PATIENCE = 180_000  # ms


class Files(http.server.SimpleHTTPRequestHandler):
    """As any static host: knows files and folders and no more."""

    def log_message(self, *_: object) -> None:
        pass


def opened(browser: Browser, site: str, page: str, shots: Path | None) -> tuple[bool, str]:
    """Open one page in a fresh browser: whether it works, and a line on it."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    tab = context.new_page()
    sizes: dict[str, int] = {}
    tab.on("response", lambda answer: sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
    begun = time.monotonic()
    tab.goto(f"{site}{page}?lang=es")
    tab.locator(READY).first.wait_for(timeout=PATIENCE)
    seconds = time.monotonic() - begun
    if shots:
        tab.screenshot(path=shots / f"{page or 'home'}.png")
    foreign = [url for url in sizes if not url.startswith((site, "blob:", "data:"))]
    wrong = []
    if tab.locator(".st-key-fault").count():
        wrong.append("a fault")
    if foreign:
        wrong.append(f"asked somebody else: {foreign[:3]}")
    if not tab.url.startswith(f"{site}{page}?") or "lang=es" not in tab.url:
        wrong.append(f"is now at {tab.url}")
    context.close()
    megabytes = sum(sizes.values()) / 1e6
    return not wrong, f"{page or 'home':10} {seconds:5.1f} s {megabytes:5.1f} MB  {', '.join(wrong) or 'works'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pyodide", type=Path)
    parser.add_argument("--shots", type=Path)
    given = parser.parse_args()
    if given.shots:
        given.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name, "host", BELOW)
        pyodide = given.pyodide or distribution(Path(name, "pyodide"))
        build = [sys.executable, "deploy/static.py", f"--out={out}", f"--pyodide={pyodide}"]
        subprocess.run(build, cwd=ROOT, check=True)
        host = functools.partial(Files, directory=Path(name, "host"))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), host) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            site = f"http://127.0.0.1:{server.server_port}/{BELOW}/"
            chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                works = {}
                for page in PAGES:
                    works[page], line = opened(browser, site, page, given.shots)
                    print(line, flush=True)
                browser.close()
            server.shutdown()
    must = PAGES if given.pyodide else ("reference",)
    sys.exit(not all(works[page] for page in must))


if __name__ == "__main__":
    main()
