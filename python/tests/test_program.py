"""The program in the wheel: output, exit codes, pipes and signals are those of the program that cargo builds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import outplay as op

PROGRAM = str(Path(sys.executable).with_name("outplay"))


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)


def test_version_and_answers() -> None:
    version = run("--version")
    assert version.returncode == 0
    assert version.stdout.startswith(f"outplay {op.__version__} (")
    answer = run("query", "tictactoe", "--moves", "b2 a1", "--json")
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["value"] == "draw"


def test_exit_codes() -> None:
    wrong = run("show", "nowhere", "--json")
    assert wrong.returncode == 2
    assert set(json.loads(wrong.stdout)) >= {"error", "cure"}
    misused = run("show", "--nonsense")
    assert (misused.returncode, misused.stdout) == (2, "")
    assert "--nonsense" in misused.stderr
    assert run("--help").returncode == 0


def test_a_closed_pipe_is_not_an_error() -> None:
    child = subprocess.Popen([PROGRAM, "completions", "bash"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None and child.stderr is not None
    child.stdout.close()
    assert (child.stderr.read(), child.wait(60)) == (b"", 0)


def test_an_interrupt_stops_the_program() -> None:
    words = ["solve", "connect4:5x5", "--method", "plain", "--no-save", "--progress", "json"]
    child = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    # The program reports progress once it handles the signal.
    assert child.stderr.readline() != ""
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in stderr
