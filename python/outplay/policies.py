"""The exact best response to a fixed policy, and what a policy gives away against it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ._api import compile
from ._outplay import Graph, game
from .judging import Policy, distribution

#: A number that may be exact.
Number = Any


@dataclass(frozen=True)
class Exploitability:
    """What a policy is worth against somebody who knows it.

    `first` and `second` are what the policy gets in each seat against a best response; `value` is what a perfect player
    gets as the first player (and loses as the second). `lost_first` and `lost_second` are the differences, and
    `exploitability` is their mean, as OpenSpiel defines it: 0 for a perfect policy.
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


def exploitability(policy: Policy, of: Any, *, most: int = 20_000_000) -> Exploitability:
    """What a fixed policy, deterministic or stochastic, gives away against a best response, exactly.

    Without loops and with probabilities that are whole numbers or fractions, the answer is a fraction.

    >>> import outplay as op
    >>> from fractions import Fraction
    >>> uniform = lambda position: {move: Fraction(1, len(position.legal)) for move in position.legal}
    >>> op.exploitability(uniform, "nim:1+2").first
    Fraction(-1, 3)
    >>> op.exploitability("perfect", "nim:1+2").exploitability
    Fraction(0, 1)
    """
    graph = compile(game(of), most=most)
    chances = [probabilities(policy, graph, seat) for seat in (0, 1)]
    first = response(graph, chances[0], 0)
    second = response(graph, chances[1], 1)
    value = response(graph, {}, None)
    return Exploitability(value, first, -second)


def best_response(policy: Policy, of: Any, seat: int, *, most: int = 20_000_000) -> Number:
    """What the first player gets when the policy plays in a seat (0 or 1) and the opponent answers it best."""
    graph = compile(game(of), most=most)
    return response(graph, probabilities(policy, graph, seat), seat)


def probabilities(policy: Policy, graph: Graph, seat: int) -> dict[int, list[Number]]:
    """What the policy does at each position where its seat moves."""
    turns, finished = graph.turns, graph.finished
    known: dict[int, list[Number]] = {}
    for number in range(len(graph)):
        if turns[number] != seat or finished[number]:
            continue
        position = graph.position(number)
        said = distribution(policy, position)
        known[number] = [said.get(word, 0) for word in position.legal]
    return known


def response(graph: Graph, chances: dict[int, list[Number]], seat: int | None) -> Number:
    """What the first player gets if `seat` plays by `chances` and everybody else plays best."""
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
            # The policy's seat is chance: what it never plays is not there.
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
    """The same from the last positions to the first, in fractions."""
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
