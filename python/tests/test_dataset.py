"""Data sets: every label is right, splits keep symmetric positions together, files can be read back."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys

import numpy as np
import outplay as op
import pytest


def boards_of(planes):
    """Boards as `Table.probe` reads them."""
    return (planes[:, 0] + 2 * planes[:, 1]).astype(np.int8)


def test_all_positions_of_a_board(tmp_path):
    game = op.game("connect4:4x4")
    table = game.solve()
    report = op.export(game, tmp_path / "all.npz")
    assert report.rows == 161_029 == table.positions_for_first["legal"]
    data = np.load(tmp_path / "all.npz")
    assert data["planes"].shape == (161_029, 2, 4, 4) and data["mask"].shape == (161_029, 4)
    assert data["ply"].tolist() == data["planes"].sum(axis=(1, 2, 3)).tolist()
    values, distances = table.probe(boards_of(data["planes"]))
    assert (values == data["value"]).all() and (distances == data["distance"]).all()
    assert len({row.tobytes() for row in data["planes"]}) == 161_029
    # Counted from the first player's view, the rows equal the counts of the solver.
    mine = np.where(data["to_move"] == 0, data["value"], -data["value"])
    assert (mine == 1).sum() == table.positions_for_first["win"] and (mine == -1).sum() == table.positions_for_first["loss"]


def position_of(game, planes):
    rows = ["".join(".xo"[cell] for cell in row) for row in boards_of(planes[None])[0]]
    return game.position(at="/".join(rows))


def test_actions_are_columns_where_stones_fall(tmp_path):
    op.export("connect4:4x4", tmp_path / "some.npz", positions=60, plies=(2, 10))
    data = np.load(tmp_path / "some.npz")
    assert data["ply"].min() >= 2 and data["ply"].max() <= 10
    game = op.game("connect4:4x4")
    for planes, actions in zip(data["planes"], data["actions"]):
        p = position_of(game, planes)
        assert [str(i + 1) for i in range(4) if actions[i] == 1] == p.best
        assert [str(i + 1) for i in range(4) if actions[i] != 255] == p.legal


def test_actions_are_cells_of_other_boards(tmp_path):
    op.export("tictactoe", tmp_path / "t.npz", positions=40)
    data = np.load(tmp_path / "t.npz")
    assert data["mask"].shape == data["actions"].shape == (40, 9)
    game = op.game("tictactoe")
    for planes, actions in zip(data["planes"], data["actions"]):
        p = position_of(game, planes)
        cells = [f"{'abc'[i % 3]}{3 - i // 3}" for i in range(9)]
        assert {cell for cell, action in zip(cells, actions) if action == 1} == set(p.best)
        assert {cell for cell, action in zip(cells, actions) if action != 255} == set(p.legal)


def rows_of(path):
    """Yield rows of any format as (legal moves, mask), read as users read them."""
    if path.suffix == ".npz":
        data = np.load(path)
        for legal, mask in zip(data["legal"], data["mask"]):
            legal = str(legal).split()
            assert (mask[len(legal) :] == 255).all()
            yield legal, mask[: len(legal)].tolist()
    elif path.suffix == ".csv":
        with open(path) as file:
            for row in csv.DictReader(file):
                yield row["legal"].split(), json.loads(row["mask"])
    elif path.suffix == ".jsonl":
        for line in path.read_text().splitlines():
            row = json.loads(line)
            yield row["legal"], [int(digit) for digit in row["mask"]]
    else:
        for row in pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist():
            yield row["legal"], [int(digit) for digit in row["mask"]]


@pytest.mark.parametrize("spec", ["connect4:4x4", "mnk:3x3,k=3,obstacles=b2", "nim:3+4"])
def test_masks_have_one_meaning_in_every_form(spec, tmp_path):
    game = op.game(spec)
    game.solve()
    found = []
    for form in ("jsonl", "npz", "csv", "parquet"):
        op.export(game, tmp_path / f"x.{form}", positions=12)
        found.append(list(rows_of(tmp_path / f"x.{form}")))
    assert found[0] == found[1] == found[2] == found[3] and len(found[0]) == 12
    for (legal, mask), line in zip(found[0], (tmp_path / "x.jsonl").read_text().splitlines()):
        p = game.position(at=json.loads(line)["position"])
        assert legal == p.legal
        assert [move for move, best in zip(legal, mask, strict=True) if best == 1] == p.best


def test_masks_survive_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    # Some positions have one legal move, and some masks begin with 0.
    game = op.game("connect4:4x4")
    op.export(game, tmp_path / "x.csv", positions=60, plies=(1, 15))
    frame = pandas.read_csv(tmp_path / "x.csv")
    assert all(isinstance(mask, str) for mask in frame["mask"])
    for text, mask in zip(frame["position"], frame["mask"]):
        p = game.position(at=text)
        assert json.loads(mask) == [int(move in p.best) for move in p.legal]
    # A column of masks with a single entry each is text as well.
    op.export("nim:1", tmp_path / "y.csv", plies=(0, 0), positions=1)
    assert pandas.read_csv(tmp_path / "y.csv")["mask"].tolist() == ["[1]"]


def test_no_moves_are_told_if_none_are_asked_for(tmp_path):
    op.export("nim:3+4", tmp_path / "x.npz", positions=10, best=False)
    assert not {"mask", "legal", "actions"} & set(np.load(tmp_path / "x.npz").files)
    op.export("nim:3+4", tmp_path / "x.jsonl", positions=10, best=False)
    assert not {"mask", "legal", "best"} & set(json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0]))


def test_balanced(tmp_path):
    report = op.export("tictactoe", tmp_path / "b.csv", positions=60, balanced=True)
    assert report["values"] == {"win": 20, "draw": 20, "loss": 20}


def test_symmetric_positions_stay_together(tmp_path):
    op.game("tictactoe").solve()
    report = op.export("tictactoe", tmp_path / "s.npz", test=0.3)
    train, test = np.load(tmp_path / "s.npz"), np.load(tmp_path / "s-test.npz")
    assert report.rows == 5478 == len(train["value"]) + len(test["value"])
    assert not set(train["class"].tolist()) & set(test["class"].tolist())
    assert len(set(train["class"].tolist()) | set(test["class"].tolist())) == 765
    assert 0.2 < len(test["value"]) / 5478 < 0.4


def test_equal_seeds_equal_files(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        op.export("connect4:4x4", tmp_path / f"{name}.jsonl", positions=100, seed=seed)
    a, b, c = ((tmp_path / f"{name}.jsonl").read_bytes() for name in "abc")
    assert a == b != c


def test_lines_and_commas_agree(tmp_path):
    op.export("nim:3+4", tmp_path / "n.jsonl", positions=10)
    op.export("nim:3+4", tmp_path / "n.csv", positions=10)
    lines = [json.loads(line) for line in (tmp_path / "n.jsonl").read_text().splitlines()]
    with open(tmp_path / "n.csv") as file:
        rows = list(csv.DictReader(file))
    game = op.game("nim:3+4")
    for line, row in zip(lines, rows, strict=True):
        p = game.position(at=line["position"])
        assert line["value"] == p.payoff == float(row["value"]) and line["best"] == p.best == row["best"].split()


def test_parquet(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    report = op.export("tictactoe", tmp_path / "p.parquet", positions=50)
    table = pq.read_table(tmp_path / "p.parquet")
    assert table.num_rows == 50 == report.rows and "best" in table.column_names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.parquet", "p.parquet.md"]


def listing(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_parquet_leaves_files_of_the_user_alone(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    names = ("x.jsonl", "x-test.jsonl", "x.jsonl.md", "x.md", "rows.jsonl", "rows.parquet")
    mine = {name: f"mine: {name}".encode() for name in names}
    for name, content in mine.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "x.parquet").write_bytes(b"old")
    report = op.export("tictactoe", tmp_path / "x.parquet", positions=40, test=0.3)
    found = listing(tmp_path)
    assert {name: found[name] for name in names} == mine
    assert set(found) - set(names) == {"x.parquet", "x-test.parquet", "x.parquet.md"}
    rows = sum(pq.read_table(tmp_path / name).num_rows for name in ("x.parquet", "x-test.parquet"))
    assert rows == report.rows == 40
    sheet = (tmp_path / "x.parquet.md").read_text()
    for file in report.files:
        size = (tmp_path / file["file"]).stat().st_size
        assert size == file["bytes"] and f"| {file['file']} | {file['rows']} | {size} | {file['checksum']} |" in sheet


def test_failed_parquet_export_changes_nothing(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    from outplay import dataset

    (tmp_path / "x.parquet").write_bytes(b"old")
    (tmp_path / "x.jsonl").write_bytes(b"mine")
    before = listing(tmp_path)

    def full(lines, rows=0):
        lines.with_suffix(".parquet").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dataset, "to_parquet", full)
    with pytest.raises(op.OutplayError, match="x.parquet: No space"):
        op.export("tictactoe", tmp_path / "x.parquet", positions=20)
    assert listing(tmp_path) == before
    with pytest.raises(op.InputError):
        op.export("tictactoe", tmp_path / "x.parquet", positions=20, plies=(5, 2))
    assert listing(tmp_path) == before


def test_parquet_removes_what_a_killed_export_left(tmp_path):
    pytest.importorskip("pyarrow")
    left = tmp_path / ".x.parquet.partial"
    left.mkdir()
    (left / "rows.jsonl").write_text("half a row")
    op.export("tictactoe", tmp_path / "x.parquet", positions=20)
    assert set(listing(tmp_path)) == {"x.parquet", "x.parquet.md"}
    # A symbolic link of that name is neither followed nor removed.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "rows.jsonl").write_text("mine")
    left.symlink_to(elsewhere)
    with pytest.raises(op.InputError, match="in the way"):
        op.export("tictactoe", tmp_path / "x.parquet", positions=20)
    assert left.is_symlink() and (elsewhere / "rows.jsonl").read_text() == "mine"


def test_two_parquet_exports_to_one_file_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    from outplay.dataset import private_directory

    with private_directory(tmp_path / "x.parquet"):
        with pytest.raises(op.InputError, match="another export"):
            op.export("tictactoe", tmp_path / "x.parquet", positions=20)
    op.export("tictactoe", tmp_path / "x.parquet", positions=20)


def test_dice_have_means(tmp_path):
    op.export("piglet:3", tmp_path / "d.npz", positions=10)
    data = np.load(tmp_path / "d.npz")
    game = op.game("piglet:3")
    for text, turn, value in zip(data["position"], data["to_move"], data["value"]):
        mean = game.position(at=str(text)).mean
        assert value == pytest.approx(-mean if turn == 1 else mean)


def test_a_data_sheet_is_beside(tmp_path):
    (tmp_path / "x.md").write_text("mine")
    report = op.export("tictactoe", tmp_path / "x.csv", positions=20)
    assert (tmp_path / "x.md").read_text() == "mine"
    sheet = (tmp_path / "x.csv.md").read_text()
    assert report.sheet.endswith("x.csv.md") and report.files[0]["checksum"] in sheet and "CC0" in sheet


def test_a_game_of_ones_own(tmp_path):
    from rules import TicTacToe

    report = op.export(TicTacToe(), tmp_path / "own.csv", positions=50)
    assert report.rows == 50


def test_requests_that_make_no_sense(tmp_path):
    for options in ({"balanced": True}, {"plies": (5, 2)}, {"test": 1.5}):
        with pytest.raises(op.InputError):
            op.export("tictactoe", tmp_path / "no.csv", **options)
    with pytest.raises(op.InputError, match="jsonl"):
        op.export("tictactoe", tmp_path / "no.xyz", positions=5)
    assert not list(tmp_path.glob("no*"))


@pytest.mark.parametrize("form", ["csv", "npz", "parquet"])
def test_what_a_killed_export_leaves_is_removed_by_the_next(form, tmp_path):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"x.{form}"
    kill = "lambda *words: os.kill(os.getpid(), signal.SIGKILL)"
    code = f"import os, signal, outplay as op; op.export('connect4:4x4', {str(out)!r}, positions=100000, progress={kill})"
    killed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    assert f".x.{form}.partial" in {path.name for path in tmp_path.iterdir()}
    op.export("connect4:4x4", out, positions=20)
    assert {path.name for path in tmp_path.iterdir()} == {f"x.{form}", f"x.{form}.md"}
