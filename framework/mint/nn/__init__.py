"""`mint.nn`: Cells with PyTorch's arguments. Those whose arguments are the same are the Cells of `framework.nn`."""

from framework.mint.nn import functional
from framework.mint.nn.with_options import (
    GELU,
    AvgPool2d,
    BCEWithLogitsLoss,
    Conv1d,
    Conv2d,
    Conv3d,
    Dropout,
    Flatten,
    GroupNorm,
    LeakyReLU,
    Linear,
    LogSoftmax,
    MaxPool2d,
    ReLU,
    ReLU6,
    SiLU,
    Softmax,
)
from framework.nn.layer.activation.element_wise import HSigmoid as Hardsigmoid
from framework.nn.layer.activation.element_wise import HSwish as Hardswish
from framework.nn.layer.activation.element_wise import LogSigmoid, Mish, Sigmoid, Tanh
from framework.nn.layer.activation.element_wise import SeLU as SELU  # noqa: N814 - both are names of MindSpore
from framework.nn.layer.activation.rectifiers import HShrink as Hardshrink
from framework.nn.layer.basic import Identity
from framework.nn.layer.image import PixelShuffle
from framework.nn.layer.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from framework.nn.layer.pooling.pool_1d_2d import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
)
from framework.nn.layer.pooling.pool_3d import AdaptiveAvgPool3d
from framework.nn.loss.classes import BCELoss
from framework.nn.loss.distances import L1Loss, MSELoss
from framework.nn.loss.pairs import SoftMarginLoss

__all__ = [
    "GELU", "SELU", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "Conv1d", "Conv2d", "Conv3d", "Dropout", "Flatten", "GroupNorm", "Hardshrink", "Hardsigmoid",
    "Hardswish", "Identity", "L1Loss", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool2d",
    "Mish", "PixelShuffle", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "SiLU", "Sigmoid", "SoftMarginLoss", "Softmax", "Tanh",
    "ZeroPad2d", "functional",
]  # fmt: skip
