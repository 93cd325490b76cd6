"""The process that forks workers. It has one thread, so that forking is safe, and ends with the program."""

from __future__ import annotations

import os
import signal
import socket

from framework.dataset.runtime.processes.worker import work

__all__ = ["serve"]

#: Descriptors that come with a request: the worker's socket, the memory for inputs and that for results.
DESCRIPTORS = 3


def serve(descriptor: int) -> None:
    """Fork a worker for each request, until the program closes the socket.

    Args:
        descriptor: the socket.
    """
    # The program ends its workers; Ctrl-C in a terminal reaches them all.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The system itself takes away workers that ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=descriptor) as requests:
        while True:
            message, descriptors, _, _ = socket.recv_fds(requests, 1, DESCRIPTORS)
            if not message:
                return
            if os.fork() == 0:
                requests.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                work(*descriptors)
            for given in descriptors:
                os.close(given)
