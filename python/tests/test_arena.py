"""Matches, judging of policies, exploitability, proofs."""

from __future__ import annotations

import pickle
from fractions import Fraction
from functools import lru_cache

import outplay as op
import pytest
from rules import LINES, Pile, TicTacToe


def uniform(position):
    return {move: Fraction(1, len(position.legal)) for move in position.legal}


def first(position):
    return position.legal[0]


def test_a_match_is_counted():
    report = op.match("tictactoe", ["perfect", "random", first], games=10)
    assert report.game == "tictactoe" and len(report.players) == 3
    assert report.players[2]["player"] == "first"
    assert report.score("perfect") > report.score("random")
    assert report.score(0) == report["players"][0]["score"]
    assert "<table>" in report._repr_html_()
    with pytest.raises(AttributeError):
        report.nothing


def test_a_match_follows_from_its_seed():
    moves = [
        [record["moves"] for record in op.match("tictactoe", ["random", first], games=6, seed=seed, records=True).records]
        for seed in (1, 1, 2)
    ]
    assert moves[0] == moves[1] != moves[2]


def test_functions_of_one_name_are_told_apart():
    report = op.match("tictactoe", [first, first, "random"], games=2)
    assert [row["player"] for row in report.players][:2] == ["first", "first-2"]


def test_matches_that_make_no_sense():
    for players in (["random"], ["random", "nobody"], ["random", 7]):
        with pytest.raises(op.InputError):
            op.match("tictactoe", players, games=2)


def test_an_illegal_move_is_an_error():
    with pytest.raises(op.InputError, match="z9"):
        op.match("tictactoe", ["random", lambda p: "z9"], games=2)


def test_side_by_side():
    one = op.match("tictactoe", ["random", "greedy"], games=20, seed=5)
    two = op.match("tictactoe", ["random", "greedy"], games=20, seed=5, concurrency=2)
    assert one.players[0]["score"] == two.players[0]["score"]


def test_the_judge_agrees_with_the_arena():
    report = op.match("tictactoe", ["random", first], games=30, openings=0, judged=True, records=True)
    positions = {0: [], 1: []}
    for record in report.records:
        p = op.game("tictactoe").start
        for ply, move in enumerate(record["moves"].split()):
            seat = (record["first"], record["second"])[ply % 2]
            positions[seat].append((p, move))
            p = p.play(move)
    for seat, row in enumerate(report.players):
        # The policy that was played, move by move.
        played = iter([move for _, move in positions[seat]])
        judged = op.judge(lambda p: next(played), "tictactoe", [p for p, _ in positions[seat]])
        assert judged.all.moves == row["judged"]["moves"]
        assert judged.share == pytest.approx(row["judged"]["kept"])
        assert judged.choices.moves == row["judged"]["choices"]
        assert judged.choices.share == pytest.approx(row["judged"]["kept_choices"])


def test_a_perfect_policy_keeps_every_value():
    judged = op.judge("perfect", "connect4:4x4", 60)
    assert judged.share == 1.0 and judged.mean_loss == 0 and judged.mistakes == []
    assert sum(kept.moves for kept in judged.by_ply.values()) == judged.all.moves == 60


def test_mistakes_are_told():
    judged = op.judge(first, "tictactoe", 200, seed=4)
    assert 0 < judged.share < 1 and judged.mean_loss > 0
    text, move = judged.mistakes[0]
    p = op.game("tictactoe").position(at=text)
    assert p.play(move).payoff > -p.payoff
    assert "<table>" in judged._repr_html_() and "tictactoe" in repr(judged)


def test_a_policy_with_probabilities_is_weighed():
    judged = op.judge(uniform, "nim:1+2", [op.game("nim:1+2").start])
    p = op.game("nim:1+2").start
    good = sum(1 for move in p.moves if move.payoff == p.payoff)
    assert judged.share == pytest.approx(good / len(p.moves))


def test_policies_that_make_no_sense():
    with pytest.raises(op.InputError, match="sum to"):
        op.judge(lambda p: {p.legal[0]: 0.5}, "tictactoe", 3)
    with pytest.raises(op.InputError, match="legal moves"):
        op.judge(lambda p: "z9", "tictactoe", 3)


def test_a_judge_for_ones_own_game():
    assert op.judge("perfect", Pile(), 20).share == 1.0
    assert op.judge(lambda p: p.choices[-1], Pile(), 50).share < 1.0


def test_a_judge_with_dice():
    judged = op.judge("perfect", "piglet:3", 30)
    assert judged.share == 1.0 and set(judged.by_kind) == {"mean"}


# -- exploitability ------------------------------------------------------------------------------------------------


