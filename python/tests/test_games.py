"""Games by name: positions, values, moves, reasons, pictures."""

from __future__ import annotations

import time

import numpy as np
import outplay as op
import pytest
from rules import Pile, TicTacToe


@pytest.mark.parametrize(
    ("spec", "value", "distance"),
    [
        ("tictactoe", "draw", 9),
        ("mnk:4x3,k=3", "win", None),
        ("nim:2+2", None, None),
        ("connect4:4x4", "draw", 16),
        ("connect4:5x4", "draw", 20),
        ("nim:1+2", "win", None),
        ("morris:three", "win", None),
    ],
)
def test_values_of_starts(spec, value, distance):
    start = op.game(spec).start
    if value is not None:
        assert start.value == value
    if distance is not None:
        assert start.distance == distance


def test_a_position_after_moves():
    p = op.game("connect4:5x4").position("33")
    assert (p.value, p.distance, p.best) == ("draw", 18, ["3"])
    assert p.turn == "first" and p.legal == ["1", "2", "3", "4", "5"]
    assert [m.move for m in p.moves if m.value == "draw"] == ["3"]


def test_positions_read_back():
    g = op.game("tictactoe")
    p = g.position("b2 a1 c3")
    again = g.position(at=p.text)
    assert again == p and hash(again) == hash(p)
    assert g.position("b2") != p


def test_play_goes_on_and_leaves_the_position_alone():
    p = op.game("tictactoe").start
    q = p.play("b2", "a1")
    assert p.legal != q.legal and q.turn == "first"
    assert q == op.game("tictactoe").position("b2 a1")


def test_finished_positions():
    p = op.game("tictactoe").position("a1 a2 b1 b2 c1")
    assert p.over and p.outcome == 1 and p.legal == [] and p.moves == []
    assert p.value == "loss" and p.distance == 0


def test_the_line_of_best_play_ends_the_game():
    p = op.game("mnk:4x3,k=3").start
    assert p.play(*p.line).over
    assert len(p.line) == p.distance


def test_moves_compare_with_words():
    move = op.game("nim:1+2").start.moves[0]
    assert move == move.move and str(move) == move.move and hash(move) == hash(move.move)


def test_why_has_a_sentence():
    why = op.game("tictactoe").position("a1 b2 a2").why()
    assert "a3" in why.sentence and str(why) == why.sentence
    assert why.as_dict()["game"] == "tictactoe"


def test_a_board_as_an_array():
    p = op.game("connect4:5x4").position("334")
    board = p.board
    assert board.shape == (4, 5) and board.dtype == np.int8
    assert board[3, 2] == 1 and board[2, 2] == 2 and board[3, 3] == 1 and board.sum() == 4
    assert op.game("nim:1+2").start.board is None


def test_obstacles_show_on_the_board():
    assert op.game("mnk:3x3,k=3,obstacles=b2").start.board[1, 1] == 3


def test_dice_have_means():
    p = op.game("piglet:3").start
    assert p.value is None and p.distance is None
    assert 0.5 < p.expected < 1 and abs(p.mean - (2 * p.expected - 1)) < 1e-12
    assert p.game.dice


def test_rolls_are_chances():
    p = op.game("piglet:3").start
    while p.turn != "chance":
        p = p.play(p.legal[0])
    assert abs(sum(odds for _, odds in p.rolls) - 1) < 1e-12


def test_symmetric_positions():
    images = op.game("tictactoe").position("a1").symmetric()
    assert len(set(images)) == 4
    assert {image.value for image in images} == {"draw"}


def test_players_choose():
    p = op.game("tictactoe").position("a1 b2 a2")
    assert p.choose("perfect") == "a3"
    assert p.choose("random", seed=3) in p.legal
    assert "perfect" in [about["name"] for about in p.game.players()["players"]]


def test_pictures():
    p = op.game("connect4:4x4").position("11")
    svg = p.svg()
    assert svg.startswith("<svg") and svg.endswith("</svg>") and svg.count("<circle") == 2
    assert op.game("nim:3+4")._repr_svg_().startswith("<svg")
    assert p._repr_svg_().startswith("<svg")
    assert op.game("tictactoe").tree(depth=1).startswith("<svg")


