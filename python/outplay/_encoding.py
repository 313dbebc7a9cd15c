"""Positions as arrays, for learning agents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._outplay import Position
from .errors import InputError

#: Length of the text of a position in an observation, in bytes; the rest is cut.
CHARS = 160


def planes(position: Position, player: int) -> NDArray[np.int8] | None:
    """Return the stones of a board as planes, the player's own stones first; None for games without a board."""
    board = position.board
    if board is None:
        return None
    mine = 1 + player
    return np.stack([board == mine, board == 3 - mine], axis=-1).astype(np.int8)


def text(position: Position, turn: bool) -> NDArray[np.uint8]:
    """Return a byte that is 1 if it is the player's turn, followed by the position's text as bytes."""
    words = position.text.encode()[:CHARS]
    seen = np.zeros(CHARS + 1, np.uint8)
    seen[0] = turn
    seen[1 : 1 + len(words)] = np.frombuffer(words, np.uint8)
    return seen


def tensor(position: Position, player: Any = None) -> NDArray[np.float32]:
    """Return the observation of a player as numbers from 0 to 1."""
    to_move = 1 if position.turn == "second" else 0
    if player is None:
        player = to_move
    if player not in (0, 1):
        raise InputError(f"there is no player {player!r}", "pass 0 for the first player or 1 for the second")
    board = planes(position, int(player))
    if board is not None:
        return board.astype(np.float32)
    seen = text(position, position.turn != "chance" and player == to_move).astype(np.float32)
    seen[1:] /= 255
    return seen
