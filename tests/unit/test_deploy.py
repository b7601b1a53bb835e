"""What the examples in deploy/ promise: the lock answers requirements.txt, the image holds the app and nothing else."""

import re
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def locked() -> dict[str, tuple[str, int]]:
    """Name -> version and number of hashes, of every entry of the lock."""
    found: dict[str, tuple[str, int]] = {}
    for entry in re.split(r"\n(?=[a-z0-9])", (DEPLOY / "requirements.lock").read_text(encoding="utf-8")):
        pinned = re.match(r"([a-z0-9._-]+)==([^ ;\\]+)", entry)
        assert pinned, entry
        found[pinned[1]] = (pinned[2], len(re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)))
    return found


def test_the_lock_pins_every_requirement_in_its_range_with_hashes() -> None:
    entries = locked()
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert {requirement.name for requirement in wanted} == {
        "streamlit", "plotly", "networkx", "numpy", "pandas", "uvloop",
    }  # fmt: skip
    for requirement in wanted:
        assert requirement.specifier.contains(entries[requirement.name][0]), requirement
    assert len(entries) > 20
    assert all(hashes >= 1 for _, hashes in entries.values())


def test_the_image_holds_what_the_app_needs_and_no_more() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = {line.split()[1].rstrip("/") for line in lines if line.startswith("COPY")}
    assert copied == {
        "deploy/requirements.lock", ".streamlit", "app.py", "pages", "kernels_ref", "pebble_engine", "assets", "static",
    }  # fmt: skip
    let_in = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for name in copied:
        assert Path(ROOT / name).exists(), name
        assert any(line.startswith("!") and line[1:].split("/")[0] == name.split("/")[0] for line in let_in), name
    assert "USER nobody" in lines
    assert any(line.startswith("HEALTHCHECK") for line in lines)


def test_both_replicas_are_behind_nginx() -> None:
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    replicas = set(re.findall(r"^  (app-\d+):", compose, re.MULTILINE))
    assert replicas == set(re.findall(r"server (app-\d+):8501", site)) == {"app-1", "app-2"}
    assert "proxy_set_header Upgrade $http_upgrade" in site, "without it no websocket"
