"""OpenSpiel games: the same values as ours or as OpenSpiel's search; messages for unsupported games."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys

import outplay as op
import pytest

pyspiel = pytest.importorskip("pyspiel")
from outplay.openspiel import OpenSpielRules, refusal  # noqa: E402


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
    """Return the first player's payoff by plain minimax over OpenSpiel's own rules."""
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
    """OpenSpiel's game ends after a horizon and pays ±1, so it is compared with 2p - 1 with a far horizon."""
    theirs = op.from_openspiel("pig(winscore=5,horizon=40)").solve()
    ours = op.game("pig:5").start
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


# -- positions that print the same ----------------------------------------------------------------------------------

#: Set it to run all tests: OUTPLAY_SLOW=1 pytest tests/test_openspiel.py -s
SLOW = bool(os.environ.get("OUTPLAY_SLOW"))
#: Games whose printed state does not determine the legal moves and payoffs.
LEFT_THE_GRAPH = ["banqi", "checkers", "cursor_go", "einstein_wurfelt_nicht", "maedn", "oware", "quoridor(board_size=3)"]


def accepted():
    names = [kind.short_name for kind in pyspiel.registered_games() if kind.default_loadable]
    return [name for name in names if refusal(pyspiel.load_game(name)) is None]


def play_merged(spiel, games, most=2000, seed=1):
    """Play random OpenSpiel games beside the merged positions, each the first with its key; return the number of moves.

    The store of positions merges in the same way; moves that are not played are left out here.
    """
    rng, rules, first, count = random.Random(seed), OpenSpielRules(spiel), {}, 0
    for _ in range(games):
        node = rules.start()
        merged = first.setdefault(node, node)
        for _ in range(most):
            assert rules.turn(merged) == rules.turn(node)
            assert rules.moves(merged) == rules.moves(node), f"{node} after {count} moves"
            assert rules.outcome(merged) == rules.outcome(node)
            moves = rules.moves(node)
            if not moves:
                break
            if rules.turn(node) == "chance":
                assert rules.chance(merged) == rules.chance(node)
            move = rng.choice(moves)
            after = rules.play(merged, move)
            node = rules.play(node, move)
            assert after == node
            merged = first.setdefault(after, after)
            count += 1
    return count


def play_beside(name, games, most=2000, seed=1):
    """Play random OpenSpiel games beside an outplay game; return the number of moves."""
    rng, game, count = random.Random(seed), op.from_openspiel(name), 0
    for _ in range(games):
        state, position = pyspiel.load_game(name).new_initial_state(), game.start
        for _ in range(most):
            assert position.over == state.is_terminal()
            if state.is_terminal():
                assert position.outcome == state.returns()[0]
                break
            assert position.choices == state.legal_actions()
            move = rng.choice(state.legal_actions())
            state.apply_action(move)
            position = position.play(move)
            count += 1
    return count


@pytest.mark.parametrize("name", accepted())
def test_random_games_never_leave_the_merged_positions(name):
    count = play_merged(pyspiel.load_game(name), 200 if SLOW else 2, 2000 if SLOW else 150)
    if SLOW:
        print(f"{name}: {OpenSpielRules(pyspiel.load_game(name)).key.__name__}, 200 games, {count} moves")


@pytest.mark.parametrize("name", LEFT_THE_GRAPH)
def test_random_games_never_leave_the_graph(name):
    play_beside(name, 20 if SLOW else 2, 1000 if SLOW else 40)


@pytest.mark.parametrize("name", ["pig(winscore=6,horizon=9)", "amazons(board_size=6)", "mancala", "clobber(rows=3,columns=3)"])
def test_other_keys_never_leave_the_graph(name):
    play_merged(pyspiel.load_game(name), 40, 200)


def minimax(state):
    """Return the first player's payoff by plain minimax over full histories."""
    if state.is_terminal():
        return state.returns()[0]
    values = [minimax(state.child(action)) for action in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


def test_go_on_two_by_two_equals_minimax_over_histories():
    spiel = pyspiel.load_game("go(board_size=2)")
    game, rng = op.from_openspiel(spiel), random.Random(2)
    game.solve()
    for _ in range(200):
        state, position = spiel.new_initial_state(), game.start
        for _ in range(rng.randrange(8)):
            if state.is_terminal():
                break
            move = rng.choice(state.legal_actions())
            state.apply_action(move)
            position = position.play(move)
        expected = minimax(state)
        assert position.payoff == (expected if position.turn == "first" else -expected), str(state)
        assert game.position(at=position.text) == position


def test_what_go_prints_is_too_little_to_tell_its_positions_apart():
    with pytest.raises(op.LawError) as caught:
        op.from_openspiel("go(board_size=2)", key=printed_alone).solve()
    assert caught.value.law == "equal positions"


def printed_alone(state):
    """The key of earlier versions, without the number of moves that newer versions of OpenSpiel print."""
    return (state.current_player(), str(state).split("\n", 1)[-1])


def test_games_of_games_are_told_apart_by_their_history():
    game = op.from_openspiel("misere(game=tic_tac_toe())")
    assert game.start.play(0).text == "0" and game.position(at="4, 0").turn == "first"
    assert game.position(at="start") == game.start
    with pytest.raises(op.InputError):
        game.position(at="4, 4")


def test_positions_pickle():
    """In another process the same text has another hash, and the rules are made again."""
    p = op.from_openspiel("tic_tac_toe").start
    q = p.play(p.legal[4])
    assert pickle.loads(pickle.dumps([p, q])) == [p, q] and copy.deepcopy(q) is q
    node = pickle.loads(pickle.dumps(q.object))
    assert node == q.object and hash(node) == hash(q.object)
    script = "import sys, pickle; p, q = pickle.load(sys.stdin.buffer); print(p.play(p.legal[4]) == q, len({p, q}), q.value)"
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps([p, q]), capture_output=True, check=True)
    assert done.stdout.decode().split() == ["True", "2", q.value]
