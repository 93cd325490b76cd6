"""An event loop in one thread: waits for descriptors, signals and times, and calls back. The supervisor runs in it."""

from __future__ import annotations

import heapq
import os
import selectors
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

Callback = Callable[[], None]


@dataclass(order=True)
class Timer:
    """A scheduled call, which can be cancelled."""

    due: float
    number: int
    callback: Callback | None = field(compare=False)

    def cancel(self) -> None:
        """Cancels the call."""
        self.callback = None


class Loop:
    """Calls back until stopped. It is used as a context manager in the main thread.

    Signals wake the loop through a pipe, so their callbacks run like all others and may do anything.
    """

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[Timer] = []
        self._numbers = 0
        self._signals: dict[int, Callback] = {}
        self._before: dict[int, signal._HANDLER] = {}
        self._stopped = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)

    def __enter__(self) -> Loop:
        self._wakeup_before = signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self.watch(self._wake_read, self._read_signals)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def watch(self, descriptor: int, callback: Callback, writing: bool = False) -> None:
        """Calls back whenever the descriptor can be read (or written)."""
        event = selectors.EVENT_WRITE if writing else selectors.EVENT_READ
        self._selector.register(descriptor, event, callback)

    def unwatch(self, descriptor: int) -> None:
        """Stops watching a descriptor. Called before it is closed."""
        self._selector.unregister(descriptor)

    def on_signal(self, number: signal.Signals, callback: Callback) -> None:
        """Calls back when the signal arrives. A signal that arrives twice at once may call back once."""
        self._signals[number] = callback
        self._before[number] = signal.signal(number, lambda _number, _frame: None)

    def after(self, delay: float, callback: Callback) -> Timer:
        """Calls back once, `delay` seconds from now."""
        self._numbers += 1
        timer = Timer(time.monotonic() + delay, self._numbers, callback)
        heapq.heappush(self._timers, timer)
        return timer

    def stop(self) -> None:
        """Lets `run` return after the callbacks that are due now."""
        self._stopped = True

    def run(self) -> None:
        """Waits and calls back until `stop`."""
        while not self._stopped:
            for key, _ in self._selector.select(self._patience()):
                # An earlier callback of this round may have closed it.
                if key.fd in self._selector.get_map():
                    key.data()
            self._call_timers()

    def _patience(self) -> float | None:
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0].due - time.monotonic()) if self._timers else None

    def _call_timers(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0].due <= now:
            callback = heapq.heappop(self._timers).callback
            if callback is not None:
                callback()

    def _read_signals(self) -> None:
        try:
            arrived = set(os.read(self._wake_read, 4096))
        except BlockingIOError:
            return
        for number in arrived:
            self._signals.get(number, _nothing)()


def _nothing() -> None:
    pass
