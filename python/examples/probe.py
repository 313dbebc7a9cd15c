"""Probe rate of tables: python python/examples/probe.py [SPEC] [BOARDS]

Collects boards of random games in one array and probes all of them, on one thread and on two.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import outplay as op
from numpy.typing import NDArray


def boards(game: op.Game, count: int, seed: int) -> NDArray[np.int8]:
    """Return boards after random moves on a board with gravity."""
    assert game.size is not None
    columns, rows = game.size
    rng = np.random.default_rng(seed)
    found = np.zeros((count, rows, columns), np.int8)
    heights = np.zeros((count, columns), np.int64)
    stones = rng.integers(0, rows * columns, count)
    for ply in range(rows * columns):
        playing = np.flatnonzero(stones > ply)
        # A uniformly random column that is not full.
        room = heights[playing] < rows
        chosen = np.argmax(rng.random(room.shape) * room, axis=1)
        found[playing, rows - 1 - heights[playing, chosen], chosen] = 1 + ply % 2
        heights[playing, chosen] += 1
    return found


def main() -> None:
    spec = sys.argv[1] if len(sys.argv) > 1 else "connect4:5x5"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    game = op.game(spec)
    table = game.solve()
    asked = boards(game, count, 1)
    table.probe(asked[:1000])
    for threads in (1, 2, 1, 2):
        began = time.perf_counter()
        values, _ = table.probe(asked, threads=threads)
        seconds = time.perf_counter() - began
        known = int((values != op.UNKNOWN).sum())
        print(f"{spec}: {count / seconds:,.0f} probes/s on {threads} threads, {known:,} of {count:,} boards known")


if __name__ == "__main__":
    main()
