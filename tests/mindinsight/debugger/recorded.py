"""A real training under the debugger that records its loss: `python -m ...recorded URL TOKEN DIRECTORY`."""

from __future__ import annotations

import sys
import time

from framework.debugger import attach
from summaries import SummaryWriter
from tests.framework.debugger.networks import batch, training

# Quicker, a thousand steps would pass while a person reads.
_PAUSE_S = 0.02


def main(url: str, token: str, directory: str) -> None:
    """Trains until it is stopped; paused before the first step."""
    step = training()
    with SummaryWriter(directory, flush_secs=0.1) as writer, attach(step, url, token, directory, pause_at_start=True):
        for number in range(1, 1_000_000):
            writer.add_scalar("loss", float(step(*batch(number)).asnumpy()), number)
            time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main(*sys.argv[1:])