@lru_cache(None)
def by_hand(board, seat):
    """Return the first player's payoff as a fraction if `seat` plays uniformly and the other player plays best."""
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return Fraction(1 if board[a] == "x" else -1)
    empty = [i for i in range(9) if board[i] == "."]
    if not empty:
        return Fraction(0)
    turn = (9 - len(empty)) % 2
    values = [by_hand(board[:i] + "xo"[turn] + board[i + 1 :], seat) for i in empty]
    if turn == seat:
        return sum(values, Fraction(0)) / len(values)
    return max(values) if turn == 0 else min(values)


def test_the_random_policy_by_hand():
    found = op.exploitability(uniform, "tictactoe")
    assert found.first == by_hand("." * 9, 0) and found.second == -by_hand("." * 9, 1)
    assert found.value == 0
    assert found.exploitability == (-found.first - found.second) / 2
    assert isinstance(found.exploitability, Fraction)


def test_random_player_is_the_uniform_policy():
    found = op.exploitability("random", "tictactoe")
    assert found.first == by_hand("." * 9, 0) == Fraction(-874, 945)
    assert found.second == -by_hand("." * 9, 1) == Fraction(-191, 192)
    assert found == op.exploitability(uniform, "tictactoe")
    assert op.best_response("random", "tictactoe", 0) == found.first


class PlainNim:
    """Misère nim by plain recursion: positions are heaps, values (payoff, plies) for the player to move."""

    @staticmethod
    def moves(heaps):
        return [(heap, take) for heap, size in enumerate(heaps) for take in range(1, size + 1)]

    @staticmethod
    def after(heaps, move):
        heap, take = move
        return heaps[:heap] + (heaps[heap] - take,) + heaps[heap + 1 :]

    @lru_cache(None)
    def value(self, heaps):
        # The player who took the last one has lost.
        if not any(heaps):
            return 1, 0
        return max((self.worth(heaps, move) for move in self.moves(heaps)), key=self.rank)

    def worth(self, heaps, move):
        payoff, plies = self.value(self.after(heaps, move))
        return -payoff, plies + 1

    @staticmethod
    def rank(worth):
        """Prefer quick wins and late losses."""
        payoff, plies = worth
        return payoff, -payoff * plies

    def chances(self, heaps, p):
        """A random move with probability p, else one of the best, each equally likely."""
        moves = self.moves(heaps)
        ranks = [self.rank(self.worth(heaps, move)) for move in moves]
        best = [rank == max(ranks) for rank in ranks]
        return [p / len(moves) + (1 - p) * Fraction(int(good), sum(best)) for good in best]

    def response(self, heaps, p, policy_moves):
        """Return the payoff of the policy against a best response."""
        if not any(heaps):
            return Fraction(1 if policy_moves else -1)
        after = [self.response(self.after(heaps, move), p, not policy_moves) for move in self.moves(heaps)]
        if not policy_moves:
            return min(after)
        return sum((chance * worth for chance, worth in zip(self.chances(heaps, p), after)), Fraction(0))


@pytest.mark.parametrize("p", ["0.5", "0.1", "0", "1"])
def test_noisy_player_on_nim_by_hand(p):
    plain = PlainNim()
    found = op.exploitability(f"noisy:p={p},inner=perfect", "nim:2+3")
    assert found.first == plain.response((2, 3), Fraction(p), True)
    assert found.second == plain.response((2, 3), Fraction(p), False)
    assert (found.exploitability > 0) == (p != "0") and isinstance(found.first, Fraction)


def test_nested_noise_multiplies():
    game = op.game("nim:1+2")
    game.solve()
    start = game.start
    once = op.distribution("noisy:p=0.1,inner=perfect", start)
    twice = op.distribution("noisy:p=0.25,inner=noisy:p=0.1,inner=perfect", start)
    assert sum(once.values()) == sum(twice.values()) == 1
    for word in start.legal:
        assert twice[word] == Fraction(1, 4) / 3 + Fraction(3, 4) * once[word]


def test_random_player_with_dice_by_hand():
    """Value iteration over the positions of piglet, with the rules alone."""
    start = op.game("piglet:3").start
    positions, waiting = {start.text: start}, [start]
    while waiting:
        p = waiting.pop()
        for word in [] if p.over else [word for word, _ in p.rolls] if p.turn == "chance" else p.legal:
            if (q := p.play(word)).text not in positions:
                positions[q.text] = q
                waiting.append(q)
    steps = {}
    for text, p in positions.items():
        if p.turn == "chance" and not p.over:
            steps[text] = [(p.play(word).text, odds) for word, odds in p.rolls]
        else:
            steps[text] = [] if p.over else [(p.play(word).text, 1 / len(p.legal)) for word in p.legal]
    # In games with chance, `mean` is the first player's.
    ends = {text: p.mean for text, p in positions.items() if p.over}
    for seat in ("first", "second"):
        worth = {text: float(ends.get(text, 0)) for text in positions}
        for _ in range(400):
            for text, p in positions.items():
                if not p.over:
                    after = [worth[to] for to, _ in steps[text]]
                    if p.turn in ("chance", seat):
                        worth[text] = sum(odds * value for (_, odds), value in zip(steps[text], after))
                    else:
                        worth[text] = max(after) if p.turn == "first" else min(after)
        found = op.exploitability("random", "piglet:3")
        told = found.first if seat == "first" else -found.second
        assert told == pytest.approx(worth[start.text], abs=1e-9)
        assert -1 < told < 1


