"""Our side of the comparison of profilers: `python capture_ours.py CASE ROUNDS STEPS` prints one JSON object.

Blocks of steps run in turn: bare, captured, bare. Processor time counts, because other work on the machine changes it
least; the ratio of a round is that of its captured block to the mean of the two beside it. `steps` measures what the
record of every step costs: the processor time of one note, of the step's.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import framework as ms
from benchmarks.measuring.framework_ours import LeNet, classified, random
from framework.dataset.monitor.step_log import StepLog
from framework.dataset.monitor.waits import Waits
from framework.model_zoo import resnet18
from framework.profiler.capture import Capture
from framework.profiler.record import read_record_file
from framework.profiler.timeline import sums_of

WARM = 15
CASES = ("lenet_graph", "lenet_pynative", "resnet18_graph", "steps")


def block(step: Callable[[], object], count: int) -> float:
    """Seconds of processor time of some steps."""
    began = time.process_time()
    for _ in range(count):
        step()
    return time.process_time() - began


def made(case: str) -> Callable[[], object]:
    """The step of a case, warm."""
    ms.set_context(mode=ms.PYNATIVE_MODE if case.endswith("pynative") else ms.GRAPH_MODE)
    if case.startswith("resnet18"):
        step = classified(resnet18(num_classes=10), random(8, 3, 64, 64))
    else:
        step = classified(LeNet(), random(32, 1, 32, 32))
    for _ in range(WARM):
        step()
    return step


def captured(step: Callable[[], object], rounds: int, steps: int) -> dict[str, float]:
    """The ratio of captured to bare steps, bytes a slice, and the part of the wall time that has a name."""
    ratios: list[float] = []
    size = slices = 0
    named = 1.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            before = block(step, steps)
            capture = Capture(Path(folder) / f"{number}.columns")
            capture.start()
            during = block(step, steps)
            capture.stop()
            after = block(step, steps)
            ratios.append(2 * during / (before + after))
            record = read_record_file(capture.path)
            size, slices = capture.path.stat().st_size, len(record.site)
            named = sum(sums_of(record).values()) / (record.ended - record.began)
    return {"ratio": statistics.median(ratios), "bytes": size / slices, "slices": slices / steps, "named": named}


def noted(step: Callable[[], object], rounds: int, steps: int) -> dict[str, float]:
    """The share of a step that the record of all steps takes, with what is written."""
    costs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            bare = block(step, steps) / steps
            waits = Waits(lambda: 0, of_training=True)
            waits.begin(1)
            log = StepLog(Path(folder), waits)
            count = 20 * steps
            began = time.process_time()
            for number in range(count):
                waits.running += 0.001
                waits.note(0.001, 0.002, began=float(number))
                log.step()
            log.close()
            costs.append((time.process_time() - began) / count / bare)
    return {"share": statistics.median(costs)}


def main(case: str, rounds: int, steps: int) -> None:
    """Measures a case."""
    step = made("lenet_graph" if case == "steps" else case)
    print(json.dumps((noted if case == "steps" else captured)(step, rounds, steps)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
