"""Trains a step in both modes, with a layout that is not as expected, and prints what came out; see `test_abi.py`."""

from __future__ import annotations

import sys

import numpy as np

import framework as ms
from framework import Tensor, nn, ops
from framework.common import abi
from framework.engine import native
from framework.engine.codegen import program, runtime
from framework.kernels.fused import generated

program.WARM_UP_CALLS = 2


def fail(name: str) -> None:
    """Let a layout, or a version, be another one."""
    if name == "version":
        abi.TESTED_PYTHON = ((3, 0),)
    elif name == "numpy":
        abi.TESTED_NUMPY = (1,)
    elif name:
        abi.LAYOUTS[name] = lambda: False
    abi._fits.cache_clear()
    # It was made when the engine was imported.
    runtime.trampoline = runtime._native_trampoline()


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        # The bias is random otherwise, and each run of this program would have another one.
        self.dense = nn.Dense(64, 64, weight_init="ones", bias_init="zeros")

    def construct(self, x: Tensor) -> Tensor:
        x = ops.tanh(self.dense(x) * 0.01) + x
        return (ops.exp(x) * x - x).sum()


fail(sys.argv[1])
x = Tensor(np.linspace(-1, 1, 600 * 64, dtype=np.float32).reshape(600, 64))
made = []
for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    net = Net()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 1e-6)).set_train()
    made += [float(step(x)) for _ in range(5)]
    made.append(float(net.dense.weight.asnumpy().sum()))
print(*(f"{item:.8e}" for item in made))  # noqa: T201 - what the test reads
fast = [generated.is_fast, native.is_on(), runtime.trampoline is not runtime.python_trampoline]
print(*(int(item) for item in fast))  # noqa: T201
