"""Module-level functions. Each accepts a spec, an object with rules, or a `Game`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ._outplay import Game, Graph, Position, check_, compile_, game, match_, prove_
from ._proof import Claim, Proof
from ._random import drawn
from ._report import Report
from ._types import Progress
from .errors import InputError, LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .environment import Env


def match(
    of: Any,
    players: Sequence[str | Callable[[Position], Any]],
    *,
    games: int = 100,
    openings: int | None = None,
    seed: int | None = None,
    rng: Any = None,
    judged: bool = False,
    time: float | None = None,
    plies: int | None = None,
    concurrency: int = 1,
    records: bool = False,
    moves: str = "",
    progress: Progress = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Report:
    """Play a match between players, and return its report.

    Openings are random, each opening is played with both colours, and `seed` determines the whole match.

    - `players`: specs such as ``"perfect"`` or ``"alphabeta:depth=4"``, and functions that take a position and return a
      move: a word, or a move object of rules in Python.
    - `seed`: random seed; by default a fresh one, which the report has as `seed`.
    - `rng`: a generator that draws the seed: `random.Random` or `numpy.random.Generator`.
    - `judged`: compare every move with exact values.
    - `time`: time limit in seconds for a move, and for finding the value of a position. A player that exceeds it loses
      the game.
    - `memory`, `data`: as in `outplay.game`. If `of` is a `Game`, its limits apply unless others are given.

    >>> import outplay as op
    >>> def first(position):
    ...     return position.legal[0]
    >>> report = op.match("tictactoe", ["perfect", first], games=20)
    >>> report.score("perfect") > 0.5
    True
    """
    report = match_(
        game(of, time=time, memory=memory, data=data),
        list(players),
        games=games,
        openings=openings,
        seed=drawn(seed, rng),
        judged=judged,
        time=time,
        plies=plies,
        concurrency=concurrency,
        records=records,
        moves=moves,
        progress=progress,
    )
    return Report(report, [player if isinstance(player, str) else None for player in players])


def prove(of: str | Game, *, moves: str = "", time: float | None = None, progress: Progress = None) -> Proof:
    """Prove the value of a k-in-a-row board without gravity, and return a `Proof` that can be checked independently.

    Raises `LimitError` if no proof is found within `time` seconds.

    >>> import outplay as op
    >>> proof = op.prove("mnk:4x4,k=4")
    >>> proof.value
    'draw'
    >>> op.check(proof.text).value
    'draw'
    """
    of = game(of, time=time)
    value, best, text = prove_(of, moves=moves, progress=progress)
    if value is None or text is None:
        raise LimitError(
            f"no proof of {of.spec} was found within the limits", "allow more time: `prove(…, time=seconds)`"
        )
    return Proof(of.spec, value, best, text)


def check(proof: str | os.PathLike[str] | Proof) -> Claim:
    """Check a proof, given as a `Proof`, as the path of a file or as text, and return its claim.

    Raises `ProofError` if the proof is invalid.
    """
    if isinstance(proof, Proof):
        text = proof.text
    elif isinstance(proof, str) and "\n" in proof:
        text = proof
    else:
        try:
            text = Path(proof).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{proof}: {error.strerror}", "pass the path of a file that `Proof.save` wrote") from error
    return Claim(*check_(text))


def compile(
    of: Any,
    *,
    most: int = 20_000_000,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Graph:
    """Compile a game into a graph of all reachable positions, which are numbered from 0.

    The graph is available as NumPy arrays and can be solved again with other payoffs. `most` limits the number of
    positions.

    >>> import outplay as op
    >>> graph = op.compile("tictactoe")
    >>> len(graph)
    5478
    >>> misere = graph.with_payoffs(-graph.payoffs)
    >>> int(misere.solve()[0][0])
    0
    """
    return compile_(game(of, time=time, memory=memory, data=data), most=most, progress=progress)


#: The same function; `from outplay import *` imports it by this name, because `compile` is a builtin.
compile_game = compile


def env(
    of: Any,
    *,
    values: bool = False,
    plies: int = 1000,
    start: Any = None,
    actions: int | None = None,
    render_mode: str | None = None,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Env:
    """Create a PettingZoo environment of a game, as in ``op.env("connect4", values=True)``. Needs PettingZoo.

    - `values`: put exact values into ``info``.
    - `plies`: truncate games that reach this number of moves.
    - `start`: the position to start from.
    - `actions`: number of actions of a game without a board.
    - `render_mode`: "ansi" or None.
    - `time`, `memory`, `data`: as in `outplay.game`.
    """
    from .environment import Env

    return Env(
        of,
        values=values,
        plies=plies,
        start=start,
        actions=actions,
        render_mode=render_mode,
        time=time,
        memory=memory,
        data=data,
    )
