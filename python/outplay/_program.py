"""The console script `outplay`: the command line, which is part of the extension module."""

from __future__ import annotations

import signal
import sys

from . import _outplay


def main() -> int:
    """Runs the command line with the arguments of this process and returns the exit code."""
    # Python's handler only sets a flag, so Ctrl-C would be lost while the program does not handle it itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = getattr(_outplay, "program", None)
    if program is None:
        print("error: this build of the package has no program; build it with the feature `program`", file=sys.stderr)
        return 2
    code: int = program(["outplay", *sys.argv[1:]])
    return code
