"""Random games in batches: distributions by hand, seeds, threads, limits."""

from __future__ import annotations

import array
import random
from fractions import Fraction
from functools import lru_cache

import outplay as op
import pytest
from outplay._outplay import playouts_
from rules import LINES, Pile, TicTacToe


def played(of, count, seed=1, **options):
    """Return payoffs and plies as lists, without NumPy."""
    return [array.array("i", words).tolist() for words in playouts_(op.game(of), count, seed, **options)]


@lru_cache(None)
def chances(board):
    """Return the probabilities of the payoffs 1, 0 and -1 of random tic-tac-toe, by the rules alone."""
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return (Fraction(board[a] == "x"), Fraction(0), Fraction(board[a] == "o"))
    empty = [i for i in range(9) if board[i] == "."]
    if not empty:
        return (Fraction(0), Fraction(1), Fraction(0))
    after = [chances(board[:i] + "xo"[(9 - len(empty)) % 2] + board[i + 1 :]) for i in empty]
    return tuple(sum(part, Fraction(0)) / len(after) for part in zip(*after))


@pytest.mark.parametrize("rules", ["tictactoe", TicTacToe()])
def test_random_games_have_the_right_distribution(rules):
    count = 20_000
    payoffs, plies = played(rules, count)
    assert len(payoffs) == len(plies) == count and min(plies) == 5 and max(plies) == 9
    for payoff, chance in zip((1, 0, -1), chances("." * 9)):
        # Four standard deviations.
        assert abs(payoffs.count(payoff) / count - chance) < 4 * (float(chance * (1 - chance)) / count) ** 0.5
    assert all(length == 9 for length, payoff in zip(plies, payoffs) if payoff == 0)


def test_games_with_dice_have_the_right_mean():
    """The mean payoff of random piglet, by value iteration over its positions."""
    start = op.game("piglet:3").start
    positions, waiting = {start.text: start}, [start]
    while waiting:
        p = waiting.pop()
        for word in p.legal:
            if (q := p.play(word)).text not in positions:
                positions[q.text] = q
                waiting.append(q)
    worth = {text: float(p.outcome or 0) for text, p in positions.items()}
    steps = {
        text: [(q.text, chance) for q, chance in zip([p.play(word) for word in p.legal], [odds for _, odds in p.rolls] or [1 / len(p.legal)] * len(p.legal))]
        for text, p in positions.items()
        if not p.over
    }
    for _ in range(300):
        for text, ahead in steps.items():
            worth[text] = sum(chance * worth[to] for to, chance in ahead)
    payoffs, plies = played("piglet:3", 20_000)
    assert abs(sum(payoffs) / len(payoffs) - worth[start.text]) < 4 / len(payoffs) ** 0.5
    assert op.UNKNOWN not in payoffs


@pytest.mark.parametrize("rules", ["connect4:5x4", "pig:20", TicTacToe()])
def test_threads_do_not_matter_and_seeds_do(rules):
    game = op.game(rules)
    one = played(game, 500, threads=1)
    assert played(game, 500, threads=4) == one == played(game, 500)
    assert played(game, 500, seed=2) != one
    # A longer batch begins with the same games.
    assert [part[:500] for part in played(game, 700)] == one


def test_games_begin_at_a_position_and_end_at_a_limit():
    game = op.game("tictactoe")
    won = game.position("a1 a2 b1 b2 c1")
    assert played(game, 3, at=won) == [[1, 1, 1], [0, 0, 0]]
    late = game.position("a1 b2 a2 a3 c1 b1")
    payoffs, plies = played(game, 200, at=late.text)
    assert {1, 2, 3} >= set(plies) and len(set(payoffs)) > 1
    payoffs, plies = played("morris:three", 50, plies=4)
    assert set(payoffs) <= {op.UNKNOWN, 1, -1} and op.UNKNOWN in payoffs and max(plies) == 4
    assert played(game, 0) == [[], []]
    with pytest.raises(op.InputError, match="connect4"):
        played(game, 1, at=op.game("connect4:4x4").start)
    for options in ({"plies": -1}, {"threads": -1}, {"seed": -1}):
        with pytest.raises(op.InputError, match="out of range"):
            played(game, 1, **options)
    with pytest.raises(op.InputError):
        played("chess:KQK", 1)


def test_rules_too_large_to_explore():
    class Endless(Pile):
        def start(self):
            return (0, 0)

        def moves(self, pos):
            return [1, 2, 3]

        def play(self, pos, n):
            return (pos[0] * 4 + n, 1 - pos[1])

        def outcome(self, pos):
            return None

    payoffs, plies = played(op.game(Endless(), time=0.2), 5, plies=20)
    assert payoffs == [op.UNKNOWN] * 5 and plies == [20] * 5

    class Broken(Endless):
        def moves(self, pos):
            if pos[0] > 4**15:
                raise ZeroDivisionError("far away")
            return [1, 2, 3]

    with pytest.raises(ZeroDivisionError, match="far away"):
        played(op.game(Broken(), time=0.2), 5, plies=50)


def test_random_games_are_cancelled():
    class Enough(Exception):
        pass

    def bored(stage, done, total):
        raise Enough

    with pytest.raises(Enough):
        played("connect4", 10_000_000, progress=bored)


def test_random_games_as_arrays():
    np = pytest.importorskip("numpy")
    game = op.game("tictactoe")
    found = game.playouts(300, 7)
    assert found.payoffs.dtype == found.plies.dtype == np.int32
    assert [part.tolist() for part in found] == played(game, 300, 7)
    assert (game.playouts(300, rng=random.Random(3)).plies == game.playouts(300, rng=random.Random(3)).plies).all()
    assert (game.playouts(300).payoffs != game.playouts(300).payoffs).any()
    found.payoffs[0] = 5
    late = game.position("a1 b2 a2 a3")
    assert [part.tolist() for part in game.playouts(20, 7, at=late, plies=1, threads=1)] == played(game, 20, 7, at=late, plies=1)
