"""A stem that has imported nothing: `python -m tests.mindinsight.supervisor.fake_stem BEHAVIOUR ORDER`."""

# ruff: noqa: T201  (printing is its job)

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import replace

from mindinsight.supervisor.children.forking import Order, fork_all


def main(behaviour: str, text: str) -> None:
    order = Order.read(text)
    if behaviour == "crash":
        raise SystemExit("the stem is rotten")
    if behaviour == "threads":
        threading.Thread(target=signal.pause, daemon=True).start()
    if behaviour == "half":
        order = replace(order, branches=order.branches[:1])
    if behaviour == "hangs":
        print(f"stem {os.getpid()} hangs", flush=True)
        signal.pause()
    fork_all(order)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
