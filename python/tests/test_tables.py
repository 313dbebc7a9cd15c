"""Tables: solving, batch probing, verification, statistics."""

from __future__ import annotations

import random

import numpy as np
import outplay as op
import pytest
from rules import TicTacToe


def test_a_table_says_what_it_knows(small):
    assert small.stored and small.value == "draw" and small.distance == 16
    assert small.positions_for_first["legal"] == 161_029
    assert "connect4:4x4" in repr(small)
    assert small.as_dict()["game"] == "connect4:4x4"


def test_counts_say_whose_view_they_are(small, tmp_path):
    answer = small.as_dict()
    first, mover = small.positions_for_first, small.positions_for_mover
    assert first == answer["positions"] and first != mover
    sides = answer["by_turn"]
    for value in ("win", "draw", "loss"):
        assert mover[value] == sides["first"][value] + sides["second"][value]
    assert first["win"] == sides["first"]["win"] + sides["second"]["loss"]
    assert {key: first[key] for key in ("legal", "finished")} == {key: mover[key] for key in ("legal", "finished")}
    # Exports and probes use the view of the player to move.
    report = op.export(small.game, tmp_path / "all.npz", best=False)
    assert report["values"] == {value: mover[value] for value in ("draw", "loss", "win")}
    with pytest.warns(DeprecationWarning, match="positions_for_first"):
        assert small.positions == first


def test_counts_of_positions_without_colours(tmp_path):
    morris = op.game("morris:three").solve(data=tmp_path)
    assert morris.as_dict()["merged"] and morris.positions_for_first is None
    assert morris.positions_for_mover == morris.as_dict()["positions"]
    assert op.game("connect4:5x4").solve(method="search", save=False).positions_for_mover is None


def test_a_table_is_found_again(small):
    again = op.game("connect4:4x4").table()
    assert again.value == "draw" and again.method == "table" and again.best == small.best


def test_no_table_no_answer(tmp_path):
    with pytest.raises(op.NoTableError) as caught:
        op.game("connect4:4x4").table(data=tmp_path)
    assert caught.value.cure and isinstance(caught.value, FileNotFoundError)


def test_verify_and_stats(small):
    assert small.verify()["wrong"] == 0
    assert small.stats()["positions"]["legal"] == 161_029
    assert small._repr_svg_().startswith("<svg")


def sample(game, count, seed):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        p = game.start
        for _ in range(rng.randrange(16)):
            if p.over:
                break
            p = p.play(rng.choice(p.legal))
        found.append(p)
    return found


def test_probes_equal_queries(small):
    positions = sample(small.game, 300, 5)
    boards = np.stack([p.board for p in positions])
    values, distances = small.probe(boards)
    again, _ = small.probe(positions)
    texts, _ = small.probe([p.text for p in positions])
    assert (values == again).all() and (values == texts).all()
    for p, value, distance in zip(positions, values, distances):
        assert p.payoff == value, p.text
        assert (p.distance if p.distance is not None else -1) == distance, p.text


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(small, threads):
    boards = np.stack([p.board for p in sample(small.game, 200, 6)] * 60)
    one, _ = small.probe(boards, threads=1)
    assert (small.probe(boards, threads=threads)[0] == one).all()


def test_boards_in_other_words(small):
    positions = sample(small.game, 20, 7)
    boards = np.stack([p.board for p in positions])
    values, _ = small.probe(boards)
    signed = np.where(boards == 2, -1, boards).astype(np.int64)
    assert (small.probe(signed)[0] == values).all()
    assert (small.probe(boards.reshape(20, 16))[0] == values).all()
    assert (small.probe(np.asfortranarray(boards))[0] == values).all()


def test_boards_that_nobody_reaches_are_unknown(small):
    boards = np.zeros((3, 4, 4), np.int8)
    boards[0, 0, 0] = 1  # floats
    boards[1, 3, :2] = 1  # two stones of the first player
    values, distances = small.probe(boards)
    assert values.tolist() == [op.UNKNOWN, op.UNKNOWN, 0] and distances[2] == 16


