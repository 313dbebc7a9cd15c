"""Games in Python for the tests, written as users write them."""

from __future__ import annotations

import random

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToe:
    """Positions are nine characters."""

    def start(self):
        return "." * 9

    def turn(self, pos):
        return (9 - pos.count(".")) % 2

    def moves(self, pos):
        return [] if self.outcome(pos) is not None else [i for i, c in enumerate(pos) if c == "."]

    def play(self, pos, i):
        return pos[:i] + "xo"[self.turn(pos)] + pos[i + 1 :]

    def outcome(self, pos):
        for a, b, c in LINES:
            if pos[a] != "." and pos[a] == pos[b] == pos[c]:
                return 1 if pos[a] == "x" else -1
        return None if "." in pos else 0

    def picture(self, pos):
        return "\n".join(pos[i : i + 3] for i in (0, 3, 6))


class Connect4:
    """Connect-4 on a small board: positions are the columns, bottom up, and the ply."""

    def __init__(self, columns=4, rows=4):
        self.columns, self.rows = columns, rows

    def start(self):
        return ("",) * self.columns

    def turn(self, pos):
        return sum(map(len, pos)) % 2

    def moves(self, pos):
        return [] if self.outcome(pos) is not None else [c for c, col in enumerate(pos) if len(col) < self.rows]

    def play(self, pos, c):
        return pos[:c] + (pos[c] + "xo"[self.turn(pos)],) + pos[c + 1 :]

    def outcome(self, pos):
        stone = "ox"[self.turn(pos)]
        grid = [col.ljust(self.rows) for col in pos]
        for col in grid:
            if stone * 4 in col:
                return 1 if stone == "x" else -1
        for r in range(self.rows):
            if stone * 4 in "".join(col[r] for col in grid):
                return 1 if stone == "x" else -1
        for c in range(self.columns - 3):
            for r in range(self.rows - 3):
                if all(grid[c + i][r + i] == stone for i in range(4)) or all(grid[c + i][r + 3 - i] == stone for i in range(4)):
                    return 1 if stone == "x" else -1
        return None if any(len(col) < self.rows for col in pos) else 0


class Pile:
    """One pile: take one or two; the player who takes the last one wins."""

    def __init__(self, matches=7):
        self.matches = matches

    def start(self):
        return (self.matches, 0)

    def turn(self, pos):
        return pos[1]

    def moves(self, pos):
        return [n for n in (1, 2) if n <= pos[0]]

    def play(self, pos, n):
        return (pos[0] - n, 1 - pos[1])

    def outcome(self, pos):
        return None if pos[0] else (-1 if pos[1] == 0 else 1)


class Graph:
    """A game that is a graph: lists of turns, payoffs, moves and odds."""

    name = "graph"

    def __init__(self, turns, payoffs, next_, odds):
        self.turns, self.payoffs, self.next, self.odds = turns, payoffs, next_, odds
        if 2 not in turns:
            self.chance = None

    def start(self):
        return 0

    def turn(self, pos):
        return ("first", "second", "chance")[self.turns[pos]]

    def moves(self, pos):
        return range(len(self.next[pos]))

    def play(self, pos, place):
        return self.next[pos][place]

    def outcome(self, pos):
        return self.payoffs[pos]

    def chance(self, pos):
        return list(enumerate(self.odds[pos]))


def random_graph(seed, loops=True, dice=True):
    """A random small game: turns, payoffs, moves and odds."""
    rng = random.Random(seed)
    count = rng.randint(2, 25)
    turns, payoffs, next_, odds = [], [], [], []
    for pos in range(count):
        finished = pos > 0 and rng.random() < 0.3 or pos == count - 1
        turn = rng.choice([0, 1, 2] if dice else [0, 1])
        if pos == 0 and turn == 2:
            turn = 0
        low = 0 if loops else pos + 1
        if finished or low >= count:
            turns.append(turn % 2)
            payoffs.append(rng.choice([-1, 0, 1]))
            next_.append([])
            odds.append([])
            continue
        to = [rng.randrange(low, count) for _ in range(rng.randint(1, 3))]
        turns.append(turn)
        payoffs.append(None)
        next_.append(to)
        weights = [rng.randint(1, 4) for _ in to]
        odds.append([weight / sum(weights) for weight in weights] if turn == 2 else [])
    if 2 in turns:
        # Means exist only for games that can end: a position that reaches no end gets a move to one.
        for pos in range(count):
            if not any(payoffs[to] is not None for to in reachable(next_, pos)):
                next_[pos].append(count - 1)
                odds[pos] = [1 / len(next_[pos])] * len(next_[pos]) if turns[pos] == 2 else []
    return turns, payoffs, next_, odds


def reachable(next_, start=0):
    """Return the positions that are reachable from the start."""
    seen, todo = {start}, [start]
    while todo:
        for to in next_[todo.pop()]:
            if to not in seen:
                seen.add(to)
                todo.append(to)
    return seen


def forced(turns, payoffs, next_):
    """Reference solver without chance: payoffs of the first player by attractors; 0 if neither can force an end."""
    count = len(turns)
    worth = [None] * count
    for wanted, helper in ((1, 0), (-1, 1)):
        won = {pos for pos in range(count) if payoffs[pos] == wanted}
        while True:
            more = set()
            for pos in range(count):
                if pos in won or payoffs[pos] is not None:
                    continue
                ahead = [to in won for to in next_[pos]]
                if any(ahead) if turns[pos] == helper else all(ahead):
                    more.add(pos)
            if not more:
                break
            won |= more
        for pos in won:
            worth[pos] = wanted
    return [value or 0 for value in worth]


def means(turns, payoffs, next_, odds, rounds=4000):
    """Reference solver with chance: value iteration from zero."""
    worth = [float(payoff or 0) for payoff in payoffs]
    for _ in range(rounds):
        change = 0.0
        for pos in range(len(turns)):
            if payoffs[pos] is not None:
                continue
            ahead = [worth[to] for to in next_[pos]]
            if turns[pos] == 2:
                new = sum(chance * value for chance, value in zip(odds[pos], ahead))
            else:
                new = max(ahead) if turns[pos] == 0 else min(ahead)
            change = max(change, abs(new - worth[pos]))
            worth[pos] = new
        if change < 1e-13:
            break
    return worth
