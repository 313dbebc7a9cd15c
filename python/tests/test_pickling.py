"""Pickles and copies: games, positions, tables, graphs, moves, explanations, errors, and processes that share them."""

from __future__ import annotations

import copy
import errno
import multiprocessing
import pickle
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import outplay as op
import pytest
from rules import Graph, Pile, TicTacToe

HERE = Path(__file__).resolve().parent


def again(value):
    """Return a value that was pickled and unpickled."""
    return pickle.loads(pickle.dumps(value))


def in_another_process(value, expression):
    """Evaluate an expression of the unpickled value `x` in a new interpreter, and return its text."""
    script = f"import sys, pickle; sys.path.insert(0, {str(HERE)!r}); x = pickle.load(sys.stdin.buffer); print({expression})"
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(value), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def random_plays(game, count, seed):
    """Return the positions of a few random games."""
    rng = random.Random(seed)
    found = [game.start]
    for _ in range(count):
        p = game.start
        for _ in range(30):
            if p.over:
                break
            p = p.play(rng.choice(p.legal))
            found.append(p)
    return found


FAMILIES = sorted({family["example"].split(" --")[0] for family in op.games()})


@pytest.mark.parametrize("spec", FAMILIES)
def test_games_and_positions_of_every_family(spec):
    game = op.game(spec)
    assert again(game) == game and again(game).spec == game.spec
    try:
        positions = random_plays(game, 2, 1)
    except op.InputError:  # a chess ending has no start
        positions = [position for number in range(50) if (position := game.numbered(number * 977)) is not None]
    assert len(positions) > 1
    for p in positions:
        q = again(p)
        assert q == p and hash(q) == hash(p) and q.turn == p.turn and q.legal == p.legal and q.game == game


@pytest.mark.parametrize("make", [lambda: op.game("tictactoe"), lambda: op.game(TicTacToe())])
def test_copies_are_the_object_itself(make):
    game = make()
    p = game.start
    graph, table = op.compile(game), game.solve(save=False)
    for value in (game, p, table, graph, p.moves[0], p.why()):
        assert copy.copy(value) is value and copy.deepcopy(value) is value
    nested = {"position": p, "path": [p, p.play(p.legal[0])]}
    copied = copy.deepcopy(nested)
    assert copied == nested and copied["path"] is not nested["path"]


def test_limits_are_kept(tmp_path):
    game = op.game("mnk:9x9,k=5", time=0.25, memory=10_000_000, threads=1, data=tmp_path)
    same = again(game)
    assert same == game and same.start.value == "unknown"
    with pytest.raises(op.LimitError, match="10 MB"):
        op.compile(again(op.game("connect4", memory=10_000_000)))
    # The default directory is that of the process, so a pickle does not name it.
    assert str(tmp_path).encode() in pickle.dumps(game)
    assert b"data" not in pickle.dumps(op.game("tictactoe"))


def test_rules_of_ones_own_are_one_game():
    game = op.game(TicTacToe())
    assert again(game) == game != op.game(TicTacToe())
    positions = random_plays(game, 2, 3)
    same = again(positions)
    assert same == positions and same[3].object == positions[3].object
    assert same[0].play(4) == game.start.play(4)


def test_rules_are_explored_once_in_a_process():
    script = """
class Counted:
    calls = 0
    def start(self): return 9
    def turn(self, pos): return pos % 2
    def moves(self, pos): return [1, 2] if pos > 1 else [1] if pos else []
    def play(self, pos, n): return pos - n
    def outcome(self, pos):
        Counted.calls += 1
        return None if pos else 1
"""
    namespace = {"__name__": "counted"}
    exec(script, namespace)
    module = type(sys)("counted")
    vars(module).update(namespace)
    module.Counted.__module__ = "counted"
    sys.modules["counted"] = module
    try:
        game = op.game(module.Counted())
        game.solve()
        pickled = [pickle.dumps(game.position(at=pos)) for pos in (9, 5, 3)]
        calls = module.Counted.calls
        assert [pickle.loads(words).payoff is not None for words in pickled] == [True] * 3
        assert module.Counted.calls == calls
    finally:
        del sys.modules["counted"]


def test_rules_that_do_not_pickle():
    class Local(Pile):
        pass

    game = op.game(Local())
    for value in (game, game.start):
        with pytest.raises((pickle.PicklingError, AttributeError), match="Local"):
            pickle.dumps(value)
    assert copy.deepcopy(game.start) is not None


def test_another_process_has_the_same_values():
    p = op.game("connect4:4x4").position("1122")
    assert in_another_process(p, "(x.text, x.value, x.distance, x.best)") == str((p.text, p.value, p.distance, p.best))
    mine = op.game(TicTacToe()).start.play(4, 0)
    expression = "(x.object, x.value, x.best, x.game.spec)"
    assert in_another_process(mine, expression) == str((mine.object, mine.value, mine.best, mine.game.spec))
    # Sets hash text differently in each process.
    both = [mine, mine.play(8)]
    assert in_another_process(both, "(len({*x, x[0]}), x[0].play(8) == x[1])") == "(2, True)"


