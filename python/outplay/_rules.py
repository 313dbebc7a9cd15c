"""What a game in Python has to say."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol, TypeVar

P = TypeVar("P", bound=Hashable)


class Rules(Protocol[P]):
    """The five methods of a game. Positions are any hashable values, moves any values at all.

    Optional, where they help:

    - ``name``: what the game is called.
    - ``chance(position)``: at positions whose turn is ``"chance"``, pairs of a move and its probability.
    - ``symmetric(position)``: positions that are the same up to symmetry.
    - ``picture(position)``: the position as a few lines of text.
    - ``write_position(position)``, ``read_position(text)``: one line of text and back.
    - ``write_move(position, move)``: a word for a move.
    - ``best_payoff``: the largest payoff, for games so large that it cannot be counted.

    >>> import outplay as op
    >>> class Pile:
    ...     '''One pile, take one or two, who takes the last one wins.'''
    ...     def start(self): return (7, 0)
    ...     def turn(self, pos): return pos[1]
    ...     def moves(self, pos): return [n for n in (1, 2) if n <= pos[0]]
    ...     def play(self, pos, n): return (pos[0] - n, 1 - pos[1])
    ...     def outcome(self, pos): return None if pos[0] else (-1 if pos[1] == 0 else 1)
    >>> game = op.game(Pile())
    >>> game.solve()
    <table of python:pile: win in 5, by sweep>
    >>> game.start.best
    ['1']
    """

    def start(self) -> P:
        """Where play begins."""
        ...

    def turn(self, position: P, /) -> Any:
        """Who moves: 0 or "first", 1 or "second", or "chance". It must follow from the position alone."""
        ...

    def moves(self, position: P, /) -> Iterable[Any]:
        """The legal moves, in a fixed order; none if and only if the game is over."""
        ...

    def play(self, position: P, move: Any, /) -> P:
        """The position after a move. The one before must stay as it is."""
        ...

    def outcome(self, position: P, /) -> Any:
        """None while the game goes on, then what the first player gets: a whole number, or a pair that sums to zero."""
        ...
