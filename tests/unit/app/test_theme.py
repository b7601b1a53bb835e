"""One source for colours: tokens. Streamlit's theme repeats them; every pair that meets is legible (WCAG 2.2 AA)."""

import re
import tomllib
from pathlib import Path

import pytest

from pages.shared.theme import ASSETS, TOKENS, _style, colours, css_tokens, source

THEMES = ("light", "dark")
CONFIG = tomllib.loads(Path(__file__).resolve().parents[3].joinpath(".streamlit/config.toml").read_text("utf-8"))
TEXT_PAIRS = [
    ("ink", "background"),
    ("ink", "panel"),
    ("muted", "background"),
    ("muted", "panel"),
    ("primary", "background"),
    ("primary", "panel"),
    ("on-primary", "primary"),
    ("warning", "warning-panel"),
    ("warning", "background"),
]
# What is drawn and carries meaning: 3:1. The bright colours of the algorithms get there with their edge.
DRAWN_PAIRS = [
    (name, ground)
    for name in ("red", "blue", "theta", "primary", "flash2-edge", "small-cache-edge")
    for ground in ("background", "panel")
]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2) of ``#rrggbb``."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_in_the_standard() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("text", "ground"), TEXT_PAIRS)
def test_text_is_legible(text: str, ground: str, theme: str) -> None:
    assert contrast(colours()[text][theme], colours()[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("drawn", "ground"), DRAWN_PAIRS)
def test_what_is_drawn_stands_out(drawn: str, ground: str, theme: str) -> None:
    assert contrast(colours()[drawn][theme], colours()[ground][theme]) >= 3


def test_nothing_is_told_by_hue_alone() -> None:
    """Algorithms differ in dash; the pebbles' shapes are the board's."""
    dashes = [look["dash"] for look in TOKENS["algorithms"].values()] + [TOKENS["theta"]["dash"]]
    assert len(set(dashes)) == len(dashes)


@pytest.mark.parametrize("theme", THEMES)
def test_streamlits_theme_has_the_tokens(theme: str) -> None:
    option_of = {
        "primaryColor": "primary",
        "backgroundColor": "background",
        "secondaryBackgroundColor": "panel",
        "textColor": "ink",
        "borderColor": "line",
        "linkColor": "primary",
        "redColor": "red",
        "blueColor": "blue",
        "yellowColor": "warning",
        "yellowTextColor": "warning",
        "yellowBackgroundColor": "warning-panel",
    }
    stated = {option: value for option, value in CONFIG["theme"][theme].items() if option.endswith("Color")}
    assert stated == {option: TOKENS["colours"][name][theme] for option, name in option_of.items()}


def test_streamlits_sizes_are_the_tokens() -> None:
    theme, sizes = CONFIG["theme"], TOKENS["type"]
    assert f"{theme['baseFontSize']}px" == sizes["body"]
    assert theme["headingFontSizes"][:3] == [sizes["heading-1"], sizes["heading-2"], sizes["heading-3"]]
    assert theme["baseRadius"] == TOKENS["size"]["radius"]


def test_settings_that_were_measured_stay() -> None:
    assert CONFIG["runner"]["postScriptGC"] is False
    assert CONFIG["server"]["enableStaticServing"] is True
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"] == {"toolbarMode": "viewer", "showErrorDetails": "type"}


def test_css_has_every_token_once() -> None:
    names = re.findall(r"^\s+(--pa-[\w-]+):", css_tokens(), re.MULTILINE)
    assert len(names) == len(set(names))
    assert {f"--pa-{name}" for name in colours()} <= set(names)
    assert css_tokens().startswith("/*"), "a style sheet of one line would count as a path"
    assert css_tokens(".x").splitlines()[1] == ".x {"


def test_colours_are_plain_hexadecimal() -> None:
    for name, pair in colours().items():
        for theme in THEMES:
            assert re.fullmatch("#[0-9A-F]{6}", pair[theme]), (name, theme)


def test_a_source_has_its_code_and_no_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.js").write_text(
        '// what it is\n  const a = "//"; // kept\n\n  /** A doc. */\n  /* x */ b();\n', "utf-8"
    )
    (tmp_path / "two.css").write_text("/* a sheet */\n.a {\n  top: 0;\n}\n", "utf-8")
    monkeypatch.setattr("pages.shared.theme.ASSETS", tmp_path)
    assert source("one.js", "two.css") == 'const a = "//"; // kept\n/* x */ b();\n.a {\ntop: 0;\n}\n'


def test_no_text_of_a_script_spans_lines() -> None:
    """`source` drops indentation and lines that begin with //, wherever they are."""
    scripts = sorted(ASSETS.rglob("*.js"))
    assert len(scripts) > 30
    for path in scripts:
        for line in path.read_text("utf-8").splitlines():
            assert line.count("`") % 2 == 0, (path, line)


def test_the_page_defines_what_components_in_it_use() -> None:
    """They come without the tokens, and with no rule of their own for what `document/page.css` has."""
    page = _style(False)
    assert css_tokens(".stApp") in page
    assert ".pa-quiet {" in page
    for name in ("curves/explorer", "curves/more", "sparse/sparse", "devices/devices"):
        assert not re.search(r"^\.pa-quiet \{", source(f"{name}.css"), re.MULTILINE)
