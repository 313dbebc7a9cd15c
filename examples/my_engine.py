"""A Connect-4 engine by UGI: outplay match connect4 "ugi:python3 examples/my_engine.py" random

It completes four, stops four, opens no cell above for the opponent's four, and otherwise prefers the middle.
"""

import sys

WIDTH, HEIGHT = 7, 6


def drop(columns, column, stone):
    return [stones + stone * (at == column) for at, stones in enumerate(columns)]


def wins(columns, column):
    """Whether the top stone of a column completes four in a row."""
    row = len(columns[column]) - 1

    def run(across, up, length=1):
        at, height = column + across * length, row + up * length
        same = 0 <= at < WIDTH and 0 <= height < len(columns[at]) and columns[at][height] == columns[column][row]
        return 1 + run(across, up, length + 1) if same else 0

    return any(1 + run(*way) + run(-way[0], -way[1]) >= 4 for way in [(1, 0), (0, 1), (1, 1), (1, -1)])


def choose(columns, stone):
    other = "xo"[stone == "x"]
    free = sorted((c for c in range(WIDTH) if len(columns[c]) < HEIGHT), key=lambda c: abs(2 * c - WIDTH + 1))
    win = [c for c in free if wins(drop(columns, c, stone), c)]
    stop = [c for c in free if wins(drop(columns, c, other), c)]
    safe = [c for c in free if not wins(drop(drop(columns, c, stone), c, other), c)]
    return (win or stop or safe or free)[0]


columns = [""] * WIDTH
for line in sys.stdin:
    words = line.split() or [""]
    if words[0] == "ugi":
        print("id name my engine\noption name Game type string default connect4\nugiok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        rows = ["." * WIDTH] * HEIGHT if words[1] == "startpos" else words[2].split("/")
        columns = ["".join(row[c] for row in reversed(rows)).rstrip(".") for c in range(WIDTH)]
        for move in words[words.index("moves") + 1 :] if "moves" in words else []:
            columns = drop(columns, int(move) - 1, "xo"[sum(map(len, columns)) % 2])
    elif words[0] == "go":
        print("info depth 2 nodes", 4 * sum(len(stones) < HEIGHT for stones in columns))
        print("bestmove", 1 + choose(columns, "xo"[sum(map(len, columns)) % 2]))
    elif words[0] == "quit":
        break
    sys.stdout.flush()
