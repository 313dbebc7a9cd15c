"""Data sets: every label is right, splits keep symmetric positions together, files read back."""

from __future__ import annotations

import csv
import json

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
    assert report.rows == 161_029 == table.positions["legal"]
    data = np.load(tmp_path / "all.npz")
    assert data["planes"].shape == (161_029, 2, 4, 4) and data["mask"].shape == (161_029, 4)
    assert data["ply"].tolist() == data["planes"].sum(axis=(1, 2, 3)).tolist()
    values, distances = table.probe(boards_of(data["planes"]))
    assert (values == data["value"]).all() and (distances == data["distance"]).all()
    assert len({row.tobytes() for row in data["planes"]}) == 161_029
    # The first player's view of all positions is what solving counted.
    mine = np.where(data["to_move"] == 0, data["value"], -data["value"])
    assert (mine == 1).sum() == table.positions["win"] and (mine == -1).sum() == table.positions["loss"]


def test_masks_are_best_moves(tmp_path):
    op.export("connect4:4x4", tmp_path / "some.npz", positions=60, plies=(2, 10))
    data = np.load(tmp_path / "some.npz")
    assert data["ply"].min() >= 2 and data["ply"].max() <= 10
    game = op.game("connect4:4x4")
    for planes, mask in zip(data["planes"], data["mask"]):
        rows = ["".join(".xo"[cell] for cell in row) for row in boards_of(planes[None])[0]]
        p = game.position(at="/".join(rows))
        assert [str(i + 1) for i in range(4) if mask[i] == 1] == p.best
        assert [str(i + 1) for i in range(4) if mask[i] != 255] == p.legal


def test_cells_of_other_boards(tmp_path):
    op.export("tictactoe", tmp_path / "t.npz", positions=40)
    data = np.load(tmp_path / "t.npz")
    assert data["mask"].shape == (40, 9)
    for planes, mask in zip(data["planes"], data["mask"]):
        empty = (planes.sum(axis=0) == 0).ravel()
        if (mask != 255).any():
            assert ((mask != 255) == empty).all()


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
    assert not (tmp_path / "p.jsonl").exists()


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
