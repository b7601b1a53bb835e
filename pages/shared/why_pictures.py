"""The still pictures of the proof page as SVG, and its tables as HTML, in the colours of the tokens. No Streamlit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from kernels_ref import count
from kernels_ref.bounds import lower_bounds
from kernels_ref.sizes import Shape
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped, rounded
from pages.shared.settings import ALGORITHM_IDS
from pages.shared.theme import TOKENS

TABLE_STYLE = """<style>
.why-table { width: 100%; max-width: 720px; border-collapse: collapse; line-height: 1.35; }
.why-table th, .why-table td { padding: 7px 10px 7px 0; border: 0; border-bottom: 1px solid var(--pa-line);
  text-align: left; vertical-align: top; font-weight: 400; }
.why-table td, .why-table thead th + th { text-align: right; padding-right: 0; padding-left: 12px; }
.why-table thead th { font-weight: 600; }
.why-table small { display: block; color: var(--pa-muted); font-size: 13.5px; font-weight: 400; }
.why-table .section th { padding-top: 18px; font-weight: 600; }
.why-table .result th, .why-table .result td b { font-weight: 700; }
</style>"""


def _svg(width: int, height: int, alt: str, *parts: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(alt)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, words: str, look: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{look}" text-anchor="{anchor}">{escape(words)}</text>'


def _path(d: str, look: str = "line", extra: str = "") -> str:
    return f'<path d="{d}" class="{look}" {extra}/>'


def _arrow(x0: float, y0: float, x1: float, y1: float) -> str:
    angle = math.atan2(y1 - y0, x1 - x0)
    wings = [(x1 - 9 * math.cos(angle + side), y1 - 9 * math.sin(angle + side)) for side in (0.42, -0.42)]
    head = " ".join(f"L{x:.1f} {y:.1f}" for x, y in wings)
    return _path(f"M{x0} {y0}L{x1} {y1}") + f'<path d="M{x1} {y1}{head}Z" fill="var(--pa-ink)"/>'


def seen(t: Texts) -> str:
    """What goes into a phase and what comes out of it."""
    return _picture(
        _svg(
            600,
            232,
            t("why.see.alt"),
            _path("M215 78h170v76h-170Z", "box"),
            _text(300, 121, t("why.see.phase"), "strong", "middle"),
            _arrow(0, 116, 211, 116),
            _two(0, 84, t("why.see.start")),
            _arrow(250, 20, 250, 74),
            _text(240, 34, t("why.see.loads"), "", "end"),
            _arrow(350, 74, 350, 20),
            _text(360, 34, t("why.see.stores")),
            _text(300, 13, t("why.see.moved"), "soft", "middle"),
            _arrow(389, 116, 600, 116),
            _two(402, 84, t("why.see.end")),
            _path("M4 160V170H262V160"),
            _text(120, 190, t("why.see.d"), "strong", "middle"),
            _path("M338 160V170H596V160"),
            _text(480, 190, t("why.see.e"), "strong", "middle"),
            _path("M4 198V208H596V198"),
            _text(300, 226, "A ∪ E ≤ 3M", "strong", "middle"),
        )
    )


def _two(x: float, y: float, words: str) -> str:
    """A label on two lines, broken at its colon."""
    first, _, second = words.partition(": ")
    return _text(x, y, first) + _text(x, y + 20, second)


def made(t: Texts) -> str:
    """The two ways in which a product of S can belong to a phase: whole entries, and shadows."""
    cell, left, top = 15, 92, 44
    rows, columns = (2, 3, 7), (1, 4, 5, 8)
    parts = [
        _path(f"M{left} {top + k * cell}h{10 * cell}M{left + k * cell} {top}v{10 * cell}", "thin") for k in range(11)
    ]
    parts += [
        f'<rect x="{left + column * cell}" y="{top + row * cell}" width="{cell}" height="{cell}" class="shade"/>'
        for row in rows
        for column in columns
    ]
    parts += [f'<rect x="{left - 54}" y="{top + row * cell}" width="44" height="{cell}" class="box"/>' for row in rows]
    parts += [
        f'<rect x="{left + column * cell}" y="{top - 34}" width="{cell}" height="28" class="box"/>'
        for column in columns
    ]
    parts += [
        _text(left - 54, top + 10 * cell + 18, t("why.make.rows_q"), ""),
        _text(left + 10 * cell + 8, top - 14, t("why.make.rows_k")),
        _text(left + 10 * cell + 8, top + 5 * cell, "S", "strong"),
    ]
    whole = _svg(330, 218, t("why.make.rows_alt"), *parts)

    # A room seen into its far corner; the products float in it, and cast a shadow on each wall and on the floor.
    near, far = 0.36, 0.86

    def at(x: float, y: float, z: float) -> str:
        return f"{165 + (x - y) * 100:.1f} {112 + (x + y) * 48 - z * 96:.1f}"

    def face(look: str, *corners: tuple[float, float, float]) -> str:
        return _path("M" + "L".join(at(*each) for each in corners) + "Z", look)

    def square(low: float, high: float) -> tuple[tuple[float, float], ...]:
        return (low, low), (high, low), (high, high), (low, high)

    cube: list[str] = []
    for look, low, high in (("thin", 0.0, 1.0), ("shade", near, far)):
        cube += [face(look, *((a, b, 0.0) for a, b in square(low, high)))]
        cube += [face(look, *((a, 0.0, b) for a, b in square(low, high)))]
        cube += [face(look, *((0.0, a, b) for a, b in square(low, high)))]
    cube += [face("box", *((a, b, far) for a, b in square(near, far)))]
    cube += [face("box", *((far, a, b) for a, b in square(near, far)))]
    cube += [face("box", *((a, far, b) for a, b in square(near, far)))]
    cube += [
        _text(212, 24, t("why.make.cube_q")),
        _text(118, 24, t("why.make.cube_k"), "", "end"),
        _text(165, 228, t("why.make.cube_e"), "", "middle"),
    ]
    shadows = _svg(330, 236, t("why.make.cube_alt"), *cube)
    return (
        f'<div class="pair"><div><p>{escape(t("why.make.rows_title"))}</p>{whole}</div>'
        + f"<div><p>{escape(t('why.make.cube_title'))}</p>{shadows}</div></div>"
    )


def _picture(svg: str) -> str:
    return f"<figure>{svg}</figure>"


@lru_cache(maxsize=64)
def _curves(n: int, d: int) -> tuple[tuple[int, ...], dict[str, tuple[int | None, ...]]]:
    """For M from d^2 / 64 to 64 d^2: both algorithms' words, and the best lower bound."""
    memories = sorted({max(1, round(d * d * 2 ** (k / 6))) for k in range(-36, 37)})
    lines: dict[str, tuple[int | None, ...]] = {
        name: tuple(count(name, n=n, d=d, memory=memory).io for memory in memories) for name in ALGORITHM_IDS
    }
    lines["bound"] = tuple(words for words, _ in lower_bounds("qkv", Shape(n, n, d, d), memories))
    return tuple(memories), lines


