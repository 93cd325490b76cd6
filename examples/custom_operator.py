"""Define an operator with shape and type inference, kernel and backward function, for both modes.

    python examples/custom_operator.py

`Swish` is x * sigmoid(rate * x). What is written once here serves line by line, compiled, and for gradients of any
order.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import framework as ms
from framework import Tensor, nn
from framework.common import validator
from framework.ops import PrimitiveWithInfer, bprop_getters, prim_attr_register
from framework.ops import functional as F  # noqa: N812


class Swish(PrimitiveWithInfer):
    """x * sigmoid(rate * x) (Ramachandran, Zoph, Le 2017)."""

    @prim_attr_register
    def __init__(self, rate: float = 1.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        validator.check_type("rate", rate, [int, float])

    def infer_shape(self, x_shape: Any) -> Any:
        """Return the output's shape, which is the input's."""
        return x_shape

    def infer_dtype(self, x_dtype: Any) -> Any:
        """Return the output's element type, which is the input's."""
        return x_dtype

    def compute(self, xp: Any, x: Any) -> Any:
        """Compute the output; `xp` is numpy, or cupy on a GPU."""
        return (x / (1 + xp.exp(-self.rate * x))).astype(x.dtype)


@bprop_getters.register(Swish)
def get_bprop_swish(self: Swish) -> Any:
    """Return the backward function. It consists of other operators, so it can be differentiated again."""
    rate = self.rate

    def bprop(x: Any, out: Any, dout: Any) -> Any:
        share = F.sigmoid(x * rate)
        return (dout * (share + out * rate * (1 - share)),)

    return bprop


class Network(nn.Cell):
    """Two dense layers with the operator between them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(2, 16)
        self.second = nn.Dense(16, 2)
        self.swish = Swish(1.5)

    def construct(self, x: Any) -> Any:
        """Return two scores for each point."""
        return self.second(self.swish(self.first(x)))


def difference(function: Any, x: float, size: float = 1e-3) -> float:
    """Return the slope of a function by a central difference."""
    above, below = (float(function(Tensor(x + step)).asnumpy()) for step in (size, -size))
    return (above - below) / (2 * size)


def main() -> int:
    """Check the operator and train with it in both modes; return the exit code."""
    swish = Swish(1.5)
    slope, bend = ms.grad(swish), ms.grad(ms.grad(swish))
    for x in (-1.0, 0.5, 2.0):
        first, second = float(slope(Tensor(x)).asnumpy()), float(bend(Tensor(x)).asnumpy())
        print(f"x = {x:4.1f}: slope {first:.4f} (difference {difference(swish, x):.4f}), second {second:.4f}")
    points = np.random.default_rng(0).normal(size=(64, 2)).astype(np.float32)
    labels = (points[:, 0] * points[:, 1] > 0).astype(np.int32)
    for mode, name in ((ms.PYNATIVE_MODE, "line by line"), (ms.GRAPH_MODE, "compiled")):
        ms.set_context(mode=mode)
        ms.set_seed(1)
        network = Network()
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        model = ms.Model(network, loss, nn.Adam(network.trainable_params(), 0.05), metrics={"accuracy"})
        model.train(60, [(points, labels)])
        print(f"{name}: accuracy {model.eval([(points, labels)])['accuracy']:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
