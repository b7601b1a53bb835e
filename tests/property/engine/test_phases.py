"""The claims of the phase argument, on legal pebblings that wander, compute twice and compute in vain."""

from hypothesis import given
from hypothesis import strategies as st

from pebble_engine import Game, Move, PebbleDag, Pebbling, Rules, pebble_order, replay
from pebble_engine.phases import dominates, phases, useful_computations
from tests.property.engine.strategies import dags


@st.composite
def solved(draw: st.DrawFn) -> Pebbling:
    """A random walk, and then a plain pebbling from whatever the walk has left."""
    dag: PebbleDag = draw(dags())
    sliding = draw(st.booleans())
    least = 1 + max(len(operands) for operands in dag.predecessors)
    rules = Rules(red=least + draw(st.integers(0, 2)), sliding=sliding)
    game = Game(dag, rules)
    for _ in range(draw(st.integers(0, 30))):
        legal = list(game.legal_moves)
        if not legal:
            break
        game.push(draw(st.sampled_from(legal)))
    for label in list(game.red):
        game.push(Move.delete(label))
    for move in pebble_order(dag, rules).moves:
        if move.op != "store" or move.vertex not in game.blue:
            game.push(move)
    return Pebbling(dag, rules, tuple(game.moves))


def touched(pebbling: Pebbling, start: int, stop: int, ops: tuple[str, ...]) -> set[int]:
    return {pebbling.dag.index(move.vertex) for move in pebbling.moves[start:stop] if move.op in ops}


def red_after(pebbling: Pebbling, moves: int) -> set[int]:
    game = Game(pebbling.dag, pebbling.rules)
    for move in pebbling.moves[:moves]:
        game.push(move)
    return {pebbling.dag.index(label) for label in game.red}


@given(solved(), st.integers(1, 6))
def test_phases_are_what_the_proof_says(pebbling: Pebbling, words: int) -> None:
    dag, red = pebbling.dag, pebbling.rules.red
    cut = phases(pebbling, words)
    assert [phase.start for phase in cut] == [0, *(phase.stop for phase in cut[:-1])]
    assert cut[-1].stop == len(pebbling)
    assert all(phase.io == words for phase in cut[:-1])
    assert cut[-1].io <= words
    assert sum(phase.io for phase in cut) == pebbling.io

    made = [v for phase in cut for v in phase.computed]
    assert len(made) == len(set(made)), "each vertex in one phase"
    assert set(dag.outputs) - set(dag.inputs) <= set(made)
    before: set[int] = set()
    for phase in cut:
        assert set(phase.computed) <= touched(pebbling, phase.start, phase.stop, ("compute", "slide"))
        assert set(phase.at_start) == red_after(pebbling, phase.start)
        assert dominates(dag, phase.dominator, phase.computed)
        before |= set(phase.computed)
        assert all(dag.predecessors[u] == () or u in before for v in phase.computed for u in dag.predecessors[v])
        inside = set(phase.computed)
        assert set(phase.minimum) == {v for v in inside if not inside & set(dag.successors[v])}
        kept = red_after(pebbling, phase.stop) | touched(pebbling, phase.start, phase.stop, ("store",))
        assert set(phase.minimum) <= kept, "or its value would be lost"
        assert len(phase.dominator) <= red + phase.loads
        assert len(phase.minimum) <= red + phase.stores
        assert len({*phase.dominator, *phase.minimum}) <= 2 * red + phase.io


@given(solved())
def test_without_its_useless_computations_a_pebbling_still_works(pebbling: Pebbling) -> None:
    useful = useful_computations(pebbling)
    game = Game(pebbling.dag, pebbling.rules)
    for move, use in zip(pebbling.moves, useful, strict=True):
        if move.op in ("compute", "slide") and not use:
            if move.op == "slide":
                game.push(Move.delete(str(move.source)))
        elif not (move.op in ("store", "delete") and move.vertex not in game.red) and not (
            move.op == "load" and move.vertex not in game.blue
        ):
            game.push(move)  # what moves a value that is not there any more is left out with it
    assert game.is_solved
    assert game.io <= pebbling.io
    assert replay(Pebbling(game.dag, game.rules, tuple(game.moves))).is_solved


@given(solved(), st.data())
def test_dominates_agrees_with_the_paths(pebbling: Pebbling, data: st.DataObject) -> None:
    dag = pebbling.dag
    vertices = st.sets(st.sampled_from(range(len(dag))))
    dominator, wanted = data.draw(vertices), data.draw(vertices)

    def escapes(v: int) -> bool:
        """Whether some path from an input to v meets nothing of the dominator."""
        if v in dominator:
            return False
        return not dag.predecessors[v] or any(escapes(u) for u in dag.predecessors[v])

    assert dominates(dag, dominator, wanted) is not any(map(escapes, wanted))
