"""The rules in the browser are those of the engine: random plays on random DAGs, every refusal and text compared."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from pages.shared.levels import PLANS, levels
from pages.shared.play_board import all_moves, written
from pebble_engine import Game, Move, PebbleDag, Rules

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "play"
SCRIPT = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in ("rules.js", "hint.js"))
OPS = ("load", "store", "compute", "slide", "delete")

# For each case: make each move if it is legal; what it breaks, and where the pebbles lie after it; then the text.
PLAYED = """(cases) => cases.map(({ preds, outputs, rules, moves }) => {
  const dag = { preds, outputs }, game = new PlayGame(dag, rules), codec = new MoveCodec(dag, rules);
  const steps = moves.map(([op, v, u]) => {
    const broken = game.push({ op, v, u }), now = game.position;
    return [broken, [...now.red].join(""), [...now.blue].join(""), now.io, now.count, now.solved()];
  });
  const text = codec.write(game.made()), again = codec.write(codec.read(text));
  const legal = preds.flatMap((_, v) => game.position.choices(v)).filter((choice) => !choice.broken.length).length;
  return { steps, text, again, legal, slots: game.slots.filter((v) => v >= 0).sort((a, b) => a - b) };
})"""


@pytest.fixture(scope="module")
def core(browser: Browser) -> Any:
    """A page with the game core and nothing else."""
    page = browser.new_page()
    page.add_script_tag(
        content=SCRIPT + "\nObject.assign(globalThis, { PlayGame, MoveCodec, Position, Continuations });"
    )
    yield page
    page.close()


def random_dag(chosen: random.Random) -> PebbleDag:
    size = chosen.randint(2, 9)
    edges = [(u, v) for v in range(1, size) for u in chosen.sample(range(v), min(v, chosen.randint(0, 3)))]
    used = {u for u, _ in edges}
    return PebbleDag([f"v{v}" for v in range(size)], edges, [v for v in range(size) if v not in used])


def code(dag: PebbleDag, move: Move) -> list[int]:
    return [OPS.index(move.op), dag.index(move.vertex), -1 if move.source is None else dag.index(move.source)]


def case(dag: PebbleDag, rules: Rules, moves: list[Move]) -> dict[str, Any]:
    rule_set = {"red": rules.red, "sliding": rules.sliding, "recompute": rules.recompute}
    lists = {"preds": [list(operands) for operands in dag.predecessors], "outputs": list(dag.outputs)}
    return lists | {"rules": rule_set, "moves": [code(dag, move) for move in moves]}


def expected(dag: PebbleDag, rules: Rules, moves: list[Move]) -> tuple[list[Any], Game]:
    game, steps = Game(dag, rules), []
    for move in moves:
        faults = [[fault.reason, [dag.index(label) for label in fault.vertices]] for fault in game.faults(move)]
        if not faults:
            game.push(move)
        red, blue = ("".join(str(int(label in held)) for label in dag.labels) for held in (game.red, game.blue))
        steps.append([faults, red, blue, game.io, len(game.red), game.is_solved])
    return steps, game


@pytest.mark.parametrize("seed", range(4))
def test_random_plays_are_judged_alike(core: Any, seed: int) -> None:
    chosen = random.Random(seed)
    games = []
    for _ in range(60):
        dag = random_dag(chosen)
        rules = Rules(chosen.randint(1, 5), sliding=chosen.random() < 0.5, recompute=chosen.random() < 0.7)
        every = all_moves(dag, rules)
        if not rules.sliding and dag.edges:  # slides are moves, and refused
            every = every + [Move.slide(dag.labels[u], dag.labels[v]) for u, v in dag.edges]
        game, moves = Game(dag, rules), []
        for _ in range(60):
            legal = list(game.legal_moves)
            move = chosen.choice(legal) if legal and chosen.random() < 0.7 else chosen.choice(every)
            moves.append(move)
            if game.is_legal(move):
                game.push(move)
        games.append((dag, rules, moves))
    found = core.evaluate(PLAYED, [case(*each) for each in games])
    for (dag, rules, moves), seen in zip(games, found, strict=True):
        steps, game = expected(dag, rules, moves)
        assert seen["steps"] == steps
        assert seen["text"] == seen["again"] == written(dag, rules, game.moves)
        assert seen["slots"] == sorted(dag.index(label) for label in game.red)
        useful = [
            move
            for move in game.legal_moves
            if not (move.op == "store" and not dag.predecessors[dag.index(move.vertex)])
        ]
        assert seen["legal"] == len(useful)


def test_undo_and_redo_restore_every_state(core: Any) -> None:
    level = levels()["backward-1-2"]
    given = case(level.dag, level.rules, list(level.solution))
    same = core.evaluate(
        """({ preds, outputs, rules, moves }) => {
          const game = new PlayGame({ preds, outputs }, rules);
          const parts = ({ red, blue, computed, io }) => [...red, ...blue, ...computed, io];
          const now = () => JSON.stringify([parts(game.position), game.ios, game.peak]);
          const states = [now()];
          for (const [op, v, u] of moves) game.push({ op, v, u }), states.push(now());
          for (let t = moves.length; t >= 0; t--) { game.seek(t); if (now() !== states[t]) return `back to ${t}`; }
          for (let t = 0; t <= moves.length; t++) { game.seek(t); if (now() !== states[t]) return `on to ${t}`; }
          return "same";
        }""",
        given,
    )
    assert same == "same"


@pytest.mark.parametrize("plan", [plan for plan in PLANS if plan.id != "sum"], ids=lambda plan: plan.id)
def test_a_hint_continues_to_the_goal_from_anywhere(core: Any, plan: Any) -> None:
    """From random positions the continuation is legal, solves, and costs what it says; from the start it makes par."""
    level, chosen = levels()[plan.id], random.Random(plan.id)
    starts: list[list[Move]] = [[]]
    for _ in range(12):
        game = Game(level.dag, level.rules)
        for _ in range(chosen.randint(1, 25)):
            game.push(chosen.choice(list(game.legal_moves)))
        starts.append(list(game.moves))
    given = case(level.dag, level.rules, list(level.solution))
    found = core.evaluate(
        """([{ preds, outputs, rules, moves }, starts]) => {
          const dag = { preds, outputs }, solution = moves.map(([op, v, u]) => ({ op, v, u }));
          const known = new Continuations(dag, rules, solution);
          return starts.map((start) => {
            const position = new Position(dag, rules);
            for (const [op, v, u] of start) position.play({ op, v, u });
            const best = known.best(position);
            return { io: best.io, moves: best.moves.map(({ op, v, u }) => [op, v, u]) };
          });
        }""",
        [given, [[code(level.dag, move) for move in start] for start in starts]],
    )
    labels = level.dag.labels
    for start, best in zip(starts, found, strict=True):
        game = Game(level.dag, level.rules, start)
        before = game.io
        for op, v, u in best["moves"]:
            game.push(Move(OPS[op], labels[v], labels[u] if u >= 0 else None))
        assert game.is_solved
        assert game.io - before == best["io"]
        assert game.io >= level.bound
    assert found[0]["io"] == level.par
    assert json.dumps(found, allow_nan=False)
