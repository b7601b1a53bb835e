"""Charts without flicker: a figure made in Python, drawn in place by ``Plotly.react`` in components of ours.

``st.plotly_chart`` puts a new chart in the place of the old one at every change (blank frames, zoom lost). Figures
here name their colours by design token, ``var(--pa-ink)``; the browser looks them up, so that one figure serves the
light and the dark theme, and a switch of theme needs no run of the script.
"""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLOTLY = max((ROOT / "static").glob("plotly-basic-*.min.js"))
LIBRARY = f"app/static/{PLOTLY.name}"  # where the browser finds it: server.enableStaticServing
FONT = "var(--pa-type-body-family)"


def colour(token: str) -> str:
    """A design token as a colour in a figure, resolved in the browser."""
    return f"var(--pa-{token})"


def axis(title: str, **more: Any) -> dict[str, Any]:
    """A quiet axis: hairline, outside ticks, no zero line."""
    font = {"color": colour("muted"), "size": 13}
    return {
        "title": {"text": title, "font": font, "standoff": 8},
        "tickfont": font,
        "gridcolor": colour("line"),
        "gridwidth": 0.5,
        "linecolor": colour("muted"),
        "linewidth": 1,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": colour("muted"),
        "zeroline": False,
        "automargin": False,
    } | more


def layout(**more: Any) -> dict[str, Any]:
    """The common look: paper background, the page's type, thin spaces between groups of digits."""
    return {
        "template": {},  # none of the library's looks
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13, "color": colour("ink")},
        "separators": ".\u202f",
        "showlegend": False,
        "hovermode": "x unified",
        "hoverlabel": {
            "bgcolor": colour("panel"),
            "bordercolor": colour("line"),
            "font": {"family": FONT, "size": 13, "color": colour("ink")},
        },
    } | more
