"""Exact best responses to a fixed policy, and its exploitability."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ._api import compile
from ._outplay import Graph, Position, distributions_, game
from .errors import InputError
from .judging import Policy, weighted

#: An int, a float or an exact `Fraction`.
Number = Any

#: Positions per request for distributions.
PIECE = 1024


@dataclass(frozen=True)
class Exploitability:
    """Payoffs of a policy against a best response.

    - `value`: the payoff of a perfect player as the first player; as the second player it is `-value`.
    - `first`, `second`: the payoff of the policy in each seat against a best response.
    - `lost_first`, `lost_second`: the differences to perfect play.
    - `exploitability`: their mean, as OpenSpiel defines it; 0 for a perfect policy. `nash_conv` is their sum.
    """

    value: Number
    first: Number
    second: Number

    @property
    def lost_first(self) -> Number:
        return self.value - self.first

    @property
    def lost_second(self) -> Number:
        return -self.value - self.second

    @property
    def exploitability(self) -> Number:
        return (self.lost_first + self.lost_second) / 2

    @property
    def nash_conv(self) -> Number:
        return self.lost_first + self.lost_second

    def __float__(self) -> float:
        return float(self.exploitability)


def exploitability(
    policy: Policy,
    of: Any,
    *,
    most: int = 20_000_000,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Exploitability:
    """Compute the exact exploitability of a fixed policy, deterministic or stochastic.

    `policy` is a function from a position to a move or to a dictionary of moves and probabilities, or the spec of a
    player that can report its probabilities (see `distribution`). The result is a `Fraction` if the game has neither
    cycles nor chance and all probabilities are whole numbers or fractions. `most` limits the number of positions;
    `time`, `memory` and `data` are as in `outplay.game`.

    >>> import outplay as op
    >>> from fractions import Fraction
    >>> uniform = lambda position: {move: Fraction(1, len(position.legal)) for move in position.legal}
    >>> op.exploitability(uniform, "nim:1+2").first
    Fraction(-1, 3)
    >>> op.exploitability("random", "nim:1+2").first
    Fraction(-1, 3)
    >>> op.exploitability("perfect", "nim:1+2").exploitability
    Fraction(0, 1)
    """
    graph = compile(of, most=most, time=time, memory=memory, data=data)
    chances = [probabilities(policy, graph, seat) for seat in (0, 1)]
    first = response(graph, chances[0], 0)
    second = response(graph, chances[1], 1)
    value = response(graph, {}, None)
    return Exploitability(value, first, -second)


def best_response(
    policy: Policy,
    of: Any,
    seat: int,
    *,
    most: int = 20_000_000,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Number:
    """Return the first player's payoff if the policy plays in a seat (0 or 1) and the opponent plays best."""
    graph = compile(of, most=most, time=time, memory=memory, data=data)
    return response(graph, probabilities(policy, graph, seat), seat)


def distribution(policy: Policy, position: Position) -> dict[str, Number]:
    """Return the exact probability of each move that a policy can choose at a position; fractions for players.

    A player reports its probabilities if its move depends only on the position and on uniform random choices. Players
    that depend on a clock, on random playouts, on a table kept from earlier moves or on another program raise
    `InputError`. Players that use exact values raise it, too, until all best moves are known (`game.solve()`).

    >>> import outplay as op
    >>> nim = op.game("nim:1+2")
    >>> table = nim.solve()
    >>> op.distribution("noisy:p=0.1,inner=perfect", nim.start)
    {'1-1': Fraction(1, 30), '2-1': Fraction(1, 30), '2-2': Fraction(14, 15)}
    """
    return distributions(policy, [position])[0]


