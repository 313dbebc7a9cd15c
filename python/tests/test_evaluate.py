"""Costly questions are methods with a time limit and progress; attributes are cheap after them."""

from __future__ import annotations

import copy
import pickle
import random
import time

import outplay as op
import pytest
from rules import Pile, TicTacToe

LARGE = "mnk:9x9,k=5"
FIELDS = "value payoff distance bounds repetition expected mean score best moves line source notes".split()


@pytest.mark.parametrize("rules", ["connect4:4x4", "nim:1+2", "piglet:3", "morris:three", TicTacToe(), Pile()])
def test_an_evaluation_has_what_the_attributes_have(rules):
    game = op.game(rules)
    for p in (game.start, game.start.play(game.start.legal[-1])):
        found = p.evaluate()
        other = game.position(at=p)
        for name in FIELDS:
            assert getattr(found, name) == getattr(other, name), name
        assert found.position == p and (found.value or f"{found.expected:.6f}") in repr(found) and game.spec in repr(found)
        assert pickle.loads(pickle.dumps(found)) == found == copy.deepcopy(found) and len({found, p.evaluate()}) == 1


def test_time_limits_of_a_question():
    p = op.game(LARGE, data="/nonexistent").start
    for ask in (
        lambda: p.evaluate(time=0.2).value,
        lambda: p.query(time=0.2)["value"],
        lambda: op.game(LARGE, data="/nonexistent", time=100).position(["e5"]).evaluate(time=0.2).value,
    ):
        began = time.monotonic()
        assert ask() == "unknown"
        assert time.monotonic() - began < 5
    began = time.monotonic()
    assert p.why(time=0.2).sentence
    assert p.choose("mcts:playouts=20", time=60) in p.legal
    with pytest.raises(op.LimitError, match="did not choose a move within 0.2 s"):
        p.choose("mcts:playouts=1000000000", time=0.2)
    assert time.monotonic() - began < 10
    for ask in (p.evaluate, p.query, p.why, lambda time: p.choose("random", time=time), op.compile("nim:1+2").solve):
        with pytest.raises(op.InputError, match="time"):
            ask(time=-1)


def test_an_unknown_value_is_not_kept():
    game = op.game("connect4:5x5", data="/nonexistent")
    p = game.start
    assert p.evaluate(time=0).value == "unknown"
    found = p.evaluate(time=60)
    assert found.value == "draw" and p.value == "draw"
    # What is known costs no more time.
    began = time.monotonic()
    assert p.evaluate(time=0).value == "draw" and p.best == found.best
    assert time.monotonic() - began < 1


def test_progress_of_a_question():
    heard = []
    op.game(LARGE, data="/nonexistent").start.evaluate(time=1, progress=lambda *words: heard.append(words))
    assert heard and all(len(words) == 3 for words in heard)

    class Enough(Exception):
        pass

    def bored(stage, done, total):
        raise Enough

    p = op.game(LARGE, data="/nonexistent", time=60).start
    for ask in (p.evaluate, p.query, p.why):
        with pytest.raises(Enough):
            ask(progress=bored)
    with pytest.raises(Enough):
        op.compile("connect4:6x5", progress=bored)
    with pytest.raises(TypeError, match="progress"):
        p.evaluate(progress=3)


@pytest.mark.parametrize("rules", ["connect4:4x4", "morris:three", TicTacToe()])
def test_lookups_in_an_open_table_are_queries(rules, tmp_path):
    """The first question opens the table; the next ones are answered without a thread."""
    game = op.game(rules, data=tmp_path)
    game.solve(data=tmp_path)
    rng = random.Random(8)
    p = game.start
    for _ in range(40 if isinstance(rules, str) else 8):
        # Another handle has no open table.
        other = op.game(rules, data=tmp_path)
        mine, theirs = game.position(at=p.text).query(), other.position(at=p.text).query()
        assert mine == theirs and mine["source"] in ("table", "rules")
        p = game.start if p.over else p.play(rng.choice(p.legal))
