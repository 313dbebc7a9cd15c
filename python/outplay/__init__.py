"""Exact values of two-player games: solve them, prove them, play them.

>>> import outplay as op
>>> p = op.game("tictactoe").position("b2 a1")
>>> p.value, p.distance
('draw', 7)
>>> print(p)
3  .  .  .
2  .  x  .
1  o  .  .
   a  b  c
<BLANKLINE>
"""

from __future__ import annotations

from . import errors
from ._api import check, compile, match, prove
from ._outplay import UNKNOWN, Game, Graph, Move, Position, Server, Table, Why, __version__, game, games, serve
from ._proof import Claim, Proof
from ._report import Report
from ._rules import CHANCE, FIRST, SECOND, Rules
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
from .judging import Judgement, judge
from .policies import Exploitability, best_response, exploitability

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
    "env",
    "errors",
    "exploitability",
    "from_openspiel",
    "game",
    "games",
    "judge",
    "match",
    "prove",
    "serve",
]


def __getattr__(name: str) -> object:
    # What needs another library is loaded when somebody asks for it, so that `import outplay` stays quick.
    if name == "env":
        from .environment import env

        return env
    if name == "from_openspiel":
        from .openspiel import from_openspiel

        return from_openspiel
    raise AttributeError(f"module 'outplay' has no attribute {name!r}")
