"""Names and protocols of other libraries: actions, tables as mappings, seeds, jobs, data frames, star imports."""

from __future__ import annotations

import asyncio
import builtins
import random
import subprocess
import sys
import threading
import time
import types

import outplay as op
import pytest
from rules import Pile, TicTacToe, random_graph


def walk(game, seed, plies=12):
    """Yield the positions of a random game."""
    rng = random.Random(seed)
    p = game.start
    for _ in range(plies):
        yield p
        if p.over:
            return
        p = p.play(rng.choice(p.legal))


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["tictactoe", "connect4:5x4", "nim:1+2", "pig:20", "morris:three", TicTacToe(), Pile()])
def test_names_of_other_libraries(rules):
    for p in walk(op.game(rules), 1, 40):
        assert p.legal_moves == p.legal
        assert p.is_terminal() is p.is_over() is p.over
        payoff = p.outcome or 0
        assert p.returns() == [payoff, -payoff] and "-0.0" not in str(p.returns())
        player = {"first": 0, "second": 1, "chance": -1}[p.turn]
        assert p.current_player() == (-4 if p.over else player)
        assert p.is_chance_node() == (not p.over and p.turn == "chance")
        assert [odds for _, odds in p.chance_outcomes()] == [odds for _, odds in p.rolls]


@pytest.mark.parametrize("rules", ["tictactoe", "connect4:5x4", "mnk:12x3,k=3", "nim:3+4", "pig:20", "chess:KQK", TicTacToe()])
def test_actions_are_moves(rules):
    game = op.game(rules)
    start = game.numbered(1000) if rules == "chess:KQK" else game.start
    count = game.num_distinct_actions()
    for p in [start, *(start.play(word) for word in start.legal[:3])]:
        actions = p.legal_actions()
        assert len(set(actions)) == len(actions) == len(p.legal)
        assert count is None or max(actions, default=0) < count
        for action, word in zip(actions, p.legal):
            assert p.action_to_string(action) == word and p.action(word) == action
            assert p.child(action) == p.play(word)
        for action in {-1, 10_000, *range(count or 0)} - set(actions):
            with pytest.raises(op.InputError, match=f"action {action} is not legal"):
                p.child(action)


def test_actions_of_boards_are_columns_and_cells():
    p = op.game("connect4:5x4").position("111")
    assert p.legal_actions() == [0, 1, 2, 3, 4] and p.child(0).legal_actions() == [1, 2, 3, 4]
    p = op.game("tictactoe").start
    # Row by row from the top, like `board`.
    assert [p.action(word) for word in ("a3", "b3", "c3", "a1", "c1")] == [0, 1, 2, 6, 8]
    assert op.game("mnk:12x3,k=3").start.action("l1") == 35
    assert (op.game("connect4").num_distinct_actions(), op.game("tictactoe").num_distinct_actions()) == (7, 9)
    assert op.game("nim:1+2").num_distinct_actions() is None
    assert op.game("nim:1+2").new_initial_state() == op.game("nim:1+2").start


def test_observations_of_boards():
    np = pytest.importorskip("numpy")
    p = op.game("connect4:5x4").position("33")
    seen = p.observation_tensor()
    assert seen.shape == (4, 5, 2) and seen.dtype == np.float32
    assert seen[3, 2].tolist() == [1, 0] and seen[2, 2].tolist() == [0, 1]
    assert (p.observation_tensor(1) == seen[..., ::-1]).all()
    with pytest.raises(op.InputError, match="player 2"):
        p.observation_tensor(2)


@pytest.mark.parametrize("rules", ["nim:3+4", "pig:20", "morris:three", TicTacToe()])
def test_observations_of_other_games(rules):
    pytest.importorskip("numpy")
    positions = set(walk(op.game(rules), 2))
    seen = {p.observation_tensor(0).tobytes() for p in positions}
    assert len(seen) == len(positions)
    p = op.game(rules).start
    assert p.observation_tensor()[0] == 1 and p.observation_tensor(0)[0] == 1 and p.observation_tensor(1)[0] == 0
    assert p.observation_tensor().min() >= 0 and p.observation_tensor().max() <= 1


def test_games_are_equal_to_their_handles():
    game = op.game("connect4:4x4")
    p = game.start
    assert p.game == game == op.game("connect4:4x4") and hash(p.game) == hash(game)
    own = op.game(TicTacToe())
    assert own.start.game == own and own.solve().game == own


def test_star_import_leaves_builtins_alone():
    names = {}
    exec("from outplay import *", names)
    assert not {name for name in op.__all__ if name in vars(builtins)}
    assert "compile" not in names and names["compile_game"] is op.compile
    assert "compile" in dir(op) and op.compile("nim:1+2")


