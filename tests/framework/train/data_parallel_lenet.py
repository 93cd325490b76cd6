"""A data parallel training of LeNet: run by MPI as a program, and on ranks in one process by the tests.

    mpirun -n 4 python data_parallel_lenet.py FOLDER

writes the parameters and losses of each rank into the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework import communication, context, nn
from framework.dataset import NumpySlicesDataset
from framework.model_zoo.lenet import LeNet5

STEPS, BATCH = 5, 8
MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}


class Losses(ms.Callback):
    """Keeps the loss of each step."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[float] = []

    def on_train_step_end(self, run_context: Any) -> None:
        self.found.append(float(run_context.original_args().net_outputs.asnumpy()))


def train(mode: str, batch: int) -> dict[str, Any]:
    """Train with batches of a size on this rank; returns the losses, and the parameters and optimizer states."""
    # Convolutions divide their work among threads, and add up in that order.
    context.set_context(mode=MODES[mode], runtime_num_threads=1)
    ms.set_seed(1)
    drawn = np.random.default_rng(0)
    images = drawn.standard_normal((STEPS * 4 * BATCH, 1, 32, 32)).astype(np.float32)
    labels = drawn.integers(0, 10, len(images)).astype(np.int32)
    data = NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(batch)
    network = LeNet5()
    optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    losses = Losses()
    ms.Model(network, loss, optimizer).train(1, data.take(STEPS), callbacks=[losses], dataset_sink_mode=False)
    return {
        "losses": np.array(losses.found),
        **{item.name: item.asnumpy() for item in network.get_parameters()},
        **{item.name: item.asnumpy() for item in optimizer.moments},
    }


def results() -> dict[str, Any]:
    """Train data parallel in both modes; every rank has a part of the data."""
    communication.init()
    context.set_auto_parallel_context(parallel_mode=context.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    batch = 4 * BATCH // communication.get_group_size()
    return {f"{mode} {name}": x for mode in MODES for name, x in train(mode, batch).items()}


if __name__ == "__main__":
    of_rank = results()
    np.savez(Path(sys.argv[1]) / f"{communication.get_rank()}.npz", **of_rank)
