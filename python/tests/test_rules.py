"""Games in Python: solved, queried, verified, stored, played, matched, drawn, served."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
import traceback
import urllib.request
from dataclasses import dataclass

import outplay as op
import pytest
from rules import Connect4, Graph, Pile, TicTacToe, forced, means, random_graph, reachable


def test_tic_tac_toe_is_solved():
    table = op.game(TicTacToe()).solve()
    assert table.value == "draw" and table.positions["legal"] == 5478
    ours = op.game("tictactoe").solve(save=False)
    assert table.positions == ours.positions


def test_every_value_equals_the_built_in_game():
    g = op.game(TicTacToe())
    g.solve()
    named = op.game("tictactoe")
    graph = op.compile(g)
    for number in range(0, len(graph), 37):
        p = graph.position(number)
        # The first character is the top left cell, as in the notation of boards.
        text = "/".join(p.object[i : i + 3] for i in (0, 3, 6))
        q = named.position(at=text)
        assert p.payoff == q.payoff, text
        if p.payoff:
            assert p.distance == q.distance, text


def test_connect_four_by_python():
    table = op.game(Connect4()).solve()
    assert table.value == "draw" and table.positions["legal"] == 161_029


def test_moves_are_objects_or_words():
    p = op.game(TicTacToe()).start
    assert p.choices == list(range(9)) and p.legal == [str(i) for i in range(9)]
    assert p.play(4).object == p.play("4").object == "....x...."
    assert p.play(4, 0).object == "o...x...."


def test_positions_by_object_and_text():
    g = op.game(Pile())
    assert g.position(at=(3, 0)).value == "loss"
    assert g.position(at="(3, 0)").value == "loss"
    with pytest.raises(op.InputError):
        g.solve() and g.position(at=(99, 0))


def test_best_play():
    p = op.game(Pile()).start
    assert (p.value, p.distance, p.best) == ("win", 5, ["1"])
    assert p.play(*p.line).over
    assert "win" in p.why().sentence or p.why().sentence


def test_a_table_of_ones_own_is_stored_and_verified(tmp_path):
    g = op.game(TicTacToe())
    table = g.solve(data=tmp_path)
    assert table.stored and table.verify() == {"game": "python:tictactoe", "checked": 5478, "wrong": 0, "first_wrong": None}
    again = op.game(TicTacToe()).table(data=tmp_path)
    assert again.probe(["." * 9])[0].tolist() == [0]


def test_a_table_by_other_rules_is_not_believed(tmp_path):
    op.game(Pile()).solve(data=tmp_path)

    class Misere(Pile):
        name = "pile"

        def outcome(self, pos):
            paid = super().outcome(pos)
            return None if paid is None else -paid

    with pytest.raises(op.TableError, match="other rules"):
        op.game(Misere()).table(data=tmp_path)
    # Solving creates a table of the current rules.
    assert op.game(Misere()).solve(data=tmp_path).value == "loss"
    with pytest.raises(op.TableError, match="other rules"):
        op.game(Pile()).table(data=tmp_path)


def test_players_of_all_kinds_play_it():
    g = op.game(TicTacToe())
    report = op.match(g, ["perfect", "random", "alphabeta:depth=2", lambda p: p.choices[0]], games=4)
    assert len(report.players) == 4 and not report.get("faults")


def test_a_game_too_large_to_meet_is_played_lazily():
    class Endless:
        def start(self):
            return (0, 0)

        def turn(self, pos):
            return pos[1] % 2

        def moves(self, pos):
            return [] if pos[1] >= 40 else [1, 2, 3]

        def play(self, pos, n):
            return (pos[0] * 4 + n, pos[1] + 1)

        def outcome(self, pos):
            return None if pos[1] < 40 else (1 if pos[0] % 2 else -1)

    g = op.game(Endless(), time=0.3)
    assert g.start.choose("alphabeta:depth=3") in ("1", "2", "3")
    with pytest.raises(op.LimitError) as caught:
        g.solve()
    assert "time" in caught.value.cure


def test_pictures_of_ones_own():
    p = op.game(TicTacToe()).position("4 0")
    assert str(p) == "o..\n.x.\n...\n"
    assert p.svg().count("<circle") == 2


def test_symmetry_of_ones_own():
    class Symmetric(TicTacToe):
        name = "symmetric"

        def symmetric(self, pos):
            return [pos, "".join(pos[i] for i in (2, 1, 0, 5, 4, 3, 8, 7, 6))]

    g = op.game(Symmetric())
    table = g.solve()
    assert table.positions["legal"] == 5478
    assert len(set(g.position("0").symmetric())) == 2


def test_dice_of_ones_own():
    class Race:
        """Roll until a player has three points; two sides of the die score."""

        def start(self):
            return (0, 0, 0)

        def turn(self, pos):
            return "chance"

        def moves(self, pos):
            raise AssertionError("nobody chooses")

        def chance(self, pos):
            return [] if max(pos[:2]) == 3 else [("hit", 1 / 3), ("miss", 2 / 3)]

        def play(self, pos, roll):
            points = list(pos[:2])
            points[pos[2]] += roll == "hit"
            return (*points, 1 - pos[2])

        def outcome(self, pos):
            return 1 if pos[0] == 3 else -1 if pos[1] == 3 else None

    class Paid(Race):
        def moves(self, pos):
            return []

    table = op.game(Paid()).solve()
    assert 0.5 < table.expected < 0.7
    p = op.game(Paid()).start
    assert p.rolls == [("hit", 1 / 3), ("miss", 2 / 3)]


def test_loops_of_ones_own():
    # 0 can repeat the position or give up: neither player can force a win.
    rules = Graph([0, 1, 0], [None, None, -1], [[1, 2], [0]], [[], []])
    rules.next.append([])
    p = op.game(rules).start
    assert p.value == "draw" and p.repetition


def test_larger_payoffs():
    rules = Graph([0, 0, 0], [None, 5, -7], [[1, 2], [], []], [[], [], []])
    p = op.game(rules).start
    assert p.payoff == 5 and p.value == "win" and p.game.best_payoff == 7


@pytest.mark.parametrize("part", range(10))
def test_random_games_agree(part):
    """Solve 300 random games through Python, by the Rust solver from a graph, and by the reference solver."""
    for seed in range(part * 30, part * 30 + 30):
        loops, dice = seed % 4 != 0, seed % 2 == 1
        turns, payoffs, next_, odds = random_graph(seed, loops, dice)
        game = op.game(Graph(turns, payoffs, next_, odds))
        through = {p.object: p for p in map(op.compile(game).position, range(len(op.compile(game))))}
        assert set(through) == reachable(next_)
        values = op.Graph(turns, payoffs, next_, odds).solve()[0]
        if 2 in (turns[pos] for pos in range(len(turns))):
            expected = means(turns, payoffs, next_, odds)
            for pos, p in through.items():
                assert abs(values[pos] - expected[pos]) < 1e-6, (seed, pos)
                if 2 in (turns[q] for q in through):
                    assert abs(p.mean - expected[pos]) < 1e-6, (seed, pos)
        else:
            expected = forced(turns, payoffs, next_)
            for pos, p in through.items():
                own = expected[pos] if turns[pos] == 0 else -expected[pos]
                assert values[pos] == own == p.payoff, (seed, pos)


def test_payoffs_are_changed_without_python():
    graph = op.compile(op.game(TicTacToe()))
    assert len(graph) == 5478
    # If a tie counts as a win for the second player, the second player wins.
    payoffs = graph.payoffs
    payoffs[graph.finished & (payoffs == 0)] = -1
    values, _ = graph.with_payoffs(payoffs).solve()
    assert values[0] == -1
    assert op.compile("tictactoe").solve()[0][0] == 0


def test_graphs_tell_what_is_wrong():
    for wrong in (([0], [None], [[]]), ([0, 0], [None, 1], [[1], [0]]), ([0, 0], [None, 1], [[7], []]), ([], [], [])):
        with pytest.raises(op.LawError):
            op.Graph(*wrong)
    with pytest.raises(op.LawError, match="odds"):
        op.Graph([2, 0], [None, 1], [[1], []], [[0.5], []])
    with pytest.raises(op.InputError):
        op.Graph([0], [None, 1], [[1]])


@dataclass(frozen=True)
class Frozen:
    left: int
    player: int


def test_positions_may_be_data_classes():
    class Dataclass(Pile):
        def start(self):
            return Frozen(7, 0)

        def turn(self, pos):
            return pos.player

        def moves(self, pos):
            return [n for n in (1, 2) if n <= pos.left]

        def play(self, pos, n):
            return Frozen(pos.left - n, 1 - pos.player)

        def outcome(self, pos):
            return None if pos.left else (-1 if pos.player == 0 else 1)

    g = op.game(Dataclass())
    assert g.solve().value == "win"
    assert g.position(at="Frozen(left=3, player=0)").value == "loss"


# -- mistakes ------------------------------------------------------------------------------------------------------


def law(rules):
    with pytest.raises(op.LawError) as caught:
        op.game(rules).solve()
    return caught.value


def test_a_move_from_a_finished_position():
    class Mistake(TicTacToe):
        def moves(self, pos):
            return [i for i, c in enumerate(pos) if c == "."]

    error = law(Mistake())
    assert error.law == "finished" and TicTacToe().outcome(error.position) is not None
    assert repr(error.position) in str(error)


def test_a_turn_that_changes():
    class Mistake(Pile):
        asked = 0

        def turn(self, pos):
            self.asked += 1
            return self.asked % 2

    assert law(Mistake()).law == "turn"


def test_a_turn_that_is_not_in_the_position():
    class Mistake(Pile):
        """The player to move is stored outside the position."""

        player = 0

        def start(self):
            return 7

        def turn(self, pos):
            return self.player

        def moves(self, pos):
            return [n for n in (1, 2) if n <= pos]

        def play(self, pos, n):
            self.player = 1 - self.player
            return pos - n

        def outcome(self, pos):
            return None if pos else 1

    assert law(Mistake()).law == "turn"


def test_unequal_equal_positions():
    class Box:
        def __init__(self, left, player):
            self.left, self.player = left, player

        def __repr__(self):
            return f"Box({self.left}, {self.player})"

    class Mistake(Pile):
        def start(self):
            return Box(7, 0)

        def turn(self, pos):
            return pos.player

        def moves(self, pos):
            return [n for n in (1, 2) if n <= pos.left]

        def play(self, pos, n):
            return Box(pos.left - n, 1 - pos.player)

        def outcome(self, pos):
            return None if pos.left else 1

    error = law(Mistake())
    assert error.law == "equal positions" and "__eq__" in str(error)


def test_payoffs_that_do_not_sum_to_zero():
    class Mistake(Pile):
        def outcome(self, pos):
            return None if pos[0] else (1, 1)

    error = law(Mistake())
    assert error.law == "zero sum" and error.position[0] == 0


def test_pairs_that_do_sum_to_zero():
    class Pairs(Pile):
        def outcome(self, pos):
            paid = super().outcome(pos)
            return None if paid is None else (paid, -paid)

    assert op.game(Pairs()).solve().value == "win"


def test_no_move_and_no_end():
    class Mistake(Pile):
        def outcome(self, pos):
            return None

    assert law(Mistake()).law == "unfinished"


def test_play_that_changes_the_position():
    class Mistake(Pile):
        class Mutable:
            def __init__(self):
                self.left, self.player = 7, 0

            def __eq__(self, other):
                return (self.left, self.player) == (other.left, other.player)

            def __hash__(self):
                return hash((self.left, self.player))

        def start(self):
            return self.Mutable()

        def turn(self, pos):
            return pos.player

        def moves(self, pos):
            return [n for n in (1, 2) if n <= pos.left]

        def play(self, pos, n):
            pos.left -= n
            pos.player = 1 - pos.player
            return pos

        def outcome(self, pos):
            return None if pos.left else 1

    assert law(Mistake()).law in ("play", "turn")


def test_positions_must_be_hashable():
    class Mistake(Pile):
        def start(self):
            return [7, 0]

    with pytest.raises(op.LawError) as caught:
        op.game(Mistake())
    assert caught.value.law == "hashable positions"


@pytest.mark.parametrize("said", ["x", 2, None, 0.5])
def test_turns_that_nobody_understands(said):
    class Mistake(Pile):
        def turn(self, pos):
            return said

    assert law(Mistake()).law == "turn"


@pytest.mark.parametrize("said", ["win", 0.5, object()])
def test_payoffs_that_nobody_understands(said):
    class Mistake(Pile):
        def outcome(self, pos):
            return None if pos[0] else said

    assert law(Mistake()).law == "payoff"


def test_chances_that_do_not_sum_to_one():
    error = law(Graph([2, 0, 0], [None, 1, -1], [[1, 2], [], []], [[0.5, 0.6], [], []]))
    assert error.law == "chance" and "1.1" in str(error)


def test_chance_without_odds():
    class Mistake(Pile):
        def turn(self, pos):
            return "chance"

    assert law(Mistake()).law == "chance"


def test_symmetric_positions_that_are_not_alike():
    class Mistake(Pile):
        def symmetric(self, pos):
            return [(7, 0)]

    assert law(Mistake()).law == "symmetric"


def test_not_a_game_at_all():
    with pytest.raises(op.InputError, match="start"):
        op.game(object())


def test_an_exception_keeps_its_traceback_and_leaves_no_table(tmp_path):
    class Mistake(TicTacToe):
        def play(self, pos, i):
            if pos.count(".") == 3:
                raise ZeroDivisionError("in the rules")
            return super().play(pos, i)

    with pytest.raises(ZeroDivisionError, match="in the rules") as caught:
        op.game(Mistake()).solve(data=tmp_path)
    assert "raise ZeroDivisionError" in "".join(traceback.format_exception(caught.value))
    assert list(tmp_path.iterdir()) == []


def test_an_exception_in_a_lazy_game_is_raised():
    class Mistake(TicTacToe):
        def moves(self, pos):
            if pos.count("x") == 2:
                raise RuntimeError("late")
            return super().moves(pos)

    g = op.game(Mistake())
    with pytest.raises(RuntimeError, match="late"):
        g.start.choose("alphabeta:depth=6")
    with pytest.raises(RuntimeError, match="late"):
        assert g.start.value


def test_an_exception_in_a_player_is_raised():
    def broken(position):
        raise KeyError("nothing to play")

    with pytest.raises(KeyError, match="nothing to play"):
        op.match("tictactoe", ["random", broken], games=4)


def test_rules_that_ask_about_their_own_game():
    class Mistake(Pile):
        def outcome(self, pos):
            return self.game.position(at=pos).outcome

    rules = Mistake()
    rules.game = op.game(Pile())
    rules.game = op.game(rules)
    with pytest.raises(op.RulesError, match="query outplay"):
        rules.game.solve()


def test_a_game_in_python_is_served(tmp_path):
    with op.serve(TicTacToe(), data=tmp_path) as server:
        assert "python:tictactoe" in server.url
        base = server.url.split("#")[0]
        with urllib.request.urlopen(base, timeout=10) as page:
            assert b"<html" in page.read().lower()
        with urllib.request.urlopen(f"{base}api/v1/position?game=python:tictactoe&moves=4+0", timeout=10) as found:
            answer = json.load(found)
        assert answer["value"] == "draw" and len(answer["moves"]) == 7


def test_no_growth_over_many_solves():
    def solves(count):
        for _ in range(count):
            op.game(Pile(3)).solve()
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc")
    solves(1000)
    before = solves(500)
    after = solves(9000)
    assert after - before < 8_000_000, f"{after - before} bytes more"


def test_a_position_of_other_rules_is_refused_and_spoils_nothing():
    one, other = op.game(Pile()), op.game(Pile())
    assert one.start != other.start and op.game(one).start == one.start
    for foreign in (other.start, op.game("tictactoe").start):
        with pytest.raises(ValueError, match="python:pile"):
            one.position(at=foreign)
    # The thread is no longer marked as being inside the rules.
    assert one.solve().value == "win" and op.game(Pile()).solve().value == "win"


# -- play that changes its argument --------------------------------------------------------------------------------


class Heap:
    """A mutable position; subclasses define how it compares."""

    __slots__ = ("left", "player", "cache")

    def __init__(self, left, player):
        self.left, self.player, self.cache = left, player, None


class Valued(Heap):
    """Compares by its contents, with a constant hash."""

    def __eq__(self, other):
        return (self.left, self.player) == (other.left, other.player)

    def __hash__(self):
        return 1


class Hashed(Valued):
    def __hash__(self):
        return hash((self.left, self.player))


class Listed(list):
    """A list that is hashed by its identity."""

    __hash__ = object.__hash__

    def __init__(self, left, player):
        super().__init__([left, player])

    left = property(lambda self: self[0], lambda self, left: self.__setitem__(0, left))
    player = property(lambda self: self[1], lambda self, player: self.__setitem__(1, player))


class HeapGame:
    """One pile: take one or two; `play` modifies its argument and returns it or a copy."""

    name = "heap"

    def __init__(self, kind, returns_copy, same_turn=False):
        self.kind, self.returns_copy, self.same_turn = kind, returns_copy, same_turn

    def start(self):
        return self.kind(9, 0)

    def turn(self, pos):
        return pos.player

    def moves(self, pos):
        return [n for n in (1, 2) if n <= pos.left]

    def play(self, pos, n):
        pos.left -= n
        if not self.same_turn:
            pos.player = 1 - pos.player
        return self.kind(pos.left, pos.player) if self.returns_copy else pos

    def outcome(self, pos):
        return None if pos.left else (-1 if pos.player == 0 else 1)


@pytest.mark.parametrize("same_turn", [False, True])
@pytest.mark.parametrize("returns_copy", [False, True])
@pytest.mark.parametrize("kind", [Heap, Valued, Hashed, Listed])
def test_play_that_changes_its_argument_is_refused(kind, returns_copy, same_turn):
    error = law(HeapGame(kind, returns_copy, same_turn))
    # A copy of a position without `__eq__` is a different position anyway.
    assert error.law in (("play", "equal positions") if kind in (Heap, Listed) and returns_copy else ("play",))


def test_play_that_fills_a_cache_of_its_argument_is_lawful():
    class Cached(HeapGame):
        def play(self, pos, n):
            pos.cache = pos.cache or {}
            pos.cache[n] = True
            return self.kind(pos.left - n, 1 - pos.player)

    assert op.game(Cached(Hashed, True), check=True).solve().value == "loss"

    class Tree(HeapGame):
        """Nodes compare by identity and are created when they are first reached."""

        def play(self, pos, n):
            pos.cache = pos.cache or {}
            return pos.cache.setdefault(n, Heap(pos.left - n, 1 - pos.player))

    assert op.game(Tree(Heap, True), check=True).solve().value == "loss"


# -- equal positions that behave differently -----------------------------------------------------------------------


class Forgetful:
    """A position that compares by its visible part and has hidden state."""

    def __init__(self, shown, *hidden):
        self.shown, self.hidden = shown, hidden

    def __eq__(self, other):
        return self.shown == other.shown

    def __hash__(self):
        return hash(self.shown)

    def __repr__(self):
        return f"Forgetful({self.shown}, {self.hidden})"


class NoRepeat:
    """A token walks on a ring of six; a place must not be visited twice, and the last to move wins."""

    def start(self):
        return Forgetful((0, 0), frozenset({0}))

    def turn(self, pos):
        return pos.shown[1]

    def moves(self, pos):
        return [step for step in (1, 2, 5) if (pos.shown[0] + step) % 6 not in pos.hidden[0]]

    def play(self, pos, step):
        place = (pos.shown[0] + step) % 6
        return Forgetful((place, 1 - pos.shown[1]), pos.hidden[0] | {place})

    def outcome(self, pos):
        return None if self.moves(pos) else (-1 if pos.shown[1] == 0 else 1)


class Limited:
    """A token walks to and fro; the game is a tie after twenty moves."""

    def start(self):
        return Forgetful((0, 0), 0)

    def turn(self, pos):
        return pos.shown[1]

    def moves(self, pos):
        return [] if pos.hidden[0] >= 20 else [1, 2]

    def play(self, pos, step):
        return Forgetful(((pos.shown[0] + step) % 5, 1 - pos.shown[1]), pos.hidden[0] + 1)

    def outcome(self, pos):
        return 0 if pos.hidden[0] >= 20 else None


class Paid:
    """Both orders of two moves lead to the same place, whose payoff depends on the order."""

    def start(self):
        return Forgetful("", "")

    def turn(self, pos):
        return len(pos.hidden[0]) % 2

    def moves(self, pos):
        return [c for c in "ab" if c not in pos.hidden[0]]

    def play(self, pos, move):
        path = pos.hidden[0] + move
        return Forgetful("".join(sorted(path)), path)

    def outcome(self, pos):
        return None if len(pos.hidden[0]) < 2 else (1 if pos.hidden[0] == "ab" else -1)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("rules", [NoRepeat, Limited, Paid])
def test_equal_positions_that_behave_differently_are_refused(rules, check):
    with pytest.raises(op.LawError) as caught:
        op.game(rules(), check=check).solve()
    error = caught.value
    assert error.law == "equal positions"
    assert error.position == error.other and error.position.hidden != error.other.hidden
    assert repr(error.position) in str(error) and repr(error.other) in str(error)


@pytest.mark.parametrize("rules", [NoRepeat, Paid])
def test_the_same_rules_are_solved_when_positions_compare_by_all(rules):
    class Honest(rules):
        name = "honest"

        def start(self):
            return self.told(super().start())

        def play(self, pos, move):
            return self.told(super().play(pos, move))

        def told(self, pos):
            return type("Whole", (Forgetful,), {"__eq__": lambda a, b: (a.shown, a.hidden) == (b.shown, b.hidden), "__hash__": Forgetful.__hash__})(pos.shown, *pos.hidden)

    assert op.game(Honest(), check=True).solve().value in ("win", "loss")


def test_a_rare_difference_is_found_with_check():
    class Rare:
        """Two tokens walk on a grid of 40 by 40; one cell depends on how it was entered."""

        def start(self):
            return Forgetful((0, 0), None)

        def turn(self, pos):
            return sum(pos.shown) % 2

        def moves(self, pos):
            x, y = pos.shown
            if pos.shown == (31, 17) and pos.hidden[0] == "up":
                return ["up"]
            return [word for word, free in (("right", x < 39), ("up", y < 39)) if free]

        def play(self, pos, word):
            x, y = pos.shown
            return Forgetful((x + (word == "right"), y + (word == "up")), word)

        def outcome(self, pos):
            return 0 if pos.shown == (39, 39) else None

    with pytest.raises(op.LawError) as caught:
        op.game(Rare(), check=True).solve()
    assert caught.value.law == "equal positions" and caught.value.position.shown == (31, 17)


def test_moves_may_come_in_any_order():
    class Sets(Pile):
        """Equal positions list their moves in different orders."""

        flip = False

        def moves(self, pos):
            self.flip = not self.flip
            return super().moves(pos)[:: -1 if self.flip else 1]

    assert op.game(Sets(), check=True).solve().value == "win"


def test_moves_without_an_equality_are_counted():
    class Step:
        def __init__(self, count):
            self.count = count

    class Steps(Pile):
        def moves(self, pos):
            return [Step(n) for n in super().moves(pos)]

        def play(self, pos, step):
            return super().play(pos, step.count)

    assert op.game(Steps(), check=True).solve().value == "win"


def test_check_belongs_to_the_rules():
    with pytest.raises(op.InputError, match="check"):
        op.game(op.game(Pile()), check=True)


# -- limits ---------------------------------------------------------------------------------------------------------


class Wide:
    """A tree of three to the power of `depth`; positions are tuples of moves."""

    def __init__(self, depth=40):
        self.depth = depth

    def start(self):
        return ()

    def turn(self, pos):
        return len(pos) % 2

    def moves(self, pos):
        return [] if len(pos) >= self.depth else [1, 2, 3]

    def play(self, pos, n):
        return (*pos, n)

    def outcome(self, pos):
        return None if len(pos) < self.depth else (1 if sum(pos) % 2 else -1)


@pytest.mark.parametrize("at", ["nonsense", "abcdefghi", 7, (1, 2), None, "xxx......", b"........."])
def test_positions_are_validated_before_the_game_is_solved(at):
    if at is None:
        at = object()
    g = op.game(TicTacToe())
    with pytest.raises(op.InputError):
        g.position(at=at)
    assert g.position(at="....x....").turn == "second"
    assert g.solve().positions["legal"] == 5478 and len(op.compile(g)) == 5478


@pytest.mark.parametrize("at", ["nonsense", 7, (9, 9, 9), (1, "x"), [1]])
def test_positions_of_a_large_game_are_validated_by_its_rules(at):
    class Strict(Wide):
        def turn(self, pos):
            if not all(n in (1, 2, 3) for n in pos):
                raise ValueError("no such moves")
            return super().turn(pos)

    g = op.game(Strict(), time=0.2)
    with pytest.raises((op.InputError, op.LawError)):
        g.position(at=at)
    assert g.position(at=(1, 2, 3)).turn == "second" and g.start.play(1).object == (1,)


def test_exploring_stays_within_its_memory():
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc")
    script = """