def test_every_family_opens_and_shows_itself():
    for family in op.games():
        game = op.game(family["example"].split(" --")[0])
        assert game.spec
        try:
            game.start.svg(values=False)
        except op.InputError:
            assert family["name"] == "chess"  # an ending has no start


def test_a_chess_ending():
    p = op.game("chess:KQK").position(at="8/8/8/8/8/2k5/8/KQ6 w - - 0 1")
    assert p.value == "win" and p.moves[0].san is not None


@pytest.mark.parametrize(
    ("spec", "words"),
    [("conect4", "connect4"), ("mnk:0x3", "column"), ("mnk:3x3,k=0", "k=0"), ("connect4:5x4,gravty", "gravty")],
)
def test_specs_that_make_no_sense(spec, words):
    with pytest.raises(op.InputError) as caught:
        op.game(spec)
    assert words in caught.value.sentence
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, op.OutplayError)


def test_moves_and_positions_that_make_no_sense():
    g = op.game("tictactoe")
    with pytest.raises(op.InputError, match="z9"):
        g.position("z9")
    with pytest.raises(op.InputError):
        g.position(at="xxx/ooo/...")
    with pytest.raises(op.InputError):
        g.start.play("b2", "b2")


def test_an_unknown_value_has_bounds():
    p = op.game("mnk:9x9,k=5", time=0.2, data="/nonexistent").start
    assert p.value == "unknown" and p.bounds[0] < p.bounds[1] and p.best == []


def test_queries_are_those_of_the_command_line():
    answer = op.game("tictactoe").position("b2").query()
    assert {"game", "position", "to_move", "value", "distance", "best", "moves", "source"} <= set(answer)


def test_limits_are_told():
    with pytest.raises(op.OutplayError) as caught:
        op.game("connect4:6x6", memory=1_000_000).solve(method="dense", save=False)
    assert caught.value.cure


def test_methods_agree():
    g = op.game("mnk:3x3,k=3")
    found = {method: g.solve(method=method, save=False).value for method in ("plain", "memo", "sweep", "dense", "search")}
    assert set(found.values()) == {"draw"}
    with pytest.raises(op.InputError, match="not a method"):
        g.solve(method="magic")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mnk:4x4,k=3", "mnk:5x5,k=3"),
        ("mnk:3x3,k=3", "mnk:3x3,k=3,misere"),
        ("connect4:4x4", "connect4:5x4"),
        ("nim:1+2", "nim:1+2,normal"),
        ("tictactoe", "piglet:3"),
    ],
)
def test_positions_of_different_games_differ(one, other):
    a, b = op.game(one), op.game(other)
    assert a != b and a.start != b.start and len({a.start, b.start}) == 2
    with pytest.raises(ValueError) as caught:
        a.position(at=b.start)
    assert isinstance(caught.value, op.InputError)
    assert a.spec in caught.value.sentence and b.spec in caught.value.sentence
    assert a.start.turn == "first"


def test_handles_of_the_same_game_are_equal():
    a, b = op.game("mnk:3x3,k=3"), op.game("mnk:3x3,k=3", time=5, threads=1)
    assert a == b and hash(a) == hash(b)
    p, q = a.position("b2"), b.position("b2")
    assert p == q and hash(p) == hash(q) and len({p, q}) == 1
    assert b.position(at=p).value == "draw"
    graph = op.Graph([0, 1], [None, 1], [[1], []])
    assert graph.game().start == graph.game().start != op.Graph([0, 1], [None, -1], [[1], []]).game().start


def test_foreign_positions_are_refused_everywhere():
    foreign = op.game("connect4:4x4").start
    g = op.game("tictactoe")
    for ask in (
        lambda: g.position(at=foreign),
        lambda: g.solve(save=False).probe([foreign]),
        lambda: op.game(TicTacToe()).position(at=foreign),
    ):
        with pytest.raises(ValueError, match="connect4:4x4"):
            ask()


@pytest.mark.skipif(not hasattr(op._outplay, "panic_"), reason="panics can only be made in debug builds")
@pytest.mark.parametrize("place", ["work", "ask", "rules"])
@pytest.mark.parametrize("rules", ["tictactoe", TicTacToe()])
def test_a_panic_is_an_error_of_the_package(place, rules):
    g = op.game(rules)
    with pytest.raises(op.OutplayError, match="internal error"):
        op._outplay.panic_(g, place)
    # No lock or reentry mark is left on this thread.
    assert g.start.turn == "first" and g.start.value == "draw"
    assert op.game(TicTacToe()).solve().value == "draw"


