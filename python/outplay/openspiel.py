"""OpenSpiel games: two-player, zero-sum, sequential games of perfect information, with or without chance."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from ._outplay import Game, game
from .errors import RefusedError


#: Games whose further play depends only on the printed state and the side to move. Each was checked against its source
#: code: everything that affects moves and payoffs is printed, or follows from the printed state, as the number of moves
#: follows from the number of stones.
PRINTED: frozenset[str] = frozenset(
    (
        "breakthrough clobber connect_four dots_and_boxes gomoku havannah hex mancala mnk nim nine_mens_morris othello pentago"
        " tic_tac_toe y"
    ).split()
)


def printed(state: Any) -> tuple[Any, ...]:
    """Return the side to move and the printed state."""
    return (state.current_player(), str(state))


def with_decisions(state: Any) -> tuple[Any, ...]:
    """Return `printed` and the number of moves made by players, for games that end after a fixed number of moves."""
    return (*printed(state), sum(item.player >= 0 for item in state.full_history()))


def with_pending(state: Any) -> tuple[Any, ...]:
    """Return `printed` and the actions of an incomplete move, for games whose moves consist of three actions."""
    actions = state.history()
    return (*printed(state), *actions[len(actions) - len(actions) % 3 :])


def history(state: Any) -> tuple[Any, ...]:
    """Return all actions so far, for games whose printed state is incomplete."""
    return (state.history_str(),)


def default_key(name: str) -> Callable[[Any], Any]:
    """Return the default key of a game: the complete history, unless its printed state is known to be complete."""
    if name in PRINTED:
        return printed
    return {"pig": with_decisions, "amazons": with_pending}.get(name, history)


class Node:
    """An OpenSpiel state that compares by its key."""

    __slots__ = ("hash", "key", "state")

    def __init__(self, state: Any, key: Any) -> None:
        self.state = state
        self.key = key
        self.hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.key == other.key

    def __hash__(self) -> int:
        return self.hash

    def __reduce__(self) -> tuple[type[Node], tuple[Any, Any]]:
        # Not the hash: that of text differs between processes.
        return (Node, (self.state, self.key))

    def __repr__(self) -> str:
        text = " / ".join(str(self.state).split("\n"))
        # The rest of the key distinguishes positions with the same text.
        rest = self.key if isinstance(self.key, tuple) else (self.key,)
        rest = tuple(part for part in rest if part != str(self.state))
        return f"{text} {rest}"


class OpenSpielRules:
    """An OpenSpiel game as an implementation of `outplay.Rules`."""

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
        # OpenSpiel reports no side to move at finished positions.
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
        """Return the actions so far; used only where the key is the history."""
        return str(node.state.history_str()) or "start"

    def read_position(self, text: str) -> Node | None:
        state = self.spiel.new_initial_state()
        for word in [] if text == "start" else text.split(","):
            if not word.strip().isdigit() or state.is_terminal() or int(word) not in state.legal_actions():
                return None
            state.apply_action(int(word))
        return self.node(state)


def refusal(spiel: Any) -> str | None:
    """Return the reason why an OpenSpiel game is not supported; None if it is."""
    kind = spiel.get_type()
    if spiel.num_players() != 2:
        return f"it has {spiel.num_players()} players; only two-player games can be solved"
    if kind.dynamics.name != "SEQUENTIAL":
        return "its players move at the same time; only games with alternating turns can be solved"
    if kind.information.name != "PERFECT_INFORMATION":
        return "its players do not see everything; only games of perfect information can be solved"
    if kind.utility.name != "ZERO_SUM":
        return "it is not zero-sum; only zero-sum games can be solved"
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC":
        return "its chance events have no explicit probabilities; only games with explicit chance nodes can be solved"
    if kind.reward_model.name != "TERMINAL":
        return "it has intermediate rewards; only games that pay at the end can be solved"
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
    """Convert an OpenSpiel game, given by name or as an object, to a `Game`.

    - `key`: a function from a state to a hashable value; states with equal keys count as one position. The default key
      is the side to move and the printed state for games whose printed state is complete
      (`outplay.openspiel.PRINTED`), and the history of actions for others, such as go or checkers. Histories are
      numerous, so only very small boards of those games can be solved; search and players work on boards of any size.
      A custom key may merge more states.
    - `check`: check at every position, instead of samples, that states with equal keys behave equally.
    - `memory`, `threads`, `time`, `data`: as in `outplay.game`.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise RefusedError("OpenSpiel is not installed", "run `pip install open_spiel`") from error
    if isinstance(spiel, str):
        try:
            spiel = pyspiel.load_game(spiel)
        except Exception as error:
            raise RefusedError(f"OpenSpiel does not know `{spiel}`: {error}") from error
    why = refusal(spiel)
    if why is not None:
        raise RefusedError(f"{spiel}: {why}")
    return game(OpenSpielRules(spiel, key), memory=memory, threads=threads, time=time, data=data, check=check)