def test_star_import_needs_no_other_library():
    script = "import sys; sys.modules.update(dict.fromkeys(['pettingzoo', 'gymnasium', 'pyspiel', 'pandas'])); from outplay import *; print(game)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0 and "function" in done.stdout, done.stderr


# -- tables --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["connect4:4x4", "nim:2+3", "piglet:3", "morris:three", TicTacToe(), Pile()])
@pytest.mark.parametrize("save", [True, False])
def test_tables_are_mappings(rules, save, tmp_path):
    game = op.game(rules, data=tmp_path)
    with game.solve(save=save) as table:
        rng = random.Random(4)
        met = set()
        for position in table:
            assert position not in met
            met.add(position)
            if rng.random() < 200 / len(table):
                found = table[position]
                assert position in table and position.text in table and table[position.text] == found
                assert (found.value, found.payoff, found.distance) == (position.value, position.payoff, position.distance)
                assert found.mean == (None if position.mean is None else pytest.approx(position.mean))
        assert len(met) == len(table) > 1 and bool(table)
        counts = table.positions_for_mover
        assert counts is None or not save or len(table) == counts["legal"]
        # All positions that play reaches; morris is stored without colours.
        if rules != "morris:three":
            assert game.start in met and game.start.play(game.start.legal[0]) in met
        value, payoff, distance, mean = table[game.start]
        assert value == game.start.value


def test_what_a_table_does_not_have(tmp_path):
    table = op.game("connect4:4x4").solve(data=tmp_path)
    assert op.game("tictactoe").start not in table and "nonsense" not in table
    with pytest.raises(op.InputError, match="tictactoe"):
        table[op.game("tictactoe").start]
    with pytest.raises(op.InputError):
        table["nonsense"]
    opened = op.game("connect4:4x4").table(data=tmp_path)
    assert len(opened) == 161_029 and opened[op.game("connect4:4x4").start] == ("draw", 0, 16, None)
    wdl = op.game("mnk:4x3,k=3").solve(values="wdl", data=tmp_path)
    assert wdl[wdl.game.start] == ("win", 1, None, None)
    # Half of the game is unknown to the search, so there is no table to look into.
    searched = op.game("mnk:9x9,k=5", time=0.2, data="/nonexistent").solve(save=False)
    assert searched.game.start not in searched
    with pytest.raises(KeyError, match="no value"):
        searched[searched.game.start]


# -- seeds ---------------------------------------------------------------------------------------------------------


def test_seeds_are_fresh_by_default():
    p = op.game("mnk:9x9,k=5").start
    assert len({p.choose("random") for _ in range(40)}) > 10
    assert len({p.choose("random", seed=7) for _ in range(10)}) == 1
    seeds = [op.match("tictactoe", ["random", "random"], games=2).seed for _ in range(3)]
    assert len(set(seeds)) == 3
    again = [op.match("tictactoe", ["random", "random"], games=4, seed=seeds[0], records=True).records for _ in range(2)]
    assert [record["moves"] for record in again[0]] == [record["moves"] for record in again[1]]


def test_seeds_come_from_a_generator():
    p = op.game("mnk:9x9,k=5").start
    runs = []
    for _ in range(2):
        rng = random.Random(5)
        report = op.match("tictactoe", ["random", "random"], games=2, rng=rng)
        judged = op.judge("random", "tictactoe", 20, rng=rng)
        runs.append(([p.choose("random", rng=rng) for _ in range(8)], report.seed, judged.mistakes))
    assert runs[0] == runs[1] and len(set(runs[0][0])) > 3

    class Numpy:
        def integers(self, high):
            return high - 1

    assert p.choose("random", rng=Numpy()) == p.choose("random", seed=2**63 - 1)
    with pytest.raises(op.InputError, match="both"):
        p.choose("random", seed=1, rng=rng)
    with pytest.raises(op.InputError, match="not a random generator"):
        p.choose("random", rng=7)


# -- jobs ----------------------------------------------------------------------------------------------------------

LARGE = "mnk:8x8,k=5"


def endless():
    return op.game(LARGE, data="/nonexistent", time=60).start.value


class Endless:
    def start(self):
        return (0, 0)

    def turn(self, pos):
        return pos[1] % 2

    def moves(self, pos):
        return [1, 2, 3]

    def play(self, pos, n):
        return (pos[0] * 4 + n, pos[1] + 1)

    def outcome(self, pos):
        return None