def test_arrays_of_the_wrong_shape(small):
    with pytest.raises(op.InputError, match="shape"):
        small.probe(np.zeros((2, 5, 5), np.int8))


@pytest.mark.parametrize(
    "value, dtype",
    [(7, "int8"), (3, "int8"), (-2, "int8"), (257, "int16"), (256, "int64"), (-255, "int32"), (255, "uint8"), (2**64 - 1, "uint64")],
)
def test_entries_that_no_cell_can_hold_are_refused_with_their_place(small, value, dtype):
    boards = np.zeros((3, 4, 4), dtype)
    boards[1, 0, 2] = value
    with pytest.raises(op.InputError) as caught:
        small.probe(boards)
    assert f"[1, 0, 2] is {value};" in caught.value.sentence
    with pytest.raises(op.InputError, match=r"\[1, 2\]"):
        small.probe(boards.reshape(3, 16))
    with pytest.raises(op.InputError, match=r"\[0, 2\]"):
        small.probe(boards[1])
    with pytest.raises(op.InputError, match=r"\[1, 0, 2\]"):
        small.probe(np.asfortranarray(boards))


def test_obstacles_are_threes_where_the_game_has_them(tmp_path):
    table = op.game("mnk:3x3,k=3,obstacles=b2").solve(data=tmp_path)
    start = table.game.start
    board = start.board
    assert board[1, 1] == 3 and table.probe(board[None])[0][0] == start.payoff
    board[1, 1] = 0
    assert table.probe(board[None])[0][0] == start.payoff
    board[1, 1] = 1
    assert table.probe(board[None])[0][0] == op.UNKNOWN
    board[1, 1], board[0, 2] = 3, 3
    with pytest.raises(op.InputError, match=r"\[0, 0, 2\] is 3"):
        table.probe(board[None])


def test_stones_of_the_start_stay(tmp_path):
    table = op.game("mnk:3x3,k=3,x=a1").solve(data=tmp_path)
    board = table.game.start.board
    assert table.probe(board[None])[0][0] == table.game.start.payoff
    board[2, 0] = 2
    assert table.probe(board[None])[0][0] == op.UNKNOWN


def test_no_positions_no_values(small):
    values, distances = small.probe([])
    assert len(values) == len(distances) == 0


def test_probes_without_a_table():
    table = op.game("mnk:3x3,k=3", data="/nonexistent").solve(save=False)
    assert not table.stored
    values, _ = table.probe([table.game.start, table.game.position("a1 a2 b1 b2")])
    assert values.tolist() == [0, 1]


def test_probes_of_loops_and_dice(tmp_path):
    morris = op.game("morris:three").solve(data=tmp_path)
    values, _ = morris.probe([morris.game.start])
    assert values[0] == morris.game.start.payoff
    pig = op.game("piglet:3").solve(data=tmp_path)
    means, none = pig.probe([pig.game.start])
    assert none is None and abs(means[0] - pig.game.start.mean) < 1e-12


def test_values_without_distances(tmp_path):
    table = op.game("mnk:4x3,k=3").solve(values="wdl", data=tmp_path)
    assert table.value == "win" and table.distance is None


def test_progress_is_told():
    heard = []
    op.game("connect4:5x5").solve(save=False, progress=lambda *words: heard.append(words))
    assert all(len(words) == 3 for words in heard)


def test_progress_that_raises_stops_the_work():
    class Enough(Exception):
        pass

    def bored(stage, done, total):
        raise Enough

    with pytest.raises(Enough):
        op.game("connect4:6x6", memory=8 << 30).solve(method="search", save=False, progress=bored)


@pytest.mark.parametrize("rules", ["mnk:4x3,k=3", TicTacToe(), "morris:three"])
def test_statistics_without_a_stored_table(rules, tmp_path):
    game = op.game(rules, data=tmp_path / "none")
    table = game.solve(save=False)
    assert not table.stored
    stored = game.solve(data=tmp_path / "full")
    assert table.stats() == stored.stats() and table.stats()["tiers"]
    assert not (tmp_path / "none").exists()
