"""Games of OpenSpiel: two players, zero sum, perfect information, one after the other, with chance or without."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from ._outplay import Game, game
from .errors import RefusedError


#: Games whose play follows from what OpenSpiel prints and whose turn it is. Each was checked against its source: everything
#: that decides about moves and payoffs is printed, or follows from it, such as the number of moves from that of the stones.
PRINTED = frozenset(
    (
        "breakthrough clobber connect_four dots_and_boxes gomoku havannah hex mancala mnk nim nine_mens_morris othello pentago"
        " tic_tac_toe y"
    ).split()
)


def printed(state: Any) -> tuple[Any, ...]:
    """Whose turn it is, and what OpenSpiel prints."""
    return (state.current_player(), str(state))


def with_decisions(state: Any) -> tuple[Any, ...]:
    """The same and how many moves the players made, for games that end after so many of them."""
    return (*printed(state), sum(item.player >= 0 for item in state.full_history()))


def with_pending(state: Any) -> tuple[Any, ...]:
    """The same and what was chosen of a move that consists of three actions."""
    actions = state.history()
    return (*printed(state), *actions[len(actions) - len(actions) % 3 :])


def history(state: Any) -> tuple[Any, ...]:
    """All actions so far, from which everything follows, for a game that remembers more than it prints."""
    return (state.history_str(),)


def default_key(name: str) -> Callable[[Any], Any]:
    """What tells positions of a game apart; the whole history of a game that is not known to print what it remembers."""
    if name in PRINTED:
        return printed
    return {"pig": with_decisions, "amazons": with_pending}.get(name, history)


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
        text = " / ".join(str(self.state).split("\n"))
        # The key without what is shown already tells positions apart that print the same.
        rest = self.key if isinstance(self.key, tuple) else (self.key,)
        rest = tuple(part for part in rest if part != str(self.state))
        return f"{text} {rest}"


class OpenSpielRules:
    """The rules of a game of OpenSpiel as outplay asks for them."""

    def __init__(self, spiel: Any, key: Callable[[Any], Any] | None = None) -> None:
        self.spiel = spiel
        self.key = key or default_key(spiel.get_type().short_name)
        self.name = "openspiel-" + str(spiel).removesuffix("()").replace("=", "").replace("(", "-").replace(")", "").replace(",", "-")
        self.best_payoff = max(1, round(max(abs(spiel.max_utility()), abs(spiel.min_utility()))))
        if spiel.get_type().chance_mode.name == "DETERMINISTIC":
            self.chance = None  # type: ignore[assignment]
        if self.key is not history:
            self.write_position = self.read_position = None  # type: ignore[assignment]

    def node(self, state: Any) -> Node:
        return Node(state, self.key(state))

    def start(self) -> Node:
        return self.node(self.spiel.new_initial_state())

    def turn(self, node: Node) -> str:
        player = node.state.current_player()
        # A finished position has no turn.
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

    def write_position(self, node: Node) -> str:
        """The actions so far, where they tell positions apart."""
        return str(node.state.history_str()) or "start"

    def read_position(self, text: str) -> Node | None:
        state = self.spiel.new_initial_state()
        for word in [] if text == "start" else text.split(","):
            if not word.strip().isdigit() or state.is_terminal() or int(word) not in state.legal_actions():
                return None
            state.apply_action(int(word))
        return self.node(state)


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
    key: Callable[[Any], Any] | None = None,
    check: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    time: float | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Game:
    """A game of OpenSpiel, by its name or itself, as a game of outplay.

    Two positions are one if their `key` is equal. By default that is whose turn it is and what OpenSpiel prints, for games
    known to print everything that play depends on (`outplay.openspiel.PRINTED`), and all actions so far for others, such as
    go or checkers. Histories are many, so that only very small boards of those can be solved; search and players work on
    all of them. A key of your own may merge more; it is held to the law of equal positions, completely with `check`.
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
    return game(OpenSpielRules(spiel, key), memory=memory, threads=threads, time=time, data=data, check=check)
