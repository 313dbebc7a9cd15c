"""Proof certificates."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Proof:
    """A proof of the value of a board: `value` is for the player to move, and the moves of `best` keep it."""

    game: str
    value: str
    best: list[str]
    text: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the proof to a file that `outplay.check` and the command `outplay check` read."""
        path = Path(path)
        path.write_text(self.text, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"<proof that {self.game} is a {self.value}, {len(self.text.splitlines()):,} lines>"


@dataclass(frozen=True)
class Claim:
    """The claim of a valid proof.

    `game` is its board, `steps` the number of its steps, and `followed` the number of verified pairs of a step and a
    position.
    """

    game: str
    value: str
    steps: int
    followed: int
