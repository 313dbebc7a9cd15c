"""What can go wrong, as typed exceptions: each carries one sentence and, where there is one, its cure."""

from __future__ import annotations

__all__ = [
    "InputError",
    "LawError",
    "LimitError",
    "NoTableError",
    "OutplayError",
    "ProofError",
    "RefusedError",
    "RulesError",
    "TableError",
]


class OutplayError(Exception):
    """Why there is no answer. `sentence` says what is the matter, `cure` what to do about it (or None)."""

    def __init__(self, sentence: str, cure: str | None = None) -> None:
        super().__init__(sentence, cure)
        self.sentence = sentence
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.sentence} ({self.cure})" if self.cure else self.sentence


class InputError(OutplayError, ValueError):
    """A spec, position, move or option that makes no sense."""


class LimitError(OutplayError):
    """More time or memory is needed than is allowed."""


class TableError(OutplayError):
    """A table could not be written or read."""


class NoTableError(TableError, FileNotFoundError):
    """There is no table of the game."""

    def __str__(self) -> str:
        return OutplayError.__str__(self)


class ProofError(OutplayError):
    """A written proof that does not pass."""


class RefusedError(OutplayError, ValueError):
    """A game of another library that is not two-player, zero-sum, sequential or of perfect information."""


class RulesError(OutplayError):
    """The rules of a game in Python do not work."""


class LawError(RulesError):
    """The rules of a game in Python break a law that every game obeys.

    `law` is its name, `position` the position where it was broken, and `other` the equal position that was met before it
    where the two contradict each other.
    """

    def __init__(self, law: str, sentence: str, position: object = None, other: object = None) -> None:
        super().__init__(sentence)
        self.args = (law, sentence, position, other)
        self.law = law
        self.position = position
        self.other = other

    def __str__(self) -> str:
        return f"the law of {self.law} is broken: {self.sentence}"
