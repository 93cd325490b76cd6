"""Residual networks (He, Zhang, Ren, Sun 2016), for photographs of 224 x 224 or small pictures of 32 x 32 pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.container import SequentialCell
from framework.nn.layer.activation import ReLU
from framework.nn.layer.basic import Dense
from framework.nn.layer.conv import Conv2d
from framework.nn.layer.normalization import BatchNorm2d
from framework.nn.layer.pooling import MaxPool2d

__all__ = ["ResNet", "resnet18", "resnet50"]


def _conv(channels: int, width: int, size: int, stride: int = 1) -> Conv2d:
    return Conv2d(channels, width, size, stride, pad_mode="pad", padding=size // 2)


class _Block(Cell):
    """A residual block: its layers, and the shortcut around them."""

    expansion: ClassVar[int]

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        out = width * self.expansion
        self.relu = ReLU()
        self.has_downsample = stride != 1 or channels != out
        if self.has_downsample:
            self.downsample = SequentialCell(_conv(channels, out, 1, stride), BatchNorm2d(out))

    def around(self, x: Tensor) -> Tensor:
        """The shortcut, which is added to the output of the layers."""
        return self.downsample(x) if self.has_downsample else x


class BasicBlock(_Block):
    """A block of two convolutions of 3 x 3."""

    expansion = 1

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__(channels, width, stride)
        self.conv1, self.bn1 = _conv(channels, width, 3, stride), BatchNorm2d(width)
        self.conv2, self.bn2 = _conv(width, width, 3), BatchNorm2d(width)

    def construct(self, x: Tensor) -> Tensor:
        """Half as large where the stride is 2."""
        out = self.relu(self.bn1(self.conv1(x)))
        features: Tensor = self.relu(self.bn2(self.conv2(out)) + self.around(x))
        return features


class Bottleneck(_Block):
    """A block with a convolution of 3 x 3 between two of 1 x 1."""

    expansion = 4

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__(channels, width, stride)
        self.conv1, self.bn1 = _conv(channels, width, 1), BatchNorm2d(width)
        self.conv2, self.bn2 = _conv(width, width, 3, stride), BatchNorm2d(width)
        self.conv3, self.bn3 = _conv(width, width * 4, 1), BatchNorm2d(width * 4)

    def construct(self, x: Tensor) -> Tensor:
        """Half as large where the stride is 2, with four times as many channels as its width."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        features: Tensor = self.relu(self.bn3(self.conv3(out)) + self.around(x))
        return features


class ResNet(Cell):
    """A residual network: from (N, channels, H, W) to (N, classes).

    Args:
        block: `BasicBlock` or `Bottleneck`.
        layers: the number of blocks in each of the four stages.
        num_classes: the number of classes.
        width: the channels of the first stage. Each later stage has twice as many as the one before.
        channels: the number of channels of the pictures.
        small: whether the pictures are about 32 x 32. Then the first convolution is 3 x 3, without pooling behind it.

    """

    def __init__(
        self,
        block: type[_Block],
        layers: Sequence[int],
        num_classes: int = 1000,
        width: int = 64,
        channels: int = 3,
        small: bool = False,
    ) -> None:
        super().__init__()
        self.small = small
        self.conv1 = _conv(channels, width, 3) if small else _conv(channels, width, 7, 2)
        self.bn1 = BatchNorm2d(width)
        self.relu = ReLU()
        self.max_pool = MaxPool2d(3, 2, pad_mode="pad", padding=1)
        stages: list[Cell] = []
        given = width
        for number, count in enumerate(layers):
            wide = width * 2**number
            blocks = [block(given, wide, 2 if number else 1)]
            given = wide * block.expansion
            blocks += [block(given, wide, 1) for _ in range(count - 1)]
            stages.append(SequentialCell(*blocks))
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        self.fc = Dense(given, num_classes)

    def construct(self, x: Tensor) -> Tensor:
        """The scores of the classes."""
        x = self.relu(self.bn1(self.conv1(x)))
        if not self.small:
            x = self.max_pool(x)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        logits: Tensor = self.fc(x.mean(axis=(2, 3)))
        return logits


def resnet18(num_classes: int = 1000, **settings: Any) -> ResNet:
    """ResNet-18: 11,689,512 trainable parameters for 1,000 classes."""
    return ResNet(BasicBlock, (2, 2, 2, 2), num_classes, **settings)


def resnet50(num_classes: int = 1000, **settings: Any) -> ResNet:
    """ResNet-50: 25,557,032 trainable parameters for 1,000 classes."""
    return ResNet(Bottleneck, (3, 4, 6, 3), num_classes, **settings)
