"""Values of a table by position."""

from __future__ import annotations

from typing import Literal, NamedTuple


class TableValue(NamedTuple):
    """The value of a position, for the player to move.

    - `value`: "win", "draw" or "loss"; None with chance.
    - `payoff`: the payoff; None with chance.
    - `distance`: plies to the end; None where there is no end, or where the table has no distances.
    - `mean`: the first player's mean payoff, with chance.
    """

    value: Literal["win", "draw", "loss"] | None
    payoff: int | None
    distance: int | None
    mean: float | None
