"""What looks like a full Pyodide distribution, from npm and PyPI: a real interpreter, compiled packages that are empty.

numpy, pandas and the others are stand-ins that can be imported and nothing more: what a page needs of them fails.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

PYODIDE = "0.29.5"
# What is asked of a stand-in can be asked for more, called and subscripted, as modules do while they are imported;
# using it as a number or an array fails.
EMPTY = """
class Missing:
    def __init__(self, name): self._name = name
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return Missing(f"{self._name}.{name}")
    def __getitem__(self, _): return self
    def __or__(self, _): return self
    __ror__ = __or__
    def __mro_entries__(self, _): return ()
    def __call__(self, *_, **__): return Missing(f"{self._name}()")

def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return Missing(f"{__name__}.{name}")
"""
# Import name of each, and submodules that somebody imports.
STAND_INS = {
    "cramjam": ("cramjam",),
    "fastparquet": ("fastparquet",),
    "numpy": ("numpy", "numpy.typing"),
    "pandas": ("pandas", "pandas.api", "pandas.api.types"),
    "pillow": ("PIL", "PIL.Image", "PIL.ImageFile"),
    "rpds-py": ("rpds",),
    "ssl": ("ssl",),
    "libopenssl": (),
    "markupsafe": ("markupsafe",),
}
EXTRA = {  # what is used while starting
    "rpds": "class HashTrieMap(dict):\n"
    "    @classmethod\n    def convert(cls, value): return cls(value)\n"
    "    def insert(self, key, value): return HashTrieMap({**self, key: value})\n"
    "    def update(self, value): return HashTrieMap({**self, **value})\n"
    "    def remove(self, key): return HashTrieMap({k: v for k, v in self.items() if k != key})\n"
    "class HashTrieSet(frozenset):\n    def insert(self, value): return HashTrieSet({*self, value})\n"
    "class List(tuple):\n    def push_front(self, value): return List((value, *self))\n",
    "numpy": "__version__ = '2.2.5'\nclass ndarray: pass\nclass generic: pass\nclass floating: pass\n",
    "pandas": "__version__ = '2.3.3'\nclass DataFrame: pass\nclass Series: pass\nclass Index: pass\n"
    "class Categorical:\n    def __setstate__(self, state): pass\n",
    "markupsafe": "import html\nclass Markup(str): pass\ndef escape(text): return Markup(html.escape(str(text)))\n"
    "def soft_str(text): return str(text)\n",
}


def wheel(folder: Path, package: str, version: str, modules: tuple[str, ...]) -> str:
    """An empty package as a wheel; its file's name."""
    stem = f"{package.replace('-', '_')}-{version}"
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as archive:
        for module in modules:
            code = EMPTY + EXTRA.get(module, "")
            archive.writestr(f"{module.replace('.', '/')}/__init__.py", code)
        archive.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        archive.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return name


def distribution(folder: Path) -> Path:
    """Make it in `folder`. The interpreter is real, and so is every package that is pure Python."""
    folder.mkdir(parents=True)
    npm = shutil.which("npm")
    assert npm, "npm is needed"
    subprocess.run([npm, "pack", f"pyodide@{PYODIDE}", "--silent", f"--pack-destination={folder}"], check=True)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    made = folder / "package"
    lock = json.loads((made / "pyodide-lock.json").read_text(encoding="utf-8"))
    for package, entry in lock["packages"].items():
        if package in STAND_INS:
            entry["file_name"] = wheel(made, package, entry["version"], STAND_INS[package])
            entry["package_type"], entry["install_dir"] = "package", "site"
            entry["imports"] = [name for name in STAND_INS[package] if "." not in name]
        elif package not in ("micropip", "packaging", "python-dateutil", "pytz", "six", "fsspec"):
            continue
        else:
            pinned = f"{package}=={entry['version']}"
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            command += ["--python-version=3.13", "--platform=any"]
            subprocess.run([*command, f"--dest={made}", pinned], check=True, stderr=subprocess.DEVNULL)
        entry["sha256"] = hashlib.sha256((made / entry["file_name"]).read_bytes()).hexdigest()
    (made / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return made
