"""What recording costs a training's thread, for one writer in a process of its own.

`python benchmarks/measuring/writer_calls.py WRITER REPEATS` prints one JSON object: seconds per call by name of the
figure, medians of REPEATS. WRITER is `summaries` or `tensorboardX`. Stands alone, so that the environment of either
writer can run it.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SCALARS = 10_000
ROW = 12
PIECE = 1 << 14
HALF = 1 << 19
# Between two arrays a training computes something; the writers' threads work meanwhile.
PAUSE_S = 0.03


def scalar_calls(writer: Any) -> float:
    """Seconds per call, when scalars come one after the other."""
    began = time.perf_counter()
    for step in range(SCALARS):
        writer.add_scalar("loss", 0.5, step)
    return (time.perf_counter() - began) / SCALARS


def scalars_to_file(writer: Any) -> float:
    """Seconds per scalar until all of them are in the file."""
    began = time.perf_counter()
    for step in range(SCALARS):
        writer.add_scalar("loss", 0.5, step)
    writer.flush()
    return (time.perf_counter() - began) / SCALARS


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call, after a pause."""
    time.sleep(PAUSE_S)
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def arrays_in_a_row(writer: Any, values: np.ndarray) -> float:
    """Seconds per call, when all layers of a network are recorded one after the other."""
    writer.flush()
    time.sleep(PAUSE_S)
    began = time.perf_counter()
    for layer in range(ROW):
        writer.add_histogram(f"layer_{layer}", values, 1)
    return (time.perf_counter() - began) / ROW


def parameter_calls(writer: Any, repeats: int) -> list[float]:
    """Seconds of each call with a Parameter of ours, which is not copied: its next step makes another array."""
    framework = import_module("framework")
    weights = framework.Parameter(framework.Tensor(np.ones(1 << 20, np.float32)), name="weights")
    seconds = []
    for _ in range(repeats):
        seconds.append(timed(lambda: writer.add_histogram("parameter", weights, 1)))
        framework.ops.assign_add(weights, framework.Tensor(1.0))
        writer.flush()
    return seconds


def copies_in_a_row(target: np.ndarray, values: np.ndarray) -> float:
    """Seconds per copy into memory that is in use, the next right after the one before."""
    began = time.perf_counter()
    for _ in range(ROW):
        np.copyto(target, values)
    return (time.perf_counter() - began) / ROW


def read_once(values: np.ndarray) -> None:
    """Takes an array from memory, piece by piece into a little that stays in the processor's cache."""
    piece = np.empty(PIECE, values.dtype)
    for start in range(0, len(values), PIECE):
        np.copyto(piece, values[start : start + PIECE])


def measure(name: str, repeats: int) -> dict[str, float]:
    """Everything that is measured of one writer."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal(1 << 20, np.float32)
    picture = rng.random((3, 256, 256), np.float32)
    target = np.zeros_like(weights)
    with tempfile.TemporaryDirectory() as folder:
        writer = import_module(name).SummaryWriter(folder)
        found = {
            "scalar_call": [scalar_calls(writer) for _ in range(repeats)],
            "scalar_in_file": [scalars_to_file(writer) for _ in range(repeats)],
            "copies_in_a_row": [copies_in_a_row(target, weights) for _ in range(repeats)],
            "read_1m": [timed(lambda: read_once(weights)) for _ in range(repeats * 4)],
            "copy_1m": [timed(lambda: np.copyto(target, weights)) for _ in range(repeats * 4)],
            "half_copy_1m": [timed(lambda: np.copyto(target[:HALF], weights[:HALF])) for _ in range(repeats * 4)],
            "histogram_1m": [timed(lambda: writer.add_histogram("weights", weights, 1)) for _ in range(repeats * 4)],
            "histograms_in_a_row": [arrays_in_a_row(writer, weights) for _ in range(repeats)],
            "parameter_1m": parameter_calls(writer, repeats * 4) if name == "summaries" else [0.0, 0.0],
            "image_256": [timed(lambda: writer.add_image("input", picture, 1)) for _ in range(repeats * 4)],
        }
        writer.close()
    # The first calls import and allocate.
    return {figure: statistics.median(values[1:]) for figure, values in found.items()}


if __name__ == "__main__":
    if sys.argv[1] == "summaries":
        sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
