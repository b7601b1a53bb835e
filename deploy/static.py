"""The app as files for any static host: Python runs in each visitor's browser, and there is no server at all.

python deploy/static.py [--out dist] [--pyodide FOLDER]

stlite (Streamlit on Pyodide) comes from npm, pure Python wheels from PyPI by deploy/static.lock. FOLDER is a full
Pyodide distribution, unpacked: with it the site asks nobody else for anything; without it Pyodide and the compiled
packages come from stlite's default, a public CDN, in every visitor's browser. docs/static.md says what is different
there, and what was tested.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Template
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
STLITE = "1.9.2"
PYTHON = "3.13"  # of this stlite
APP = ("app.py", "pages", "pebble_engine", "kernels_ref", "assets", ".streamlit/config.toml")
NOT_SHOWN = ("assets/images",)  # the README's
# What is compiled, and what stlite loads by itself.
COMPILED = ("fastparquet", "markupsafe", "numpy", "pandas", "pillow", "rpds-py", "ssl")
LOADED_ANYWAY = ("micropip",)
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
MEGABYTES = 40  # of a first visit, roughly: docs/static.md has how that was reckoned


class CannotBuild(Exception):
    """A sentence that says what is missing and what would work."""


def app_files() -> Iterator[tuple[Path, str]]:
    """Every file that the app runs on, and its name in the archive."""
    for name in APP:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            inside = file.relative_to(ROOT).as_posix()
            if file.is_file() and "__pycache__" not in inside and not inside.startswith(NOT_SHOWN):
                yield file, inside


def page_names() -> list[str]:
    """The pages' names in an address, from app.py; the first page has none."""
    return re.findall(r'url_path="([a-z]+)"', (ROOT / "app.py").read_text(encoding="utf-8"))


def fetch_stlite(folder: Path) -> None:
    """stlite's own files, without its source maps and types."""
    npm = shutil.which("npm")
    if npm is None:
        raise CannotBuild("npm is needed to fetch stlite (Debian: apt-get install npm; or nodejs.org).")
    with tempfile.TemporaryDirectory() as temporary:
        command = [npm, "pack", f"@stlite/browser@{STLITE}", "--silent", "--pack-destination", temporary]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
            raise CannotBuild(f"npm could not fetch @stlite/browser {STLITE}; its own message stands above.")
        (packed,) = Path(temporary).glob("*.tgz")
        with tarfile.open(packed) as archive:
            archive.extractall(temporary, filter="data")
        unwanted = shutil.ignore_patterns("*.map", "*.d.ts")
        shutil.copytree(Path(temporary, "package/build"), folder, ignore=unwanted)


def fetch_wheels(folder: Path) -> list[str]:
    """The pure Python wheels of the lock, checked by their hashes; their names."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none"]
    command += [f"--python-version={PYTHON}", "--require-hashes", f"--requirement={DEPLOY / 'static.lock'}"]
    if subprocess.run([*command, f"--dest={folder}"]).returncode:
        raise CannotBuild("pip could not fetch the wheels of deploy/static.lock; its own message stands above.")
    return sorted(wheel.name for wheel in folder.glob("*.whl"))


def with_dependencies(packages: dict[str, Any], names: Iterable[str]) -> set[str]:
    """`names` and all that they need, by a Pyodide lock file's own word."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            waiting += packages[name]["depends"]
    return found


def copy_pyodide(source: Path, folder: Path) -> None:
    """Of a full Pyodide distribution: the interpreter, and the packages that the app needs."""
    missing = [name for name in CORE if not (source / name).is_file()]
    if missing:
        raise CannotBuild(f"{source} is no Pyodide distribution: {', '.join(missing)} not found.")
    lock = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))
    if not lock["info"]["python"].startswith(f"{PYTHON}."):
        theirs = lock["info"]["python"]
        raise CannotBuild(
            f"stlite {STLITE} needs a Pyodide with Python {PYTHON}, such as 0.29.3; this one has {theirs}."
        )
    packages = lock["packages"]
    needed = sorted(with_dependencies(packages, (*COMPILED, *LOADED_ANYWAY)))
    files = [packages[name]["file_name"] for name in needed]
    missing = [name for name in files if not (source / name).is_file()]
    if missing:
        raise CannotBuild(
            f"{source} holds Pyodide's core, not the full distribution (pyodide-VERSION.tar.bz2 of its releases): "
            f"{', '.join(missing)} not found."
        )
    folder.mkdir()
    for name in (*CORE, *files):
        shutil.copy(source / name, folder / name)


def write_pages(out: Path, wheels: list[str], own_pyodide: bool) -> None:
    """The one page, for every address that the app has."""
    words = {
        "packages": json.dumps(COMPILED),
        "wheels": json.dumps([f"wheels/{name}" for name in wheels]),
        "pyodide": 'found("pyodide/pyodide.mjs")' if own_pyodide else "undefined",
        "megabytes": MEGABYTES,
    }
    template = Template((DEPLOY / "static.html").read_text(encoding="utf-8"))
    for page in ("", *page_names()):
        folder = out / page
        folder.mkdir(exist_ok=True)
        (folder / "index.html").write_text(template.substitute(words, page=page), encoding="utf-8")


def build(out: Path, pyodide: Path | None) -> None:
    """Make `out` anew. Raises CannotBuild."""
    if out.exists() and any(out.iterdir()) and not (out / "app.zip").is_file():
        raise CannotBuild(f"{out} holds something else than an earlier build: choose another folder, or empty it.")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with zipfile.ZipFile(out / "app.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in app_files():
            archive.write(file, name)
    shutil.copytree(ROOT / "static", out / "app/static")  # where Streamlit serves it, and the charts look for it
    (out / ".nojekyll").touch()  # or GitHub Pages leaves out files whose names begin with an underscore
    fetch_stlite(out / "stlite")
    (out / "wheels").mkdir()
    wheels = fetch_wheels(out / "wheels")
    if pyodide is not None:
        copy_pyodide(pyodide, out / "pyodide")
    write_pages(out, wheels, pyodide is not None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--pyodide", type=Path)
    given = parser.parse_args()
    try:
        build(given.out, given.pyodide)
    except CannotBuild as error:
        sys.exit(str(error))
    size = sum(file.stat().st_size for file in given.out.rglob("*") if file.is_file()) / 1e6
    print(f"{given.out}: {size:.0f} MB. Put it on any static host; to look at it: python -m http.server -d {given.out}")
    if given.pyodide is None:
        print(
            "Pyodide and the compiled packages (numpy, pandas and others) are not in it: every visitor's browser\n"
            "fetches them from stlite's default, cdn.jsdelivr.net. With PYODIDE=FOLDER, a full Pyodide distribution,\n"
            "unpacked, the site asks nobody else."
        )


if __name__ == "__main__":
    main()