@pytest.mark.parametrize("work", [endless, lambda: op.game(Endless(), memory=8e9).solve()])
def test_jobs_are_cancelled_from_another_thread(work):
    job = op.submit(work)
    time.sleep(0.3)
    assert not job.done() and "running" in repr(job)
    with pytest.raises(TimeoutError):
        job.result(timeout=0.01)
    began = time.monotonic()
    canceller = threading.Thread(target=job.cancel)
    canceller.start()
    with pytest.raises(op.CancelledError):
        job.result(timeout=30)
    canceller.join()
    assert time.monotonic() - began < 5 and job.done() and job.cancel() is False
    assert "failed" in repr(job)
    # Neither this thread nor the next job is cancelled.
    assert op.game("tictactoe").start.value == "draw"
    assert op.submit(lambda: op.game("tictactoe").start.value).result() == "draw"


def test_a_with_block_ends_its_job():
    with op.submit(endless) as job:
        time.sleep(0.1)
    with pytest.raises(op.CancelledError):
        job.result(timeout=30)


def test_jobs_are_awaited():
    async def both():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.005)

        ticker = asyncio.ensure_future(tick())
        first = op.submit(op.game("connect4:4x4").solve, save=False)
        second = op.submit(lambda: op.game("nim:1+2").start.value)
        values = [(await first).value, await second]
        ticker.cancel()
        return values, ticks

    values, ticks = asyncio.run(both())
    assert values == ["draw", "win"] and ticks >= 1


def test_a_cancelled_coroutine_cancels_its_job():
    async def impatient():
        job = op.submit(endless)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(job, 0.2)
        return job

    job = asyncio.run(impatient())
    with pytest.raises(op.CancelledError):
        job.result(timeout=30)


def test_errors_of_a_job_are_raised():
    job = op.submit(op.game, "conect4")
    with pytest.raises(op.InputError, match="conect4"):
        job.result()


# -- other libraries -----------------------------------------------------------------------------------------------


class Frame:
    """A stand-in for `pandas` and `polars`: both take columns by name."""

    def __init__(self, columns):
        self.columns = columns
        assert len({len(column) for column in columns.values()}) == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library, monkeypatch, tmp_path):
    stand_in = types.ModuleType(library)
    stand_in.DataFrame = Frame
    monkeypatch.setitem(sys.modules, library, stand_in)
    table = op.game("nim:1+2").solve(data=tmp_path)
    frame = getattr(table, f"to_{library}")().columns
    assert list(frame) == ["position", "turn", "value", "payoff", "distance"] and len(frame["position"]) == len(table)
    for text, value, distance in zip(frame["position"], frame["value"], frame["distance"]):
        p = table.game.position(at=text)
        assert (p.value, p.distance) == (value, distance)
    dice = getattr(op.game("piglet:3").solve(data=tmp_path), f"to_{library}")().columns
    assert list(dice) == ["position", "turn", "mean"] and all(-1 <= mean <= 1 for mean in dice["mean"])
    graph = getattr(op.compile("nim:1+2"), f"to_{library}")().columns
    assert sum(graph["finished"]) == sum(payoff is not None for payoff in graph["payoff"]) > 0
    report = getattr(op.match("nim:1+2", ["perfect", "random"], games=2), f"to_{library}")().columns
    assert report["player"] == ["perfect", "random"] and len(report["score"]) == 2
    judged = op.judge("random", "nim:1+2", 20, seed=1)
    frame = getattr(judged, f"to_{library}")().columns
    assert frame["group"][:2] == ["all", "choices"] and frame["moves"][0] == 20 and frame["share"][0] == judged.share


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_real_data_frames(library, tmp_path):
    pytest.importorskip(library)
    table = op.game("nim:1+2").solve(data=tmp_path)
    assert getattr(table, f"to_{library}")().shape == (len(table), 5)


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        op.compile("nim:1+2").to_pandas()


def test_graphs_for_networkx():
    pytest.importorskip("networkx")
    for seed in range(20):
        turns, payoffs, next_, odds = random_graph(seed)
        graph = op.Graph(turns, payoffs, next_, odds)
        made = graph.to_networkx()
        assert len(made) == len(graph) and made.number_of_edges() == sum(map(len, next_))
        for number in range(len(graph)):
            assert made.nodes[number] == {"turn": turns[number], "payoff": payoffs[number]}
            edges = sorted(made.out_edges(number, data=True), key=lambda edge: edge[2]["move"])
            assert [to for _, to, _ in edges] == next_[number] == graph.next(number)
            assert [edge["probability"] for _, _, edge in edges if "probability" in edge] == odds[number]
    assert op.Graph(*graph.lists()).game() == graph.game()
