"""A server just started, and many sessions at once: what its process does once, before the first page."""

import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("kernels_ref", "pebble_engine")
SCRIPT = f"""
import sys

class Log:
    def find_spec(self, name, path=None, target=None):
        seen.append(name)

seen = []
sys.meta_path.insert(0, Log())
import app
print(*[name for name in seen if name.split(".")[0] in {PACKAGES} or name == "pages.shared.entry"])
"""


def test_entry_loads_both_packages_before_a_page_does() -> None:
    """Nothing that runs before the entry module asks for a part of them, and the entry asks for the whole."""
    found = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True)
    names = found.stdout.split()
    assert names[:2] == ["pages.shared.entry", "kernels_ref"]
    assert "pebble_engine" in names


def test_process_may_open_as_many_files_as_the_host_allows() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    script = "import resource, pages.shared.entry; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    found = subprocess.run(
        [sys.executable, "-c", f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, {hard})); {script}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    soft, still_hard = map(int, found.stdout.split())
    assert still_hard == hard
    assert soft == (2**16 if hard == resource.RLIM_INFINITY else min(hard, 2**16)) > 256
