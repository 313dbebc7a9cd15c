"""What tests share: tables go to a directory of their own."""

from __future__ import annotations

import os
import tempfile

import pytest

# Before outplay is asked for anything: nobody's own tables are read or written.
DATA = tempfile.mkdtemp(prefix="outplay-tests-")
os.environ["OUTPLAY_DATA"] = DATA

import outplay as op  # noqa: E402


@pytest.fixture(scope="session")
def small() -> op.Table:
    """The table of connect4:4x4, which many tests ask."""
    return op.game("connect4:4x4").solve()