def regimes_csv(n: int, d: int) -> str:
    """The numbers behind `regimes`: words by M, empty where an algorithm does not fit."""
    memories, lines = _curves(n, d)
    rows: list[tuple[str, ...]] = [("n", "d", "memory", *ALGORITHM_IDS, "lower_bound")]
    for at, memory in enumerate(memories):
        words = ("" if line[at] is None else str(line[at]) for line in lines.values())
        rows.append((str(n), str(d), str(memory), *words))
    return "".join(",".join(row) + "\n" for row in rows)


def regimes(n: int, d: int, memory: int, t: Texts) -> str:
    """Words moved against M: both algorithms above, the best lower bound below, and where d^2 is."""
    memories, lines = _curves(n, d)
    left, right, top, bottom = 56, 574, 30, 290
    found = [value for line in lines.values() for value in line if value]
    low, high = math.log10(min(found) / n / n) - 0.15, math.log10(max(found) / n / n) + 0.1
    first, last = math.log10(memories[0]), math.log10(memories[-1])

    def x(words: float) -> float:
        return left + (right - left) * (math.log10(words) - first) / max(1e-9, last - first)

    def y(words: float) -> float:
        return bottom - (bottom - top) * (math.log10(words / n / n) - low) / (high - low)

    def through(values: Sequence[int | None]) -> list[tuple[float, float]]:
        return [(x(m), y(value)) for m, value in zip(memories, values, strict=True) if value]

    def line(points: Sequence[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)

    parts: list[str] = []
    for exponent in range(math.ceil(low), math.floor(high) + 1):
        height = y(10.0**exponent * n * n)
        parts += [_path(f"M{left} {height:.1f}H{right}", "thin")]
        parts += [_text(left - 8, height + 5, rounded(10.0**exponent), "soft", "end")]
    for k, factor in enumerate((1 / 64, 1 / 8, 1, 8, 64)):
        at = x(max(1, d * d * factor))
        name = ("d²/64", "d²/8", "d²", "8d²", "64d²")[k]
        if d * d * factor >= 1:
            parts.append(_text(at, bottom + 18, name, "strong" if factor == 1 else "soft", "middle"))
    parts.append(_path(f"M{x(d * d):.1f} {top}V{bottom}", "line", 'stroke-dasharray="3 3"'))
    bound = through(lines["bound"])
    area = line([*bound, (bound[-1][0], bottom), (bound[0][0], bottom)]) + "Z"
    parts += [f'<path d="{area}" fill="var(--pa-ink)" fill-opacity=".1"/>', _path(line(bound))]
    parts.append(_text(left + 12, bottom - 14, t("why.regimes.below"), "soft"))
    for name in ALGORITHM_IDS:
        dash = TOKENS["algorithms"][name]["svg-dash"] or "none"
        style = f'style="stroke:var(--pa-{name});stroke-width:3" stroke-dasharray="{dash}"'
        points = through(lines[name])
        if points:
            parts.append(_path(line(points), "line", style))
    if memories[0] <= memory <= memories[-1]:
        parts.append(_path(f"M{x(memory):.1f} {bottom - 6}v12", "line", 'style="stroke-width:3"'))
        parts.append(_text(x(memory), bottom + 36, "M", "strong", "middle"))
    parts += [
        _path(f"M{left} {bottom}H{right}"),
        _text(left - 44, 14, t("why.regimes.y"), "soft"),
        _text(right, bottom + 36, t("why.regimes.x"), "soft", "end"),
    ]
    key = "".join(
        f'<span><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30" class="line" '
        f'style="stroke:var(--pa-{colour});stroke-width:{width}" stroke-dasharray="{dash}"/></svg> {escape(words)}'
        "</span>"
        for colour, width, dash, words in (
            *(
                (
                    name,
                    3,
                    TOKENS["algorithms"][name]["svg-dash"] or "none",
                    f"{t(f'algorithm.{name}')} ({t('kind.closed-form')})",
                )
                for name in ALGORITHM_IDS
            ),
            ("ink", 1.6, "none", t("why.regimes.bound")),
        )
    )
    alt = t("why.regimes.alt", n=grouped(n), d=grouped(d))
    return _picture(_svg(600, 330, alt, *parts) + f"<figcaption>{key}</figcaption>")


def table(head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """A table. A row is (look, name, note, cell, ...); a cell may hold markup that was escaped before."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = ""
    for look, name, note, *cells in rows:
        small = f"<small>{escape(note)}</small>" if note else ""
        if look == "section":
            body += f'<tr class="section"><th scope="rowgroup" colspan="{len(head)}">{escape(name)}{small}</th></tr>'
            continue
        shown = "".join(f"<td>{cell}</td>" for cell in cells)
        body += f'<tr class="{look}"><th scope="row">{escape(name)}{small}</th>{shown}</tr>'
    return f'{TABLE_STYLE}<table class="why-table"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
