"""Ctrl-C, threads, forks: nothing hangs, nothing crashes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import outplay as op
import pytest
from rules import Pile, TicTacToe

LONG = [
    'op.game("connect4").solve(method="search", save=False)',
    'op.game("mnk:8x8,k=5", data="/nonexistent", time=60).start.value',
    'op.prove("mnk:7x7,k=5")',
    'op.match("connect4", ["alphabeta:depth=12", "mcts:playouts=1000000"], games=100)',
    "op.game(Endless(), memory=8e9).solve()",
    'op.game(Endless(), time=0.1).start.choose("alphabeta:depth=30")',
]

SCRIPT = """
import os, signal, sys, threading, time
import outplay as op

class Endless:
    def start(self): return (0, 0)
    def turn(self, pos): return pos[1] % 2
    def moves(self, pos): return [1, 2, 3]
    def play(self, pos, n): return (pos[0] * 4 + n, pos[1] + 1)
    def outcome(self, pos): return None

sent = []
def interrupt():
    time.sleep(0.6)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

for _ in range(2):
    sent.clear()
    threading.Thread(target=interrupt).start()
    try:
        JOB
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0])
"""


@pytest.mark.parametrize("job", LONG)
def test_ctrl_c_ends_it(job):
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT).replace("JOB", job)], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    seconds = [float(line) for line in run.stdout.split()]
    # 0.3 s on an idle machine (docs/python.md); tests may share the machine with a compiler.
    assert len(seconds) == 2 and max(seconds) < 3, seconds


def test_other_threads_run_while_rust_works():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    op.game("connect4:5x5").solve(save=False)
    done.set()
    thread.join()
    assert len(ticks) > 5


def test_many_threads_ask_at_once(small):
    g = op.game(TicTacToe())
    boards = np.zeros((5000, 4, 4), np.int8)
    failed = []

    def work(seed):
        try:
            for _ in range(5):
                assert g.position("4").value == "draw"
                assert op.game(Pile()).solve().value == "win"
                assert (small.probe(boards)[0] == 0).all()
                assert op.match(g, ["random", lambda p: p.legal[0]], games=2, seed=seed)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed and not any(thread.is_alive() for thread in threads)


def test_one_game_met_by_many_threads():
    for _ in range(10):
        g = op.game(TicTacToe())
        values = []
        threads = [threading.Thread(target=lambda: values.append(g.solve().value)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert values == ["draw"] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_works_on(small):
    g = op.game(TicTacToe())
    assert g.solve().value == "draw"
    child = os.fork()
    if child == 0:
        code = 1
        try:
            fine = (
                op.game("mnk:4x3,k=3").solve(save=False, method="sweep").value == "win"
                and g.position("4").value == "draw"
                and op.game(Pile()).solve().value == "win"
                and small.probe(np.zeros((10, 4, 4), np.int8))[0].sum() == 0
            )
            code = 0 if fine else 2
        finally:
            os._exit(code)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        gone, status = os.waitpid(child, os.WNOHANG)
        if gone:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


def test_many_interrupts():
    """Interrupts at random moments leave the package in a usable state."""
    script = textwrap.dedent(
        """
        import os, random, signal, threading, time
        import outplay as op

        class Pile:
            def start(self): return (400, 0)
            def turn(self, pos): return pos[1]
            def moves(self, pos): return [n for n in (1, 2) if n <= pos[0]]
            def play(self, pos, n): return (pos[0] - n, 1 - pos[1])
            def outcome(self, pos): return None if pos[0] else (-1 if pos[1] == 0 else 1)

        rng, over, armed = random.Random(1), False, False
        def handler(number, frame):
            # Only inside the `try` block.
            if armed:
                raise KeyboardInterrupt
        signal.signal(signal.SIGINT, handler)
        def interrupt():
            while not over:
                time.sleep(rng.random() * 0.02)
                if not over:
                    os.kill(os.getpid(), signal.SIGINT)
        thread = threading.Thread(target=interrupt)
        hit = 0
        end = time.monotonic() + 2
        thread.start()
        while time.monotonic() < end:
            try:
                armed = True
                op.game(Pile()).solve()
                op.game("mnk:4x3,k=3").solve(save=False)
                armed = False
            except KeyboardInterrupt:
                armed = False
                hit += 1
        over = True
        thread.join()
        assert op.game(Pile()).solve().value == "win"
        print(hit)
        """
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 3
