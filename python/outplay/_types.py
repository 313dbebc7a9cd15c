"""Types of the public functions: the words that they take and return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Union

#: The value of a position or of a move; "unknown" if it was not found within the limits.
ValueWord = Literal["win", "draw", "loss", "unknown"]
#: The side to move.
TurnWord = Literal["first", "second", "chance"]
#: How a game is solved.
MethodWord = Literal[
    "auto",
    "plain",
    "memo",
    "sweep",
    "dense",
    "retrograde",
    "sweep-until-stable",
    "chance",
    "search",
    "proof",
    "breadth",
    "expectimax",
    "star1",
    "star2",
]
#: The values that are stored.
ValuesWord = Literal["distance", "wdl"]
#: The kind of source that supplied a value.
SourceWord = Literal["rules", "theory", "table", "book", "kept", "search"]
#: True, False, None (a bar on a terminal) or a function of (stage, done, total).
Progress = Union[bool, Callable[[str, int, int], Any], None]
