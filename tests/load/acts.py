"""What a visitor does on each page: one act, as the page's own controls would send it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

from pages.shared.levels import LEVEL_IDS, levels
from pages.shared.play_board import written
from pages.shared.settings import HOME_MEMORY
from tests.load.visitor import Visitor

Act = Callable[[Visitor, random.Random, int], Awaitable[float]]
DOUBLINGS = [2**k for k in range(6, 15)]


async def home(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Let the slider for M go."""
    return await visitor.say("kitchen", {"memory": chance.randint(*HOME_MEMORY)})


async def lab(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Type another M, and now and then another n."""
    if turn % 3 == 2:
        return await visitor.say("lab.n_typed", str(chance.randint(2, 8)))
    return await visitor.say("lab.memory_typed", str(chance.randint(14, 120)))


async def play(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Make the next move of a level's solution; the answer must carry it in the address."""
    query = parse_qs(visitor.query)
    level = levels()[query["level"][0] if query.get("level", [""])[0] in LEVEL_IDS else LEVEL_IDS[0]]
    sofar = query.get("p", ["1"])[0]
    games = [written(level.dag, level.rules, level.solution[:k]) for k in range(len(level.solution) + 1)]
    moves = games[games.index(sofar) + 1] if sofar in games[:-1] else games[1]
    seconds = await visitor.say(
        "play_board", {"log": {"level": level.id, "seq": turn + 1, "moves": moves, "shown": False}}
    )
    if parse_qs(visitor.query).get("p") != [moves]:
        visitor.errors.append(f"{level.id}: sent {moves}, and the address says {visitor.query}")
    return seconds


async def curves(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Move a slider: n, d or M."""
    name = ("n", "d", "m")[turn % 3]
    value = {"n": chance.choice(DOUBLINGS) * 4, "d": 2 ** chance.randint(3, 9), "m": chance.randint(400, 2**18)}[name]
    return await visitor.say("curves_explorer", {"question": {"number": turn + 1, name: value}})


async def sparse(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Move a slider, or take another mask."""
    masks = ("causal", f"window:{chance.choice(DOUBLINGS)}", f"block:{chance.randint(2, 64)}:0.2:0", "strided:32")
    asked = ({"m": chance.choice(DOUBLINGS)}, {"mask": chance.choice(masks)}, {"n": chance.choice(DOUBLINGS[:5])})
    return await visitor.say("sparse_board", {"question": {"number": turn + 1, **asked[turn % 3]}})


async def devices(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Take another model or device, or move the slider for the usable share."""
    if turn % 3 == 2:
        return await visitor.say("devices.share", [float(chance.randint(1, 100))])
    key = ("devices.model", "devices.device")[turn % 3]
    return await visitor.say(key, chance.choice(list(visitor.elements[key].options)))


async def why(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Type another M, for the small run and for the large size."""
    if turn % 2:
        return await visitor.say("why.full_memory_typed", str(chance.randint(386, 2**16)))
    return await visitor.say("why.memory_typed", str(chance.randint(14, 100)))


async def reference(visitor: Visitor, chance: random.Random, turn: int) -> float:
    """Open another section."""
    pills = visitor.elements["reference.section"]
    return await visitor.say("reference.section", [chance.choice(pills.options).content])


ACTS: dict[str, Act] = {
    "": home,
    "lab": lab,
    "play": play,
    "curves": curves,
    "sparse": sparse,
    "devices": devices,
    "why": why,
    "reference": reference,
}
PAGES = tuple(ACTS)


def named(page: str) -> str:
    """The page's name: the path of home is empty."""
    return page or "home"


def link(page: str, number: int) -> str:
    """The query of a link that a visitor with this number follows."""
    return f"level={LEVEL_IDS[number % len(LEVEL_IDS)]}&lang=en" if page == "play" else ""
