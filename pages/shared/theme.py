"""The look: design tokens from ``assets/tokens.json`` for the page, the components and the charts.

``.streamlit/config.toml`` repeats the colours that Streamlit's own widgets need; a test holds the two equal.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.naming import naming

ASSETS = Path(__file__).resolve().parents[2] / "assets"
_COMMENT = re.compile(r"//.*|/\*((?!\*/).)*\*/")
with naming(ASSETS / "tokens.json"):
    TOKENS: dict[str, Any] = json.loads((ASSETS / "tokens.json").read_text(encoding="utf-8"))

# Page-wide rules that Streamlit's theme has no option for. With ``assets/document/*.css``, which hold what pages
# share, the only style sheet outside the components.
_PAGE = """
.stMainBlockContainer { max-width: var(--pa-size-page); padding: 5rem 1.5rem 3rem; }
.stMainBlockContainer h1 { padding: 0 0 .25rem; letter-spacing: -.01em; }
.stMainBlockContainer .stMarkdown p, .stMainBlockContainer .stMarkdown li { max-width: var(--pa-size-measure); }
.stApp { font-variant-numeric: tabular-nums; }
.stApp a:focus-visible { outline: 2px solid currentColor !important; outline-offset: 2px; }
.stApp:has([class*="st-key-fault_"]) .stException { display: none; }
.stMain:focus-visible { outline: none; }
.stAppHeader { border-bottom: var(--pa-size-hairline) solid var(--pa-line); }
[data-testid="stLayoutWrapper"]:has(> .st-key-shell) { position: absolute; }
[data-testid="stStatusWidget"]:has([data-testid="stStatusWidgetRunningIcon"]) { display: none; }
.st-key-shell { position: fixed; top: .875rem; right: 3.75rem; z-index: 999990; width: auto; }
.st-key-shell button { min-height: 2rem; padding-block: 0; }
[data-testid="stExpandSidebarButton"] [data-testid="stIconMaterial"] { font-size: 0; }
[data-testid="stExpandSidebarButton"] [data-testid="stIconMaterial"]::after { content: "menu"; font-size: 1.5rem; }
.stMarkdown .katex-display { overflow: auto hidden; padding-block: .25rem; }
.st-key-reference_text .katex-display > .katex { text-align: left; }
.st-key-reference_text table { display: block; width: fit-content; max-width: 100%; overflow-x: auto; }
.st-key-reference_text :is(td, th) { min-width: 6rem; }
@media (min-width: 641px) {
  .stColumn:has(> * > * > .st-key-reference_contents) { position: sticky; top: 5rem; align-self: flex-start; }
  .st-key-reference_contents [role=radiogroup] { flex-direction: column; align-items: stretch; }
}
@media (max-width: 640px) { .stMainBlockContainer { padding-inline: 1rem; } }
@media print {
  .stAppHeader, .st-key-shell, .st-key-reference_contents, .st-key-reference_text .stDownloadButton { display: none; }
}
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation-duration: .01ms !important; animation-iteration-count: 1 !important; }
  *, ::before, ::after { transition-duration: .01ms !important; scroll-behavior: auto !important; }
}
"""
# On paper: black on white, without controls, as wide as the sheet. ``assets/document/print.js`` marks the document
# while it prints, so that what is drawn by scripts is drawn anew in these colours and this width.
_PRINT = """
.pa-print .stApp { color-scheme: light !important; }
.pa-print .stMainBlockContainer { max-width: 680px; padding-inline: 0; }
@media print {
  html, body, .stApp, .stAppViewContainer { background: #fff !important; }
  .stApp { color-scheme: light !important; --pa-background: #fff; }
  .stApp, .stApp *:not(svg, svg *) { color: #000 !important; }
  .stAppHeader, .stSidebar, .st-key-shell, .stToolbar, .stTooltipIcon { display: none !important; }
  .stPopover, .stButton, .stDownloadButton, .stFormSubmitButton, .stFileUploader { display: none !important; }
  .stPageLink { display: none !important; }
  .stMainBlockContainer { padding: 0; max-width: none; }
  .stHorizontalBlock:has(> .stColumn) { display: block !important; }
  .stHorizontalBlock > .stColumn { width: 100% !important; }
  .stColumn + .stColumn { margin-top: 1.25rem; }
  .stMainBlockContainer :is(h1, h2, h3) { break-after: avoid; }
  .stMainBlockContainer :is(table, figure, pre, .stAlert) { break-inside: avoid; }
  .stMarkdown a[href^="http"]::after { content: " (" attr(href) ")"; font-size: .85em; overflow-wrap: anywhere; }
  [data-testid="stTextInputRootElement"], .stSelectbox [role="group"] { background: none !important; }
  .stSelectbox [role="group"] button { display: none; }
}
"""
# In somebody else's page (``?embed=true``) ours comes without its chrome.
_EMBEDDED = """
.stAppHeader, .stSidebar, .st-key-shell { display: none !important; }
.stMainBlockContainer { padding-block: .75rem; }
.stMainBlockContainer h1 { font-size: var(--pa-type-heading-2); }
.stApp { --pa-top: 0px; }
"""


def source(*names: str) -> str:
    """Files of ``assets`` as one text, without indentation, empty lines and lines that are a comment.

    Streamlit sends a component's whole script and style sheet again with every change of its data.
    """
    lines = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names).splitlines()
    return "\n".join(text for line in lines if (text := line.strip()) and not _COMMENT.fullmatch(text)) + "\n"


def colours() -> dict[str, dict[str, str]]:
    """Every colour as {"light": ..., "dark": ...}, by the name that follows ``--pa-``."""
    named: dict[str, dict[str, str]] = dict(TOKENS["colours"])
    for name, look in TOKENS["algorithms"].items():
        named[name] = look["colour"]
        named[f"{name}-edge"] = look["edge"]
    return named | {"theta": TOKENS["theta"]["colour"]}


def css_tokens(selector: str = ":host, :root") -> str:
    """The tokens as custom properties ``--pa-*``, to put in front of a component's style sheet.

    Colours are ``light-dark(...)`` pairs: they follow the ``color-scheme`` that Streamlit's theme sets, with no rerun.
    The page registers the colour names (see `page_style`), so that a canvas reads a plain ``rgb(...)`` from
    ``getComputedStyle(element).getPropertyValue("--pa-red")``.
    """
    rules = [f"--pa-{name}: light-dark({pair['light']}, {pair['dark']});" for name, pair in colours().items()]
    for section in ("type", "space", "size", "motion"):
        rules += [f"--pa-{section}-{name}: {value};" for name, value in TOKENS[section].items()]
    return f"/* design tokens */\n{selector} {{\n  " + "\n  ".join(rules) + "\n}\n"


@cache
def _style(embedded: bool) -> str:
    registered = "".join(
        f'@property --pa-{name} {{ syntax: "\\3c color>"; inherits: true; initial-value: {pair["light"]}; }}\n'
        for name, pair in colours().items()
    )
    shared = source("document/page.css", "document/quiet.css")
    extra = _EMBEDDED if embedded else ""
    return f"<style>{registered}{css_tokens('.stApp')}{_PAGE}{shared}{_PRINT}{extra}</style>"


def page_style() -> None:
    """Draw the page's style sheet: registered colours, tokens, and the few rules of `_PAGE` and `_PRINT`."""
    st.html(_style(st.context.is_embedded))
