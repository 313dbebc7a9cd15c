"""PettingZoo environments: the conformance tests of PettingZoo, and exact values."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import outplay as op
import pytest
from rules import TicTacToe

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, seed_test  # noqa: E402

GAMES = ["connect4", "tictactoe", "nim:3+4+5", "morris:three", "chess:KQK", "pig:20"]


@pytest.mark.parametrize("spec", GAMES)
def test_api(spec):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(op.env(spec, plies=60), num_cycles=60)


@pytest.mark.parametrize("spec", GAMES)
def test_seeds(spec):
    seed_test(lambda: op.env(spec, plies=60), num_cycles=60)


def test_a_game_of_ones_own():
    env = op.env(TicTacToe())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env, num_cycles=30)


def test_observations_are_the_agents_own():
    env = op.env("connect4:5x4")
    env.reset(seed=1)
    env.step(2)
    seen = env.observe("player_1")["observation"]
    assert seen.shape == (4, 5, 2) and seen[3, 2].tolist() == [0, 1]
    assert env.observe("player_0")["observation"][3, 2].tolist() == [1, 0]
    assert env.observe("player_0")["action_mask"].sum() == 0
    assert env.observe("player_1")["action_mask"].tolist() == [1] * 5


def test_cells_are_numbered_from_the_top():
    env = op.env("tictactoe")
    env.reset()
    env.step(0)
    assert env.observe("player_1")["observation"][0, 0].tolist() == [0, 1]
    assert env.infos["player_1"]["position"] == op.game("tictactoe").position("a3").text


def test_info_has_exact_values():
    env = op.env("tictactoe", values=True)
    env.reset(options={"position": op.game("tictactoe").position("a1 b2 a2 c3").text})
    info = env.infos[env.agent_selection]
    assert info["value"] == 1 and info["distance"] == 1
    best = max(info["values"], key=info["values"].get)
    env.step(best)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and all(env.terminations.values())


def test_values_with_dice():
    env = op.env("piglet:3", values=True)
    env.reset(seed=1)
    info = env.infos[env.agent_selection]
    assert -1 <= info["value"] <= 1 and all(-1 <= worth <= 1 for worth in info["values"].values())


def test_illegal_actions_are_told():
    env = op.env("tictactoe")
    env.reset()
    env.step(4)
    with pytest.raises(op.InputError, match="not legal"):
        env.step(4)


def test_too_few_actions_are_told():
    with pytest.raises(op.InputError, match="actions"):
        op.env("nim:3+4+5", actions=4).reset()


def test_long_games_are_truncated():
    env = op.env("chess:KQK", plies=3)
    env.reset(seed=2)
    for _ in range(3):
        if any(env.terminations.values()):
            return
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
    assert all(env.truncations.values()) or all(env.terminations.values())


def test_render():
    env = op.env("tictactoe", render_mode="ansi")
    env.reset()
    assert "a b c" in env.render()


def test_limits_are_those_of_the_game():
    for env in (op.env("mnk:9x9,k=5", values=True, time=0.05, data="/nonexistent"), op.env(op.game("mnk:9x9,k=5", time=0.05, data="/nonexistent"), values=True)):
        env.reset()
        assert env.infos[env.agent_selection]["value"] is None
    with pytest.raises(op.InputError, match="time"):
        op.env("tictactoe", time=-1)


@pytest.mark.parametrize("rules", ["connect4:4x4", "pig:20", TicTacToe()])
def test_copies_of_an_environment_play_on_alone(rules):
    """Tree search copies the environment before each playout."""
    env = op.env(rules)
    env.reset(seed=3)
    before = env.position
    for clone in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        while clone.agents:
            agent = clone.agent_selection
            dead = clone.terminations[agent] or clone.truncations[agent]
            legal = np.flatnonzero(clone.observe(agent)["action_mask"])
            clone.step(None if dead else int(legal[0]))
        assert clone.position != before and env.position is before and env.agents == ["player_0", "player_1"]


def test_actions_are_those_of_positions():
    for spec in ("connect4:5x4", "tictactoe", "nim:3+4"):
        env = op.env(spec)
        env.reset(seed=1)
        for place, word in enumerate(env.position.legal):
            assert env.action_of(place, word) == env.position.action(word) and env.words[env.action_of(place, word)] == word
        assert env.falls == (spec == "connect4:5x4")
