"""Reports: dictionaries with attribute access and an HTML view for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any


class Report(dict[str, Any]):
    """The report of a match: the fields that ``outplay match --json`` prints."""

    def __init__(self, fields: Mapping[str, Any], given: Iterable[str | None] = ()) -> None:
        super().__init__(fields)
        self._given = list(given)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a report has no field {name!r}; it has {', '.join(self)}") from None

    def score(self, player: str | int = 0) -> float:
        """Return the points per game of a player, given by index, by name, or by the spec as it was passed."""
        rows: list[dict[str, Any]] = self["players"]
        given = [*self._given, *[None] * len(rows)]
        for place, row in enumerate(rows):
            if player in (place, row["player"]) or (player == given[place] and isinstance(player, str)):
                return float(row["score"])
        names = ", ".join(row["player"] for row in rows)
        raise KeyError(f"the match had no player {player!r}; its players are {names}")

    def to_pandas(self) -> Any:
        """Return the players as a `pandas.DataFrame`, a row each."""
        from ._frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """Return the players as a `polars.DataFrame`, a row each."""
        from ._frames import to_polars

        return to_polars(self)

    def __repr__(self) -> str:
        rows = [f"{row['player']} {row['score']:.1%}" for row in self.get("players", [])]
        return f"<{self.get('game', 'report')}: {', '.join(rows)}>"

    def _repr_html_(self) -> str:
        head = "<tr><th>player</th><th>games</th><th>won</th><th>drawn</th><th>lost</th><th>score</th></tr>"
        rows = []
        for row in self.get("players", []):
            cells = [escape(row["player"]), row["games"], row["wins"], row["draws"], row["losses"], f"{row['score']:.1%}"]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        return f"<table>{head}{''.join(rows)}</table>"
