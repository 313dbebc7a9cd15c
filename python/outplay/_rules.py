"""The protocol of a game written in Python."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol, TypeVar

P = TypeVar("P", bound=Hashable)


class Rules(Protocol[P]):
    """The five methods of a game. Positions are any hashable values; moves are any values.

    Optional attributes:

    - ``name``: the name of the game.
    - ``chance(position)``: pairs of a move and its probability, for positions whose turn is ``"chance"``.
    - ``symmetric(position)``: the positions that are equal up to symmetry.
    - ``picture(position)``: the position as a few lines of text.
    - ``write_position(position)``, ``read_position(text)``: conversion to one line of text and back.
    - ``write_move(position, move)``: a word for a move.
    - ``best_payoff``: the largest payoff, for games too large to be explored.

    >>> import outplay as op
    >>> class Pile:
    ...     '''One pile: take one or two; the player who takes the last one wins.'''
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
        """Return the start position."""
        ...

    def turn(self, position: P, /) -> Any:
        """Return the side to move: 0 or "first", 1 or "second", or "chance". It must depend on the position alone."""
        ...

    def moves(self, position: P, /) -> Iterable[Any]:
        """Return the legal moves in a fixed order; none if and only if the game is over."""
        ...

    def play(self, position: P, move: Any, /) -> P:
        """Return the position after a move. It must not modify `position`."""
        ...

    def outcome(self, position: P, /) -> Any:
        """Return None while the game is in progress, then the payoffs.

        The payoffs are the first player's payoff as a whole number, or a pair of both payoffs that sums to zero.
        """
        ...
