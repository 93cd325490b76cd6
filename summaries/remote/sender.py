"""The thread that sends a remote run to its dashboard, and `RemoteRun`, which a summary writer holds."""

import logging
import os
import threading
import time
from pathlib import Path
from typing import ClassVar

from summaries.remote.address import RunAddress, run_address
from summaries.remote.leftovers import Leftovers
from summaries.remote.spool import Spool
from summaries.remote.transport import SendError, Transport
from summaries.remote.uploads import SpoolUpload

_log = logging.getLogger("summaries")

_INTERVAL_S = 0.5
_LONGEST_PAUSE_S = 30.0
_CLOSE_S = 30.0
"""Seconds that `close` waits for the dashboard to have everything."""
_BUDGET = 64 << 20
"""Bytes of one file that are sent before the next file has its turn."""


class RemoteRun:
    """A run on a dashboard. Writers write into `directory`; a thread sends what they write.

    All writers of a process that write the same run share one. The last one that closes it waits for the dashboard.
    """

    _open: ClassVar[dict[tuple[int, str], "RemoteRun"]] = {}
    _guard: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, address: RunAddress) -> None:
        self._address = address
        self._pid = os.getpid()
        self._writers = 0
        self._spool = Spool.create(address)
        self._sender = _Sender(self._spool, address)

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> "RemoteRun":
        """Open a run for one more writer.

        Args:
            directory: the run's address, such as `http://host:8080/lenet`.

        Raises:
            OSError: the spool cannot be created.
            ValueError: it is not the address of a run.
        """
        address = run_address(directory)
        key = (os.getpid(), str(address))
        with cls._guard:
            run = cls._open.get(key)
            if run is None:
                run = cls._open[key] = cls(address)
            run._writers += 1
        return run

    @property
    def directory(self) -> Path:
        """The directory of the event files on this machine."""
        return self._spool.files

    def flush(self, seconds: float) -> bool:
        """Wait until the dashboard has what is in the files now; returns False if it does not in time."""
        return os.getpid() != self._pid or self._sender.flush(seconds)

    def close(self) -> None:
        """Leave the run. The last writer waits until the dashboard has everything, at most half a minute.

        What is left then stays in the spool, and a warning says so. In a forked process it does nothing: the process
        that opened the run sends its files.
        """
        if os.getpid() != self._pid:
            return
        with self._guard:
            self._writers -= 1
            if self._writers:
                return
            self._open.pop((self._pid, str(self._address)), None)
        if self._sender.finish(_CLOSE_S):
            self._spool.remove()
        else:
            _log.warning(
                "%s is not complete yet: the rest waits in %s. The next writer for this dashboard sends it, or "
                "'python -m summaries.remote'.",
                self._address,
                self._spool.folder,
            )
            self._spool.release()


class _Sender:
    """Sends a spool in a thread of its own, then what earlier writers left over."""

    def __init__(self, spool: Spool, address: RunAddress) -> None:
        self._address = address
        self._upload = SpoolUpload(spool, Transport(address))
        self._leftovers = Leftovers(address)
        self._changed = threading.Condition()
        self._wanted = self._sent = 0  # Numbers of the last requested and the last finished round.
        self._deadline: float | None = None  # Set by `finish`.
        self._complete = False
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="summaries-remote", daemon=True)
        self._thread.start()

    def flush(self, seconds: float) -> bool:
        with self._changed:
            self._wanted += 1
            wanted = self._wanted
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._sent >= wanted, seconds)

    def finish(self, seconds: float) -> bool:
        """Send everything and end the thread; returns False if something is left after `seconds`."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            self._wanted += 1
            self._changed.notify_all()
        self._thread.join(seconds + 1)
        return self._complete

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._is_urgent, self._pause())
                round_number, closing = self._wanted, self._deadline is not None
            reached = self._send(closing)
            with self._changed:
                if reached:
                    self._sent = max(self._sent, round_number)
                    self._changed.notify_all()
                if closing and (self._complete or time.monotonic() >= (self._deadline or 0.0)):
                    break
        self._leftovers.release()

    def _is_urgent(self) -> bool:
        return not self._failures and self._wanted > self._sent

    def _pause(self) -> float:
        longest = 1.0 if self._deadline is not None else _LONGEST_PAUSE_S
        return min(longest, _INTERVAL_S * 2.0 ** min(self._failures, 10))

    def _send(self, closing: bool) -> bool:
        """One round; returns whether the dashboard has all bytes that were there at its beginning."""
        try:
            while self._upload.advance(_BUDGET) >= _BUDGET:
                pass
            self._complete = closing and self._upload.is_complete()
            if not closing:
                self._leftovers.advance()
        except (SendError, OSError) as error:
            self._failed(error)
            return False
        if self._failures:
            _log.warning("%s is sent again.", self._address)
            self._failures = 0
        return True

    def _failed(self, error: Exception) -> None:
        if not self._failures:
            _log.warning(
                "%s is not sent at present: %s The values are kept in %s and sent later.",
                self._address,
                error,
                self._upload.spool.folder,
            )
        self._failures += 1


def _after_fork() -> None:
    RemoteRun._guard = threading.Lock()
    RemoteRun._open.clear()


os.register_at_fork(after_in_child=_after_fork)
