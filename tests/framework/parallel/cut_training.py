"""Trainings with operators that are cut over ranks: run by MPI as a program, and on ranks in one process by the tests.

    mpirun -n 4 python cut_training.py FOLDER

writes the losses and the parts of the Parameters of each rank into the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework import Parameter, Tensor, communication, context, nn, ops
from framework.dataset import NumpySlicesDataset

BATCH, STEPS = 16, 3


class Encoder(nn.Cell):
    """Embedding, attention with two heads, layer normalization, dense layers with dropout: of each rule family one.

    Args:
        strategies: whether operators get strategies for four ranks.
    """

    def __init__(self, strategies: bool = True) -> None:
        super().__init__()
        self.table = nn.Embedding(24, 8)
        self.query, self.key, self.value = (nn.Dense(8, 8) for _ in range(3))
        self.norm = nn.LayerNorm((8,))
        self.first = nn.Dense(8, 16, activation="gelu")
        self.drop = nn.Dropout(p=0.25)
        self.second = nn.Dense(16, 8)
        self.classes = nn.Dense(8, 4)
        self.product = ops.BatchMatMul(transpose_b=True)
        self.weighted = ops.BatchMatMul()
        self.softmax = ops.Softmax()
        if strategies:
            self.query.matmul.shard(((2, 1), (2, 1)))
            self.first.matmul.shard(((1, 1), (4, 1)))
            self.second.matmul.shard(((1, 4), (1, 4)))
            self.product.shard(((2, 2, 1, 1), (2, 2, 1, 1)))

    def heads(self, x: Tensor) -> Tensor:
        """From (batch, places, 8) to (batch, heads, places, 4)."""
        return x.reshape(x.shape[0], x.shape[1], 2, 4).transpose(0, 2, 1, 3)

    def construct(self, ids: Tensor) -> Tensor:
        """The logits of classes for rows of six ids."""
        x = self.table(ids)
        weights = self.softmax(self.product(self.heads(self.query(x)), self.heads(self.key(x))) / 2.0)
        mixed = self.weighted(weights, self.heads(self.value(x))).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.norm(x + mixed)
        x = x + self.second(self.drop(self.first(x)))
        return self.classes(x.mean(1))


def data(full: bool) -> NumpySlicesDataset:
    """Batches of the same rows in the same order, whole or this rank's part."""
    drawn = np.random.default_rng(3)
    ids = drawn.integers(0, 24, (STEPS * BATCH, 6)).astype(np.int32)
    labels = drawn.integers(0, 4, STEPS * BATCH).astype(np.int32)
    ranks = 1 if full else communication.get_group_size()
    # Each rank's part of a batch is a block of its rows.
    mine = slice(None) if full else slice(communication.get_rank(), communication.get_rank() + 1)
    ids, labels = (x.reshape(STEPS, ranks, -1, *x.shape[1:])[:, mine].reshape(-1, *x.shape[1:]) for x in (ids, labels))
    rows = NumpySlicesDataset((ids, labels), ["ids", "label"], shuffle=False, num_shards=1, shard_id=0)
    return rows.batch(BATCH // ranks)


def train(full: bool = True, make: Callable[[], nn.Cell] = Encoder, **settings: Any) -> dict[str, Any]:
    """Train; returns the losses, the whole Parameters, the whole states of the optimizer, and the parts' shapes."""
    communication.init()
    context.set_context(mode=ms.GRAPH_MODE, runtime_num_threads=1)
    if communication.get_group_size() > 1:
        context.set_auto_parallel_context(**{"parallel_mode": "semi_auto_parallel", "full_batch": full, **settings})
    ms.set_seed(1)
    network = make()
    optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
    losses: list[float] = []

    class Losses(ms.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            losses.append(float(run_context.original_args().net_outputs.asnumpy()))

    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    ms.Model(network, loss, optimizer).train(1, data(full), callbacks=[Losses()], dataset_sink_mode=False)
    parameters: list[Parameter] = [*network.get_parameters(), *optimizer.moments]
    facts = {"losses": np.array(losses)} | {item.name: item.whole_array() for item in parameters}
    return facts | {f"part of {item.name}": item.asnumpy() for item in parameters}


if __name__ == "__main__":
    of_rank = train()
    np.savez(Path(sys.argv[1]) / f"{communication.get_rank()}.npz", **of_rank)