def test_payoffs_out_of_range_are_refused():
    with pytest.raises(op.LawError, match="payoff"):
        op.Graph([0], [-(2**31)], [[]])
    graph = op.Graph([0], [1], [[]])
    with pytest.raises(op.LawError, match="payoff"):
        graph.with_payoffs([2**31 - 1])


@pytest.mark.parametrize("limit", ["time", "memory"])
@pytest.mark.parametrize("given", [-1, float("nan"), float("inf"), -0.5])
def test_limits_that_make_no_sense(limit, given):
    for ask in (
        lambda: op.game("tictactoe", **{limit: given}),
        lambda: op.match("tictactoe", ["random", "random"], games=2, **{limit: given}),
        lambda: op.compile("tictactoe", **{limit: given}),
        lambda: op.judge("random", "tictactoe", 1, **{limit: given}),
        lambda: op.exploitability("perfect", "nim:1+2", **{limit: given}),
        lambda: op.export("tictactoe", "/nonexistent/rows.csv", **{limit: given}),
    ):
        with pytest.raises(ValueError, match=limit):
            ask()
    if limit == "time":
        with pytest.raises(ValueError, match="time"):
            op.game("tictactoe").solve(time=given)
        with pytest.raises(ValueError, match="time"):
            op.prove("mnk:3x3,k=3", time=given)
    with pytest.raises(ValueError, match="threads"):
        op.game("tictactoe", threads=-1)


def test_a_handle_keeps_its_limits():
    g = op.game("mnk:9x9,k=5", time=0.2, data="/nonexistent")
    for handle in (g, op.game(g), op.game(g, threads=1)):
        began = time.monotonic()
        assert handle.start.value == "unknown"
        assert time.monotonic() - began < 5


def test_functions_pass_limits_on(tmp_path):
    spec = "mnk:3x3,k=3"
    op.game(spec).solve(data=tmp_path / "full")
    # A table that exists only in this directory is found by a handle and by name.
    report = op.export(spec, tmp_path / "rows.csv", data=tmp_path / "full")
    assert report.rows == 5478
    report = op.export(op.game(spec, data=tmp_path / "full"), tmp_path / "again.csv")
    assert report.rows == 5478
    assert op.export(spec, tmp_path / "made.csv", data=tmp_path / "new").rows == 5478
    assert any((tmp_path / "new").iterdir())
    # Neither time nor memory suffices for these games.
    with pytest.raises(op.LimitError):
        op.compile("connect4", time=0.2)
    with pytest.raises(op.LimitError):
        op.compile(op.game("connect4", memory=10_000_000))
    with pytest.raises(op.LimitError):
        op.exploitability("perfect", op.game("connect4", memory=10_000_000))
    large, none = "mnk:9x9,k=5", tmp_path / "none"
    start = op.game(large).start
    began = time.monotonic()
    assert op.judge("random", large, [start], time=0.05, data=none).unknown == 1
    assert op.judge("random", op.game(large, time=0.05, data=none), [start]).unknown == 1
    assert time.monotonic() - began < 5


def test_judged_positions_must_be_of_the_game():
    with pytest.raises(ValueError, match="connect4:4x4"):
        op.judge("random", "tictactoe", [op.game("connect4:4x4").start])


@pytest.mark.parametrize(
    ("given", "text"), [(["4", "4"], "44"), (("4",), "4"), ([], ""), (iter(["1", "2"]), "12"), (None, ""), ("4 4", "44")]
)
def test_moves_of_a_position_are_text_or_a_list(given, text):
    g = op.game("connect4:4x4")
    assert g.position(given) == g.position(text)


def test_moves_of_a_position_are_whatever_play_accepts():
    g = op.game("tictactoe")
    assert g.position([g.start.moves[0]]) == g.start.play(g.start.moves[0])
    own = op.game(TicTacToe())
    assert own.position([4, "0"]).object == "o...x...."
    assert own.position([0], at="....x....").object == "o...x...."
    for moves in (4, ["z9"], ["b2", "b2"], [None]):
        with pytest.raises(op.InputError):
            g.position(moves)
    assert g.tree(["b2"], depth=1) == g.tree("b2", depth=1)


