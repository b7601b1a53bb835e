"""The static build: every file that the app needs and no other; what is wrong is said; nobody else is asked."""

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("deploy_static", ROOT / "deploy" / "static.py")
assert spec
assert spec.loader
static = importlib.util.module_from_spec(spec)
spec.loader.exec_module(static)


def names() -> set[str]:
    return {name for _, name in static.app_files()}


def test_the_archive_holds_what_the_app_runs_on_and_no_more() -> None:
    found = names()
    for needed in (
        "app.py", ".streamlit/config.toml", "pages/home.py", "pages/shared/stlite.py", "assets/play/play.js",
        "kernels_ref/closed_forms/flash.py", "pebble_engine/solver/search.py", "assets/text/es/labels/common.json",
        "assets/icon.svg", "assets/data/levels.json", "assets/tokens.json",
    ):  # fmt: skip
        assert needed in found, needed
    assert {name.split("/")[0] for name in found} == {
        "app.py", ".streamlit", "pages", "pebble_engine", "kernels_ref", "assets",
    }  # fmt: skip
    assert not [name for name in found if "__pycache__" in name or name.endswith((".pyc", ".png"))]
    assert "secrets" not in " ".join(found)


def test_every_module_that_is_imported_is_there() -> None:
    """Every file of the packages that git knows, but for pictures."""
    tracked = subprocess.run(["git", "ls-files", *static.APP], cwd=ROOT, capture_output=True, text=True).stdout.split()
    if not tracked:
        pytest.skip("not a git checkout")
    assert {name for name in tracked if not name.startswith("assets/images")} <= names()


def test_there_is_a_page_for_every_address() -> None:
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")} - {"home"}
    assert set(static.page_names()) == pages


@pytest.mark.parametrize("own", [True, False])
def test_the_pages_name_nobody_else(tmp_path: Path, own: bool) -> None:
    static.write_pages(tmp_path, ["altair-6.3.0-py3-none-any.whl"], own)
    written = {path.relative_to(tmp_path).as_posix(): path.read_text("utf-8") for path in tmp_path.rglob("*.html")}
    assert set(written) == {"index.html", *(f"{page}/index.html" for page in static.page_names())}
    for name, text in written.items():
        assert "//" not in re.sub(r"(?m)^\s*//.*$", "", text), "no address of a host"
        assert f'data-page="{name.removesuffix("index.html").strip("/")}"' in text
        assert ('found("pyodide/pyodide.mjs")' in text) is own
        assert '"wheels/altair-6.3.0-py3-none-any.whl"' in text


def distribution(folder: Path, python: str = "3.13.2") -> Path:
    """Files with the names that a full Pyodide distribution has."""
    needs = {"pandas": ["numpy", "six"], "six": [], "matplotlib": ["numpy"], "micropip": []}
    needs |= {name: [] for name in static.COMPILED if name not in needs}
    packages = {name: {"file_name": f"{name}.whl", "depends": depends} for name, depends in needs.items()}
    for name in (*static.CORE, *(entry["file_name"] for entry in packages.values())):
        (folder / name).write_text(name)
    lock = {"info": {"python": python}, "packages": packages}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    return folder


def test_of_pyodide_it_takes_what_the_app_needs(tmp_path: Path) -> None:
    static.copy_pyodide(distribution(tmp_path), tmp_path / "out")
    copied = {path.name for path in (tmp_path / "out").iterdir()}
    assert copied == {*static.CORE, *(f"{name}.whl" for name in (*static.COMPILED, "micropip", "six"))}


def test_what_is_no_full_pyodide_is_refused_with_what_would_work(tmp_path: Path) -> None:
    with pytest.raises(static.CannotBuild, match=r"no Pyodide distribution: pyodide\.mjs"):
        static.copy_pyodide(tmp_path, tmp_path / "out")
    distribution(tmp_path, python="3.12.7")
    with pytest.raises(static.CannotBuild, match=r"needs a Pyodide with Python 3\.13, .*this one has 3\.12\.7"):
        static.copy_pyodide(tmp_path, tmp_path / "out")
    distribution(tmp_path)
    (tmp_path / "numpy.whl").unlink()
    with pytest.raises(static.CannotBuild, match=r"not the full distribution .*: numpy\.whl not found"):
        static.copy_pyodide(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_npm_it_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(static.CannotBuild, match="npm is needed"):
        static.fetch_stlite(tmp_path / "stlite")


def test_it_deletes_no_folder_but_its_own(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years")
    with pytest.raises(static.CannotBuild, match="holds something else"):
        static.build(tmp_path, None)
    assert (tmp_path / "thesis.txt").read_text() == "years"


def test_the_lock_pins_every_wheel_with_hashes() -> None:
    lines = (ROOT / "deploy/static.in").read_text("utf-8").splitlines()
    wanted = {(asked := Requirement(line)).name: asked for line in lines if line and not line.startswith("#")}
    lock = (ROOT / "deploy/static.lock").read_text("utf-8")
    pinned = dict(re.findall(r"(?m)^([a-z0-9-]+)==(\S+) \\$", lock))
    assert set(pinned) == set(wanted)
    assert all(asked.specifier.contains(pinned[name]) for name, asked in wanted.items())
    assert lock.count("--hash=sha256:") >= len(pinned)
    app = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    (networkx,) = [Requirement(line) for line in app if line.startswith("networkx")]
    assert networkx.specifier.contains(pinned["networkx"])
