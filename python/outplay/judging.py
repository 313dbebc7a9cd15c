"""Evaluation of policies against exact values: how often a policy keeps the value of a position."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Union

from ._outplay import Game, Position, game
from ._random import drawn
from .errors import InputError

#: The result of a policy at a position: a move, or moves with probabilities.
Choice = Union[str, Any, Mapping[Any, float]]
#: A policy is a function of a position, or the spec of a player.
Policy = Union[str, Callable[[Position], Choice]]

#: Means that differ by no more than this count as equal.
EQUAL = 1e-9


@dataclass
class Kept:
    """Counts of judged moves, weighted by their probabilities: all, those that kept the value, and the payoff lost."""

    moves: float = 0.0
    kept: float = 0.0
    loss: float = 0.0

    def add(self, weight: float, loss: float) -> None:
        self.moves += weight
        self.loss += weight * loss
        if loss <= EQUAL:
            self.kept += weight

    @property
    def share(self) -> float | None:
        """The share of moves that kept the value; None if there were no moves."""
        return self.kept / self.moves if self.moves else None

    @property
    def mean_loss(self) -> float | None:
        """The mean payoff lost per move; None if there were no moves."""
        return self.loss / self.moves if self.moves else None


@dataclass
class Judgement:
    """A comparison of a policy with exact values.

    - `all`: every move.
    - `choices`: moves at positions whose legal moves differ in value.
    - `by_ply`, `by_kind`: all moves by the ply and by the value of the position ("win", "draw", "loss", or "mean" with
      chance).
    - `mistakes`: the first mistakes, as pairs of a position and a move that does not keep its value.
    - `unknown`: number of positions that were left out because their value is unknown.
    """

    game: str
    all: Kept = field(default_factory=Kept)
    choices: Kept = field(default_factory=Kept)
    by_ply: dict[int, Kept] = field(default_factory=lambda: defaultdict(Kept))
    by_kind: dict[str, Kept] = field(default_factory=lambda: defaultdict(Kept))
    mistakes: list[tuple[str, str]] = field(default_factory=list)
    unknown: int = 0

    @property
    def share(self) -> float | None:
        """The share of moves that kept the value."""
        return self.all.share

    @property
    def mean_loss(self) -> float | None:
        """The mean payoff lost per move."""
        return self.all.mean_loss

    def to_pandas(self) -> Any:
        """Return the counts as a `pandas.DataFrame`, a row for each group of moves."""
        from ._frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """Return the counts as a `polars.DataFrame`, a row for each group of moves."""
        from ._frames import to_polars

        return to_polars(self)

    def __repr__(self) -> str:
        if self.share is None:
            return f"<judgement of {self.game}: no moves judged>"
        return f"<judgement of {self.game}: {self.share:.1%} of {self.all.moves:g} moves kept the value, mean loss {self.mean_loss:.4f}>"

    def _repr_html_(self) -> str:
        def row(name: str, kept: Kept) -> str:
            share = "" if kept.share is None else f"{kept.share:.1%}"
            loss = "" if kept.mean_loss is None else f"{kept.mean_loss:.4f}"
            return f"<tr><td>{escape(name)}</td><td>{kept.moves:g}</td><td>{share}</td><td>{loss}</td></tr>"

        rows = [row("all moves", self.all), row("moves that matter", self.choices)]
        rows += [row(f"in a {kind}", kept) for kind, kept in sorted(self.by_kind.items())]
        rows += [row(f"ply {ply}", kept) for ply, kept in sorted(self.by_ply.items())]
        return f"<table><tr><th>{escape(self.game)}</th><th>moves</th><th>kept</th><th>mean loss</th></tr>{''.join(rows)}</table>"


def sample(policy: Policy, position: Position, seed: int = 1) -> dict[str, Any]:
    """Return the moves of a policy at a position with their probabilities; for a player spec, one sampled move."""
    if isinstance(policy, str):
        return {position.choose(policy, seed=seed % 2**64): 1}
    return weighted(position, policy(position))


def weighted(position: Position, said: Choice) -> dict[str, Any]:
    """Convert the result of a policy to move words with their probabilities, which must sum to 1."""
    if not isinstance(said, Mapping):
        return {word_of(position, said): 1}
    chances: dict[str, Any] = {}
    for move, chance in said.items():
        if chance:
            word = word_of(position, move)
            chances[word] = chances.get(word, 0) + chance
    total = sum(chances.values())
    if not chances or abs(total - 1) > 1e-6 or min(chances.values()) < 0:
        raise InputError(
            f"the policy's probabilities at {position.text} sum to {float(total)}",
            "return probabilities of legal moves that sum to 1",
        )
    return chances


def word_of(position: Position, move: Any) -> str:
    """Convert a move returned by a policy to the game's notation."""
    legal = position.legal
    if isinstance(move, str) and move in legal:
        return move
    choices = position.choices
    for place, choice in enumerate(choices):
        if choice == move:
            return legal[place]
    word = str(move)
    if word in legal:
        return word
    raise InputError(
        f"the policy chose the illegal move {move!r} at {position.text}",
        f"the legal moves are {' '.join(legal[:12])}",
    )


