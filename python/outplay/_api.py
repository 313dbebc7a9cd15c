"""Functions that take a spec, an object with rules, or a game."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ._outplay import Game, Graph, Position, check_, compile_, game, match_, prove_
from ._proof import Claim, Proof
from ._report import Report
from .errors import InputError, LimitError


def match(
    of: Any,
    players: Sequence[str | Callable[[Position], Any]],
    *,
    games: int = 100,
    openings: int | None = None,
    seed: int = 1,
    judged: bool = False,
    time: float | None = None,
    plies: int | None = None,
    concurrency: int = 1,
    records: bool = False,
    moves: str = "",
    progress: Any = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Report:
    """Plays a match between specs such as ``"perfect"`` or ``"alphabeta:depth=4"`` and functions of a position.

    Openings are random, each is played with both colours, and everything follows from `seed`. With `judged`, moves are
    held against exact values. A function returns a word, or a move of the rules in Python. `time` are the seconds that one
    move, or the value of one position, may take: a player who takes longer loses. `memory` and `data` are those of
    `outplay.game`, as are limits of a game that is passed.

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
        seed=seed,
        judged=judged,
        time=time,
        plies=plies,
        concurrency=concurrency,
        records=records,
        moves=moves,
        progress=progress,
    )
    return Report(report)


def prove(of: str | Game, *, moves: str = "", time: float | None = None, progress: Any = None) -> Proof:
    """Proves the value of a board of k in a row without gravity, in writing.

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
        raise LimitError(f"no proof of {of.spec} was found within the limits", "give it more time: `prove(…, time=seconds)`")
    return Proof(of.spec, value, best, text)


def check(proof: str | os.PathLike[str] | Proof) -> Claim:
    """Checks a written proof: a `Proof`, the path of a file, or the text itself. Raises `ProofError` if it fails."""
    if isinstance(proof, Proof):
        text = proof.text
    elif isinstance(proof, str) and "\n" in proof:
        text = proof
    else:
        try:
            text = Path(proof).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{proof}: {error.strerror}", "give the path of a file that `Proof.save` wrote") from error
    return Claim(*check_(text))


def compile(
    of: Any,
    *,
    most: int = 20_000_000,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Graph:
    """Every position that play reaches, as numbers: a graph that can be looked at as arrays and solved again.

    >>> import outplay as op
    >>> graph = op.compile("tictactoe")
    >>> len(graph)
    5478
    >>> misere = graph.with_payoffs(-graph.payoffs)
    >>> int(misere.solve()[0][0])
    0
    """
    return compile_(game(of, time=time, memory=memory, data=data), most=most)
