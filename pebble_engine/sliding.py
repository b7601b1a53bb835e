"""A pebbling that slides, played without the sliding rule."""

from pebble_engine.pebbling import Pebbling
from pebble_engine.rules import Move, Rules


def without_sliding(pebbling: Pebbling) -> Pebbling:
    """The same pebbling with each slide as a compute and a delete: one red pebble more, not one word more.

    While a sum goes from one partial sum to the next, both are red; so what slides with M red pebbles is legal without
    sliding with M + 1.

    >>> from pebble_engine import Rules, chain, pebble_order
    >>> slid = pebble_order(chain(3), Rules(red=2, sliding=True))
    >>> plain = without_sliding(slid)
    >>> plain.rules.red, plain.rules.sliding, plain.io == slid.io
    (3, False, True)
    """
    moves: list[Move] = []
    origins: list[int] = []
    for number, move in enumerate(pebbling.moves):
        op, vertex, source = move
        if op == "slide":
            assert source is not None
            moves += [Move.compute(vertex), Move.delete(source)]
            origins += [number, number]
        else:
            moves.append(move)
            origins.append(number)
    rules = pebbling.rules
    return Pebbling(
        dag=pebbling.dag,
        rules=Rules(red=rules.red + 1, sliding=False, recompute=rules.recompute),
        moves=tuple(moves),
        made_by=pebbling.made_by,
        lines=None if pebbling.lines is None else tuple(pebbling.lines[number] for number in origins),
    )
