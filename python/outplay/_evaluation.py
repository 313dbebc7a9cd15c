"""The result of evaluating a position."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._outplay import Move, Position
from ._types import SourceWord, ValueWord


@dataclass(frozen=True)
class Evaluation:
    """The value of a position for the player to move, its best moves and the value of every move.

    - `value`: "win", "draw" or "loss"; "unknown" if it was not found within the limits; None with chance.
    - `payoff`: the payoff; None if it is unknown, or with chance.
    - `distance`: plies to the end under best play, where they are known.
    - `bounds`: the lowest and highest payoff that is still possible, if the value is unknown.
    - `repetition`: whether the value is a draw by repetition: neither player can force an end.
    - `expected`: with chance, the probability that the first player wins or, where payoffs exceed 1, the mean payoff.
    - `mean`: with chance, the first player's mean payoff.
    - `score`: the connect-k score, where the game has one.
    - `best`: the best moves as words; `moves`: every move with its value; `line`: one line of best play.
    - `source`: the kind of source that supplied the value.
    - `notes`: notes on limits that prevented an answer.
    """

    position: Position
    value: ValueWord | None
    payoff: int | None
    distance: int | None
    bounds: tuple[int, int] | None
    repetition: bool
    expected: float | None
    mean: float | None
    score: int | None
    best: list[str] = field(hash=False)
    moves: list[Move] = field(hash=False)
    line: list[str] = field(hash=False)
    source: SourceWord
    notes: list[str] = field(hash=False)

    def __repr__(self) -> str:
        worth = self.value if self.expected is None else f"{self.expected:.6f}"
        plies = "" if self.distance is None else f" in {self.distance}"
        best = f", best {' '.join(self.best)}" if self.best else ""
        return f"<{self.position.game.spec}: {worth}{plies}{best}>"


def evaluation(position: Position) -> Evaluation:
    """Return the evaluation of a position whose value was computed."""
    return Evaluation(
        position,
        position.value,
        position.payoff,
        position.distance,
        position.bounds,
        position.repetition,
        position.expected,
        position.mean,
        position.score,
        position.best,
        position.moves,
        position.line,
        position.source,
        position.notes,
    )
