"""A real training under the debugger, run as a program: `python -m tests.mindinsight.debugger.trained URL TOKEN`."""

from __future__ import annotations

import sys

from framework.debugger import attach
from tests.framework.debugger.networks import batch, training


def main(url: str, token: str) -> None:
    """Trains until it is stopped; paused before the first step."""
    step = training()
    with attach(step, url, token, pause_at_start=True):
        for number in range(1_000_000):
            step(*batch(number))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
