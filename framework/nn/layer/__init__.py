"""Layers of networks."""

from framework.nn.layer.activation import (
    ELU,
    GELU,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
    get_activation,
)
from framework.nn.layer.basic import (
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Identity,
)
from framework.nn.layer.conv import (
    Conv2d,
)
from framework.nn.layer.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    LayerNorm,
)
from framework.nn.layer.pooling import (
    AvgPool2d,
    MaxPool2d,
)
from framework.nn.layer.recurrent import (
    LSTM,
    LSTMCell,
)

__all__ = [
    "ELU",
    "GELU",
    "LSTM",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv2d",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "HSigmoid",
    "HSwish",
    "Identity",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "LogSoftmax",
    "MaxPool2d",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "get_activation",
]
