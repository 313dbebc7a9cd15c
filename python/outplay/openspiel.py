"""Games of OpenSpiel: two players, zero sum, perfect information, one after the other, with chance or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._outplay import Game, game
from .errors import RefusedError


class Node:
    """A position of OpenSpiel, which compares by its key."""

    __slots__ = ("hash", "key", "state")

    def __init__(self, state: Any, key: Any) -> None:
        self.state = state
        self.key = key
        self.hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.key == other.key

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        return " / ".join(str(self.state).split("\n"))


def shown(state: Any) -> tuple[int, str]:
    """What tells positions apart unless told otherwise: whose turn it is, and what OpenSpiel prints."""
    return (state.current_player(), str(state))


class OpenSpielRules:
    """The rules of a game of OpenSpiel as outplay asks for them."""

    def __init__(self, spiel: Any, key: Callable[[Any], Any] = shown) -> None:
        self.spiel = spiel
        self.key = key
        self.name = "openspiel-" + str(spiel).removesuffix("()").replace("=", "").replace("(", "-").replace(")", "").replace(",", "-")
        self.best_payoff = max(1, round(max(abs(spiel.max_utility()), abs(spiel.min_utility()))))
        if spiel.get_type().chance_mode.name == "DETERMINISTIC":
            self.chance = None  # type: ignore[assignment]

    def node(self, state: Any) -> Node:
        return Node(state, self.key(state))

    def start(self) -> Node:
        return self.node(self.spiel.new_initial_state())

    def turn(self, node: Node) -> str:
        player = node.state.current_player()
        # Of a finished position nobody asks who moves.
        return {1: "second", -1: "chance"}.get(player, "first")

    def moves(self, node: Node) -> list[int]:
        return [] if node.state.is_terminal() else list(node.state.legal_actions())

    def play(self, node: Node, action: int) -> Node:
        return self.node(node.state.child(action))

    def outcome(self, node: Node) -> tuple[float, float] | None:
        if not node.state.is_terminal():
            return None
        first, second = node.state.returns()
        return (first, second)

    def chance(self, node: Node) -> Iterable[tuple[int, float]]:
        return [(int(action), float(odds)) for action, odds in node.state.chance_outcomes()]

    def write_move(self, node: Node, action: int) -> str:
        return str(node.state.action_to_string(node.state.current_player(), action))

    def picture(self, node: Node) -> str:
        return str(node.state)


def refusal(spiel: Any) -> str | None:
    """Why a game of OpenSpiel cannot be solved here; None if it can."""
    kind = spiel.get_type()
    if spiel.num_players() != 2:
        return f"it has {spiel.num_players()} players, and only games of two players can be solved"
    if kind.dynamics.name != "SEQUENTIAL":
        return "its players move at the same time, and only games in which they take turns can be solved"
    if kind.information.name != "PERFECT_INFORMATION":
        return "its players do not see everything, and only games of perfect information can be solved"
    if kind.utility.name != "ZERO_SUM":
        return "what one player wins the other does not lose, and only zero-sum games can be solved"
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC":
        return "its dice do not tell their odds, and only explicit chance can be solved"
    if kind.reward_model.name != "TERMINAL":
        return "it pays along the way, and only games that pay at the end can be solved"
    return None


def from_openspiel(
    spiel: Any,
    *,
    key: Callable[[Any], Any] = shown,
    memory: int | None = None,
    threads: int | None = None,
    time: float | None = None,
) -> Game:
    """A game of OpenSpiel, by its name or itself, as a game of outplay.

    Two positions are one if their `key` is equal: by default whose turn it is and what OpenSpiel prints. A game that
    remembers more than it prints needs another key, such as ``lambda state: tuple(state.history())``.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise RefusedError("OpenSpiel is not installed", "pip install open_spiel") from error
    if isinstance(spiel, str):
        try:
            spiel = pyspiel.load_game(spiel)
        except Exception as error:
            raise RefusedError(f"OpenSpiel does not know `{spiel}`: {error}") from error
    why = refusal(spiel)
    if why is not None:
        raise RefusedError(f"{spiel}: {why}")
    return game(OpenSpielRules(spiel, key), memory=memory, threads=threads, time=time)
