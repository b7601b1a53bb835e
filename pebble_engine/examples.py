"""The textbook DAGs of the pebble game.

Labels name cells, so that every one of them has a place on a board. Sizes in vertices:

    matmul(m, q, k)      m k + k q + m q k     C = A B, one vertex per multiply-add
    summation_tree(k)    2 k - 1               k leaves added in pairs, level by level
    pyramid(h)           (h + 1)(h + 2) / 2    h + 1 inputs, each vertex above two neighbours
    butterfly(r)         r (log2 r + 1)        the graph of a fast Fourier transform on r points
    chain(k)             k + 1                 one input, k steps
    grid(rows, columns)  rows columns          each vertex needs its upper and its left neighbour

Sources: Hong & Kung, STOC 1981 (trees, pyramids, butterflies, products); Cook & Sethi, 1974 (pyramids).
"""

from __future__ import annotations

from pebble_engine.dag import PebbleDag, limit_vertices, whole_number
from pebble_engine.errors import DagFault, InvalidDag

Operands = dict[str, tuple[str, ...]]


def matmul(m: int, q: int, k: int) -> PebbleDag:
    """C = A B with A (m x k), B (k x q): a chain of k multiply-adds for each of the m q entries of C.

    >>> dag = matmul(2, 2, 1)
    >>> dag
    PebbleDag('matmul chain 2x2x1', 8 vertices, 8 edges, 4 inputs, 4 outputs)
    >>> dag.labels
    ('A[0,0]', 'A[1,0]', 'B[0,0]', 'B[0,1]', 'C[0,0]#0', 'C[0,1]#0', 'C[1,0]#0', 'C[1,1]#0')
    """
    m, q, k = whole_number("m", m), whole_number("q", q), whole_number("k", k)
    limit_vertices(m * k + k * q + m * q * k)
    dag: Operands = {f"A[{i},{t}]": () for i in range(m) for t in range(k)}
    dag.update((f"B[{t},{j}]", ()) for t in range(k) for j in range(q))
    for i in range(m):
        for j in range(q):
            for t in range(k):
                before = (f"C[{i},{j}]#{t - 1}",) if t else ()
                dag[f"C[{i},{j}]#{t}"] = (*before, f"A[{i},{t}]", f"B[{t},{j}]")
    return PebbleDag.of(dag, name=f"matmul chain {m}x{q}x{k}")


def summation_tree(leaves: int) -> PebbleDag:
    """The sum of `leaves` numbers, added in pairs, level by level; a number left over moves up a level unchanged.

    >>> summation_tree(4), len(summation_tree(5))
    (PebbleDag('sum-tree 4 leaves', 7 vertices, 6 edges, 4 inputs, 1 output), 9)
    """
    leaves = whole_number("leaves", leaves)
    limit_vertices(2 * leaves - 1)
    level = [f"t[0,{i}]" for i in range(leaves)]
    dag: Operands = dict.fromkeys(level, ())
    height = 0
    while len(level) > 1:
        height += 1
        pairs = list(zip(level[::2], level[1::2], strict=False))
        left_over = level[2 * len(pairs) :]
        level = [f"t[{height},{i}]" for i in range(len(pairs))]
        dag.update(zip(level, pairs, strict=True))
        level += left_over
    return PebbleDag.of(dag, level, name=f"sum-tree {leaves} leaves")


def pyramid(height: int) -> PebbleDag:
    """`height` + 1 inputs in a row; each vertex above is computed from the two below it; one output on top.

    >>> pyramid(2)
    PebbleDag('pyramid 2', 6 vertices, 6 edges, 3 inputs, 1 output)
    """
    height = whole_number("height", height)
    limit_vertices((height + 1) * (height + 2) // 2)
    dag: Operands = {f"p[0,{i}]": () for i in range(height + 1)}
    for row in range(1, height + 1):
        for i in range(height + 1 - row):
            dag[f"p[{row},{i}]"] = (f"p[{row - 1},{i}]", f"p[{row - 1},{i + 1}]")
    return PebbleDag.of(dag, name=f"pyramid {height}")


def butterfly(points: int) -> PebbleDag:
    """The graph of a fast Fourier transform on `points` (a power of two) points.

    >>> butterfly(4)
    PebbleDag('butterfly 4', 12 vertices, 16 edges, 4 inputs, 4 outputs)
    """
    points = whole_number("points", points, least=2)
    if points & (points - 1):
        sentence = f"points must be a power of two, got {points}"
        raise InvalidDag(DagFault("bad_size", sentence, {"name": "points", "value": points}))
    stages = points.bit_length() - 1
    limit_vertices(points * (stages + 1))
    dag: Operands = {f"x[0,{i}]": () for i in range(points)}
    for stage in range(1, stages + 1):
        for i in range(points):
            partner = i ^ (1 << (stage - 1))
            low, high = sorted((i, partner))
            dag[f"x[{stage},{i}]"] = (f"x[{stage - 1},{low}]", f"x[{stage - 1},{high}]")
    return PebbleDag.of(dag, name=f"butterfly {points}")


def chain(steps: int) -> PebbleDag:
    """One input and `steps` vertices after it, each computed from the one before.

    >>> chain(3)
    PebbleDag('chain 3', 4 vertices, 3 edges, 1 input, 1 output)
    """
    steps = whole_number("steps", steps)
    limit_vertices(steps + 1)
    dag: Operands = {"x[0]": ()}
    dag.update((f"x[{i}]", (f"x[{i - 1}]",)) for i in range(1, steps + 1))
    return PebbleDag.of(dag, name=f"chain {steps}")


def grid(rows: int, columns: int) -> PebbleDag:
    """A grid whose vertices need their upper and their left neighbours; one input in the corner, one output opposite.

    >>> grid(2, 3)
    PebbleDag('grid 2x3', 6 vertices, 7 edges, 1 input, 1 output)
    """
    rows, columns = whole_number("rows", rows), whole_number("columns", columns)
    limit_vertices(rows * columns)
    dag: Operands = {}
    for i in range(rows):
        for j in range(columns):
            above = (f"g[{i - 1},{j}]",) if i else ()
            left = (f"g[{i},{j - 1}]",) if j else ()
            dag[f"g[{i},{j}]"] = above + left
    return PebbleDag.of(dag, name=f"grid {rows}x{columns}")
