"""A pool of threads that answer requests. The thread that finished last is used first. Made by `handler.py`.

The threads of the standard pool wait in a queue: a thread that takes a call wakes the next one, which takes the GIL
only to wait again. Here a call wakes one thread. If requests come one after the other, it is always the same thread,
with a warm database connection and warm memory.
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
    """A call, and the future of its result."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.future: Future[Any] = Future()
        self._call = call

    def do(self) -> None:
        """Runs the call, unless nobody waits for it any more."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self._call()
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class LatestFirst(Executor):
    """Runs calls in threads, which start when first needed.

    Args:
        most: maximum number of calls at the same time. More wait.
        name: name of the threads.
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
        """Runs `fn` in a thread."""
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
            # The waiting thread must not keep the answer alive.
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
        """Ends each thread when it is idle. Does not wait for them."""
        with self._lock:
            self._ended = True
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)
