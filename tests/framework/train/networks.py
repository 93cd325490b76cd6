"""A small network, its data and its Model, for the tests beside this file."""

from __future__ import annotations

from typing import Any

import numpy as np

import framework as ms
from framework import nn
from framework.train import Model

Batches = list[tuple[Any, ...]]


def batches(count: int = 8, size: int = 8) -> Batches:
    """Points of eight numbers, and which of the first three is the largest."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(count * size, 8)).astype(np.float32)
    labels = points[:, :3].argmax(1).astype(np.int32)
    return [(points[i : i + size], labels[i : i + size]) for i in range(0, count * size, size)]


def classifier(dropout: float = 0.2) -> nn.SequentialCell:
    """A network for them, whose parameters are the same each time."""
    ms.set_seed(3)
    return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dropout(p=dropout), nn.Dense(16, 3))


def model(**settings: Any) -> Model:
    """The network with loss, optimizer and metrics."""
    network = classifier()
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, optimizer, metrics={"loss", "accuracy"}, **settings)


def values_of(trained: Model) -> dict[str, Any]:
    """All that a training changes."""
    return {parameter.name: parameter.asnumpy().copy() for parameter in trained.train_network.get_parameters()}
