"""Work in a thread of its own, which another thread can cancel and a coroutine can await."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from ._outplay import CancelFlag_

T = TypeVar("T")


class Job(Generic[T]):
    """Work that was started by `submit`.

    `await job` returns its result, too; cancelling the coroutine cancels the work. At the end of a `with` block the
    work is cancelled.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._flag = CancelFlag_()
        self._future: Future[T] = Future()
        self._future.set_running_or_notify_cancel()

        def run() -> None:
            self._flag.enter()
            try:
                result = work()
            except BaseException as error:
                self._future.set_exception(error)
            else:
                self._future.set_result(result)

        threading.Thread(target=run, name="outplay-job", daemon=True).start()

    def cancel(self) -> bool:
        """Stop the work, so that `result` raises `CancelledError`; return False if it was done before."""
        if self._future.done():
            return False
        self._flag.set()
        return True

    def done(self) -> bool:
        """Return whether the work has ended."""
        return self._future.done()

    def result(self, timeout: float | None = None) -> T:
        """Wait for the result. Exceptions of the work are raised here; `TimeoutError` after `timeout` seconds."""
        return self._future.result(timeout)

    def __await__(self) -> Generator[Any, None, T]:
        try:
            return (yield from asyncio.wrap_future(self._future).__await__())
        except asyncio.CancelledError:
            self.cancel()
            raise

    def __enter__(self) -> Job[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.cancel()

    def __repr__(self) -> str:
        state = "running" if not self.done() else "failed" if self._future.exception() else "done"
        return f"<job: {state}>"


def submit(function: Callable[..., T], /, *arguments: Any, **options: Any) -> Job[T]:
    """Call a function in a thread of its own, and return the `Job`.

    Every function and property of the package that is called there ends with `CancelledError` soon after `cancel()`.

    >>> import outplay as op
    >>> job = op.submit(op.game("connect4:4x4").solve, save=False)
    >>> job.result().value
    'draw'
    """
    return Job(lambda: function(*arguments, **options))
