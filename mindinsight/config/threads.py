"""Threads that answer requests: the one that finished last is used first. Made by `handler.py`.

The standard pool's threads queue for work: a thread that takes a piece wakes the next one, which takes the GIL from it
only to wait again. Here a piece wakes one thread, and where requests come one after the
other it is always the same, whose connection to the database and whose memory are warm.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Work:
    """A call, and where its outcome goes."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.future: Future[Any] = Future()
        self._call = call

    def do(self) -> None:
        """Calls, unless nobody waits any more."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self._call()
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class LatestFirst(Executor):
    """Runs calls in threads that are started when they are first needed.

    Args:
        most: calls that run at the same time; more wait their turn.
        name: how the threads are called.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._lock = threading.Lock()
        self._started = 0
        self._ended = False
        self._idle: list[SimpleQueue[_Work | None]] = []
        self._waiting: deque[_Work] = deque()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Has a thread call `fn`."""
        work = _Work(partial(fn, *args, **kwargs))
        with self._lock:
            idle = self._idle.pop() if self._idle else None
            start = idle is None and self._started < self._most
            if idle is None and not start:
                self._waiting.append(work)
            number = self._started = self._started + start
        if idle is not None:
            idle.put(work)
        elif start:
            threading.Thread(target=self._run, args=(work,), name=f"{self._name}_{number}", daemon=True).start()
        return work.future

    def _run(self, work: _Work | None) -> None:
        inbox: SimpleQueue[_Work | None] = SimpleQueue()
        while work is not None:
            work.do()
            # Nothing of the answer is kept while this thread waits.
            del work
            with self._lock:
                work = self._waiting.popleft() if self._waiting else None
                if work is None and self._ended:
                    return
                if work is None:
                    self._idle.append(inbox)
            if work is None:
                work = inbox.get()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Lets the threads end, each when it has nothing to do; nobody waits for them."""
        with self._lock:
            self._ended = True
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)
