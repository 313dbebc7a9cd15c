"""Shared fixtures; tables are stored in a temporary directory."""

from __future__ import annotations

import os
import tempfile

import pytest

# Set before outplay is used, so that no tables of the user are read or written.
DATA = tempfile.mkdtemp(prefix="outplay-tests-")
os.environ["OUTPLAY_DATA"] = DATA

import outplay as op  # noqa: E402


@pytest.fixture(scope="session")
def small() -> op.Table:
    """The table of connect4:4x4, which many tests use."""
    return op.game("connect4:4x4").solve()