def test_a_table_is_found_by_its_directory(tmp_path):
    table = op.game("connect4:4x4").solve(data=tmp_path)
    same = again(table)
    assert same.stored and same.as_dict() == table.as_dict() and same.seconds == table.seconds
    assert same.positions_for_mover == table.positions_for_mover and same.stats() == table.stats()
    assert in_another_process(table, "(x.value, x.distance, x.stats()['positions']['legal'])") == "('draw', 16, 161029)"
    opened = op.game("connect4:4x4").table(data=tmp_path)
    assert in_another_process(opened, "(x.method, x.value, x.verify()['wrong'])") == "('table', 'draw', 0)"


def test_a_table_that_is_not_stored_keeps_its_answer():
    table = op.game("mnk:3x3,k=3", data="/nonexistent").solve(save=False)
    same = again(table)
    assert not same.stored and same.value == "draw" and same.positions_for_first == table.positions_for_first
    mine = op.game(TicTacToe()).solve()
    assert in_another_process(mine, "(x.value, x.stored, x.game.start.value)") == "('draw', False, 'draw')"


def test_the_answer_of_a_table_cannot_be_changed():
    table = op.game("mnk:3x3,k=3", data="/nonexistent").solve(save=False)
    wins = table.positions_for_first["win"]
    table.as_dict()["best"].clear()
    table.positions_for_first["win"] = 0
    assert table.best and table.positions_for_first["win"] == wins > 0


@pytest.mark.parametrize("rules", ["tictactoe", TicTacToe()])
def test_compiled_graphs_have_their_positions(rules):
    graph = op.compile(rules)
    same = again(graph)
    assert len(same) == len(graph)
    for number in range(0, len(graph), 501):
        assert same.next(number) == graph.next(number)
        assert same.position(number) == graph.position(number)
    text = graph.position(77).text
    assert in_another_process(graph, "(len(x), x.position(77).text, x.game().start.value)") == str((len(graph), text, "draw"))


def test_graphs_of_ones_own():
    graph = op.Graph([0, 2, 1], [None, None, -3], [[1, 2], [2, 0], []], [[], [0.25, 0.75], []], name="chase")
    same = again(graph)
    assert same.game() == graph.game() and again(graph.game()) == graph.game()
    assert again(graph.game().start) == graph.game().start
    assert same.game().start.mean == graph.game().start.mean
    with pytest.raises(op.InputError, match="damaged"):
        op._outplay.restored_graph_((b"\x00", b"", b"", b"", b""), None, None, None)


def test_moves_and_explanations():
    specs = ["connect4:4x4", "piglet:3", "mnk:9x9,k=5", "morris:three"]
    for spec in specs:
        moves = op.game(spec, time=0.3, data="/nonexistent").start.moves
        for move, same in zip(moves, again(moves), strict=True):
            fields = ("move", "san", "value", "payoff", "distance", "mean", "score", "probability")
            assert [getattr(move, name) for name in fields] == [getattr(same, name) for name in fields]
            assert same == move and hash(same) == hash(move) and repr(same) == repr(move)
    why = op.game("tictactoe").position("a1 b2 a2").why()
    same = again(why)
    assert (same.sentence, same.line, same.marks, same.as_dict()) == (why.sentence, why.line, why.marks, why.as_dict())


def test_reports_and_errors(tmp_path):
    report = op.match("tictactoe", ["perfect", "random"], games=2)
    assert again(report) == report == copy.deepcopy(report) and type(again(report)) is type(report)
    judged = op.judge("random", "nim:1+2", 5)
    assert again(judged) == judged
    proof = op.prove("mnk:3x3,k=3")
    assert again(proof) == proof and again(op.check(proof)) == op.check(proof)
    with pytest.raises(op.NoTableError) as caught:
        op.game("connect4:4x4").table(data=tmp_path)
    for error in (caught.value, again(caught.value)):
        assert (error.errno, error.sentence, error.cure) == (errno.ENOENT, caught.value.sentence, caught.value.cure)
        assert str(error) == str(caught.value)
    law = op.LawError("turn", "it changes", (1, 2), (3, 4))
    assert (str(again(law)), again(law).position, again(law).other) == (str(law), (1, 2), (3, 4))


def value_of(position):
    return position.value, position.distance, position.best


@pytest.mark.parametrize("rules", ["connect4:4x4", TicTacToe(), Graph([0, 1, 0], [None, None, 1], [[1], [0, 2], []], [])])
def test_a_pool_of_processes(rules):
    game = op.game(rules)
    positions = [p for p in random_plays(game, 3, 5) if not p.over][:12]
    here = [value_of(p) for p in positions]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(value_of, positions, chunksize=3) == here


def test_an_executor_of_processes():
    context = multiprocessing.get_context("spawn")
    games = [op.game("nim:1+2"), op.game(Pile(5))]
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        tables = list(executor.map(solved, games))
    assert [table.value for table in tables] == [game.start.value for game in games]
    assert tables[1].game == games[1]


def solved(game):
    return game.solve(save=False)
