"""The closed forms as formulas: each written once, as an expression that is both shown (LaTeX) and computed.

What a reader sees is made from the very text that the tests evaluate against `kernels_ref.count`, so a formula on the
page cannot say anything else than the code. Sizes: n = n_q = n_k, d = d_v, no mask, one head.
"""

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

_GREEK_OR_MARKED = {"Bc": "B_c", "Br": "B_r", "a2": "a'", "b2": "b'"}
_STRENGTH = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2}


def value(expression: str, names: Mapping[str, float]) -> float:
    """What an expression is worth. T(x, b) is ceil(x / b), isqrt(x) floor(sqrt(x)).

    >>> value("3*n + T(n, 4)", {"n": 10})
    33
    """
    known = {"T": lambda x, b: -(-x // b), "min": min, "max": max, "sqrt": math.sqrt, "isqrt": math.isqrt}
    found: float = eval(compile(expression, "formula", "eval"), {"__builtins__": {}}, known | dict(names))
    return found


def latex(expression: str) -> str:
    r"""An expression as LaTeX.

    >>> print(latex("n*d*T(n, Bc) + 16*n**2/M"))
    n d \left\lceil \frac{n}{B_c} \right\rceil + \frac{16 n^{2}}{M}
    """
    return _latex(ast.parse(expression, mode="eval").body)


def _latex(node: ast.expr, within: int = 0) -> str:
    """``within``: how strongly the operator around it binds; a weaker one gets parentheses."""
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.Name():
            return _GREEK_OR_MARKED.get(node.id, node.id)
        case ast.Call(func=ast.Name(id="T"), args=[whole, part]):
            return rf"\left\lceil \frac{{{_latex(whole)}}}{{{_latex(part)}}} \right\rceil"
        case ast.Call(func=ast.Name(id="sqrt"), args=[inside]):
            return rf"\sqrt{{{_latex(inside)}}}"
        case ast.Call(func=ast.Name(id="isqrt"), args=[inside]):
            return rf"\left\lfloor \sqrt{{{_inline(inside)}}} \right\rfloor"
        case ast.Call(func=ast.Name(id=name), args=args) if name in ("min", "max"):
            return rf"\{name}\left({', '.join(map(_latex, args))}\right)"
        case ast.BinOp(left, ast.Div(), right):
            return rf"\frac{{{_latex(left)}}}{{{_latex(right)}}}"
        case ast.BinOp(left, ast.FloorDiv(), right):
            return rf"\left\lfloor \frac{{{_latex(left)}}}{{{_latex(right)}}} \right\rfloor"
        case ast.BinOp(left, ast.Pow(), right):
            return f"{_latex(left, 3)}^{{{_latex(right)}}}"
        case ast.BinOp(left, op, right):
            strength = _STRENGTH[type(op)]
            sign = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: " "}[type(op)]
            text = _latex(left, strength) + sign + _latex(right, strength + isinstance(op, ast.Sub))
            return text if strength >= within else f"({text})"
        case _:
            raise ValueError(f"no LaTeX for {ast.unparse(node)}")


def _inline(node: ast.expr) -> str:
    """A quotient with a slash, below a root."""
    match node:
        case ast.BinOp(left, ast.FloorDiv(), right):
            return f"{_latex(left)}/{_latex(right)}"
        case _:
            return _latex(node)


@dataclass(frozen=True)
class Formula:
    """One algorithm in one form.

    Attributes
    ----------
    io : words moved, exact, in n, d, M, the names of `where` and of `tiles`
    small, large : its leading terms for M up to d^2 and from d^2 on; `small` None where it hardly fits there
    least : words of fast memory below which it cannot run
    where : block sizes with a formula, in the order in which they are computed
    tiles : block sizes that are found by trying, as the integer optimum: our name -> the kernel's keyword
    """

    io: str
    large: str
    least: str
    small: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    tiles: Mapping[str, str] = field(default_factory=dict)

    def names(self, n: int, d: int, memory: int, tile: Mapping[str, int]) -> dict[str, float]:
        """Every name that `io` uses, with its value."""
        found: dict[str, float] = {"n": n, "d": d, "M": memory}
        found |= {ours: tile[keyword] for ours, keyword in self.tiles.items()}
        for name, expression in self.where.items():
            found[name] = value(expression, found)
        return found


_KEYS = {"Bc": "min(n, (M - 2*d) // (4*d + 2))"}
_OUTER = {"a2": "dk_rows", "b2": "dk_columns"}
_ROWS = {"a": "(M - 1) // (d + 1)"}

FORMULAS: dict[tuple[str, str], Formula] = {
    ("flash2", "qkv"): Formula(
        "3*n*d + T(n, Bc)*(4*n*d + 2*n)", large="16*n**2*d**2/M", least="6*d + 2", where=_KEYS
    ),
    ("small-cache", "qkv"): Formula(
        "3*n**2*T(d, B) + (7*n*d + 2*n)*T(n, B) + 3*n**2 + 3*n*d",
        small="10*sqrt(3)*n**2*d/sqrt(M) + 3*n**2",
        large="7*sqrt(3)*n**2*d/sqrt(M) + 6*n**2",
        least="3",
        where={"B": "isqrt(M // 3)"},
    ),
    ("standard", "qkv"): Formula(
        "10*n**2 + 5*n*d*T(n, a) + 5*n*d + 2*n", large="5*n**2*d**2/M + 10*n**2", least="d + 2", where=_ROWS
    ),
    ("flash1", "qkv"): Formula(
        "7*n*d + T(n, Bc)*(5*n*d + 2*n)",
        large="20*n**2*d**2/M",
        least="8*d + 5",
        where={"Bc": "min(n, (M - 4*d - 3) // (4*d + 2))"},
    ),
    ("flash-two-sweep", "qkv"): Formula(
        "7*n*d + 2*n + T(n, Bc)*(2*n*d + 2*n) + 2*n*d*T(n, Br)",
        large="14*n**2*d**2/M",
        least="max(6*d + 2, 4*d + 5)",
        where=_KEYS | {"Br": "min(n, (M - d - 1) // (3*d + 4))"},
    ),
    ("small-cache-outer", "qkv"): Formula(
        "3*n**2 + 3*n*d + T(n, b)*(2*n*d + 2*n) + 2*n*d*T(n, a) + 3*n**2*T(d, b2) + 3*n*d*T(n, a2)",
        small="10*n**2*d/sqrt(M) + 3*n**2",
        large="3*n**2*d**2/M + 4*n**2*d/sqrt(M) + 6*n**2",
        least="3",
        tiles={"a": "rows", "b": "columns"} | _OUTER,
    ),
    ("fused-split", "qkv"): Formula(
        "T(n, b)*(5*n*d + 2*n) + 7*n*d*T(n, a) - 3*n*d",
        large="2*sqrt(70)*n**2*d/sqrt(M)",
        least="4",
        tiles={"a": "rows", "b": "columns"},
    ),
    ("small-cache-panel", "qkv"): Formula(
        "3*n**2 + 5*n*d + 2*n + 2*n*d*T(n, a) + 3*n**2*T(d, b2) + 3*n*d*T(n, a2)",
        small="2*n**2*d**2/M + 6*n**2*d/sqrt(M) + 3*n**2",
        large="5*n**2*d**2/M + 6*n**2",
        least="d + 3",
        where={"a": "min(n, (M - 1) // (d + 2))"},
        tiles=_OUTER,
    ),
    ("flash-stored-ds", "qkv"): Formula(
        "n**2 + 5*n*d + T(n, Bc)*(2*n*d + 2*n) + n**2*T(d, b2) + n*d*T(n, a2)",
        small="8*n**2*d**2/M + 2*n**2*d/sqrt(M) + n**2",
        large="9*n**2*d**2/M + 2*n**2",
        least="6*d + 2",
        where=_KEYS,
        tiles={"a2": "dq_rows", "b2": "dq_columns"},
    ),
    ("forward-standard", "forward"): Formula(
        "5*n**2 + 2*n*d*T(n, a) + 2*n*d + n", large="2*n**2*d**2/M + 5*n**2", least="d + 2", where=_ROWS
    ),
    ("forward-flash", "forward"): Formula(
        "2*n*d*T(n, a) + 2*n*d + n",
        large="4*n**2*d**2/M",
        least="2*d + 4",
        where={"a": "min(n, (M - 1) // (2*d + 3))"},
    ),
    ("forward-small-cache", "forward"): Formula(
        "3*n*d*T(n, B) + (n**2 + n)*T(d, B) + n**2 + n*d + n",
        small="8*n**2*d/sqrt(M) + n**2",
        large="6*n**2*d/sqrt(M) + 2*n**2",
        least="5",
        where={"B": "isqrt(M // 4)"},
    ),
    ("small-cache", "weights"): Formula(
        "3*n**2*T(d, B) + (7*n*d + 2*n + 2*d**2)*T(n, B) + n*T(n, B)*T(d, B) + 6*n*d*T(d, B)"
        " + 3*n**2 + 5*n*d + 3*n + 2*d**2",
        small="10*sqrt(3)*n**2*d/sqrt(M) + 8*sqrt(3)*n*d**2/sqrt(M) + 3*n**2",
        large="7*sqrt(3)*n**2*d/sqrt(M) + 6*n**2",
        least="5",
        where={"B": "(isqrt(3*M + 1) - 1) // 3"},
    ),
    ("small-cache-outer", "weights"): Formula(
        "3*n**2 + 5*n*d + 3*n + 2*d**2 + n*d*T(n, a) + n*d*T(n, b) + n**2*T(d, g) + n*d*T(n, c)"
        " + (n**2 + n*T(n, r))*T(d, s) + n*d*T(n, r) + (n*d + 2*n)*T(n, v) + n*d*T(n, u) + n**2*T(d, z)"
        " + n*d*T(n, w) + 2*n*d*T(d, b2) + 2*d**2*T(n, a2) + 2*n*d*T(d, e) + 2*n*d*T(d, f)",
        small="10*n**2*d/sqrt(M) + 8*n*d**2/sqrt(M) + 3*n**2",
        large="3*n**2*d**2/M + 4*n**2*d/sqrt(M) + 6*n**2",
        least="5",
        tiles={
            "a": "rows", "b": "columns", "c": "o_rows", "g": "o_columns", "r": "u_rows", "s": "u_columns",
            "u": "p_rows", "v": "p_columns", "w": "t_rows", "z": "t_columns", "a2": "q_rows", "b2": "q_columns",
            "e": "gx_rows", "f": "gx_columns",
        },
    ),
    ("flash2", "weights"): Formula(
        "9*n*d + 4*n + 2*d**2 + 2*n*d*T(n, a) + 2*n*d*T(n, b) + (2*n*d + n)*T(n, c)"
        " + 2*n*d*T(d, b2) + 2*d**2*T(n, a2) + 2*n*d*T(d, e) + 2*n*d*T(d, f)",
        large="14*n**2*d**2/M",
        least="4*d + 5",
        where={
            "a": "min(n, (M - 1) // (2*d + 3))",
            "b": "min(n, (M - d - 1) // (3*d + 4))",
            "c": "min(n, (M - 1) // (2*d + 1))",
        },
        tiles={"a2": "q_rows", "b2": "q_columns", "e": "gx_rows", "f": "gx_columns"},
    ),
    ("standard", "weights"): Formula(
        "11*n**2 + 5*n*d*T(n, a) + 2*n*d*T(d, a) + 2*d**2*T(n, a) + 13*n*d + 2*n + 2*d**2",
        large="5*n**2*d**2/M + 11*n**2",
        least="d + 2",
        where=_ROWS,
    ),
}  # fmt: skip
