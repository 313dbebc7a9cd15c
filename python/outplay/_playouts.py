"""Random games in batches, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._outplay import Game, playouts_
from ._random import drawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Playouts(NamedTuple):
    """Results of random games.

    - `payoffs`: the first player's payoff of each game; `outplay.UNKNOWN` if it had no end within the limit of moves.
    - `plies`: the number of moves that the players made in each game, without chance events.
    """

    payoffs: NDArray[np.int32]
    plies: NDArray[np.int32]


def playouts(of: Game, count: int, seed: Any, rng: Any, options: dict[str, Any]) -> Playouts:
    """Play random games, as `Game.playouts` does."""
    import numpy as np

    payoffs, plies = playouts_(of, count, drawn(seed, rng), **options)
    # Copies, because arrays over bytes cannot be written.
    return Playouts(np.frombuffer(payoffs, np.int32).copy(), np.frombuffer(plies, np.int32).copy())