def distributions(policy: Policy, positions: Sequence[Position], *, solve: bool = False) -> list[dict[str, Number]]:
    """Return the distributions at positions of one game. With `solve`, it is solved in memory first if necessary."""
    if not isinstance(policy, str):
        return [weighted(position, policy(position)) for position in positions]
    found: list[dict[str, Number]] = []
    for position, parts in zip(positions, distributions_(policy, positions, solve=solve), strict=True):
        if parts is None:
            raise InputError(
                f"`{policy}` cannot report the probabilities of its moves: they depend on more than the position",
                "choose a player without a clock, random playouts or a kept table (`alphabeta:depth=…,keep=off`), "
                "or pass a function that returns probabilities",
            )
        chances: dict[str, Number] = {}
        for conditions, words in parts:
            share = Fraction(1, len(words))
            for p, came_true in conditions:
                # As written in the spec: 0.1 is one tenth, not the nearest binary fraction.
                chance = Fraction(repr(p))
                share *= chance if came_true else 1 - chance
            for word in words:
                chances[word] = chances.get(word, 0) + share
        found.append({word: chances[word] for word in position.legal if word in chances})
    return found


def probabilities(policy: Policy, graph: Graph, seat: int) -> dict[int, list[Number]]:
    """Return the move probabilities of the policy at each position where its seat is to move."""
    turns, finished = graph.turns, graph.finished
    numbers = [number for number in range(len(graph)) if turns[number] == seat and not finished[number]]
    known: dict[int, list[Number]] = {}
    # In pieces, so that a player that cannot report its probabilities is rejected early.
    for start in range(0, len(numbers), PIECE):
        piece = numbers[start : start + PIECE]
        positions = [graph.position(number) for number in piece]
        found = distributions(policy, positions, solve=True)
        for number, position, said in zip(piece, positions, found, strict=True):
            known[number] = [said.get(word, 0) for word in position.legal]
    return known


def response(graph: Graph, chances: dict[int, list[Number]], seat: int | None) -> Number:
    """Return the first player's payoff if `seat` (if any) plays by `chances` and every other player plays best."""
    order = graph.order
    exact = all(isinstance(chance, (int, Fraction)) for said in chances.values() for chance in said)
    if order is not None and exact and not len(graph.odds):
        return backwards(graph, chances, order)
    turns = graph.turns.tolist()
    finished, payoffs = graph.finished.tolist(), graph.payoffs.tolist()
    first, edges = graph.first.tolist(), graph.edges.tolist()
    dice = graph.odds.tolist()
    moves: list[list[int]] = []
    odds: list[list[float]] = []
    for number in range(len(graph)):
        next_, rolls = edges[first[number] : first[number + 1]], dice[first[number] : first[number + 1]]
        if number in chances:
            # The policy's seat becomes chance, without the moves that it never plays.
            turns[number] = 2
            played = [(to, float(chance)) for to, chance in zip(next_, chances[number]) if chance > 0]
            next_, rolls = [to for to, _ in played], [chance for _, chance in played]
        moves.append(next_)
        odds.append(rolls)
    ends = [payoff if over else None for payoff, over in zip(payoffs, finished)]
    if 2 in turns:
        return float(Graph(turns, ends, moves, odds).solve()[0][0])
    worth = int(Graph(turns, ends, moves).solve()[0][0])
    return -worth if turns[0] == 1 else worth


def backwards(graph: Graph, chances: dict[int, list[Number]], order: Iterable[Any]) -> Fraction:
    """Compute `response` exactly by backward induction, for graphs without cycles or chance."""
    turns, finished, payoffs = graph.turns.tolist(), graph.finished.tolist(), graph.payoffs.tolist()
    first, edges = graph.first.tolist(), graph.edges.tolist()
    worth: list[Fraction] = [Fraction(0)] * len(graph)
    for number in map(int, order):
        if finished[number]:
            worth[number] = Fraction(payoffs[number])
            continue
        next_ = [worth[to] for to in edges[first[number] : first[number + 1]]]
        said = chances.get(number)
        if said is not None:
            worth[number] = sum((Fraction(chance) * to for chance, to in zip(said, next_)), Fraction(0))
        else:
            worth[number] = max(next_) if turns[number] == 0 else min(next_)
    return worth[0]
