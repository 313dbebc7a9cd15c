"""Exact values of two-player games: solve them, prove them, play them.

>>> import outplay as op
>>> p = op.game("tictactoe").position("b2 a1")
>>> p.value, p.distance
('draw', 7)
>>> print(p)
3  . . .
2  . x .
1  o . .
   a b c
<BLANKLINE>
"""

from __future__ import annotations

from ._outplay import UNKNOWN, Game, Graph, Move, Position, Server, Table, Why, __version__, game, games, serve
from .errors import (
    InputError,
    LawError,
    LimitError,
    NoTableError,
    OutplayError,
    ProofError,
    RefusedError,
    RulesError,
    TableError,
)

#: The side to move.
FIRST = "first"
SECOND = "second"
CHANCE = "chance"

__all__ = [
    "CHANCE",
    "FIRST",
    "SECOND",
    "UNKNOWN",
    "Claim",
    "Exploitability",
    "Game",
    "Graph",
    "InputError",
    "Judgement",
    "LawError",
    "LimitError",
    "Move",
    "NoTableError",
    "OutplayError",
    "Position",
    "Proof",
    "ProofError",
    "RefusedError",
    "Report",
    "Rules",
    "RulesError",
    "Server",
    "Table",
    "TableError",
    "Why",
    "__version__",
    "best_response",
    "check",
    "compile",
    "distribution",
    "env",
    "exploitability",
    "export",
    "from_openspiel",
    "game",
    "games",
    "judge",
    "match",
    "prove",
    "serve",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._api import check, compile, match, prove
    from ._proof import Claim, Proof
    from ._report import Report
    from ._rules import Rules
    from .dataset import export
    from .environment import env
    from .judging import Judgement, judge
    from .openspiel import from_openspiel
    from .policies import Exploitability, best_response, distribution, exploitability

#: Names that are imported lazily, so that `import outplay` stays quick and needs no other library.
_LATER = {
    "_api": ("check", "compile", "match", "prove"),
    "_proof": ("Claim", "Proof"),
    "_report": ("Report",),
    "_rules": ("Rules",),
    "dataset": ("export",),
    "environment": ("env",),
    "judging": ("Judgement", "judge"),
    "openspiel": ("from_openspiel",),
    "policies": ("Exploitability", "best_response", "distribution", "exploitability"),
}


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            from importlib import import_module

            found = getattr(import_module(f"outplay.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'outplay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