@pytest.mark.parametrize("spec", ["perfect", "swindler"])
def test_players_of_exact_values_cannot_be_exploited(spec):
    for game in ("tictactoe", "nim:2+3", "connect:4x3,k=3"):
        assert op.exploitability(spec, game).exploitability == 0
    assert op.exploitability("perfect", "piglet:3").exploitability == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "spec", ["mcts:playouts=20", "alphabeta:depth=2", "alphabeta:time=1ms,keep=off", "noisy:p=0.5,inner=mcts:playouts=20"]
)
def test_players_without_a_distribution_are_refused(spec):
    with pytest.raises(op.InputError, match="probabilities") as caught:
        op.exploitability(spec, "tictactoe")
    assert "keep=off" in caught.value.cure
    with pytest.raises(op.InputError):
        op.best_response(spec, "tictactoe", 1)


def test_players_that_search_alike_everywhere_are_deterministic():
    start = op.game("tictactoe").start
    assert op.distribution("alphabeta:depth=2,keep=off", start) == {start.choose("alphabeta:depth=2,keep=off"): 1}
    assert op.distribution(uniform, start) == {word: Fraction(1, 9) for word in start.legal}
    assert -1 <= op.exploitability("alphabeta:depth=9,keep=off", "tictactoe").first == 0


def test_the_same_in_python_and_in_floats():
    exact = op.exploitability(uniform, "tictactoe")
    assert op.exploitability(uniform, TicTacToe()) == exact
    floats = op.exploitability(lambda p: {m: 1 / len(p.legal) for m in p.legal}, "tictactoe")
    assert float(floats) == pytest.approx(float(exact.exploitability), abs=1e-9)


def test_a_perfect_policy_cannot_be_exploited():
    g = op.game("tictactoe")
    found = op.exploitability(lambda p: p.best[0], g)
    assert found.exploitability == 0 and found.nash_conv == 0
    assert op.exploitability("perfect", "nim:1+2").exploitability == 0


def test_one_bad_move_is_found():
    """Perfect but for the answer to a corner."""

    def nearly(p):
        return "b1" if p == op.game("tictactoe").position("a1") else p.best[0]

    found = op.exploitability(nearly, "tictactoe")
    assert found.second == -1 and found.first == 0


def test_exploitability_with_dice():
    g = op.game("piglet:3")
    perfect = op.exploitability(lambda p: p.best[0], g)
    assert perfect.exploitability == pytest.approx(0, abs=1e-6)
    assert float(op.exploitability(first, g)) > 0.01


def test_exploitability_with_loops():
    """A chase that continues forever unless a player gives up; the player who gives up loses."""
    graph = op.Graph([0, 1, 0, 1], [None, None, -1, 1], [[1, 2], [0, 3], [], []])
    stays = op.exploitability(lambda p: p.legal[0], graph.game())
    assert stays.exploitability == 0
    leaves = op.exploitability(lambda p: p.legal[-1], graph.game())
    assert leaves.first == -1 and leaves.second == -1


def test_best_response():
    assert op.best_response(uniform, "nim:1+2", 1) == 1


# -- proofs --------------------------------------------------------------------------------------------------------


def test_proofs_are_written_and_checked(tmp_path):
    proof = op.prove("mnk:4x4,k=4")
    assert proof.value == "draw" and "4x4" in repr(proof)
    path = proof.save(tmp_path / "4x4.proof")
    claim = op.check(path)
    assert claim.value == "draw" and claim.game == "mnk:4x4,k=4" and claim.steps > 0
    assert op.check(proof) == op.check(proof.text) == claim


def test_a_forged_proof_fails():
    text = op.prove("mnk:4x4,k=4").text
    with pytest.raises(op.ProofError):
        op.check(text.replace("draw", "win"))
    with pytest.raises(op.ProofError):
        op.check("nonsense\nof all kinds\n")
    with pytest.raises(op.InputError):
        op.check("/no/such/file")


def test_proofs_are_for_boards():
    with pytest.raises(op.InputError):
        op.prove("nim:1+2")


def test_scores_by_the_spec_as_it_was_passed():
    report = op.match("tictactoe", ["alphabeta:depth=4", "random", first], games=4)
    row = report.players[0]
    assert row["player"] != "alphabeta:depth=4"
    assert report.score("alphabeta:depth=4") == report.score(row["player"]) == report.score(0) == row["score"]
    assert pickle.loads(pickle.dumps(report)).score("alphabeta:depth=4") == row["score"]
    with pytest.raises(KeyError, match="random"):
        report.score("alphabeta:depth=5")
