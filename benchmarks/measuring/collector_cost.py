"""What `SummaryCollector` costs a training of LeNet at batch 256: `python collector_cost.py BLOCKS STEPS` prints JSON.

One training goes on; blocks of steps with the collector and without take turns, and a block with it ends when all that
it recorded is in the file. The first block of each kind, which compiles and writes the graph, counts for nothing.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import framework as ms
from framework import nn
from framework.model_zoo import LeNet5

BATCH = 256


class Turns(ms.Callback):
    """Hands every other block of steps to a collector, and times all of them."""

    def __init__(self, collector: ms.SummaryCollector, steps: int) -> None:
        self._collector = collector
        self._steps = steps
        self._done = 0
        self._began = 0.0
        self.seconds: dict[bool, list[float]] = {True: [], False: []}

    def __enter__(self) -> Turns:
        self._collector.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._collector.__exit__(*exception)

    def on_train_begin(self, run_context: ms.RunContext) -> None:
        """The collector's turn comes first."""
        self._collector.on_train_begin(run_context)
        self._began = time.perf_counter()

    def on_train_step_begin(self, run_context: ms.RunContext) -> None:
        """Tell the collector, if it is its turn."""
        if self._is_collected:
            self._collector.on_train_step_begin(run_context)

    def on_train_step_end(self, run_context: ms.RunContext) -> None:
        """The same; at the end of a block, note what it took."""
        collected = self._is_collected
        if collected:
            self._collector.on_train_step_end(run_context)
        self._done += 1
        if self._done % self._steps == 0:
            if collected:
                self._collector.flush()
            now = time.perf_counter()
            self.seconds[collected].append((now - self._began) / self._steps)
            self._began = now

    @property
    def _is_collected(self) -> bool:
        return self._done // self._steps % 2 == 0


def batches() -> list[tuple[Any, Any]]:
    """Handwritten digits, 256 at a time."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    pictures = (pixels.reshape(-1, 1, 8, 8) / 16).repeat(4, axis=2).repeat(4, axis=3).astype(np.float32)
    starts = range(0, len(labels) - BATCH, BATCH)
    return [(pictures[i : i + BATCH], labels[i : i + BATCH].astype(np.int32)) for i in starts]


def main() -> None:
    """Train, and print the seconds per step of each block, with the collector and without."""
    blocks, steps = map(int, sys.argv[1:])
    ms.set_context(mode=ms.GRAPH_MODE)
    network = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    data = batches()
    with tempfile.TemporaryDirectory() as directory:
        turns = Turns(ms.SummaryCollector(directory), steps)
        model.train(2 * blocks, data, callbacks=[turns], dataset_sink_mode=True, sink_size=steps)
    print(json.dumps({"with": turns.seconds[True][1:], "without": turns.seconds[False][1:]}))


if __name__ == "__main__":
    main()