@pytest.mark.parametrize("spec", ["tictactoe", "connect4:4x4", "mnk:4x3,k=3", "nim:2+2", "morris:three"])
def test_symmetric_positions_are_listed_once(spec):
    start = op.game(spec).start
    for p in (start, start.play(start.legal[0])):
        images = p.symmetric()
        assert len(images) == len(set(images)) and p in images


@pytest.mark.parametrize("number", [-1, -(2**70), 2**70])
def test_numbers_out_of_range_are_errors_of_the_package(number, tmp_path):
    g = op.game("nim:1+2")
    graph = op.compile(g)
    for ask in (
        lambda: op.game("chess:KQK").numbered(number),
        lambda: g.start.choose("random", seed=number),
        lambda: g.tree(depth=number),
        lambda: g.solve(save=False).probe([g.start], threads=number),
        lambda: op.compile(g, most=number),
        lambda: op.match(g, ["random", "random"], games=number),
        lambda: op.match(g, ["random", "random"], seed=number),
        lambda: op.match(g, ["random", "random"], plies=number),
        lambda: op.match(g, ["random", "random"], openings=number),
        lambda: op.export(g, tmp_path / "rows.csv", positions=number),
        lambda: op.export(g, tmp_path / "rows.csv", plies=(0, number)),
        lambda: op.export(g, tmp_path / "rows.csv", seed=number),
    ):
        with pytest.raises(op.InputError, match=f"{number} is out of range; use a whole number from 0"):
            ask()
    if number == -1:
        for ask in (graph.next, graph.position):
            with pytest.raises(IndexError, match="-1"):
                ask(number)
        with pytest.raises(op.LawError, match="move to -1"):
            op.Graph([0, 0], [None, 1], [[-1], []])
        with pytest.raises(op.InputError, match="a turn must be"):
            op.Graph([-1], [1], [[]])


def test_payoffs_that_tables_cannot_store_are_refused(tmp_path):
    class Rich(Pile):
        def __init__(self, payoff, dice=False):
            super().__init__(3)
            self.payoff = payoff
            if dice:
                self.chance = lambda pos: []

        def outcome(self, pos):
            said = super().outcome(pos)
            return None if said is None else said * self.payoff

    assert op.game(Rich(16384)).solve(data=tmp_path).game.start.payoff == -16384
    with pytest.raises(op.LawError, match="from -16384 to 16384") as caught:
        op.game(Rich(16385)).solve()
    assert caught.value.law == "payoff"
    # Means are stored as floating-point numbers.
    assert op.game(Rich(1_000_000, dice=True)).start.mean == -1_000_000
    assert len(op.Graph([0], [-16384], [[]])) == 1
    for payoff in (16385, 2**31, -(2**40)):
        with pytest.raises(op.LawError, match="16384"):
            op.Graph([0], [payoff], [[]])
        with pytest.raises(op.LawError, match="16384"):
            op.Graph([0], [1], [[]]).with_payoffs([payoff])
    assert op.Graph([2, 0, 0], [None, 20_000, 0], [[1, 2], [], []], [[0.5, 0.5], [], []]).game().start.mean == 10_000
    Rich.best_payoff = 20_000
    with pytest.raises(op.InputError, match="`best_payoff` is 20000"):
        op.game(Rich(1))


@pytest.mark.parametrize(
    "spec", ["tictactoe", "mnk:3x3,k=3,misere", "mnk:3x2,k=2", "mnk:3x3,k=3,obstacles=b2", "connect:3x3,k=3", "mnk:4x3,k=3"]
)
def test_small_boards_are_swept_in_memory(spec):
    game = op.game(spec, data="/nonexistent")
    auto, dense = game.solve(save=False), game.solve(save=False, method="dense")
    # On a tiny board the plan of the bit-planes takes longer than the whole sweep.
    assert auto.method == ("dense" if spec == "mnk:4x3,k=3" else "sweep")
    names = ("value", "distance", "best", "positions_for_first", "positions_for_mover")
    assert [getattr(auto, name) for name in names] == [getattr(dense, name) for name in names]
    assert game.solve(save=False, values="wdl").value == auto.value
