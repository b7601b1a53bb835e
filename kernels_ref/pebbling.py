"""The third machine: a kernel's run recorded as moves of the red-blue pebble game, word by word.

The moves refer to the chain DAG of `pebble_engine.attention_backward`, under the sliding rule: ``C += A B`` slides the
red pebble of a sum from one partial sum to the next. Nothing here checks legality; the game does, and that is the
point: a kernel whose run the game accepts, at the same I/O, has its count certified. This is the only module of the
package that knows `pebble_engine`.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from pebble_engine import Move, Pebbling, Rules, attention_backward

from . import sizes
from .algorithms import find
from .errors import BadInput
from .masks import MaskLike, as_mask
from .memory import Array, Block, Region, TwoLevelMemory
from .runs import execute

QKV_INPUTS = ("Q", "K", "V", "dO", "lse", "D")  # of `pebble_engine.attention_backward`
Place = tuple[int, ...]  # row and column of an entry in its tensor


class PebbleMemory(TwoLevelMemory):
    """One tile at a time; a block's data maps each of its entries to the label of the vertex that is red there.

    ``lines`` maps the code of the functions that are shown to the reader to the number of each one's first line in
    the listing; every move remembers the line that made it.
    """

    def __init__(self, words: int, lines: dict[CodeType, int] | None = None) -> None:
        super().__init__(words)
        self.moves: list[Move] = []
        self.move_lines: list[int] = []
        self._shown = lines or {}
        self._blue: dict[tuple[str, Place], str] = {}  # the vertex last stored for each entry

    def _record(self, move: Move, line: int) -> None:
        self.moves.append(move)
        self.move_lines.append(line)

    def _line(self) -> int:
        """The listing's line that is running now: the innermost frame of a function that is shown."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code in self._shown:
                return self._shown[frame.f_code] + frame.f_lineno - frame.f_code.co_firstlineno
            frame = frame.f_back
        return 0

    def _loaded(self, region: Region) -> dict[Place, str]:
        line, name = self._line(), region.tensor.name
        data = {}
        for place in _places(region):
            vertex = self._blue.get((name, place)) or _label(name, place)
            self._record(Move.load(vertex), line)
            data[place] = vertex
        return data

    def _resumed(self, region: Region) -> dict[Place, str]:
        """Under a mask some sums of a tile may not have begun: they are nothing yet."""
        line, name = self._line(), region.tensor.name
        data = {place: self._blue[name, place] for place in _places(region) if (name, place) in self._blue}
        for vertex in data.values():
            self._record(Move.load(vertex), line)
        return data

    def _streamed(self, region: Region) -> dict[Place, str]:
        """Labels only: each word is loaded where it is used."""
        name = region.tensor.name
        return {place: self._blue.get((name, place)) or _label(name, place) for place in _places(region)}

    def _empty(self, region: Region) -> dict[Place, str]:
        return {}

    def _stored(self, block: Block) -> None:
        line, name = self._line(), block.region.tensor.name
        for place, vertex in block.data.items():
            if self._blue.get((name, place)) != vertex:  # a sum that a mask left as it was is blue already
                self._record(Move.store(vertex), line)
                self._blue[name, place] = vertex

    def _freed(self, block: Block) -> None:
        line = self._line()
        for vertex in block.data.values():
            self._record(Move.delete(vertex), line)

    def _multiplied(self, target: Block, left: Block, right: Block) -> None:
        line, name = self._line(), target.region.tensor.name
        rows, columns, inner = (range(tile.start, tile.stop) for tile in (left.rows, right.columns, left.columns))
        if right.streamed:  # a passing word meets its whole column of the left factor
            steps = ((row, column, k) for k in inner for column in columns for row in rows)
        else:
            steps = ((row, column, k) for row in rows for column in columns for k in inner)
        passing: Place | None = None
        for row, column, k in steps:
            place = (column, row) if target.transposed else (row, column)
            factors = (k, row) if left.transposed else (row, k), (column, k) if right.transposed else (k, column)
            if not (_exists(target, place) and _exists(left, factors[0]) and _exists(right, factors[1])):
                continue
            if right.streamed and passing != factors[1]:
                self._pass(right, passing, factors[1], line)
                passing = factors[1]
            vertex = target.data.get(place)
            step = 0 if vertex is None else int(vertex.rpartition("#")[2]) + 1  # under a mask not k: of the kept terms
            following = f"{_label(name, place)}#{step}"
            self._record(Move.compute(following) if vertex is None else Move.slide(vertex, following), line)
            target.data[place] = following
        if right.streamed:
            self._pass(right, passing, None, line)

    def _pass(self, block: Block, before: Place | None, after: Place | None, line: int) -> None:
        """In a streamed block: drop one word, load another."""
        if before is not None:
            self._record(Move.delete(block.data[before]), line)
        if after is not None:
            self._record(Move.load(block.data[after]), line)

    def _applied(
        self,
        function: Callable[..., Array],
        block: Block,
        others: tuple[Block, ...],
        into: Region,
        options: dict[str, Any],
    ) -> dict[Place, str]:
        line, data = self._line(), {}
        passing: dict[int, Place] = {}
        streams = [(number, other) for number, other in enumerate(others) if other.streamed]
        for place, vertex in sorted(block.data.items()):
            for number, other in streams:
                own = place[: len(other.region.tiles)]
                if passing.get(number) != own:
                    self._pass(other, passing.get(number), own, line)
                    passing[number] = own
            data[place] = _label(into.tensor.name, place)
            self._record(Move.slide(vertex, data[place]), line)
        for number, other in streams:
            self._pass(other, passing.get(number), None, line)
        return data


