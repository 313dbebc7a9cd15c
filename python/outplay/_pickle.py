"""Functions that make unpickled objects again; `src/pickle.rs` reduces the objects to them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from ._outplay import (
    Game,
    Graph,
    Move,
    Position,
    Table,
    Why,
    game,
    restored_graph_,
    restored_graph_game_,
    restored_move_,
    restored_rules_,
    restored_table_,
    restored_why_,
)

#: Limits of a game that differ from the defaults.
Limits = tuple[tuple[str, Any], ...]

#: Number of games that are kept after they were unpickled, so that the next positions of the same game share the rules,
#: the explored positions and the solved values. A process of a pool unpickles the game of every task.
KEPT = 8

_games: OrderedDict[Hashable, Game] = OrderedDict()


def _kept(key: Hashable, made: Callable[[], Game]) -> Game:
    """Return the kept game with a key, or make it."""
    found = _games.get(key)
    if found is None:
        found = made()
    # The last one is kept longest.
    _games.pop(key, None)
    _games[key] = found
    while len(_games) > KEPT:
        _games.popitem(last=False)
    return found


def named(spec: str, limits: Limits) -> Game:
    """Make a game by name."""
    return _kept((spec, limits), lambda: game(spec, **dict(limits)))


def ruled(identity: str, rules: Any, check: bool, limits: Limits) -> Game:
    """Make a game with rules in Python."""
    return _kept((identity, limits), lambda: restored_rules_(identity, rules, check, **dict(limits)))


def graph_game(name: str, parts: tuple[bytes, ...], limits: Limits) -> Game:
    """Make the game of a graph."""
    return _kept((name, parts, limits), lambda: restored_graph_game_(name, parts, **dict(limits)))


def graph(parts: tuple[bytes, ...], name: str | None, of: Game | None, objects: list[Any] | None) -> Graph:
    """Make a graph."""
    return restored_graph_(parts, name, of, objects)


def position(of: Game, at: Any) -> Position:
    """Make a position."""
    return of.position(at=at)


def table(
    made: Callable[..., Game], arguments: tuple[Any, ...], report: dict[str, Any] | None, seconds: float
) -> Table:
    """Make a table, whose values are read from its data directory."""
    return restored_table_(made(*arguments), report, seconds)


def move(*fields: Any) -> Move:
    """Make a move with its value."""
    return restored_move_(*fields)


def why(*fields: Any) -> Why:
    """Make an explanation."""
    return restored_why_(*fields)
