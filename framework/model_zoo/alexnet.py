"""AlexNet, for pictures of 227 x 227 pixels."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.layer.activation import ReLU
from framework.nn.layer.basic import Dense, Dropout, Flatten
from framework.nn.layer.conv import Conv2d
from framework.nn.layer.pooling import MaxPool2d

__all__ = ["AlexNet"]


class AlexNet(Cell):
    """AlexNet (Krizhevsky, Sutskever, Hinton 2012) on one device, without its two groups: 62,378,344 parameters.

    From (N, channels, 227, 227) to (N, classes).

    Args:
        num_classes: the number of classes.
        channel: the number of channels of the pictures.
        dropout: the probability of dropout before the dense layers.
        width: a factor for the number of features of each layer; below 1 for small experiments.

    """

    def __init__(self, num_classes: int = 1000, channel: int = 3, dropout: float = 0.5, width: float = 1.0) -> None:
        super().__init__()
        a, b, c, d, dense = (max(1, round(size * width)) for size in (96, 256, 384, 256, 4096))
        self.conv1 = Conv2d(channel, a, 11, stride=4, pad_mode="valid", has_bias=True)
        self.conv2 = Conv2d(a, b, 5, pad_mode="same", has_bias=True)
        self.conv3 = Conv2d(b, c, 3, pad_mode="same", has_bias=True)
        self.conv4 = Conv2d(c, c, 3, pad_mode="same", has_bias=True)
        self.conv5 = Conv2d(c, d, 3, pad_mode="same", has_bias=True)
        self.relu = ReLU()
        self.max_pool2d = MaxPool2d(kernel_size=3, stride=2)
        self.flatten = Flatten()
        self.fc1 = Dense(6 * 6 * d, dense)
        self.fc2 = Dense(dense, dense)
        self.fc3 = Dense(dense, num_classes)
        self.dropout = Dropout(p=dropout)

    def construct(self, x: Tensor) -> Tensor:
        """The scores of the classes."""
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.relu(self.conv3(x))
        x = self.relu(self.conv4(x))
        x = self.max_pool2d(self.relu(self.conv5(x)))
        x = self.flatten(x)
        x = self.dropout(self.relu(self.fc1(x)))
        x = self.dropout(self.relu(self.fc2(x)))
        logits: Tensor = self.fc3(x)
        return logits
