import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from ._evaluation import Evaluation
from ._playouts import Playouts
from ._table import TableValue
from ._types import MethodWord, Progress, SourceWord, TurnWord, ValuesWord, ValueWord

__version__: str
UNKNOWN: int

_Path = str | os.PathLike[str]
_GraphBytes = tuple[bytes, ...]

@final
class Game:
    """A game and all queries about it. Make one with `outplay.game`."""
    @property
    def spec(self) -> str:
        """The canonical spec."""
    @property
    def warning(self) -> str | None:
        """A warning about the game, such as one about unusual parameters; None if there is none."""
    @property
    def dice(self) -> bool:
        """Whether the game has chance nodes."""
    @property
    def best_payoff(self) -> int:
        """The largest payoff."""
    @property
    def size(self) -> tuple[int, int] | None:
        """Columns and rows of the board, for games of k in a row."""
    @property
    def start(self) -> Position:
        """The start position."""
    def num_distinct_actions(self) -> int | None:
        """The number of action numbers of a game of k in a row: its columns with gravity, else its cells. None for
        other games, whose actions are places in the list of legal moves.
        """
    def new_initial_state(self) -> Position:
        """The start position, by the name that OpenSpiel uses."""
    def position(self, moves: str | Iterable[Any] | None = None, *, at: Any = None) -> Position:
        """The position after some moves, from the start or from the position `at`. The moves are text in the game's
        notation, or a list of moves: words, `outplay.Move` objects, or move objects of rules in Python.
        """
    def numbered(self, number: int) -> Position | None:
        """The position with an index number, for games without a start such as chess endings; None if no position has
        that number.
        """
    def solve(
        self,
        *,
        method: MethodWord = "auto",
        values: ValuesWord = "distance",
        save: bool | None = None,
        data: _Path | None = None,
        time: float | None = None,
        progress: Progress = None,
    ) -> Table:
        """Solves the game; returns the value of the start and, where a strong method fits, of every position.

        - `method`: as in `outplay solve --method`.
        - `values`: "distance" or "wdl".
        - `save`: whether the table is stored on disk; by default only for games by name.
        - `data`: the directory of tables.
        - `time`: time limit in seconds.
        - `progress`: True, False, None (a bar on a terminal) or a function of (stage, done, total).
        """
    def table(self, *, data: _Path | None = None) -> Table:
        """Opens the table on disk. Raises `NoTableError` if the game has not been solved."""
    def verify(self, *, data: _Path | None = None, progress: Progress = None) -> dict[str, Any]:
        """Derives every value of the game's table again from its successors, and returns a dictionary with "checked"
        and "wrong".
        """
    def playouts(
        self,
        count: int,
        seed: int | None = None,
        *,
        rng: Any = None,
        at: Any = None,
        plies: int = 10_000,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Playouts:
        """Plays `count` random games, in which every legal move is equally likely; returns an array of the first
        player's payoffs and one of the numbers of moves, as the fields `payoffs` and `plies` of a tuple.

        - `seed`: random seed; a fresh one by default. The results do not depend on the number of threads.
        - `rng`: a generator that draws the seed, `random.Random` or `numpy.random.Generator`.
        - `at`: the position in which the games begin.
        - `plies`: moves after which a game is given up; its payoff is `outplay.UNKNOWN`. 10,000 by default.
        - `threads`, `progress`: as in `Table.probe`.
        """
    def players(self) -> dict[str, Any]:
        """The players of this game, and their specs in order of strength."""
    def tree(self, moves: str | Iterable[Any] | None = None, *, depth: int = 2, prune: bool = False) -> str:
        """The search tree from a position as a self-contained SVG."""
    def _repr_svg_(self) -> str | None: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, _memo: Any) -> Game: ...
    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """A position of a game. Values are computed on first use and cached."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def text(self) -> str:
        """The position in the game's notation, one line."""
    @property
    def object(self) -> Any:
        """The position object of rules in Python; None for other games."""
    @property
    def turn(self) -> TurnWord:
        """The side to move: "first", "second" or "chance". Of a finished position: the side whose turn it would be."""
    @property
    def outcome(self) -> int | None:
        """The first player's payoff; None while the game is in progress."""
    @property
    def over(self) -> bool:
        """Whether the game is over."""
    @property
    def legal(self) -> list[str]:
        """The legal moves as words, without their values."""
    @property
    def legal_moves(self) -> list[str]:
        """The same as `legal`, by the name that python-chess uses."""
    def legal_actions(self) -> list[int]:
        """The action numbers of the legal moves, in the order of `legal`: the column on boards with gravity, the cell
        (row by row from the top) on other boards, and the move's place in `legal` in other games.
        """
    def action(self, move: Any) -> int:
        """The action number of a move."""
    def action_to_string(self, action: int) -> str:
        """The move with an action number, as a word."""
    def child(self, action: int) -> Position:
        """The position after the move with an action number."""
    def is_terminal(self) -> bool:
        """The same as `over`, as a method."""
    def is_over(self) -> bool:
        """The same as `over`, as a method."""
    def is_chance_node(self) -> bool:
        """Whether chance is to move."""
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes at a chance node as pairs of an action number and a probability; empty where a player moves."""
    def current_player(self) -> int:
        """The player to move: 0, 1, -1 for chance, or -4 if the game is over, as in OpenSpiel."""
    def returns(self) -> list[float]:
        """The payoffs of both players; zeros while the game is in progress."""
    def observation_tensor(self, player: Literal[0, 1] | None = None) -> NDArray[np.float32]:
        """The position as a float32 array for a player (0 or 1; by default the player to move). For games of k in a
        row: planes of shape (rows, columns, 2) with the player's own stones first. For other games: 1 if it is the
        player's turn, followed by the first 160 bytes of the position's text, divided by 255.
        """
    @property
    def choices(self) -> list[Any]:
        """The legal moves as objects of the rules in Python; words for other games."""
    @property
    def rolls(self) -> list[tuple[str, float]]:
        """The outcomes at a chance node, with probabilities; empty where a player moves."""
    def evaluate(self, *, time: float | None = None, progress: Progress = None) -> Evaluation:
        """Computes the value of the position and of its moves, and returns an `outplay.Evaluation`. Values that were
        found are cached: the attributes of the position then cost nothing.

        - `time`: time limit in seconds; by default that of the game, 60 s.
        - `progress`: True, False, None (a bar on a terminal) or a function of (stage, done, total).
        """
    @property
    def value(self) -> ValueWord | None:
        """"win", "draw" or "loss" for the player to move, "unknown" if it was not found within the limits; None in
        games with chance.
        """
    @property
    def payoff(self) -> int | None:
        """The payoff of the player to move; None if it is unknown, or in games with chance."""
    @property
    def distance(self) -> int | None:
        """Plies to the end under best play, where they are known."""
    @property
    def bounds(self) -> tuple[int, int] | None:
        """The lowest and highest payoff that is still possible, if the value is unknown."""
    @property
    def repetition(self) -> bool:
        """Whether the value is a draw by repetition: neither player can force an end."""
    @property
    def expected(self) -> float | None:
        """Games with chance: the probability that the first player wins or, where payoffs exceed 1, the mean payoff."""
    @property
    def mean(self) -> float | None:
        """Games with chance: the first player's mean payoff."""
    @property
    def score(self) -> int | None:
        """The connect-k score, where the game has one."""
    @property
    def best(self) -> list[str]:
        """The best moves as words."""
    @property
    def moves(self) -> list[Move]:
        """Every move with its value."""
    @property
    def line(self) -> list[str]:
        """One line of best play."""
    @property
    def source(self) -> SourceWord:
        """The source of the value: "rules", "theory", "table", "book", "kept" or "search"."""
    @property
    def notes(self) -> list[str]:
        """Notes on limits that prevented an answer."""
    @property
    def board(self) -> NDArray[np.int8] | None:
        """The board as an array of int8, top row first: 0 empty, 1 first player, 2 second player, 3 obstacle. None for
        games other than k in a row.
        """
    def play(self, *moves: Any) -> Position:
        """Plays moves, given as words or as objects of the rules, and returns the position after them."""
    def choose(
        self,
        player: str,
        *,
        seed: int | None = None,
        rng: Any = None,
        time: float | None = None,
        progress: Progress = None,
    ) -> str:
        """Returns the move that a player such as "alphabeta:depth=4" chooses at this position.

        - `seed`: random seed; a fresh one by default.
        - `rng`: a generator that draws the seed, `random.Random` or `numpy.random.Generator`.
        - `time`: time limit in seconds, after which `LimitError` is raised; none by default.
        - `progress`: as in `evaluate`.
        """
    def why(self, *, time: float | None = None, progress: Progress = None) -> Why:
        """Explains the value: an object with `sentence`, `marks` and `line`. `time` and `progress` are as in
        `evaluate`.
        """
    def symmetric(self) -> list[Position]:
        """Returns the orbit of the position: all positions equal up to symmetry, itself included, each once."""
    def query(self, *, time: float | None = None, progress: Progress = None) -> dict[str, Any]:
        """Returns the complete answer as a dictionary, with the fields that `outplay query --json` prints. `time` and
        `progress` are as in `evaluate`.
        """
    def svg(self, *, values: bool = True) -> str:
        """Draws the position as SVG, with the values of the moves if requested."""
    def _repr_svg_(self) -> str: ...
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, _memo: Any) -> Position: ...
    def __reduce__(self) -> tuple[Callable[..., Position], tuple[Any, ...]]: ...
    def __eq__(self, other: Any, /) -> bool: ...
    def __ne__(self, other: Any, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Move:
    """A move with its value for the player who makes it."""
    @property
    def move(self) -> str:
        """The move as a word."""
    @property
    def san(self) -> str | None:
        """The move in standard notation, such as SAN, where that differs."""
    @property
    def value(self) -> ValueWord | None:
        """"win", "draw", "loss" or "unknown"; None in games with chance."""
    @property
    def payoff(self) -> int | None:
        """The payoff of the player who makes the move."""
    @property
    def distance(self) -> int | None:
        """Plies to the end, counted from the queried position."""
    @property
    def mean(self) -> float | None:
        """Games with chance: the first player's mean payoff."""
    @property
    def score(self) -> int | None:
        """The connect-k score of the move, where the game has one."""
    @property
    def probability(self) -> float | None:
        """The probability of this outcome at a chance node."""
    def __copy__(self) -> Move: ...
    def __deepcopy__(self, _memo: Any) -> Move: ...
    def __reduce__(self) -> tuple[Callable[..., Move], tuple[Any, ...]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Why:
    """Explanation of a position's value."""
    @property
    def sentence(self) -> str:
        """The reason in words."""
    @property
    def line(self) -> list[str]:
        """Best play from here."""
    @property
    def marks(self) -> list[dict[str, Any]]:
        """The spots that the explanation refers to, as dictionaries."""
    def as_dict(self) -> dict[str, Any]:
        """The complete explanation as a dictionary, with the fields that `outplay why --json` prints."""
    def __copy__(self) -> Why: ...
    def __deepcopy__(self, _memo: Any) -> Why: ...
    def __reduce__(self) -> tuple[Callable[..., Why], tuple[Any, ...]]: ...

@final
class Table:
    """The values of a game: of its start, and of every position where a strong method computed them."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def value(self) -> ValueWord | None:
        """The value of the start: "win", "draw" or "loss" for the player to move; None without a start or with chance.
        """
    @property
    def distance(self) -> int | None:
        """Plies to the end from the start."""
    @property
    def expected(self) -> float | None:
        """Games with chance: the probability that the first player wins or, where payoffs exceed 1, the mean payoff."""
    @property
    def best(self) -> list[str]:
        """The best moves at the start."""
    @property
    def method(self) -> str:
        """The method that found the value."""
    @property
    def positions_for_first(self) -> dict[str, int] | None:
        """Numbers of positions ("legal", "finished") and their values for the first player ("win", "draw", "loss").
        None where not all were solved, or where positions are stored without colours.
        """
    @property
    def positions_for_mover(self) -> dict[str, int] | None:
        """Numbers of positions ("legal", "finished") and their values for the player to move ("win", "draw", "loss"),
        as `value` and `probe` count. None where not all were solved.
        """
    @property
    def positions(self) -> dict[str, int] | None:
        """Deprecated: `positions_for_first`, or `positions_for_mover` where positions are stored without colours."""
    @property
    def stored(self) -> bool:
        """Whether the values are on disk."""
    @property
    def seconds(self) -> float:
        """The solving time in seconds, including the exploration of rules in Python."""
    def as_dict(self) -> dict[str, Any] | None:
        """The complete answer as a dictionary, with the fields that `outplay solve --json` prints."""
    def probe(
        self,
        positions: Iterable[Any] | NDArray[Any],
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> tuple[NDArray[Any], NDArray[np.int32] | None]:
        """Probes many positions; returns an array of payoffs and one of distances, for the player to move. In games
        with chance it returns the first player's means and None.

        - `positions`: an array of boards of shape (n, rows, columns), or an iterable of positions or their texts.
        - `threads`: number of threads.
        - `progress`: as in `Game.solve`.
        """
    def verify(self, *, progress: Progress = None) -> dict[str, Any]:
        """Derives every value again from its successors; returns a dictionary with "checked" and "wrong"."""
    def stats(self) -> dict[str, Any]:
        """Returns the numbers of positions by ply, value and distance, as a dictionary. A table that is not stored is
        computed again in a temporary directory.
        """
    def to_pandas(self) -> Any:
        """The positions with their values as a `pandas.DataFrame`, a row each: `position`, `turn`, `value`, `payoff`
        and `distance`; `mean` with chance.
        """
    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`."""
    def _repr_svg_(self) -> str | None: ...
    def __bool__(self) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Position]: ...
    def __contains__(self, position: object, /) -> bool: ...
    def __getitem__(self, position: Any, /) -> TableValue: ...
    def __enter__(self) -> Table: ...
    def __exit__(self, *_error: object) -> None: ...
    def __copy__(self) -> Table: ...
    def __deepcopy__(self, _memo: Any) -> Table: ...
    def __reduce__(self) -> tuple[Callable[..., Table], tuple[Any, ...]]: ...

@final
class Graph:
    """All positions of a game as numbers; the start is 0."""
    def __new__(
        cls,
        turns: Sequence[int],
        payoffs: Sequence[int | None],
        moves: Sequence[Sequence[int]],
        odds: Sequence[Sequence[float]] | None = None,
        *,
        name: str | None = None,
    ) -> Graph: ...
    def __len__(self) -> int: ...
    @property
    def first(self) -> NDArray[np.int64]:
        """Row offsets: the moves of position i are `edges[first[i]:first[i + 1]]`."""
    @property
    def edges(self) -> NDArray[np.uint32]:
        """Targets of the moves."""
    @property
    def odds(self) -> NDArray[np.float64]:
        """The probability of each move, 0 where a player decides; empty in a game without chance."""
    @property
    def turns(self) -> NDArray[np.int8]:
        """The side to move: 0 first, 1 second, 2 chance."""
    @property
    def finished(self) -> NDArray[np.bool_]:
        """Whether the game is over."""
    @property
    def payoffs(self) -> NDArray[np.int32]:
        """The first player's payoff at finished positions; 0 elsewhere."""
    @property
    def order(self) -> NDArray[np.uint32] | None:
        """Positions in reverse topological order (moves lead to earlier ones); None if the graph is cyclic."""
    def next(self, id: int) -> list[int]:
        """The targets of a position's moves."""
    def position(self, id: int) -> Position:
        """The position with a number: of the compiled game, or of the graph's own game if no game was compiled."""
    def with_payoffs(self, payoffs: Sequence[int] | NDArray[Any]) -> Graph:
        """Returns the graph with other payoffs: an array or list of the first player's payoffs, used at finished
        positions.
        """
    def lists(self) -> tuple[list[int], list[int | None], list[list[int]], list[list[float]]]:
        """The parts of the graph as lists: turns, payoffs (None in progress), moves, and probabilities at chance nodes.
        """
    def game(self) -> Game:
        """The graph as a game of its own, whose positions are written as numbers."""
    def solve(
        self, *, time: float | None = None, progress: Progress = None
    ) -> tuple[NDArray[Any], NDArray[np.int32] | None]:
        """Solves every position: payoffs of the players to move and distances (-1 where there is none), or the first
        player's means and None in a game with chance.

        - `time`: time limit in seconds.
        - `progress`: True, False, None (a bar on a terminal) or a function of (stage, done, total).
        """
    def to_networkx(self) -> Any:
        """The graph as a `networkx.MultiDiGraph`. Nodes have `turn` (0, 1, or 2 for chance) and `payoff` (None in
        progress); edges have `move` (the place in the list of moves) and at chance nodes `probability`.
        """
    def to_pandas(self) -> Any:
        """The positions as a `pandas.DataFrame`, a row each: `turn`, `finished`, `payoff` and `moves`."""
    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`."""
    def __copy__(self) -> Graph: ...
    def __deepcopy__(self, _memo: Any) -> Graph: ...
    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[Any, ...]]: ...

@final
class Server:
    """A running web server. It ends with `stop()` or at the end of its `with` block."""
    @property
    def url(self) -> str:
        """The URL of the page."""
    def stop(self) -> None:
        """Stops the server and waits for it to end."""
    def wait(self) -> None:
        """Serves until Ctrl-C."""
    def __enter__(self) -> Server: ...
    def __exit__(self, kind: Any, value: Any, trace: Any) -> None: ...
    def _repr_html_(self) -> str: ...

@final
class CancelFlag_:
    """A flag that cancels the work of the threads that have entered it."""
    def __new__(cls) -> CancelFlag_: ...
    def set(self) -> None:
        """Cancels the work."""
    def is_set(self) -> bool:
        """Whether the work is cancelled."""
    def enter(self) -> None:
        """Makes this flag the one of the calling thread."""

def game(
    spec: Any,
    *,
    memory: float | None = None,
    threads: int | None = None,
    time: float | None = None,
    data: _Path | None = None,
    check: bool = False,
) -> Game:
    """Opens a game: a spec such as `connect4:5x4`, or an object with the methods `start`, `turn`, `moves`, `play` and
    `outcome`.

    - `memory`, `threads`, `time`: limits in bytes, threads and seconds.
    - `data`: the directory of tables.
    - `check`: check the laws of rules in Python at every position instead of samples.
    """
def games() -> list[dict[str, str]]:
    """The games of the catalog: a list of dictionaries with name, about, parameters and example."""
def serve(
    game: Any = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    data: _Path | None = None,
) -> Server:
    """Starts the web server with the games of the catalog, and `game` if it is given."""
def program(words: Sequence[str]) -> int:
    """Runs the command line `words`, which begins with the program's name, and returns its exit code."""
def compile_(game: Game, *, most: int = 20_000_000, progress: Progress = None) -> Graph:
    """Compiles a game: every position that play reaches, with its moves."""
def match_(
    game: Game,
    players: Sequence[Any],
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
    progress: Progress = None,
) -> dict[str, Any]:
    """Plays a match and returns its report as a dictionary, with the fields that `outplay match --json` prints."""
def distributions_(
    player: str, positions: Sequence[Position], *, solve: bool = False
) -> list[list[tuple[list[tuple[float, bool]], list[str]]] | None]:
    """The distributions of a player's moves at positions of one game; None where the player cannot report one. With
    `solve`, a game without enough exact values is solved in memory first.
    """
def prove_(
    game: Game, *, moves: str = "", progress: Progress = None
) -> tuple[Literal["win", "draw", "loss"] | None, list[str], str | None]:
    """Proves the value of a board without gravity: the verdict and the text of the proof; None at the time limit."""
def check_(text: str) -> tuple[str, Literal["win", "draw", "loss"], int, int]:
    """Checks a proof; returns the spec of its board, the verdict, the number of steps, and the number of verified pairs
    of a step and a position.
    """
def checksum_(file: _Path) -> tuple[int, str]:
    """Returns the size of a file in bytes and the xxh3 checksum that data sheets list."""
def export_(
    game: Game,
    out: _Path,
    *,
    positions: int | None = None,
    plies: tuple[int, int] | None = None,
    balanced: bool = False,
    best: bool = True,
    test: float = 0.0,
    seed: int = 1,
    progress: Progress = None,
) -> dict[str, Any]:
    """Writes a data set and returns its report as a dictionary."""
def playouts_(
    game: Game,
    count: int,
    seed: int,
    *,
    at: Any = None,
    plies: int = 10_000,
    threads: int | None = None,
    progress: Progress = None,
) -> tuple[bytes, bytes]:
    """Plays random games; returns payoffs and numbers of moves as bytes, four of the machine's order each."""
def restored_rules_(
    identity: str,
    rules: Any,
    check: bool,
    *,
    memory: float | None = None,
    threads: int | None = None,
    time: float | None = None,
    data: _Path | None = None,
) -> Game:
    """Makes a game with rules in Python, or another handle of the one with this identity."""
def restored_graph_game_(
    name: str,
    parts: _GraphBytes,
    *,
    memory: float | None = None,
    threads: int | None = None,
    time: float | None = None,
    data: _Path | None = None,
) -> Game:
    """Makes the game of a graph."""
def restored_graph_(
    parts: _GraphBytes, name: str | None, game: Game | None, objects: list[Any] | None
) -> Graph:
    """Makes a graph, with the game that was compiled; `objects` are its positions if its rules are in Python."""
def restored_table_(game: Game, report: dict[str, Any] | None, seconds: float) -> Table:
    """Makes a table that is on disk or in memory; `report` is its answer as a dictionary."""
def restored_move_(
    mv: str,
    san: str | None,
    value: tuple[str, int, int, int | None, float],
    score: int | None,
    probability: float | None,
    opinion: float | None,
) -> Move:
    """Makes a move with its value."""
def restored_why_(dict: Any, sentence: str, line: list[str]) -> Why:
    """Makes an explanation."""
