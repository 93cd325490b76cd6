"""The program's side of the fork server: one for all pipelines, which ends with the last of them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

__all__ = ["ForkServer"]

_PROGRAM = """
import sys
sys.path[:] = {path!r}
from framework.dataset.runtime.processes.server import serve
serve({file})
"""
#: Workers share the processors with each other; each computes alone.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_END_SECONDS = 0.3


class ForkServer:
    """The fork server, shared by those who use it."""

    _lock = threading.Lock()
    _shared: ForkServer | None = None

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._users = 0
        self._requests, other = socket.socketpair()
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM.format(path=sys.path, file=other.fileno())],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD},
            )

    @classmethod
    def acquire(cls) -> ForkServer:
        """The running server, or a new one. Give it back by `release`."""
        with cls._lock:
            server = cls._shared
            if server is None or server._owner != os.getpid() or server._process.poll() is not None:
                server = cls._shared = ForkServer()
            server._users += 1
            return server

    def release(self) -> None:
        """Give the server back; it ends when nobody uses it."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
            if ForkServer._shared is self:
                ForkServer._shared = None
        self._requests.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def fork(self, descriptors: list[int]) -> None:
        """Ask for a worker that has these descriptors.

        Raises:
            OSError: the server has ended.
        """
        with self._lock:
            socket.send_fds(self._requests, [b"f"], descriptors)
