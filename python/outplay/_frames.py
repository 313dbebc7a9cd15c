"""Graphs, tables, reports and judgements for NetworkX, pandas and Polars."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._outplay import Graph, Table
from ._report import Report
from .judging import Judgement

#: Columns of a data frame by name.
Columns = dict[str, list[Any]]


def library(name: str) -> Any:
    """Import a library that the package does not depend on."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}; run `pip install {name}`") from error


def columns(of: Graph | Table | Report | Judgement) -> Columns:
    """Return the rows of an object as columns."""
    if isinstance(of, Graph):
        turns, payoffs, moves, _ = of.lists()
        return {
            "turn": [("first", "second", "chance")[turn] for turn in turns],
            "finished": [payoff is not None for payoff in payoffs],
            "payoff": list(payoffs),
            "moves": [len(next_) for next_ in moves],
        }
    if isinstance(of, Table):
        names = ["position", "turn", *(["mean"] if of.game.dice else ["value", "payoff", "distance"])]
        rows = []
        for position in of:
            if position in of:
                found = of[position]
                rows.append((position.text, position.turn, *(getattr(found, name) for name in names[2:])))
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}
    if isinstance(of, Report):
        players = of.get("players", [])
        names = [name for name, value in (players[0] if players else {}).items() if not isinstance(value, (dict, list))]
        return {name: [row[name] for row in players] for name in names}
    groups = [("all", of.all), ("choices", of.choices)]
    groups += [(f"in a {kind}", kept) for kind, kept in of.by_kind.items()]
    groups += [(f"ply {ply}", kept) for ply, kept in of.by_ply.items()]
    return {
        "group": [name for name, _ in groups],
        "moves": [kept.moves for _, kept in groups],
        "kept": [kept.kept for _, kept in groups],
        "share": [kept.share for _, kept in groups],
        "mean_loss": [kept.mean_loss for _, kept in groups],
    }


def to_pandas(of: Graph | Table | Report | Judgement) -> Any:
    """Return the rows of an object as a `pandas.DataFrame`."""
    return library("pandas").DataFrame(columns(of))


def to_polars(of: Graph | Table | Report | Judgement) -> Any:
    """Return the rows of an object as a `polars.DataFrame`."""
    return library("polars").DataFrame(columns(of))


def to_networkx(of: Graph) -> Any:
    """Return a graph as a `networkx.MultiDiGraph`."""
    made = library("networkx").MultiDiGraph()
    turns, payoffs, moves, odds = of.lists()
    for number, (turn, payoff) in enumerate(zip(turns, payoffs)):
        made.add_node(number, turn=turn, payoff=payoff)
    for number, next_ in enumerate(moves):
        for place, to in enumerate(next_):
            chance = {"probability": odds[number][place]} if odds[number] else {}
            made.add_edge(number, to, key=place, move=place, **chance)
    return made
