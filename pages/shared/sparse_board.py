"""The component of the sparse page: the gallery, the mask as a picture that can be painted, the numbers, the chart."""

import base64
import json
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st

from kernels_ref.masks import Mask
from pages.shared.chart import LIBRARY
from pages.shared.curves import SEPARATOR, doublings, plain
from pages.shared.fault import callback
from pages.shared.fields import Problem, validate
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.said import counter, parts, said
from pages.shared.settings import ALGORITHM_IDS, SPARSE, SPARSE_N, SPARSE_N_BY_ENTRY, SparseSettings
from pages.shared.sparse import HIGH, LOW, START, Point, csv, curve, mask_of, painted_start, point, reach
from pages.shared.sparse_fields import BY_ENTRY, KINDS, LIMITS, cells_of, kind_of, numbers_of
from pages.shared.sparse_figure import figure
from pages.shared.sparse_masks import as_bytes, built, met_shares, shares, thumbnails
from pages.shared.theme import TOKENS, source
from pages.shared.url_state import Address, sync, update

KEY = "sparse_board"
PICTURE = 128  # side of the mask's picture, in cells
FINEST = 160  # more strips of tiles than this cannot be told apart in the picture
FIELDS = {"n": "n", "d": "d", "m": "memory", "mask": "mask", "tiles": "tiles"}
STOPS = {"n": doublings(*SPARSE_N), "d": doublings(8, 512), "m": doublings(LOW, 4 * HIGH)}
_UP_TO_1024 = [0, *doublings(1, 2**10)]
NUMBER_STOPS = {
    "window": doublings(1, 2**13),
    "blocks": list(range(1, 65)),
    "share": [1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100],
    "stride": doublings(1, 2**10),
    "tokens": _UP_TO_1024,
    "reach": _UP_TO_1024,
}
SETTINGS = f"_settings.{SPARSE.page}"


@lru_cache(maxsize=256)
def payload(settings: SparseSettings, lang: str) -> tuple[str, str]:
    """Figure and state as JSON text, for all readers who look at the same point."""
    t, at, most = Texts(lang), point(settings), grouped(SPARSE_N_BY_ENTRY)
    data = curve(settings.mask, settings.n, settings.d, reach(settings.memory, at.nonzeros.split))
    state = {
        "lang": lang,
        "settings": {
            "n": settings.n,
            "d": settings.d,
            "memory": settings.memory,
            "mask": settings.mask,
            "tiles": settings.tiles,
        },
        "kind": kind_of(settings.mask),
        "numbers": numbers_of(settings.mask),
        "stops": STOPS | {"numbers": NUMBER_STOPS},
        "most": SPARSE_N_BY_ENTRY if kind_of(settings.mask) in BY_ENTRY else SPARSE_N[1],
        "limits": {kind: list(limits) for kind, limits in LIMITS.items()},
        "gallery": _gallery(settings.mask, lang),
        "picture": _picture(settings.mask, settings.n),
        "tiles": _tiles(at),
        "readout": _readout(at, t),
        "legend": _legend(t, dense=kind_of(settings.mask) == "none"),
        "words": _about(settings, t),
        "labels": t.group("sparse") | {"limits": t("sparse.limits", most=grouped(SPARSE_N[1]), less=most)},
    }
    return json.dumps(figure(at, data, t), allow_nan=False), json.dumps(state, allow_nan=False)


def _about(settings: SparseSettings, t: Texts) -> dict[str, str]:
    """What a saved chart says of itself: title, what the numbers are, where they come from."""
    sizes = [t("curves.title.n", n=grouped(settings.n)), t("curves.title.d", d=grouped(settings.d))]
    kind, numbers = kind_of(settings.mask), numbers_of(settings.mask).items()
    mask = t("sparse.file.painted" if kind == "painted" else f"sparse.mask.{kind}")
    names = {name: t("sparse.file.seed" if name == "seed" else f"sparse.control.{name}") for name, _ in numbers}
    told = (f"{names[name]}: {grouped(value)}" for name, value in numbers)
    title = SEPARATOR.join((t("sparse.axis.words"), *sizes, mask, *told))
    return {"title": title, "kind": t("sparse.kind.counted"), "source": t("sparse.file.source")}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _gallery(mask: str, lang: str) -> list[dict[str, str]]:
    """What there is to choose from; the painted one looks as the reader has painted it."""
    t = Texts(lang)
    pictures = {kind: as_bytes(share) for kind, share in thumbnails().items()}
    own = mask if kind_of(mask) == "painted" else painted_start()
    pictures["painted"] = as_bytes(cells_of(own.partition(":")[2]).astype(np.float32))
    starts = START | {"painted": own}
    return [
        {"kind": kind, "name": t(f"sparse.mask.{kind}"), "start": starts[kind], "picture": _base64(pictures[kind])}
        for kind in KINDS
    ]


