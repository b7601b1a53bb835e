"""The third machine: a kernel's run recorded as moves of the red-blue pebble game, word by word.

The moves refer to the chain DAG of `pebble_engine.attention_backward` or `attention_forward`, under the sliding rule:
``C += A B`` slides the red pebble of a sum from one partial sum to the next. Nothing here checks legality; the game
does, and that is the point: a kernel whose run the game accepts, at the same I/O, has its count certified. This is the
only module of the package that knows `pebble_engine`.

`flash1` writes zeros before it computes anything. The game has no move that makes a word out of nothing, so a zero is
0 times a word that is in fast memory at that time, K[0,0]: a vertex `zero_dQ[i,c]` that is computed from K[0,0] and
stored, at the I/O that the kernel counts. The first partial sum of dQ has it as one more operand; the zeros of dK and
dV are written and never read, as printed. Where a mask leaves a query or a key alone, zeros are its gradient, and no
kernel has any particular word in fast memory when it writes them: there is no such DAG with the same I/O, and `pebble`
refuses (`NoPebbling`).

A softmax's running maximum m is numerics and no vertex: what a kernel rescales when m rises is one vertex before and
after. Its word is still counted, and so a pebbling may peak below the kernel's ``peak_fast``, never above.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from pebble_engine import InvalidDag, Move, PebbleDag, Pebbling, Rules, attention_backward, attention_forward

from . import sizes
from .algorithms import find
from .counts import aims
from .elementwise import fill, residual, row_products, score_gradient_of_scores, softmax_step
from .errors import BadInput, NoPebbling
from .masks import MaskLike, as_mask, matrix
from .memory import Array, Block, Region, Tensor, TwoLevelMemory
from .runs import execute
from .sizes import Shape

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
        """Of the rows whose sums go on here: those that have begun."""
        line, name, first = self._line(), region.tensor.name, region.tiles[0].start
        here = self._rows_moved(region)
        places = [place for place in _places(region) if here[place[0] - first]]
        data = {place: self._blue[name, place] for place in places if (name, place) in self._blue}
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

    def _zeroed(self, tensor: Tensor, beside: Block) -> None:
        line = self._line()
        for place in itertools.product(*map(range, tensor.shape)):
            vertex = f"zero_{_label(tensor.name, place)}"
            self._blue[tensor.name, place] = vertex
            for op in (Move.compute, Move.store, Move.delete):
                self._record(op(vertex), line)

    def _multiplied(self, target: Block, left: Block, right: Block) -> None:
        line = self._line()
        rows, columns, inner = (range(tile.start, tile.stop) for tile in (left.rows, right.columns, left.columns))
        if right.streamed:  # a passing word meets its whole column of the left factor
            steps = ((row, column, k) for k in inner for column in columns for row in rows)
        else:
            steps = ((row, column, k) for row in rows for column in columns for k in inner)
        pairs = ((k, column) for k in inner for column in columns)
        passing = _Passing(self, right, (pair[::-1] if right.transposed else pair for pair in pairs), line)
        for row, column, k in steps:
            place = (column, row) if target.transposed else (row, column)
            factors = (k, row) if left.transposed else (row, k), (column, k) if right.transposed else (k, column)
            passing.reach(factors[1])
            if _exists(target, place) and _exists(left, factors[0]) and _exists(right, factors[1]):
                self._add(target, place, line)
        passing.end()

    def _add(self, target: Block, place: Place, line: int) -> None:
        """The next partial sum: ``#step`` counts the terms that there are, under a mask the kept ones."""
        vertex = target.data.get(place)
        step = 0 if vertex is None or vertex.startswith("zero_") else int(vertex.rpartition("#")[2]) + 1
        target.data[place] = f"{_label(target.region.tensor.name, place)}#{step}"
        self._become(vertex, target.data[place], line)

    def _become(self, vertex: str | None, following: str, line: int) -> None:
        """A word takes another's place, or one that was empty."""
        self._record(Move.compute(following) if vertex is None else Move.slide(vertex, following), line)

    def _applied(
        self,
        function: Callable[..., Array],
        block: Block,
        others: tuple[Block, ...],
        into: Region,
        options: dict[str, Any],
    ) -> dict[Place, str]:
        line, name = self._line(), into.tensor.name
        if function is fill:
            return {}
        summed: Block | None = None  # what a term is added to: a row's sum, in place
        if function is softmax_step:
            summed = others[1]
        elif function is residual:
            summed = others[0]
        elif function is row_products:
            summed = block
        passing = [_Passing(self, other, other.data, line) for other in others]
        data: dict[Place, str] = {}
        for place in _places(others[0].region if function is row_products else into):
            for words in passing:
                words.reach(place)
            if function is score_gradient_of_scores:  # S becomes f where it passes
                score, others[0].data[place] = others[0].data[place], _label("f", place)
                self._become(score, others[0].data[place], line)
            if function is residual and summed is not None:  # D + O (O - E), while O is still there
                self._add(summed, place[:1], line)
            if function is not row_products:
                data[place] = _label(name, place)
                self._become(block.data.get(place), data[place], line)
            if function in (softmax_step, row_products) and summed is not None:
                self._add(summed, place[:1], line)
        for words in passing:
            words.end()
        return block.data if function is row_products else data


