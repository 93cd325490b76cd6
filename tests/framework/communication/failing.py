"""A training of which one rank fails in a chosen way: a program for `mpirun`. Its other ranks wait in AllReduce."""

from __future__ import annotations

import os
import signal
import sys
import threading

from framework import Tensor, communication, ops


def fail(way: str) -> None:
    """Fail; every way has a line of its own, which the tests look for."""
    if way == "raise":
        raise ValueError("an error of one rank")  # line: raise
    if way == "thread":
        threading.Thread(target=lambda: 1 / 0).start()  # line: thread
    if way in ("thread", "hang"):
        threading.Event().wait()  # line: hang
    if way == "exit":
        sys.exit(3)  # line: exit
    if way == "end":
        sys.exit()  # line: end
    if way == "kill":
        threading.Event().wait(0.5)  # line: kill
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "differ":
        ops.AllGather()(Tensor([1.0, 2.0]))  # line: differ


def main() -> None:
    """Fail on one rank after the first collective."""
    way, failing = sys.argv[1], int(sys.argv[2])
    communication.init()
    ops.AllReduce()(Tensor([1.0]))
    if communication.get_rank() == failing:
        fail(way)
    ops.AllReduce()(Tensor([1.0, 2.0]))  # line: waits
    communication.release()


if __name__ == "__main__":
    main()
