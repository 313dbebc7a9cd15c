"""Data sets: positions with exact labels, in files that stream."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ._outplay import export_, game
from ._report import Report
from .errors import InputError, NoTableError


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
) -> Report:
    """Writes positions with exact values, distances and best moves to a file that ends with npz, csv, jsonl or parquet.

    `positions` is how many, of random games; without it, all of the game's table, which is made if there is none. `plies`
    are the fewest and most moves before a position, `balanced` asks for as many wins as draws and losses, and `test` is the
    share that goes to a second file, symmetric positions together. A data sheet is put beside the files.

    >>> import outplay as op, tempfile, os
    >>> report = op.export("tictactoe", os.path.join(tempfile.mkdtemp(), "rows.csv"), positions=30, test=0.2)
    >>> report.rows, len(report.files)
    (30, 2)
    """
    of = game(of)
    out = Path(out)
    parquet = out.suffix == ".parquet"
    target = out.with_suffix(".jsonl") if parquet else out
    options: dict[str, Any] = dict(
        positions=positions, plies=plies, balanced=balanced, best=best, test=test, seed=seed, progress=progress
    )
    try:
        report = export_(of, target, **options)
    except NoTableError:
        of.solve(save=True, progress=progress)
        report = export_(of, target, **options)
    if parquet:
        for file in report["files"]:
            file["file"] = str(to_parquet(Path(file["file"])))
            file["bytes"] = os.path.getsize(file["file"])
            # The checksum was that of the lines.
            file.pop("checksum")
    return Report(report)


def to_parquet(lines: Path, rows: int = 65_536) -> Path:
    """JSON lines as Parquet, so many rows at a time; the lines are removed."""
    try:
        import pyarrow as pa
        import pyarrow.json as pj
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputError("Parquet needs pyarrow", "pip install pyarrow") from error
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
        ]
    )
    parse = pj.ParseOptions(explicit_schema=schema)
    with pq.ParquetWriter(out, schema) as writer:
        if lines.stat().st_size:
            for batch in pj.open_json(lines, read_options=pj.ReadOptions(block_size=rows * 64), parse_options=parse):
                writer.write_batch(batch)
    lines.unlink()
    return out
