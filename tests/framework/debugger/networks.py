"""Small trainings that the debugger's tests look into."""

from __future__ import annotations

from typing import Any

import numpy as np

import framework as ms
from framework import Tensor, nn
from framework.model_zoo import LeNet5


class Small(nn.Cell):
    """Two layers with dropout, so that randomness counts."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(6, 8)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=0.3)
        self.second = nn.Dense(8, 3)

    def construct(self, x: Any) -> Any:
        """Logits."""
        x = self.relu(self.first(x))
        x = self.dropout(x)
        return self.second(x)


def training(network: nn.Cell | None = None, rate: float = 0.1) -> nn.Cell:
    """A step of training with momentum; the same weights each time."""
    ms.set_seed(7)
    network = Small() if network is None else network
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), rate, 0.9)
    return nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer).set_train()


def lenet(activation: type[nn.Cell] = nn.ReLU) -> nn.Cell:
    """A training step of LeNet-5, optionally with other activations."""
    ms.set_seed(7)
    network = LeNet5(10)
    if activation is not nn.ReLU:
        network.relu = activation()
    return training(network, 0.01)


def batch(seed: int = 0, size: int = 5) -> tuple[Tensor, Tensor]:
    """Rows for `Small`, and labels."""
    random = np.random.default_rng(seed)
    return (
        Tensor(random.standard_normal((size, 6), np.float32)),
        Tensor(random.integers(0, 3, size).astype(np.int32)),
    )


def weights(step: nn.Cell) -> list[bytes]:
    """All Parameters, bit for bit."""
    return [parameter.asnumpy().tobytes() for parameter in step.get_parameters()]
