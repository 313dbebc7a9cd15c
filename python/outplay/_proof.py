"""Written proofs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Proof:
    """A proof of the value of a board: `value` is for the player to move, `best` keeps it."""

    game: str
    value: str
    best: list[str]
    text: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the proof to a file, which `outplay.check` and the command `outplay check` read."""
        path = Path(path)
        path.write_text(self.text, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"<proof that {self.game} is a {self.value}, {len(self.text.splitlines()):,} lines>"


@dataclass(frozen=True)
class Claim:
    """What a proof that passed shows: `game` is the board it is about, `steps` its length."""

    game: str
    value: str
    steps: int
    followed: int
