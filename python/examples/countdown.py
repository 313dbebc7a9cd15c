"""A custom game: python python/examples/countdown.py

One pile of matches: take one, two or three; the player who takes the last one loses.
"""

from __future__ import annotations

from collections.abc import Iterable

import outplay as op

Position = tuple[int, int]


class Countdown:
    """Positions are the matches left and the player to move."""

    def __init__(self, matches: int) -> None:
        self.matches = matches

    def start(self) -> Position:
        return (self.matches, 0)

    def turn(self, position: Position) -> int:
        return position[1]

    def moves(self, position: Position) -> Iterable[int]:
        return range(1, min(3, position[0]) + 1)

    def play(self, position: Position, taken: int) -> Position:
        return (position[0] - taken, 1 - position[1])

    def outcome(self, position: Position) -> int | None:
        # No match is left: the opponent took the last one, so the player to move has won.
        if position[0]:
            return None
        return 1 if position[1] == 0 else -1

    def picture(self, position: Position) -> str:
        return "|" * position[0]


def main() -> None:
    rules: op.Rules[Position] = Countdown(20)
    game = op.game(rules)
    table = game.solve()
    print(table)
    print(game.start.best, game.start.line)
    print(op.match(game, ["perfect", "random"], games=20))


if __name__ == "__main__":
    main()
