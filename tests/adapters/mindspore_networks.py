"""A network and data of MindSpore for tests; graph mode reads the source of networks from a file."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from mindspore import nn

__all__ = ["Net", "Rows", "training_step"]


class Net(nn.Cell):  # type: ignore[misc]
    """A small network for pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid")
        self.act = nn.ReLU()
        self.flat = nn.Flatten()
        self.fc = nn.Dense(4 * 6 * 6, 3)

    def construct(self, x):  # type: ignore[no-untyped-def]
        return self.fc(self.flat(self.act(self.conv(x))))


class Rows:
    """Batches of 8 pictures with labels, as a data set reads them.

    Args:
        batches: How many.
    """

    #: The first row whose picture is not finite.
    bad_from: ClassVar[int] = 1 << 30

    def __init__(self, batches: int) -> None:
        self._length = batches * 8

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        picture = np.random.default_rng(place).standard_normal((1, 8, 8)).astype(np.float32)
        if place >= self.bad_from:
            picture[:] = np.inf
        if place >= self.bad_from:
            picture[:] = np.inf
        return picture, np.array(place % 3, np.int32)


def training_step() -> Any:
    """A training step with an optimizer inside."""
    network = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), nn.Momentum(network.trainable_params(), 0.1, 0.9))
    return step.set_train()
