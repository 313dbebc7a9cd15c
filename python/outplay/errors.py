"""Typed exceptions, each with a message and, where there is one, a cure."""

from __future__ import annotations

import errno

__all__ = [
    "CancelledError",
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
    """Base class of all errors: `sentence` is the message, `cure` the suggested remedy or None."""

    def __init__(self, sentence: str, cure: str | None = None) -> None:
        super().__init__(sentence, cure)
        self.sentence = sentence
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.sentence} ({self.cure})" if self.cure else self.sentence


class InputError(OutplayError, ValueError):
    """An invalid spec, position, move or option."""


class LimitError(OutplayError):
    """The time or memory limit is too small."""


class TableError(OutplayError):
    """A table could not be written or read."""


class NoTableError(TableError, FileNotFoundError):
    """There is no table of the game."""

    def __init__(self, sentence: str, cure: str | None = None) -> None:
        super().__init__(sentence, cure)
        # `OSError` takes two arguments for a number and a message.
        self.errno = errno.ENOENT
        self.strerror = sentence

    def __str__(self) -> str:
        return OutplayError.__str__(self)


class CancelledError(OutplayError):
    """The work was cancelled by `Job.cancel`."""


class ProofError(OutplayError):
    """A proof is invalid."""


class RefusedError(OutplayError, ValueError):
    """A game of another library is not two-player, zero-sum, sequential or of perfect information."""


class RulesError(OutplayError):
    """The rules of a game in Python are faulty."""


class LawError(RulesError):
    """The rules of a game in Python break a law that every game obeys.

    `law` is its name and `position` the position where it was broken. If two equal positions contradict each other,
    `other` is the one that occurred first.
    """

    def __init__(self, law: str, sentence: str, position: object = None, other: object = None) -> None:
        super().__init__(sentence)
        self.args = (law, sentence, position, other)
        self.law = law
        self.position = position
        self.other = other

    def __str__(self) -> str:
        return f"the rules break the law `{self.law}`: {self.sentence}"
