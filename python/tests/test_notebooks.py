"""The notebooks run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
BOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path):
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.get("outputs") for cell in book.cells)


def test_there_are_four_and_none_has_outputs():
    assert len(BOOKS) == 4
    for path in BOOKS:
        assert all(not cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells), path
