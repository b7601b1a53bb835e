"""A game's state as text: each tensor a grid, R for a red pebble, B for a blue one, RB for both.

>>> from pebble_engine import Game, Move, Rules, matmul
>>> game = Game(matmul(1, 1, 2), Rules(red=4))
>>> for text in ["load A[0,0]", "load B[0,0]", "compute C[0,0]#0"]:
...     game.push(Move.parse(text))
>>> print(picture(game))
after move 3, compute C[0,0]#0: io 2 (2 loads, 0 stores), 3 of 4 red
A   0   1
 0  RB  B
B   0
 0  RB
 1  B
C   0
 0  R#0

A cell that is a chain of partial sums shows the steps that have a pebble. Vertices that belong to no tensor are listed.
"""

from __future__ import annotations

from pebble_engine.game import Game

MOST = 32  # rows and columns of a tensor that are drawn


def picture(game: Game) -> str:
    """The state of a game, as several lines of text."""
    made = f"after move {len(game.moves)}, {game.peek()}" if game.moves else "at the start"
    loads, stores = (f"{k} {what}{'s' * (k != 1)}" for k, what in ((game.loads, "load"), (game.stores, "store")))
    lines = [f"{made}: io {game.io} ({loads}, {stores}), {len(game.red)} of {game.rules.red} red"]
    red, blue = game.red, game.blue
    tensors: dict[str, dict[tuple[int, int], list[str]]] = {}
    loose: list[str] = []
    for label, (tensor, row, column, step, steps) in zip(game.dag.labels, game.dag.places, strict=True):
        mark = "R" * (label in red) + "B" * (label in blue)
        if not tensor:
            loose.append(f"{label}: {mark or '.'}")
            continue
        marks = tensors.setdefault(tensor, {}).setdefault((row, column), [])
        if mark:
            marks.append(mark if steps == 1 else f"{mark}#{step}")
    for tensor, cells in tensors.items():
        lines += _grid(tensor, cells)
    return "\n".join(lines + loose)


def _grid(tensor: str, cells: dict[tuple[int, int], list[str]]) -> list[str]:
    """A tensor's cells as lines; `.` is a cell without a pebble, a blank no cell."""
    rows, columns = (sorted({cell[axis] for cell in cells}) for axis in (0, 1))
    shown_rows, shown_columns = rows[:MOST], columns[:MOST]
    table = [[tensor, *map(str, shown_columns)]]
    for row in shown_rows:
        table.append([f" {row}"])
        for column in shown_columns:
            table[-1].append((",".join(cells[row, column]) or ".") if (row, column) in cells else "")
    widths = [max(len(line[at]) for line in table) for at in range(len(table[0]))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in table]
    if (len(rows), len(columns)) != (len(shown_rows), len(shown_columns)):
        lines.append(f" ... {tensor} has {len(rows)} rows and {len(columns)} columns")
    return lines
