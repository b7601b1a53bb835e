"""What the play board is told: where each vertex lies, and moves written so shortly that an address can hold a game.

Knows nothing of Streamlit. ``assets/play/rules.js`` has the same codec; a browser test holds the two equal.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from pebble_engine import Game, IllegalMove, Move, PebbleDag, Rules

# ------------------------------------------------------------------------------------------------------ moves as text

# Version 1: the digit 1, then each move as one to three digits in base 64 (the URL-safe alphabet), the same number of
# digits for every move of a DAG. With n vertices, move `op v` is op * n + v (load, store, compute, delete in this
# order); after those come the slides, one for each edge, result by result, where the rules have them.
VERSION = "1"
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
OPS = ("load", "store", "compute", "delete")
LONGEST = 1_800  # characters: with the rest of the address, under 2,000


def all_moves(dag: PebbleDag, rules: Rules) -> list[Move]:
    """Every move that can be written down on a DAG, legal or not, by its number."""
    moves = [Move(op, label) for op in OPS for label in dag.labels]
    if rules.sliding:
        moves += [Move.slide(dag.labels[u], dag.labels[v]) for u, v in dag.edges]
    return moves


def width(moves: int) -> int:
    """Digits for each move when there are so many different ones."""
    return 1 if moves <= 64 else 2 if moves <= 64**2 else 3


def written(dag: PebbleDag, rules: Rules, moves: Iterable[Move]) -> str:
    """Moves as text of version 1.

    >>> from pebble_engine import chain
    >>> written(chain(1), Rules(2), [Move.load("x[0]"), Move.compute("x[1]")])
    '1AF'
    """
    every = all_moves(dag, rules)
    number, digits = {move: i for i, move in enumerate(every)}, width(len(every))
    return VERSION + "".join(
        DIGITS[number[move] >> 6 * place & 63] for move in moves for place in reversed(range(digits))
    )


def most_moves(dag: PebbleDag, rules: Rules) -> int:
    """How many moves an address can hold."""
    return (LONGEST - 1) // width(len(all_moves(dag, rules)))


def read(dag: PebbleDag, rules: Rules, text: str) -> tuple[list[Move], str | None]:
    """The moves in a text of version 1, up to the first that cannot be read; and why not (None when all is well).

    The reasons: ``moves_version``, ``moves_digits`` (a digit that is none, or a move cut short), ``moves_number`` (no
    such move on this DAG).
    """
    if not text.startswith(VERSION):
        return [], "moves_version"
    every = all_moves(dag, rules)
    moves: list[Move] = []
    digits = width(len(every))
    for at in range(1, len(text), digits):
        places = [DIGITS.find(digit) for digit in text[at : at + digits]]
        if len(places) < digits or min(places) < 0:
            return moves, "moves_digits"
        number = 0
        for place in places:
            number = number * 64 + place
        if number >= len(every):
            return moves, "moves_number"
        moves.append(every[number])
    return moves, None


def played(dag: PebbleDag, rules: Rules, moves: Iterable[Move]) -> tuple[Game, IllegalMove | None]:
    """The game after the moves, up to the first that the rules forbid; and that refusal."""
    game = Game(dag, rules)
    for move in moves:
        try:
            game.push(move)
        except IllegalMove as refusal:
            return game, refusal
    return game, None


# ------------------------------------------------------------------------------------------------------------- layout

Layout = dict[str, Any]


def layout(dag: PebbleDag, view: str) -> Layout:
    """Where each vertex lies, in steps of the board's grid.

    ``x``, ``y``: one number a vertex. ``layers``: x is the layer (an input stands just before its first use), y is near
    the middle of its operands. ``matrices``: cells of the tensors as in the lab, each chain of partial sums spread out;
    then ``names`` has [text, x, y] and ``frames`` [x, y, columns, rows] of each cell with a chain.
    """
    return _matrices(dag) if view == "matrices" else _layers(dag)


def _layers(dag: PebbleDag) -> Layout:
    layer = list(dag.depths)
    for v in dag.inputs:
        layer[v] = min((layer[w] for w in dag.successors[v]), default=1) - 1
    members: dict[int, list[int]] = {}
    for v in range(len(dag)):
        members.setdefault(layer[v], []).append(v)
    y = [0.0] * len(dag)
    for number in sorted(members):
        _stack(dag, members[number], y)
    for number in sorted(members, reverse=True):  # what had no operands to go by goes by its results
        loose = [v for v in members[number] if not dag.predecessors[v] and dag.successors[v]]
        if number and loose:
            _settle(dag, members[number], y)
    least = min(y)
    return {"view": "layers", "x": layer, "y": [round(value - least, 3) for value in y], "names": [], "frames": []}


def _stack(dag: PebbleDag, row: Sequence[int], y: list[float]) -> None:
    """Vertices of one layer, in order, each as near to the middle of its operands as the others allow."""
    wish: list[float | None] = []
    for v in row:
        operands = dag.predecessors[v]
        wish.append(sum(y[u] for u in operands) / len(operands) if operands else None)
    known = [value - i for i, value in enumerate(wish) if value is not None]
    start = sum(known) / len(known) if known else -(len(row) - 1) / 2
    _spread(row, [start + i if value is None else value for i, value in enumerate(wish)], y)


def _settle(dag: PebbleDag, row: Sequence[int], y: list[float]) -> None:
    """Once more: inputs of a later layer beside what they are added to, on the side that the order gives them."""
    wish = []
    for v in row:
        mates = [u for w in dag.successors[v] for u in dag.predecessors[w] if u != v and u in row]
        wish.append(y[v] if dag.predecessors[v] or not mates else y[mates[0]] + (1 if v > mates[0] else -1))
    _spread(row, wish, y)


def _spread(row: Sequence[int], wish: Sequence[float], y: list[float]) -> None:
    """Positions in the given order, at least 1 apart, as close to the wishes as least squares (pool adjacent)."""
    blocks: list[list[float]] = []  # [mean of wish - index, count]
    for i, value in enumerate(wish):
        blocks.append([value - i, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, count = blocks.pop()
            before, others = blocks[-1]
            blocks[-1] = [(mean * count + before * others) / (count + others), count + others]
    i = 0
    for mean, count in blocks:
        for _ in range(int(count)):
            y[row[i]] = mean + i
            i += 1


# The backward pass as the lab shows it: inputs, then scores, then gradients; each inner list is a column of tensors.
_COLUMNS = (("Q", "K", "lse"), ("V", "dO", "D"), ("S", "P"), ("dP", "dS"), ("dV", "dK", "dQ"))
_HEAD, _GAP, _APART = 0.5, 0.45, 1.1  # in cells: a tensor's name, between two columns, between two groups
_NEW_GROUP = ("S", "dV")


def _matrices(dag: PebbleDag) -> Layout:
    cells: dict[str, list[int]] = {}
    for v, place in enumerate(dag.places):
        cells.setdefault(place.tensor, []).append(v)
    columns = [[name for name in column if name in cells] for column in _COLUMNS]
    rest = [name for name in cells if name not in {name for column in _COLUMNS for name in column}]
    columns = [column for column in [*columns, rest] if column]
    size = {
        name: (
            max(dag.places[v].row for v in vertices) + 1,
            max(dag.places[v].column for v in vertices) + 1,
            max(dag.places[v].steps for v in vertices),
        )
        for name, vertices in cells.items()
    }
    tall = [sum(size[name][0] + _HEAD for name in column) + 0.25 * (len(column) - 1) for column in columns]
    x, y = [0.0] * len(dag), [0.0] * len(dag)
    names: list[list[Any]] = []
    frames: list[list[float]] = []
    left = 0.0
    for column, height in zip(columns, tall, strict=True):
        if left:
            left += _APART if column[0] in _NEW_GROUP else _GAP
        top = (max(tall) - height) / 2
        for name in column:
            rows, across, steps = size[name]
            names.append([name, left, round(top, 3)])
            top += _HEAD
            for v in cells[name]:
                place = dag.places[v]
                x[v] = round(left + place.column * steps + place.step, 3)
                y[v] = round(top + place.row, 3)
            if steps > 1:
                frames += [
                    [round(left + c * steps, 3), round(top + r, 3), steps, 1]
                    for r in range(rows)
                    for c in range(across)
                ]
            top += rows + 0.25
        left += max(size[name][1] * size[name][2] for name in column)
    return {"view": "matrices", "x": x, "y": y, "names": names, "frames": frames}
