"""Games of OpenSpiel: the same values as ours, or as its own search; refusals in sentences."""

from __future__ import annotations

import outplay as op
import pytest

pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.parametrize(
    ("name", "ours", "positions"),
    [
        ("tic_tac_toe", "tictactoe", 5478),
        ("connect_four(rows=4,columns=4)", "connect4:4x4", 161_029),
    ],
)
def test_games_that_we_have(name, ours, positions):
    table = op.from_openspiel(name).solve()
    named = op.game(ours).solve(save=False)
    assert table.positions["legal"] == positions == named.positions["legal"]
    assert table.value == named.value
    assert table.positions == named.positions


def search(state):
    """OpenSpiel's own rules and the dumbest search: what the first player gets."""
    known = {}

    def value(state):
        if state.is_terminal():
            return state.returns()[0]
        key = (state.current_player(), str(state))
        if key not in known:
            values = [value(state.child(action)) for action in state.legal_actions()]
            known[key] = max(values) if state.current_player() == 0 else min(values)
        return known[key]

    return value(state)


@pytest.mark.parametrize(
    "name",
    ["hex(board_size=2)", "hex(board_size=3)", "breakthrough(rows=4,columns=3)", "nim(pile_sizes=1;2;3)", "nim(pile_sizes=2;3,is_misere=false)"],
)
def test_games_by_their_own_search(name):
    start = op.from_openspiel(name).start
    expected = search(pyspiel.load_game(name).new_initial_state())
    assert start.payoff == (expected if start.turn == "first" else -expected)


def test_nim_as_ours():
    theirs = op.from_openspiel("nim(pile_sizes=1;2;4,is_misere=false)").start
    assert theirs.value == op.game("nim:1+2+4,normal").start.value


def test_pig_with_a_horizon():
    """Theirs ends after a horizon and pays ±1, so it is compared with 2p - 1 where the horizon is far."""
    theirs = op.from_openspiel("pig(winscore=8,horizon=60)").solve()
    ours = op.game("pig:8").start
    assert 2 * theirs.expected - 1 == pytest.approx(2 * ours.expected - 1, abs=0.02)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kuhn_poker", "perfect information"),
        ("goofspiel", "same time"),
        ("tic_tac_toe_nobody_knows", "does not know"),
        ("pig(players=3)", "3 players"),
        ("coin_game", "players do not see everything"),
        ("matrix_rps", "same time"),
    ],
)
def test_refusals(name, words):
    with pytest.raises(op.RefusedError) as caught:
        op.from_openspiel(name)
    assert words in caught.value.sentence


def test_a_game_that_is_already_loaded():
    game = op.from_openspiel(pyspiel.load_game("tic_tac_toe"))
    assert game.spec == "python:openspiel-tic_tac_toe"
    p = game.start
    assert p.play(p.legal[4]).legal != p.legal
    assert "svg" in p.svg(values=False)


def test_openspiel_plays_against_us():
    report = op.match(op.from_openspiel("tic_tac_toe"), ["perfect", "random"], games=6)
    assert report.score("perfect") >= 0.5
