"""One training with many tags in a process of its own, at a steady pace.

`python -m benchmarks.measuring.page_writer DIRECTORY TAGS RATE STEPS LOG` writes one point of each tag, prints `ready`,
waits for a line of input, and then writes so many steps of all tags, RATE of them in a second, each flushed. LOG gets
when each step was flushed, seconds since 1970, by the name of the run.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path

from summaries import SummaryWriter


def write(directory: Path, tags: int, rate: float, steps: int) -> list[float]:
    """Writes everything; returns when each step was flushed."""
    flushed: list[float] = []
    with SummaryWriter(directory) as writer:

        def put(step: int) -> None:
            values = {f"live/tag_{tag:02d}": math.sin(step / 20 + tag) for tag in range(tags)}
            writer.add_scalars(values, step=step, wall_time=time.time())
            flushed.append(time.time())
            writer.flush()

        put(0)
        print("ready", flush=True)
        sys.stdin.readline()
        began = time.perf_counter()
        for step in range(1, steps + 1):
            time.sleep(max(0.0, began + step / rate - time.perf_counter()))
            put(step)
        print("written", flush=True)
        sys.stdin.readline()
    return flushed


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    moments = write(folder, int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
    Path(sys.argv[5]).write_text(json.dumps({folder.name: moments}))