class _Passing:
    """The words of a streamed block, one after the other: the next is loaded when the one before has been dropped.

    A word that meets nothing, because of a mask, passes all the same. Of a block that is not streamed: nothing to do.
    """

    def __init__(self, memory: PebbleMemory, block: Block, order: Iterable[Place], line: int) -> None:
        self._memory, self._block, self._line = memory, block, line
        self._rest = deque(order if block.streamed else ())
        self._here: Place | None = None

    def reach(self, place: Place) -> None:
        """Let words pass until the one for this place is there."""
        own = place[: len(self._block.region.tiles)]
        while self._block.streamed and self._here != own:
            self._next(self._rest.popleft())

    def end(self) -> None:
        """Let the others pass, and drop the last."""
        while self._rest:
            self._next(self._rest.popleft())
        self._next(None)

    def _next(self, place: Place | None) -> None:
        if self._here is not None:
            self._memory._record(Move.delete(self._block.data[self._here]), self._line)
        if place is not None:
            self._memory._record(Move.load(self._block.data[place]), self._line)
        self._here = place


def _exists(block: Block, place: Place) -> bool:
    mask = block.region.tensor.mask
    return mask is None or bool(_matrix(mask)[place])


_matrix = functools.lru_cache(maxsize=8)(matrix)


def _places(region: Region) -> Iterator[Place]:
    places = itertools.product(*(range(tile.start, tile.stop) for tile in region.tiles))
    if region.tensor.mask is None:
        return places
    kept = _matrix(region.tensor.mask)
    return (place for place in places if kept[place])


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
    target: bool = False,
) -> Pebbling:
    """An algorithm's run as a pebbling of the chain DAG, with the listing's line that made each move.

    Its I/O is the algorithm's count at this size, its peak at most ``memory`` red pebbles. ``target``, in the weights
    form: E is given, not dO. The listing is `kernel_source`. Raises `DoesNotFit`, `BadInput`, and `NoPebbling`
    where a mask leaves a query without a key or a key without a query.
    """
    n_q, n_k = sizes.rows(n, n_q, n_k)
    sizes.check(n_q=n_q, n_k=n_k, d=d, memory=memory)
    entry = find(algorithm)
    form = entry.form if form is None else form
    kernel = entry.kernel(form)
    aims(form, target)
    kept = as_mask(mask, n_q, n_k)
    entries = None if kept is None else _matrix(kept)
    if entries is not None and not (entries.any(axis=0).all() and entries.any(axis=1).all()):
        raise NoPebbling("the mask leaves a query or a key alone, and zeros are its gradient")
    entry.tile(Shape(n_q, n_k, d, d, kept), memory, form)  # does it fit, before anything is built
    try:
        dag = _dag(form, kernel.divide, target, n_q=n_q, n_k=n_k, d=d, mask=entries)
        dag = _from_zeros(dag, n_q, d) if "O" in kernel.inputs else dag
    except InvalidDag as error:  # too large
        raise BadInput(f"{algorithm} at n_q = {n_q}, n_k = {n_k}, d = {d} has no pebbling here: {error}") from None
    first, lines = 0, {}
    for function in _listed(algorithm, form):
        lines[function.__code__] = first
        first += len(inspect.getsourcelines(function)[0]) + 1
    fast = PebbleMemory(memory, lines)
    execute(algorithm, fast, n_q, n_k, d, form=form, mask=kept, target=target)
    return Pebbling(
        dag=dag,
        rules=Rules(red=memory, sliding=True),
        moves=tuple(fast.moves),
        made_by=algorithm,
        lines=tuple(fast.move_lines),
    )


def _dag(form: str, divide: str, target: bool, **sizes: Any) -> PebbleDag:
    if form == "forward":
        return attention_forward(divide=divide, **sizes)
    return attention_backward(form=form, divide=divide, target=target, **sizes)


def _from_zeros(dag: PebbleDag, n_q: int, d: int) -> PebbleDag:
    """flash1's DAG: lse from m and l, D from O and dO, zeros that are written, and sums of dQ that begin at them."""
    labels = dag.labels
    operands = {label: [labels[u] for u in dag.predecessors[v]] for v, label in enumerate(labels)}
    outputs = [labels[v] for v in dag.outputs]
    for i in range(n_q):
        operands |= {f"m[{i}]": [], f"l[{i}]": [], f"lse[{i}]": [f"m[{i}]", f"l[{i}]"]}
        operands |= {f"O[{i},{c}]": [] for c in range(d)}
        del operands[f"D[{i}]"]
        for c in range(d):
            operands[f"D[{i}]#{c}"] = [f"D[{i}]#{c - 1}"] * (c > 0) + [f"dO[{i},{c}]", f"O[{i},{c}]"]
    for label, own in operands.items():
        operands[label] = [f"{name}#{d - 1}" if name.startswith("D[") and "#" not in name else name for name in own]
    for label in outputs:
        cell = label.partition("#")[0]
        operands[f"zero_{cell}"] = ["K[0,0]"]
        if cell.startswith("dQ"):
            operands[f"{cell}#0"] = [f"zero_{cell}", *operands[f"{cell}#0"]]
    return PebbleDag.of(operands, outputs, name=f"{dag.name} zeros=first")


def kernel_source(algorithm: str, form: str | None = None) -> list[str]:
    """The listing of an algorithm, line by line: its kernel, then an empty line and each of its helpers."""
    listing: list[str] = []
    for function in _listed(algorithm, form):
        listing += [line.rstrip("\n") for line in inspect.getsourcelines(function)[0]] + [""]
    return listing[:-1]


def _listed(algorithm: str, form: str | None) -> list[Any]:
    kernel = find(algorithm).kernel(form)
    return [kernel.run, *kernel.helpers]
