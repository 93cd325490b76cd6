"""LeNet-5, for pictures of one digit."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.layer.activation import ReLU
from framework.nn.layer.basic import Dense, Flatten
from framework.nn.layer.conv import Conv2d
from framework.nn.layer.pooling import MaxPool2d

__all__ = ["LeNet5"]


class LeNet5(Cell):
    """LeNet-5 (LeCun, Bottou, Bengio, Haffner 1998) with ReLU and max pooling: (N, channels, 32, 32) to (N, classes).

    Args:
        num_class: the number of classes.
        num_channel: the number of channels of the pictures.
        has_bias: whether convolutions have a bias: 61,706 parameters with it, 61,684 without.

    """

    def __init__(self, num_class: int = 10, num_channel: int = 1, has_bias: bool = False) -> None:
        super().__init__()
        self.conv1 = Conv2d(num_channel, 6, 5, pad_mode="valid", has_bias=has_bias)
        self.conv2 = Conv2d(6, 16, 5, pad_mode="valid", has_bias=has_bias)
        self.relu = ReLU()
        self.max_pool2d = MaxPool2d(kernel_size=2, stride=2)
        self.flatten = Flatten()
        self.fc1 = Dense(16 * 5 * 5, 120)
        self.fc2 = Dense(120, 84)
        self.fc3 = Dense(84, num_class)

    def construct(self, x: Tensor) -> Tensor:
        """The scores of the classes."""
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        logits: Tensor = self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))
        return logits
