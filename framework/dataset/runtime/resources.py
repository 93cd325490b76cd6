"""The owner of all threads and connectors of a tree, and of what else has to be freed: it alone ends them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from framework.dataset.config import ErrorSamplesMode
from framework.dataset.runtime.connector import Closed, Connector, Counters
from framework.dataset.runtime.sample_errors import SampleErrors

__all__ = ["CLOSE_SECONDS", "Resources"]

#: The time that `close` waits for threads. One that is inside a user's function for longer ends when that returns.
CLOSE_SECONDS = 0.8


class Resources:
    """What the operators of one tree use, and what has to end with it.

    Args:
        prefetch_size: number of rows that wait for the reader at most.
        mode: what becomes of samples with errors.
    """

    def __init__(self, prefetch_size: int = 1, mode: ErrorSamplesMode = ErrorSamplesMode.RETURN) -> None:
        self.prefetch_size = prefetch_size
        self.errors = SampleErrors(mode)
        self.closed = False
        #: Whether rows are handed over one by one, since one of them may wait for what the reader does with another.
        self.one_by_one = False
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._connectors: set[Connector[Any]] = set()
        self._threads: set[threading.Thread] = set()
        self._closers: dict[object, Callable[[], None]] = {}

    @property
    def foreign(self) -> bool:
        """Whether this is a copy in a forked process, in which none of the threads exist."""
        return os.getpid() != self._process

    def connector(self, size: int, counters: Counters) -> Connector[Any]:
        """A connector that is closed with the tree.

        Raises:
            Closed: the tree is closed.
        """
        made: Connector[Any] = Connector(size, counters)
        with self._lock:
            if self.closed:
                raise Closed
            self._connectors.add(made)
        return made

    def release(self, connector: Connector[Any]) -> None:
        """Close a connector that is no longer needed."""
        connector.close()
        with self._lock:
            self._connectors.discard(connector)

    def start(self, name: str, target: Callable[[], None]) -> threading.Thread:
        """Start a thread. It ends when its connectors are closed.

        Raises:
            Closed: the tree is closed.
        """
        thread = threading.Thread(target=self._watched, args=(target,), name=name, daemon=True)
        with self._lock:
            if self.closed:
                raise Closed
            # Inside the lock: `close` may only join threads that run.
            thread.start()
            self._threads.add(thread)
        return thread

    def keep(self, owner: object, close: Callable[[], None]) -> None:
        """Call a function when the tree is closed, or at once if it is."""
        with self._lock:
            closed = self.closed
            if not closed:
                self._closers[owner] = close
        if closed:
            close()

    def close(self) -> None:
        """End all threads and free everything, within a second; again it does nothing."""
        if self.foreign:
            return
        with self._lock:
            if self.closed:
                return
            self.closed = True
            connectors, threads, closers = set(self._connectors), set(self._threads), list(self._closers.values())
            self._closers.clear()
        for connector in connectors:
            connector.close()
        for close in closers:
            close()
        join(threads, CLOSE_SECONDS)

    def _watched(self, target: Callable[[], None]) -> None:
        try:
            target()
        except Closed:
            pass
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())


def join(threads: set[threading.Thread], seconds: float) -> bool:
    """Wait for the end of threads, all together no longer than some seconds; whether all ended."""
    end = monotonic() + seconds
    for thread in threads:
        if thread is not threading.current_thread():
            thread.join(max(end - monotonic(), 0))
    return not any(thread.is_alive() for thread in threads)