import resource, sys
sys.path.insert(0, DIRECTORY)
import outplay as op
from test_rules import Wide
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
g = op.game(Wide(), memory=100_000_000, time=60)
try:
    g.solve()
except op.LimitError as error:
    assert "memory" in str(error), error
    assert peak() - before < 120_000_000, peak() - before
try:
    # Explored lazily, a search also keeps its memory limit.
    g.start.choose("alphabeta:depth=30")
except op.LimitError as error:
    assert "MB" in str(error), error
print(peak() - before)
"""
    here = os.path.dirname(__file__)
    run = subprocess.run(
        [sys.executable, "-c", script.replace("DIRECTORY", repr(here))], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 220_000_000, run.stdout


def test_time_covers_exploring_and_solving():
    began = time.monotonic()
    with pytest.raises(op.LimitError, match="0.3 s"):
        op.game(Wide()).solve(time=0.3)
    with pytest.raises(op.LimitError, match="0.3 s"):
        op.game(Wide(), time=0.3).solve()
    with pytest.raises(op.LimitError, match="0.3 s"):
        op.compile(Wide(), time=0.3)
    with pytest.raises(op.LimitError, match="0.3 s"):
        op.exploitability(lambda position: position.legal[0], Wide(), time=0.3)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("said", [None, 3])
@pytest.mark.parametrize("method", ["moves", "chance", "symmetric"])
def test_lists_that_are_none(method, said):
    class Mistake(Pile):
        pass

    setattr(Mistake, method, lambda self, pos: said)
    if method == "chance":
        Mistake.turn = lambda self, pos: "chance"
    error = law(Mistake())
    assert error.law == method and f"`{method}` returns {said}" in str(error) and error.position == (7, 0)
    assert "iterable" in str(error)
