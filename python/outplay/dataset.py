"""Data sets: positions with exact labels, written as a stream of rows."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ._outplay import Game, checksum_, export_, game
from ._report import Report
from .errors import InputError, NoTableError, OutplayError


def export(
    of: Any,
    out: str | os.PathLike[str],
    *,
    positions: int | None = None,
    plies: tuple[int, int] | None = None,
    balanced: bool = False,
    best: bool = True,
    test: float = 0.0,
    seed: int = 1,
    progress: Any = None,
    time: float | None = None,
    memory: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Report:
    """Write positions with exact values, distances and best moves to a file, and return a report.

    The suffix of `out` selects the format: npz, csv, jsonl or parquet. A data sheet is written beside the files.

    - `positions`: number of positions, sampled from random games. Without it, all positions of the game's table are
      written; a missing table is computed first.
    - `plies`: the smallest and largest number of moves before a position.
    - `balanced`: write equally many wins, draws and losses.
    - `test`: the share of positions that is written to a second file; symmetric positions stay together.
    - `seed`: random seed.
    - `time`, `memory`, `data`: as in `outplay.game`.

    Unless `best` is False, rows have `legal` (the legal moves) and `mask` (one entry per legal move, in the same
    order: 1 for a best move, 0 for others). The form of `mask` depends on the format:

    - jsonl and parquet: text such as "010".
    - csv: a JSON list such as [0,1,0], which pandas does not read as a number.
    - npz: an array padded with 255. An npz file of a board also has `actions`: the same mask indexed by column on
      boards with gravity, else by cell from the top left, with 255 where no move is legal.

    >>> import outplay as op, tempfile, os
    >>> report = op.export("tictactoe", os.path.join(tempfile.mkdtemp(), "rows.csv"), positions=30, test=0.2)
    >>> report.rows, len(report.files)
    (30, 2)
    """
    of = game(of, time=time, memory=memory, data=data)
    out = Path(out)
    options: dict[str, Any] = dict(
        positions=positions, plies=plies, balanced=balanced, best=best, test=test, seed=seed, progress=progress
    )
    if out.suffix == ".parquet":
        return Report(write_parquet(of, out, options))
    return Report(write_rows(of, out, options))


def write_rows(of: Game, out: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Write rows in a format that Rust supports; a missing table is computed first."""
    try:
        return export_(of, out, **options)
    except NoTableError:
        of.solve(save=True, progress=options["progress"])
        return export_(of, out, **options)


def write_parquet(of: Game, out: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Write rows as JSON lines to a private directory and convert them to Parquet.

    The target, its test set and its data sheet are replaced atomically once all of them are complete.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise InputError("writing Parquet needs pyarrow", "run `pip install pyarrow`") from error
    try:
        if out.exists() and not out.is_file():
            raise InputError(f"cannot write {out}: it is not a regular file", "choose a name that ends with .parquet")
        with private_directory(out) as home:
            report = write_rows(of, home / LINES, options)
            sheet = Path(report["sheet"]).read_text()
            targets = (out, out.with_name(f"{out.stem}-test.parquet"))
            made: list[tuple[Path, Path]] = []
            for file, target in zip(report["files"], targets):
                lines = Path(file["file"])
                columns = to_parquet(lines)
                lines.unlink()
                before = sheet_row(file)
                file["bytes"], file["checksum"] = checksum_(columns)
                file["file"] = str(target)
                sheet = sheet.replace(before, sheet_row(file))
                made.append((columns, target))
            report["sheet"] = f"{out}.md"
            described = home / SHEET
            described.write_text(sheet)
            made.append((described, Path(report["sheet"])))
            for source, _ in made:
                sync(source)
            for source, target in made:
                os.replace(source, target)
            sync(out.parent)
            return report
    except OSError as error:
        if isinstance(error, OutplayError):
            raise
        raise OutplayError(f"cannot write {out}: {error.strerror or error}") from error


#: Files of the private directory: JSON lines, their columns, and the data sheet.
LINES = "rows.jsonl"
SHEET = "rows.parquet.md"
PRIVATE = (
    *(LINES, "rows-test.jsonl", "rows.jsonl.md", "rows.parquet", "rows-test.parquet", SHEET),
    *(".rows.jsonl.partial", ".rows-test.jsonl.partial", ".rows.jsonl.md.partial"),
)


@contextmanager
def private_directory(target: Path) -> Iterator[Path]:
    """Yield a directory beside `target` that no other process uses, and remove it afterwards.

    Its name is `.NAME.partial`, so that the next export finds and removes the files of a killed process. Only files
    whose names are in `PRIVATE` are ever deleted.
    """
    path = target.with_name(f".{target.name}.partial")
    lock = None
    if sys.platform == "win32":
        path = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    else:
        lock = lock_directory(path, target)
    try:
        clear(path)
        yield path
    finally:
        with suppress(OSError):
            clear(path)
            path.rmdir()
        if lock is not None:
            os.close(lock)


def lock_directory(path: Path, target: Path) -> int:
    """Lock a directory, creating it if necessary, and return its file descriptor. Symbolic links are not followed."""
    import fcntl

    while True:
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            # Another export removed the directory in the meantime.
            continue
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            raise InputError(f"cannot write {target}: {path} is in the way", "remove it, or choose another name") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            same = os.path.samestat(os.fstat(lock), os.lstat(path))
        except BlockingIOError as error:
            os.close(lock)
            raise InputError(f"another export is writing {target}", "wait until it has finished, or give another path") from error
        except FileNotFoundError:
            same = False
        if same:
            return lock
        os.close(lock)


def clear(path: Path) -> None:
    """Remove the private files from a directory."""
    for name in PRIVATE:
        (path / name).unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Flush a file or a directory to disk (fsync)."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sheet_row(file: dict[str, Any]) -> str:
    """Return the row of a data sheet that describes a file."""
    return f"| {file['file']} | {file['rows']} | {file['bytes']} | {file['checksum']} |"


def to_parquet(lines: Path, rows: int = 65_536) -> Path:
    """Convert JSON lines to a Parquet file beside them, `rows` rows at a time."""
    import pyarrow as pa
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    out = lines.with_suffix(".parquet")
    schema = pa.schema(
        [
            ("position", pa.string()),
            ("to_move", pa.string()),
            ("ply", pa.int32()),
            ("value", pa.float64()),
            ("distance", pa.int32()),
            ("best", pa.list_(pa.string())),
            ("mask", pa.string()),
            ("legal", pa.list_(pa.string())),
        ]
    )
    parse = pj.ParseOptions(explicit_schema=schema)
    with pq.ParquetWriter(out, schema) as writer:
        if lines.stat().st_size:
            for batch in pj.open_json(lines, read_options=pj.ReadOptions(block_size=rows * 64), parse_options=parse):
                writer.write_batch(batch)
    return out