def random_positions(of: Game, count: int, seed: int) -> list[tuple[int, Position]]:
    """Return unfinished positions of random games where a player is to move, with their plies."""
    rng = random.Random(seed)
    found: list[tuple[int, Position]] = []
    while len(found) < count:
        position, ply, path = of.start, 0, []
        while not position.over and ply < 1000:
            if position.turn == "chance":
                words, odds = zip(*position.rolls)
                position = position.play(rng.choices(words, odds)[0])
                continue
            path.append((ply, position))
            position = position.play(rng.choice(position.legal))
            ply += 1
        if not path:
            break
        found.append(rng.choice(path))
    return found


def judge(
    policy: Policy,
    of: Any,
    positions: int | Iterable[Position | str | tuple[int, Position]] = 1000,
    *,
    seed: int | None = None,
    rng: Any = None,
    mistakes: int = 10,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Judgement:
    """Compare a policy with exact values: the share of moves that keep the value, and the payoff lost by the others.

    - `policy`: a function from a position to a move or to a dictionary of moves and probabilities, or the spec of a
      player.
    - `positions`: the number of random positions, or a list of positions (objects or text). Positions whose value
      cannot be found within the limits are counted as `unknown` and left out.
    - `seed`: random seed; a fresh one by default.
    - `rng`: a generator that draws the seed: `random.Random` or `numpy.random.Generator`.
    - `mistakes`: the number of mistakes to record.
    - `time`, `memory`, `data`: as in `outplay.game`.

    >>> import outplay as op
    >>> op.judge("perfect", "tictactoe", 50).share
    1.0
    >>> op.judge(lambda position: position.legal[-1], "tictactoe", 200).share < 1
    True
    """
    of = game(of, time=time, memory=memory, data=data)
    seed = drawn(seed, rng)
    if isinstance(positions, int):
        listed: list[tuple[int | None, Position]] = list(random_positions(of, positions, seed))
    else:
        listed = []
        for shown in positions:
            if isinstance(shown, tuple) and len(shown) == 2 and isinstance(shown[1], Position):
                listed.append((shown[0], of.position(at=shown[1])))
            else:
                listed.append((None, of.position(at=shown)))
    judgement = Judgement(of.spec)
    for number, (ply, position) in enumerate(listed):
        if position.over or position.turn == "chance":
            continue
        worths = worth_of_moves(position)
        if worths is None:
            judgement.unknown += 1
            continue
        best = max(worths.values())
        mattered = min(worths.values()) < best - EQUAL
        kind = position.value if position.value is not None else "mean"
        for word, chance in sample(policy, position, seed + number).items():
            loss, weight = best - worths[word], float(chance)
            judgement.all.add(weight, loss)
            if mattered:
                judgement.choices.add(weight, loss)
            if ply is not None:
                judgement.by_ply[ply].add(weight, loss)
            judgement.by_kind[kind].add(weight, loss)
            if loss > EQUAL and len(judgement.mistakes) < mistakes:
                judgement.mistakes.append((position.text, word))
    judgement.by_ply = dict(sorted(judgement.by_ply.items()))
    judgement.by_kind = dict(judgement.by_kind)
    return judgement


def worth_of_moves(position: Position) -> dict[str, float] | None:
    """Return the expected payoff of each move for the player who makes it; None if one of them is unknown."""
    worths: dict[str, float] = {}
    for move in position.moves:
        if move.mean is not None:
            worths[move.move] = -move.mean if position.turn == "second" else move.mean
        elif move.payoff is not None:
            worths[move.move] = float(move.payoff)
        else:
            return None
    return worths or None
