"""Many trainings in one process of its own: each writes all its tags ten times a second and flushes every step.

`python -m benchmarks.measuring.live_writer FORM DIRECTORY LOG` writes until its standard input is closed, then puts
into LOG when each step of each run was flushed: `{"run_00": [seconds since 1970 of step 0, of step 1, …], …}`.
The runs write one after the other, spread evenly over the tenth of a second, as independent trainings would.
"""

from __future__ import annotations

import json
import math
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.event_files import TensorBoardFile
from summaries import SummaryWriter

RUNS, TAGS, PERIOD_S = 20, 10, 0.1
Record = Callable[[int, float, dict[str, float]], float]


class LiveTrainings:
    """The process, as benchmarks use it.

    Args:
        form: `mindinsight` or `tensorboard`, whose files are written.
        directory: where the runs' directories are made.
        log: where the times go.
    """

    def __init__(self, form: str, directory: Path, log: Path) -> None:
        self._log = log
        command = [sys.executable, "-m", "benchmarks.measuring.live_writer", form, str(directory), str(log)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE)

    def finish(self) -> dict[str, list[float]]:
        """Ends the trainings; returns for every run when each step was flushed."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(30)
        return dict(json.loads(self._log.read_text()))

    def kill(self) -> None:
        """Ends the process, whatever it does; more than once does no harm."""
        self._process.kill()
        self._process.wait()


def recorder(form: str, directory: Path, run: int) -> Record:
    """Returns a function that writes one step of a run to its file and returns the time of the request."""
    if form == "tensorboard":
        file = TensorBoardFile(directory, int(time.time()) + run)

        def write(step: int, wall: float, values: dict[str, float]) -> float:
            flushed = time.time()
            file.write(step, wall, values)
            return flushed

        return write
    writer = SummaryWriter(directory)

    def record(step: int, wall: float, values: dict[str, float]) -> float:
        writer.add_scalars(values, step=step, wall_time=wall)
        flushed = time.time()
        writer.flush()
        return flushed

    return record


def main() -> None:
    """Writes until nobody listens any more."""
    form, directory, log = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    names = [f"run_{run:02d}" for run in range(RUNS)]
    records = {name: recorder(form, directory / name, run) for run, name in enumerate(names)}
    flushed: dict[str, list[float]] = {name: [] for name in names}
    began = time.perf_counter()
    step = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        for run, name in enumerate(names):
            due = began + (step + run / RUNS) * PERIOD_S
            time.sleep(max(0.0, due - time.perf_counter()))
            values = {f"tag_{tag}": math.sin(step / 20 + tag) + run / 10 for tag in range(TAGS)}
            flushed[name].append(records[name](step, time.time(), values))
        step += 1
    log.write_text(json.dumps(flushed))


if __name__ == "__main__":
    main()
