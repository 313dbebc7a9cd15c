"""PettingZoo environments for every game, with exact values on request."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._encoding import CHARS, planes, text
from ._outplay import Game, Position, game
from .errors import InputError

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError("outplay.env needs PettingZoo; run `pip install pettingzoo`") from error

#: Default number of actions of a game without a board.
MOVES = 256
AGENTS = ["player_0", "player_1"]


class Env(AECEnv):  # type: ignore[misc]
    """A game for two agents that take turns; chance nodes are resolved by the environment.

    Observations are dictionaries with two entries:

    - ``observation``: for k-in-a-row games the board as planes of shape (rows, columns, 2), the agent's own stones
      first. For other games one byte that is 1 if it is the agent's turn, followed by the position's text as bytes.
    - ``action_mask``: 1 for legal actions. An action is a column on boards with gravity, a cell (row by row from the
      top) on other boards, and otherwise an index into ``info["moves"]``.
    """

    metadata = {"name": "outplay_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        of: Any,
        *,
        values: bool = False,
        plies: int = 1000,
        start: Any = None,
        actions: int | None = None,
        render_mode: str | None = None,
        time: float | None = None,
        memory: int | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__()
        self.game: Game = game(of, time=time, memory=memory, data=data)
        self.values = values
        self.plies = plies
        self.from_ = start
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"outplay_{self.game.spec}"}
        self.possible_agents = list(AGENTS)
        self.size = self.game.size
        self.falls = False
        on_board = self.game.num_distinct_actions()
        if self.size is not None and on_board is not None:
            columns, rows = self.size
            words = self.game.start.legal
            self.falls = bool(words) and all(word.isdigit() for word in words)
            count = on_board
            shape: tuple[int, ...] = (rows, columns, 2)
            space: Any = spaces.Box(0, 1, shape, np.int8)
        else:
            count = actions or MOVES
            space = spaces.Box(0, 255, (CHARS + 1,), np.uint8)
        self.actions = count
        self.action_spaces = {agent: spaces.Discrete(count) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict({"observation": space, "action_mask": spaces.Box(0, 1, (count,), np.int8)})
            for agent in AGENTS
        }
        self.random, _ = seeding.np_random(None)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self.random, _ = seeding.np_random(seed)
        at = (options or {}).get("position", self.from_)
        self.position: Position = self.begin() if at is None else self.game.position(at=at)
        self.ply = 0
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.roll()
        self.settle()

    def begin(self) -> Position:
        """Return the first position of an episode: the start, or a random position if the game has no start."""
        try:
            return self.game.start
        except InputError:
            for _ in range(10_000):
                position = self.game.numbered(int(self.random.integers(2**62)))
                if position is not None and not position.over:
                    return position
            raise

    def roll(self) -> None:
        """Sample chance outcomes until a player is to move or the game is over."""
        while not self.position.over and self.position.turn == "chance":
            words, odds = zip(*self.position.rolls)
            self.position = self.position.play(words[int(self.random.choice(len(words), p=np.array(odds) / sum(odds)))])

    def settle(self) -> None:
        """Update the agent to move, the rewards, the end flags and the infos."""
        self.agent_selection = AGENTS[1] if self.position.turn == "second" else AGENTS[0]
        payoff = self.position.outcome
        if payoff is not None:
            self.rewards = {AGENTS[0]: float(payoff), AGENTS[1]: float(-payoff)}
            self.terminations = dict.fromkeys(AGENTS, True)
        elif self.ply >= self.plies:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.words: dict[int, str] = {}
        if payoff is None:
            self.words = dict(sorted(zip(self.position.legal_actions(), self.position.legal)))
            if max(self.words) >= self.actions:
                raise InputError(
                    f"a position of {self.game.spec} has {len(self.words)} moves, "
                    f"but the environment has only {self.actions} actions",
                    f"create it with `op.env(…, actions={len(self.words)})`",
                )
        info: dict[str, Any] = {"position": self.position.text, "moves": list(self.words.values())}
        if self.values and payoff is None:
            info |= self.worths()
        self.infos = {agent: dict(info) if agent == self.agent_selection else {} for agent in AGENTS}

    def worths(self) -> dict[str, Any]:
        """Return exact values of the position and of every action, both for the agent to move."""
        second = self.position.turn == "second"
        by_word = {
            move.move: (-move.mean if second else move.mean) if move.mean is not None else move.payoff
            for move in self.position.moves
        }
        mean = self.position.mean
        value = (-mean if second else mean) if mean is not None else self.position.payoff
        return {
            "value": value,
            "distance": self.position.distance,
            "values": {action: by_word.get(word) for action, word in self.words.items()},
        }

    def action_of(self, place: int, word: str) -> int:
        """Return the action of a legal move: its column, its cell, or its index."""
        return self.position.action(word)

    def observe(self, agent: str) -> dict[str, Any]:
        mask = np.zeros(self.actions, np.int8)
        if agent == self.agent_selection and not self.terminations[agent]:
            mask[list(self.words)] = 1
        board = planes(self.position, AGENTS.index(agent))
        seen: Any = text(self.position, agent == self.agent_selection) if board is None else board
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        word = self.words.get(int(action)) if action is not None else None
        if word is None:
            raise InputError(f"action {action} is not legal at {self.position.text}", "choose one where `action_mask` is 1")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self.position = self.position.play(word)
        self.ply += 1
        self.roll()
        self.settle()
        self._accumulate_rewards()

    def render(self) -> str | None:
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass


def env(of: Any, **options: Any) -> Env:
    """Create an environment; the same as `outplay.env`, which has the options."""
    return Env(of, **options)
