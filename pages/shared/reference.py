"""The reference page: its prose, filled with tables and numbers that are computed here and typed nowhere.

A section's Markdown stands in ``assets/text/<lang>/reference_<section>.md``. A slot ``{{name}}`` in it is filled by the
function of that section in `SLOTS`, so a number on the page follows the code.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

import streamlit as st

from kernels_ref import ALGORITHMS, Shape, all_bounds, certified_ratio, count, crossover, masks
from kernels_ref.counts import BYTES
from kernels_ref.flash import flash1_printed
from pages.shared import settings
from pages.shared.curve_runs import RUN_D, RUN_N
from pages.shared.fields import Field, IdField, IdsField, IntField
from pages.shared.formulas import FORMULAS, latex
from pages.shared.i18n import LANGUAGES, Texts, labels
from pages.shared.levels import ends, levels
from pages.shared.numbers import NARROW_NO_BREAK_SPACE, grouped, rounded, times_n_squared
from pages.shared.play import OWN_RED, OWN_SECONDS, OWN_VERTICES
from pages.shared.references import APP_BIBTEX, PAPER_BIBTEX, WORKS, YEAR
from pages.shared.settings import CURVE_D, CURVE_MEMORY, CURVE_N, HOME_D, HOME_MEMORY, HOME_N, SECTIONS, SPECS
from pages.shared.url_state import VERSION
from pebble_engine import Move, Pebbling, Rules, attention_backward, matmul, write_pebbling
from pebble_engine.solver import solve

N, D = HOME_N, HOME_D
BOUND_N = 2**16  # large enough for the bounds' leading terms
ALL = SECTIONS[-1]
Slots = dict[str, str]

# For the answer to "can more memory cost more words": an instance on which it does.
RISE = {"n": 32, "d": 2, "mask": "random:0.1"}
RISE_MEMORY = (26, 27)
# C = A B of m x q words with an inner size k = 1, where COSMA's formula, in words, is above what suffices.
SMALL_PRODUCT, SMALL_MEMORY = (3, 1, 3), 5

_SYMBOLS = {
    "n": "$n$", "d": "$d$", "m": "$M$", "qkv": "$Q, K, V$", "o": "$O, dO$", "s": "$S, P$", "dp": "$dP, dS$",
    "g": "$dQ, dK, dV$", "lse": "lse, $D$", "b": "$B, B_c, B_r, a, b$", "h": "$H$",
    "t": r"$\left\lceil x / b \right\rceil$",
}  # fmt: skip
_KINDS = ("counted", "closed-form", "proven-optimum", "lower-bound", "theta")
_MOVES = {"load": ("load v", 1), "store": ("store v", 1), "compute": ("compute v", 0), "slide": ("slide u v", 0),
          "delete": ("delete v", 0)}  # fmt: skip


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; the first column to the left, cells that begin with a digit to the right."""
    right = [all(row[k].lstrip("*")[:1].isdigit() for row in rows) for k in range(len(head))]
    lines = [head, [("--:" if to_right else ":--") for to_right in right], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.strip()}\n```"


def _head(t: Texts, *names: str) -> list[str]:
    return [t(f"reference.head.{name}") for name in names]


def _kinds(t: Texts) -> str:
    return table(
        _head(t, "label", "meaning"), [[f"*{t(f'kind.{kind}')}*", t(f"reference.kind.{kind}")] for kind in _KINDS]
    )


def _model(t: Texts) -> Slots:
    moves = [
        [f"`{text}`", t(f"reference.move.{move}.needs"), t(f"reference.move.{move}.does"), str(cost)]
        for move, (text, cost) in _MOVES.items()
    ]
    sizes = [(n, d, len(attention_backward(n, d))) for n, d in ((2, 1), (2, 2), (4, 2), (8, 4))]
    return {
        "symbols": table(
            _head(t, "symbol", "meaning"), [[s, t(f"reference.symbol.{key}")] for key, s in _SYMBOLS.items()]
        ),
        "kinds": _kinds(t),
        "moves": table(_head(t, "move", "needs", "does", "cost"), moves),
        "vertices": "; ".join(t("reference.vertices_one", vertices=grouped(v), n=n, d=d) for n, d, v in sizes),
    }


def multiplications(algorithm: str, form: str | None = None) -> str:
    """Multiplications of a dense pass, as a multiple of n^2 d, at a size where the weights form's n d^2 is small."""
    counts = count(algorithm, n=N, d=D, memory=D * D, form=form)
    assert counts.multiplications is not None
    return rounded(counts.multiplications / (N * N * D), 3)


def _formulas(t: Texts) -> Slots:
    rows = [
        [t(f"algorithm.{name}"), f"{multiplications(name)} $n^2 d$"]
        for name, entry in ALGORITHMS.items()
        if entry.form == "qkv"
    ]
    return {"multiplications": table(_head(t, "algorithm", "multiplications"), rows)}


def _in_cell(expression: str) -> str:
    """A formula inside a table, its fractions as large as outside."""
    return f"${latex(expression)}$".replace(r"\frac", r"\dfrac")


def _algorithms(t: Texts) -> Slots:
    parts = []
    for form in ("qkv", "forward", "weights"):
        rows = []
        for name, entry in ALGORITHMS.items():
            if form in entry.forms:
                at = count(name, n=N, d=D, memory=D * D, form=form)
                words = "" if at.io is None else times_n_squared(at.io, N)
                slow = t("reference.none") if not at.peak_slow else times_n_squared(at.peak_slow, N)
                formula = FORMULAS[name, form]
                terms = [_in_cell(each) for each in (formula.small or formula.large, formula.large)]
                rows.append([f"{t(f'algorithm.{name}')} `{name}`", _in_cell(formula.least), *terms, words, slow])
        parts.append(f"**{t(f'reference.form.{form}')}**\n\n")
        parts[-1] += table(_head(t, "algorithm", "least", "small", "large", "io", "slow"), rows)
    return {
        "n": grouped(N),
        "d": str(D),
        "m": grouped(D * D),
        "printed": grouped(flash1_printed(64, 4096)["words"]),
        "algorithms": "\n\n".join(parts),
        "exact": "\n\n".join(_exact(name, form, t) for name, form in FORMULAS),
    }


def _exact(algorithm: str, form: str, t: Texts) -> str:
    """One algorithm: where it comes from, and its closed form."""
    formula = FORMULAS[algorithm, form]
    where = [f"${latex(name)} = {latex(expression)}$" for name, expression in formula.where.items()]
    if formula.tiles:
        where.append(f"${', '.join(latex(name) for name in formula.tiles)}$: {t('reference.tile.found')}")
    with_them = f"{t('reference.where')} {', '.join(where)}" if where else ""
    source = t(f"reference.{'source_weights' if form == 'weights' else 'source'}.{algorithm}")
    title = f"**{t(f'algorithm.{algorithm}')}**, {t(f'reference.form.{form}')} ({source})"
    # Inside a line, as large as outside: so it breaks at a plus instead of leaving a narrow page.
    return f"{title}\n\n$\\displaystyle {latex(formula.io)}$\n\n{with_them}"


def _theorems(t: Texts) -> Slots:
    pairs = (("flash2", "small-cache"), ("flash-two-sweep", "small-cache-outer"))
    head = [t("reference.head.width"), *(t(f"reference.crossing.{a}-{b}") for a, b in pairs)]
    rows = []
    for d in (16, 32, 64, 128, 256):
        found = [crossover(first, second, n=N, d=d) for first, second in pairs]
        rows.append([str(d), *("" if m is None else f"{grouped(m)} = {rounded(m / d**2, 3)} d²" for m in found)])
    return {"n": grouped(N), "crossings": table(head, rows)}


def cut(number: float, digits: int = 3, up: bool = False) -> str:
    """Rounded to one side, since what is said of a bound must stay true: a bound down, a ratio up.

    >>> cut(2.9661), cut(2.7649, up=True), cut(0.32892)
    ('2.96', '2.77', '0.328')
    """
    shift = 10.0 ** (digits - 1 - math.floor(math.log10(number)))
    return rounded((math.ceil if up else math.floor)(number * shift) / shift, digits)


def _bounds(t: Texts) -> Slots:
    parts = []
    for share in (1 / 16, 1, 16):
        memory = round(D * D * share)
        shape = Shape(BOUND_N, BOUND_N, D, D)
        unit = f"{NARROW_NO_BREAK_SPACE}n\u00b2"
        bounds = all_bounds("qkv", shape, memory)
        rows = [[t(f"reference.bound.{b.name}"), f"{cut(b.words / BOUND_N**2)}{unit}"] for b in bounds]
        done = [certified_ratio(a, n=BOUND_N, d=D, memory=memory) for a, e in ALGORITHMS.items() if e.form == "qkv"]
        best = min((each for each in done if each is not None), key=lambda each: each.io)
        name = t(f"algorithm.{best.algorithm}")
        rows.append([f"**{t('reference.head.best')}**: {name}", f"**{times_n_squared(best.io, BOUND_N)}**"])
        rows.append([t("reference.head.ratio"), f"**{cut(best.ratio, up=True)}**"])
        title = t("reference.same_memory", m=grouped(memory), ratio=rounded(share, 3))
        parts.append(f"**{title}**, n = {grouped(BOUND_N)}, d = {D}\n\n" + table(_head(t, "bound", "io"), rows))
    m, k, q = SMALL_PRODUCT
    formula = 2 * m * k * q / SMALL_MEMORY**0.5 + m * q
    return {
        "bounds": "\n\n".join(parts),
        "small_product": f"{m}, {k}, {q}",
        "small_memory": str(SMALL_MEMORY),
        "cosma": rounded(formula, 4),
        "plain": str(solve(matmul(m, q, k), Rules(SMALL_MEMORY), time_limit=5).cost),
        "optima": table(_head(t, "level", "red", "sliding", "ends", "par"), _optima(t)),
    }


def _optima(t: Texts) -> list[list[str]]:
    rows = []
    for level in levels().values():
        slides = t("reference.head.yes" if level.rules.sliding else "reference.head.no")
        words = f"{level.par}{'' if level.proven else '*'}"
        rows.append([t(f"play.title.{level.id}"), str(level.rules.red), slides, str(ends(level.dag)), words])
    return rows


def _io(algorithm: str, memory: int, **given: object) -> int:
    io = count(algorithm, n=N, d=D, memory=memory, **given).io  # type: ignore[arg-type]
    assert io is not None
    return io


def one_pass(n: int, d: int) -> int:
    """The M from which `flash2` reads every query once: one block holds all keys. Words."""
    low, high = 1, 8 * (n + 1) * (d + 1)
    while low < high:
        memory = (low + high) // 2
        tile = count("flash2", n=n, d=d, memory=memory).tile
        low, high = (low, memory) if tile is not None and tile["columns"] >= n else (memory + 1, high)
    return low


def _questions(t: Texts) -> Slots:
    memories = [D * D // 4, D * D, 4 * D * D, 64 * D * D]
    rows = [
        [t(f"algorithm.{name}"), *(times_n_squared(_io(name, memory), N) for memory in memories)]
        for name in ("standard", "flash2", "small-cache")
    ]
    sizes = [
        [name, str(size), grouped(2**17 // size), *(f"{rounded(2**17 // size / d**2, 3)} d²" for d in (64, 128, 256))]
        for name, size in sorted(BYTES.items(), key=lambda item: item[1])
    ]
    heads, shared, memory = 8, 2, D * D
    grown = [
        count("small-cache", RISE["n"], RISE["d"], m, mask=masks.named(str(RISE["mask"]), 32, 32)).io  # type: ignore[arg-type]
        for m in RISE_MEMORY
    ]
    return {
        "n": grouped(N),
        "d": str(D),
        "standard_passes": str(_io("standard", 2**40) // N**2),
        "standard": table(["", *(f"M = {grouped(m)}" for m in memories)], rows),
        "bytes": table([*_head(t, "type"), "bytes", *_head(t, "words"), "d = 64", "d = 128", "d = 256"], sizes),
        "heads": t(
            "reference.heads_example", n=grouped(N), d=D, m=grouped(memory), heads=heads, shared=shared,
            one=grouped(_io("flash2", memory)), many=grouped(_io("flash2", memory, heads=heads)),
            grouped=grouped(_io("flash2", memory, heads=heads, kv_heads=shared)),
        ),
        "flash_mults": multiplications("flash2"),
        "small_mults": multiplications("small-cache"),
        "sweep_mults": multiplications("flash-two-sweep"),
        "one_pass": grouped(one_pass(N, D)),
        "rise": t(
            "reference.rise_example", n=RISE["n"], d=RISE["d"], low=RISE_MEMORY[0], high=RISE_MEMORY[1],
            before=grouped(grown[0] or 0), after=grouped(grown[1] or 0),
        ),
    }  # fmt: skip


def sample() -> Pebbling:
    """The smallest product of matrices, as a pebbling."""
    moves = ("load A[0,0]", "load B[0,0]", "compute C[0,0]#0", "store C[0,0]#0")
    return Pebbling(matmul(1, 1, 1), Rules(red=3), tuple(map(Move.parse, moves)), "hand")


def _values(field: Field) -> str:
    match field:
        case IntField(low=low, high=high):
            return f"{grouped(low)} – {grouped(high)}"
        case IdField(ids=ids) | IdsField(ids=ids):
            return ", ".join(f"`{each}`" for each in ids)
        case _:
            return ""


def _formats(t: Texts) -> Slots:
    rows = [
        [t(f"page.{spec.page}"), f"`{field.parameter}`", t(f"field.{field.name}"), _values(field)]
        for spec in SPECS
        for field in spec.fields
    ]
    return {
        "text": code(write_pebbling(sample(), form="text")),
        "json": code(write_pebbling(sample()), "json"),
        "version": VERSION,
        "addresses": table(_head(t, "page", "parameter", "meaning", "values"), rows),
    }


def _limits(t: Texts) -> Slots:
    rows = [
        [t(f"page.{spec.page}"), t(f"field.{field.name}"), _values(field)]
        for spec in SPECS
        for field in spec.fields
        if isinstance(field, IntField)
    ]
    numbers = {
        "home_n": HOME_N, "home_d": HOME_D, "home_low": HOME_MEMORY[0], "home_high": HOME_MEMORY[1],
        "lab_side": settings.LAB_SIDE, "lab_vertices": settings.LAB_VERTICES, "lab_moves": settings.LAB_MOVES,
        "levels": len(levels()), "own_vertices": OWN_VERTICES, "own_red": OWN_RED, "own_seconds": round(OWN_SECONDS),
        "curve_n": CURVE_N, "curve_d": CURVE_D, "curve_m": CURVE_MEMORY, "run_n": RUN_N, "run_d": RUN_D,
    }  # fmt: skip
    limits = table(_head(t, "page", "parameter", "values"), rows)
    return {"limits": limits} | {name: grouped(number) for name, number in numbers.items()}


def _sources(t: Texts) -> Slots:
    works = [
        f"- {work.authors}: *{work.title}*, {work.where}{f', [{work.link_text}]({work.url})' if work.url else ''}"
        f" ({t(f'reference.about.{work.id}')})"
        for work in WORKS
    ]
    own = [name for name, entry in ALGORITHMS.items() if entry.source.startswith("ours")]
    return {
        "sources": "\n".join(works),
        "own": "\n".join(f"  - {t(f'algorithm.{name}')} (`{name}`): {t(f'reference.source.{name}')}" for name in own),
        "cite_paper": code(PAPER_BIBTEX, "bibtex"),
        "cite_app": code(APP_BIBTEX, "bibtex"),
        "cite_text": t("reference.cite_text", year=YEAR),
    }


SLOTS: dict[str, Callable[[Texts], Slots]] = {
    "model": _model, "formulas": _formulas, "algorithms": _algorithms, "theorems": _theorems, "bounds": _bounds,
    "questions": _questions, "formats": _formats, "limits": _limits, "sources": _sources,
}  # fmt: skip


def filled(text: str, slots: Slots) -> str:
    """`text` with every ``{{name}}`` replaced. Raises KeyError for a name without a value."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: slots[match[1]], text)


@st.cache_data(max_entries=32, show_spinner=False)
def section(name: str, lang: str) -> str:
    """A section as Markdown, numbers and tables filled in."""
    t = Texts(lang)
    return filled(t.prose(f"reference_{name}"), SLOTS[name](t) if name in SLOTS else {})


def on_page(name: str, lang: str) -> str:
    """The same with its headings one level down, below the section's own, and its formulas on lines of their own."""
    text = re.sub(r"(?m)^## ", "### ", section(name, lang))
    return re.sub(r"(?m)^\$\$(.+)\$\$$", lambda match: displayed(match[1]), text)


def displayed(formula: str) -> str:
    r"""A formula as a block; equations that a wide page sets side by side (``\qquad``) one below the other."""
    lines = [line.strip() for line in formula.split(r"\qquad")]
    if len(lines) > 1:
        formula = r"\begin{aligned}" + r" \\[.3em] ".join(f"&{line}" for line in lines) + r"\end{aligned}"
    return f"$$\n{formula}\n$$"


@cache
def terms() -> tuple[str, ...]:
    """The glossary's stable ids, in the order of the catalogue."""
    start = "reference.term."
    return tuple(key.removeprefix(start) for key in labels(next(iter(LANGUAGES))) if key.startswith(start))


def _plain(text: str) -> str:
    """For comparing: small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def found(text: str) -> tuple[str, ...]:
    """The terms that have `text` in their name or meaning, in either language."""
    wanted = _plain(text.strip())
    keys = ("term", "means")
    return tuple(
        term
        for term in terms()
        if any(wanted in _plain(Texts(lang)(f"reference.{key}.{term}")) for lang in LANGUAGES for key in keys)
    )


def glossary(shown: Sequence[str], t: Texts) -> str:
    """The terms as a table, a column for each language, the reader's first; sorted by it."""
    languages = sorted(LANGUAGES, key=lambda lang: lang != t.lang)
    order = sorted(shown, key=lambda term: _plain(t(f"reference.term.{term}")))
    rows = [
        [f"**{Texts(lang)(f'reference.term.{term}')}** {Texts(lang)(f'reference.means.{term}')}" for lang in languages]
        for term in order
    ]
    return table([LANGUAGES[lang] for lang in languages], rows)


def markdown(name: str, lang: str) -> str:
    """A section as a document of its own, with a title."""
    t = Texts(lang)
    text = f"# {t(f'reference.section.{name}')}\n\n{section(name, lang)}"
    return f"{text}\n{glossary(terms(), t)}\n" if name == "glossary" else f"{text}\n"
