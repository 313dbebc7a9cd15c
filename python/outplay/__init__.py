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

from typing import Final

from ._outplay import UNKNOWN, Game, Graph, Move, Position, Server, Table, Why, __version__, game, games, serve
from .errors import (
    CancelledError,
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
FIRST: Final = "first"
SECOND: Final = "second"
CHANCE: Final = "chance"

__all__ = [
    "CHANCE",
    "FIRST",
    "SECOND",
    "UNKNOWN",
    "CancelledError",
    "Claim",
    "Evaluation",
    "Exploitability",
    "Game",
    "Graph",
    "InputError",
    "Job",
    "Judgement",
    "LawError",
    "LimitError",
    "Move",
    "NoTableError",
    "OutplayError",
    "Playouts",
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
    "TableValue",
    "Why",
    "__version__",
    "best_response",
    "check",
    "compile_game",
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
    "submit",
]

#: Public names that `from outplay import *` leaves out, because a builtin has the same name.
_NOT_STARRED = ("compile",)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._api import check, compile, compile_game, env, match, prove
    from ._evaluation import Evaluation
    from ._jobs import Job, submit
    from ._playouts import Playouts
    from ._proof import Claim, Proof
    from ._report import Report
    from ._rules import Rules
    from ._table import TableValue
    from .dataset import export
    from .judging import Judgement, judge
    from .openspiel import from_openspiel
    from .policies import Exploitability, best_response, distribution, exploitability

#: Names that are imported lazily, so that `import outplay` stays quick and needs no other library.
_LATER = {
    "_api": ("check", "compile", "compile_game", "env", "match", "prove"),
    "_evaluation": ("Evaluation",),
    "_jobs": ("Job", "submit"),
    "_playouts": ("Playouts",),
    "_proof": ("Claim", "Proof"),
    "_report": ("Report",),
    "_rules": ("Rules",),
    "_table": ("TableValue",),
    "dataset": ("export",),
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
    return sorted((*__all__, *_NOT_STARRED))
