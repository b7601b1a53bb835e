"""What must not be in the sources, and must be in the settings, so that a visitor's text stays text."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.shared.curves import plain
from pages.shared.i18n import escaped

ROOT = Path(__file__).resolve().parents[3]
SOURCES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
SCRIPTS = sorted((ROOT / "assets").rglob("*.js"))
# Calls that write, run or evaluate. Command lines (`main`) may write the file that they are told to.
NOT_HERE = {"open", "write_text", "write_bytes", "unlink", "mkdir", "rename", "eval", "exec", "system"}


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Each call in a file, with the name of the function at the top in which it stands."""
    for part in ast.parse(path.read_text(encoding="utf-8")).body:
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                yield getattr(part, "name", ""), node


def called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def test_nothing_is_evaluated_or_written() -> None:
    """But for formulas, which stand in a table of ours, and the table of devices, which is read."""
    every = [(path.stem, node) for path in SOURCES for where, node in calls(path) if where != "main"]
    found = {(page, called(node)) for page, node in every if called(node) in NOT_HERE}
    assert found == {("formulas", "eval"), ("device_data", "open")}
    (opened,) = (node for _, node in every if called(node) == "open")
    assert not opened.args
    assert {word.arg for word in opened.keywords} == {"encoding", "newline"}


def test_html_comes_from_three_places_that_hold_numbers_and_labels_only() -> None:
    every = [(path.stem, node) for path in SOURCES for _, node in calls(path)]
    assert not [path for path, node in every for word in node.keywords if word.arg and word.arg.startswith("unsafe")]
    shown = {(path, ast.unparse(node.args[0])) for path, node in every if called(node) == "html"}
    assert shown == {
        ("theme", "_style(st.context.is_embedded)"),
        ("why", "sum_table(settings, t)"),
        ("why", "constants_table(settings, t)"),
    }


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_elements_and_no_markup(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\beval\(|new Function|document\.write|insertAdjacentHTML|outerHTML\s*=|srcdoc", text)
    for value in re.findall(r"innerHTML\s*\+?=\s*([^=].*)", text):
        drawn = path.name == "still.js" and value == "data.picture;"  # by `why_pictures`, from numbers
        assert drawn or re.fullmatch(r"""'[^'$]*';|"[^"$]*";""", value), "a constant"


def test_protections_are_on_and_said_to_be() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    server = settings["server"]
    assert [server[name] for name in ("enableXsrfProtection", "enableCORS", "headless")] == [True] * 3
    assert server["maxWidgetStateSize"] <= 5
    assert server["maxUploadSize"] == 1
    assert settings["client"]["showErrorDetails"] == "type"
    assert settings["browser"]["gatherUsageStats"] is False


@pytest.mark.parametrize(
    "text",
    [
        ":material/home:",
        "http://192.0.2.1/a",
        "www.example.org",
        "a@b.org",
        "a <-> b -- c >= d",
        "&lt;b&gt;",
        "n: 3",
        "",
    ],
)
def test_escaped_text_is_the_same_text(text: str) -> None:
    shielded = escaped(text)
    assert plain(shielded) == text
    unslashed = re.sub(r"\\(\W)", r"\1", shielded)
    assert not re.search(r":material/|://|www\.|@b|<-|->|--|>=", unslashed)
    assert not re.search(r"(?<!\\)&", shielded)
