"""Random DAGs, rule sets and sequences of moves for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from pebble_engine import Game, Move, PebbleDag, Pebbling, Rules

labels = st.one_of(
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6),
    st.sampled_from(["two words", 'a "quotation"', "a;b", "#1", ";", '"', "S[0,1]#2", "\\", "load", "ñ"]),
)
rules = st.builds(Rules, red=st.integers(1, 5), sliding=st.booleans(), recompute=st.booleans())


@st.composite
def dags(draw: st.DrawFn, most: int = 8) -> PebbleDag:
    """A DAG on 1 to `most` vertices, numbered in random order, with at most three operands a vertex."""
    names = draw(st.lists(labels, min_size=1, max_size=most, unique=True))
    order = draw(st.permutations(range(len(names))))
    edges = []
    for k, v in enumerate(order):
        operands = draw(st.lists(st.sampled_from(order[:k]), max_size=3, unique=True)) if k else []
        edges += [(u, v) for u in operands]
    outputs = draw(st.lists(st.sampled_from(order), min_size=1, unique=True))
    return PebbleDag(names, edges, outputs, name=draw(st.text(max_size=5)))


@st.composite
def pebblings(draw: st.DrawFn) -> Pebbling:
    """Any moves at all on a DAG, legal or not."""
    dag, rule_set = draw(dags()), draw(rules)
    vertex = st.sampled_from(dag.labels)
    place = st.sampled_from([Move.load, Move.store, Move.compute, Move.delete])
    plain = st.tuples(place, vertex).map(lambda drawn: drawn[0](drawn[1]))
    slide = st.tuples(vertex, vertex).map(lambda drawn: Move.slide(*drawn))
    moves = draw(st.lists(plain | slide, max_size=12))
    return Pebbling(dag, rule_set, tuple(moves), draw(st.text(max_size=5)))


@st.composite
def nearly_legal(draw: st.DrawFn) -> Pebbling:
    """A legal course of moves, and then perhaps one move dropped, doubled or put in from elsewhere."""
    game = Game(draw(dags()), draw(rules))
    for _ in range(draw(st.integers(0, 25))):
        legal = list(game.legal_moves)
        if not legal:
            break
        game.push(draw(st.sampled_from(legal)))
    moves = list(game.moves)
    if moves:
        at = draw(st.integers(0, len(moves) - 1))
        slip = draw(st.sampled_from(["none", "drop", "double", "swap"]))
        if slip == "drop":
            del moves[at]
        elif slip == "double":
            moves.insert(at, moves[at])
        elif slip == "swap":
            moves.insert(0, moves.pop(at))
    return Pebbling(game.dag, game.rules, tuple(moves))