def _exists(block: Block, place: Place) -> bool:
    mask = block.region.tensor.mask
    return mask is None or mask.kept_words(*(slice(at, at + 1) for at in place)) == 1


def _places(region: Region) -> Iterator[Place]:
    places = itertools.product(*(range(tile.start, tile.stop) for tile in region.tiles))
    kept = None if region.tensor.mask is None else region.tensor.mask.kept(*region.slices)
    if kept is None:
        return places
    first = [tile.start for tile in region.tiles]
    return (place for place in places if kept[tuple(at - start for at, start in zip(place, first, strict=True))])


def _label(name: str, place: Place) -> str:
    return f"{name}[{','.join(map(str, place))}]"


def pebble(
    algorithm: str,
    n: int | None = None,
    d: int = 1,
    memory: int = 1,
    *,
    n_q: int | None = None,
    n_k: int | None = None,
    form: str | None = None,
    mask: MaskLike = None,
) -> Pebbling:
    """An algorithm's run as a pebbling of the chain DAG, with the listing's line that made each move.

    Its I/O is the algorithm's count at this size, its peak at most ``memory`` red pebbles. The listing is
    `kernel_source`. Raises `DoesNotFit`; `BadInput` also where the kernel's inputs are not those of any DAG, and where
    a mask leaves a query without a key or a key without a query: for the zeros stored then there is no vertex.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    sizes.check(n_q=n_q, n_k=n_k, d=d, memory=memory)
    kernel = find(algorithm).kernel(form)
    if kernel.inputs != QKV_INPUTS:
        raise BadInput(f"{algorithm} reads {', '.join(kernel.inputs)}: there is no DAG with these inputs")
    kept = as_mask(mask, n_q, n_k)
    options: dict[str, Any] = {}
    if kept is not None:
        matrix = kept.kept(slice(0, n_q), slice(0, n_k))
        assert matrix is not None
        if not (matrix.any(axis=0).all() and matrix.any(axis=1).all()):
            raise BadInput("the mask leaves a query or a key alone: there is no pebbling of zeros")
        options["mask"] = matrix
    first, lines = 0, {}
    for function in _listed(algorithm, form):
        lines[function.__code__] = first
        first += len(inspect.getsourcelines(function)[0]) + 1
    fast = PebbleMemory(memory, lines)
    execute(algorithm, fast, n_q, n_k, d, form=form, mask=kept)
    return Pebbling(
        dag=attention_backward(n_q=n_q, n_k=n_k, d=d, **options),
        rules=Rules(red=memory, sliding=True),
        moves=tuple(fast.moves),
        made_by=algorithm,
        lines=tuple(fast.move_lines),
    )


def kernel_source(algorithm: str, form: str | None = None) -> list[str]:
    """The listing of an algorithm, line by line: its kernel, then an empty line and each of its helpers."""
    listing: list[str] = []
    for function in _listed(algorithm, form):
        listing += [line.rstrip("\n") for line in inspect.getsourcelines(function)[0]] + [""]
    return listing[:-1]


def _listed(algorithm: str, form: str | None) -> list[Any]:
    kernel = find(algorithm).kernel(form)
    return [kernel.run, *kernel.helpers]
