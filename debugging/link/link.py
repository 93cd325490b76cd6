"""The thread that talks with the dashboard: connects and reconnects, sends queued messages, passes commands on.

Only commands reach the training from it.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import random
import threading
import time
import weakref
from collections.abc import Callable
from typing import Final

from google.protobuf.message import Message
from websockets.exceptions import WebSocketException

from debugging.link.address import Address
from debugging.link.connection import Connection, Queues
from debugging.link.handshake import Refused, connecting, is_refusal, problem_of, refusals
from debugging.link.outbox import Outbox
from summaries.schema.debugger_pb2 import BlobBegin, Bye, Command, Hello

__all__ = ["Link"]

_log = logging.getLogger("debugging")

_FIRST_DELAY: Final = 0.25
_LONGEST_DELAY: Final = 5.0
_REFUSED_DELAY: Final = 30.0
"""Seconds between two attempts to connect: the first, the longest, and after a refusal."""
_BYE_SECONDS: Final = 2.0

_links: weakref.WeakSet[Link] = weakref.WeakSet()


class Link:
    """A connection to a dashboard that reconnects.

    Args:
        address: Of the dashboard.
        hello: Introduces the training; the dashboard's answer fills in the session.
        on_command: Called with each command in the link's thread.
        on_tick: Called there a few times a second while connected.

    """

    def __init__(
        self,
        address: Address,
        hello: Hello,
        on_command: Callable[[Command], None],
        on_tick: Callable[[], None] = lambda: None,
    ) -> None:
        self.address = address
        self._hello = hello
        self._outgoing = Outbox(self._wake)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._more = asyncio.Event()
        self._socket_number = -1
        self._closing = threading.Event()
        self._forked = False
        self._lost_since: float | None = time.monotonic()
        self._queues = Queues(self._outgoing, self._more, self._closing, on_command, on_tick)
        self._thread = threading.Thread(target=self._run, name="debugger link", daemon=True)

    @property
    def session(self) -> str:
        """The dashboard's id of this session; empty before the first connection."""
        return self._hello.session

    @property
    def is_alive(self) -> bool:
        """Whether it is connected or trying to connect."""
        return self._thread.is_alive()

    @property
    def lost_since(self) -> float | None:
        """When the connection was lost (`time.monotonic`); None while connected."""
        return self._lost_since

    def start(self) -> None:
        """Start the thread."""
        _links.add(self)
        self._thread.start()

    def send(self, message: Message, keep: bool = False) -> None:
        """Queue a message; never waits.

        Args:
            message: One of the kinds in `Envelope`. Of `State` and `Watching` only the newest is sent.
            keep: Whether the newest of its kind is sent again after a lost connection.

        """
        if not self._forked:
            self._outgoing.put(message, keep)

    def send_blob(self, begin: BlobBegin, data: memoryview, keep: bool = False) -> bool:
        """Queue a blob; returns whether there was room.

        Args:
            begin: Announces it.
            data: Its bytes, which must not change any more.
            keep: Whether it is sent again after a lost connection.

        """
        return self._forked or self._outgoing.put_blob(begin, data, keep)

    def forget(self, *kinds: type[Message]) -> None:
        """Forget kept messages of these kinds."""
        if not self._forked:  # The lock of the queue may be held by a thread of the parent.
            self._outgoing.forget(*kinds)

    def close(self, bye: Bye) -> None:
        """Say goodbye if connected, and end; waits at most two seconds."""
        _links.discard(self)
        if self._closing.is_set() or self._forked:
            return
        self._outgoing.put(bye)
        self._closing.set()
        self._wake()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(_BYE_SECONDS)

    def after_fork(self) -> None:
        """In a forked process: leave the connection to the parent.

        Replaces the socket's descriptor by /dev/null, because the dashboard sees a training end when the last process
        closes the socket.
        """
        self._forked = True
        if self._socket_number >= 0:
            nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            os.dup2(nothing, self._socket_number, inheritable=False)
            os.close(nothing)

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # The loop has ended.
                loop.call_soon_threadsafe(self._more.set)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception:
            if threading.main_thread().is_alive():  # Else Python is shutting down.
                _log.exception("The debugger's link has ended; the training continues without it.")
        finally:
            self._loop = None

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        delay, reported = _FIRST_DELAY, ""
        while not self._closing.is_set():
            wait, problem = delay, ""
            try:
                async with connecting(self.address) as socket:
                    self._socket_number = socket.transport.get_extra_info("socket").fileno()
                    connection = Connection(socket, self.address, self._queues)
                    with refusals(self.address):
                        window = await connection.greet(self._hello)
                        _log.info("The debugger is connected with %s, session %s.", self.address.shown, self.session)
                        delay = wait = _FIRST_DELAY
                        reported = ""
                        self._outgoing.connected(window)
                        self._lost_since = None
                        await connection.talk()
            except Refused as error:
                wait, problem = _REFUSED_DELAY, str(error)
                if error.for_ever:
                    _log.warning("%s The training continues without the debugger.", problem)
                    return
            except (OSError, WebSocketException, TimeoutError, EOFError) as error:
                problem = problem_of(self.address, error)
                wait = _REFUSED_DELAY if is_refusal(error) else delay
            finally:
                self._socket_number = -1
                self._outgoing.disconnected()
                self._lost_since = self._lost_since or time.monotonic()
            if problem and problem != reported:
                reported = problem
                _log.warning("%s The training continues.", problem)
            delay = min(delay * 2, _LONGEST_DELAY)
            await self._pause(wait * random.uniform(0.8, 1.2))  # noqa: S311

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the link is closing."""
        deadline = time.monotonic() + seconds
        while not self._closing.is_set() and (left := deadline - time.monotonic()) > 0:
            self._more.clear()
            if self._closing.is_set():
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), left)


def _close_all() -> None:
    for link in list(_links):
        link.close(Bye(reason="finished"))


def _after_fork() -> None:
    for link in list(_links):
        link.after_fork()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