@lru_cache(maxsize=64)
def _picture(mask: str, n: int) -> dict[str, Any]:
    side = min(PICTURE, n)
    return {"side": side, "kept": _base64(as_bytes(shares(built(mask, n), n, side)))}


def _tiles(at: Point) -> dict[str, Any] | None:
    """The tiles of the chosen kernel that keep anything, as a picture; without one where they are too fine."""
    settings = at.settings
    if settings.tiles not in at.tiles:
        return None
    rows, columns, met, every = at.tiles[settings.tiles]
    found: dict[str, Any] = {"rows": rows, "columns": columns, "met": met, "every": every, "picture": None}
    mask = mask_of(settings)
    if mask is not None and -(-settings.n // columns) <= FINEST:
        found["picture"] = _met_picture(settings.mask, settings.n, rows, columns)
    elif mask is None:
        found["picture"] = {"rows": 1, "columns": 1, "met": _base64(b"\xff")}
    return found


@lru_cache(maxsize=128)
def _met_picture(name: str, n: int, rows: int, columns: int) -> dict[str, Any]:
    mask: Mask | None = built(name, n)
    assert mask is not None
    met = met_shares(mask, n, rows, columns, FINEST)
    return {"rows": met.shape[0], "columns": met.shape[1], "met": _base64(as_bytes(met))}


def _readout(at: Point, t: Texts) -> dict[str, Any]:
    """Every sentence and number beside the picture."""
    settings, zeros = at.settings, at.nonzeros
    split = None if zeros.z_qk == 0 else zeros.split
    found: dict[str, Any] = {
        "z_qk": grouped(zeros.z_qk),
        "z_qk_note": t("sparse.z_qk.note", percent=_percent(at.kept)),
        "z_input": grouped(zeros.z_input),
        "z_input_note": t("sparse.z_input.note", rows=grouped(zeros.z_input // settings.d), d=settings.d),
        "at": f"M = {grouped(settings.memory)}",
        "squared": t("sparse.squared", ratio=rounded(settings.memory / settings.d**2)),
        "rows": [_row(at, name, t) for name in ALGORITHM_IDS],
        "verdict": _verdict(at, t),
        "bound": t("sparse.bound", words=grouped(at.bound.words)),
        "split": t("sparse.split.none"),
        "theorem": "",
    }
    if split is not None:
        side = "below" if settings.memory < split else "above"
        found["split"] = t("sparse.split.at", memory=grouped(round(split)))
        found["theorem"] = t(f"sparse.split.{side}")
    return found


def _percent(share: float) -> str:
    return "0" if share == 0 else rounded(100 * share, 3)


def _row(at: Point, name: str, t: Texts) -> dict[str, Any]:
    masked, dense = at.masked[name], at.dense[name]
    row: dict[str, Any] = {"id": name, "name": t(f"algorithm.{name}"), "dash": TOKENS["algorithms"][name]["svg-dash"]}
    if masked.io is None or dense.io is None:
        return row | {"words": t("sparse.unfit", least=grouped(masked.least_memory)), "fits": False}
    most = max(counts.io or 0 for counts in at.dense.values())
    rows, columns, met, every = at.tiles[name]
    skipped = t("sparse.tiles.skipped", rows=grouped(rows), columns=grouped(columns), percent=_percent(1 - met / every))
    return row | {
        "fits": True,
        "words": t("sparse.words", words=grouped(masked.io)),
        "share": t("sparse.of_dense", percent=_percent(masked.io / dense.io)),
        "bar": masked.io / most,
        "dense_bar": dense.io / most,
        "dense": t("sparse.dense", words=grouped(dense.io)),
        "tiles": skipped,
    }


def _verdict(at: Point, t: Texts) -> str:
    fit = sorted((counts.io, name) for name, counts in at.masked.items() if counts.io is not None)
    if len(fit) < 2:
        return t("sparse.verdict.alone", name=t(f"sparse.short.{fit[0][1]}")) if fit else t("sparse.verdict.none")
    (less, first), (more, second) = fit
    if less == more:
        return t("sparse.verdict.equal")
    names = {"name": t(f"sparse.short.{first}"), "other": t(f"sparse.short.{second}")}
    return t("sparse.verdict.less", times=rounded(more / less), **names)


def _legend(t: Texts, dense: bool) -> list[dict[str, Any]]:
    looks = TOKENS["algorithms"]
    lines = [(t(f"algorithm.{name}"), name, looks[name]["svg-dash"], 2.5) for name in ALGORITHM_IDS]
    if not dense:
        lines.append((t("sparse.legend.thin"), "muted", "1 3", 1.25))
    lines.append((t("sparse.legend.bound"), "muted", "", 1.25))
    lines.append((t("sparse.legend.theta"), "theta", TOKENS["theta"]["svg-dash"], 1.5))
    return [{"name": name, "colour": f"var(--pa-{token})", "dash": dash, "width": w} for name, token, dash, w in lines]


_board = st.components.v2.component(
    "sparse_board",
    html=source("sparse/sparse.html"),
    css=source("curves/chart.css", "curves/explorer.css", "sparse/sparse.css"),
    js=source(
        *(f"curves/{name}.js" for name in ("plotly", "readout", "control", "measure", "questions", "save")),
        "sparse/picture.js",
        "sparse/sparse.js",
    ),
    isolate_styles=False,
)


def board(address: Address, t: Texts) -> None:
    """Draw the page's board. What was wrong with a number that was typed in it is said beside it."""
    asked = st.session_state.get("sparse.asked", {"number": 0, "problems": []})
    limit(address)
    typed = address.show_all_but(asked["problems"], t)
    drawn, state = payload(address.settings, t.lang)
    wish = st.session_state.pop("sparse.csv", None)
    _board(
        key=KEY,
        data={
            "number": asked["number"],
            "library": LIBRARY,
            "figure": drawn,
            "state": state,
            "problems": json.dumps({problem.field: plain(problem.sentence(t)) for problem in typed}),
            "csv": None if wish is None else {"number": wish, "text": csv(address.settings)},
        },
        default={"question": None, "csv": None},
        on_question_change=answer,
        on_csv_change=wish_csv,
    )


def limit(address: Address) -> None:
    """Masks that are drawn entry by entry are counted here up to a smaller n; a larger one is answered in words."""
    settings = address.settings
    if kind_of(settings.mask) in BY_ENTRY and settings.n > SPARSE_N_BY_ENTRY:
        used = grouped(SPARSE_N_BY_ENTRY)
        data = (("high", SPARSE_N_BY_ENTRY), ("most", SPARSE_N[1]))
        address.correct(Problem("sparse_rows", "n", grouped(settings.n), used, data), n=SPARSE_N_BY_ENTRY)


@callback
def answer() -> None:
    """Take over what the reader asked for in the component: checked like an address, a bad value not taken."""
    question = parts(KEY, "question")
    if not question:
        return
    raw = {field: str(question[name]) for name, field in FIELDS.items() if name in question}
    kept = st.session_state.get(SETTINGS) or SparseSettings()
    _, problems = validate(SPARSE, raw, kept)
    st.session_state["sparse.asked"] = {"number": counter(question.get("number")), "problems": problems}
    st.session_state["sparse.moving"] = question.get("moving") is True
    update(SPARSE, **raw)


def address_of_now() -> Address:
    """The settings to show. While a slider moves the address waits, or the browser's history would fill up."""
    if st.session_state.get("sparse.moving") and SETTINGS in st.session_state:
        return Address(SPARSE, st.session_state[SETTINGS], [])
    return sync(SPARSE)


@callback
def wish_csv() -> None:
    """The reader wants the file: the next answer carries it, once."""
    st.session_state["sparse.csv"] = counter(said(KEY, "csv")) or None
