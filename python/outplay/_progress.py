"""Progress reporting: a bar on the terminal, a callback, or none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

#: Delay before a bar appears, in seconds.
PATIENCE = 1.0


class Bar:
    """A progress bar on standard error: one line, erased at the end."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        seconds = time.monotonic() - self.began
        if seconds < PATIENCE:
            return
        share = f"{done / total:6.1%}" if total else f"{done:,}"
        line = f"{stage or 'working'} {share} {seconds:.0f} s"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
            self.width = 0


def listener(progress: Any) -> Callable[[str, int, int], None] | None:
    """Return the callback for a `progress=` argument.

    True shows a bar, False shows none, None shows one if standard error is a terminal, and a callable is used as it is.
    """
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if progress is True:
        return Bar()
    if progress is False:
        return None
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    raise TypeError("progress must be True, False, None or a function of (stage, done, total)")
