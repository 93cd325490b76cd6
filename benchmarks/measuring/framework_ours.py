"""Our side of the comparison of training cores: `python framework_ours.py graph|pynative SECONDS CASE...`."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import framework as ms
from benchmarks.measuring.framework_timing import Case, main
from framework import Tensor, nn, ops
from framework.common.dtype import DType
from framework.engine.codegen.program import Executable
from framework.model_zoo import resnet18

RNG = np.random.default_rng(0)


def random(*shape: int, scale: float = 1.0) -> Tensor:
    """Normal numbers."""
    return Tensor(RNG.standard_normal(shape, np.float32) * np.float32(scale))


class LeNet(nn.Cell):
    """LeNet-5 on 1x32x32."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.layers = nn.CellList([nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)])

    def construct(self, x: Any) -> Any:
        """Logits."""
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.flatten(self.pool(ops.relu(self.conv2(x))))
        x = ops.relu(self.layers[0](x))
        x = ops.relu(self.layers[1](x))
        return self.layers[2](x)


class Block(nn.Cell):
    """A post-norm encoder block: hidden 256, 4 heads, feed-forward 1024."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Dense(256, 768)
        self.out = nn.Dense(256, 256)
        self.up = nn.Dense(256, 1024)
        self.down = nn.Dense(1024, 256)
        self.norm1 = nn.LayerNorm((256,))
        self.norm2 = nn.LayerNorm((256,))

    def construct(self, x: Any) -> Any:
        """The mean square of the block's output."""
        heads = self.qkv(x).reshape(8, 128, 3, 4, 64).transpose(2, 0, 3, 1, 4)
        q, k, v = heads[0], heads[1], heads[2]
        weights = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) * (1.0 / math.sqrt(64.0)))
        mixed = ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(8, 128, 256)
        x = self.norm1(x + self.out(mixed))
        x = self.norm2(x + self.down(ops.relu(self.up(x))))
        return (x * x).mean()


def step(network: nn.Cell, *batch: Tensor, loss: Any = None) -> Callable[[], object]:
    """A step of training with momentum."""
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    train = nn.TrainOneStepCell(nn.WithLossCell(network, loss) if loss else network, optimizer).set_train()
    return lambda: train(*batch)


def classified(network: nn.Cell, images: Tensor) -> Callable[[], object]:
    """A step of training a classifier of ten classes."""
    labels = Tensor(RNG.integers(0, 10, images.shape[0]).astype(np.int32))
    return step(network, images, labels, loss=nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))


def chain(x: Any) -> Any:
    """12 element-wise operators."""
    y = ops.tanh(x * 1.1 + 0.1)
    y = ops.exp(-(y * 0.9)) + 0.5
    y = ops.square(y / 1.5) - 0.25
    return ops.relu(y) * 0.7


def loop(x: Any, w: Any, n: Any) -> Any:
    """64 rounds of tanh(x @ w)."""
    i = 0
    while i < n:
        x = ops.tanh(ops.matmul(x, w))
        i = i + 1
    return x


def lstm(xs: Any, w: Any, u: Any) -> Any:
    """A hand-written LSTM over 64 steps of 32 x 128."""
    h = c = ops.zeros((32, 128), ms.float32)
    for t in range(64):
        gates = ops.matmul(xs[t], w) + ops.matmul(h, u)
        i, f = ops.sigmoid(gates[:, :128]), ops.sigmoid(gates[:, 128:256])
        g, o = ops.tanh(gates[:, 256:384]), ops.sigmoid(gates[:, 384:])
        c = f * c + i * g
        h = o * ops.tanh(c)
    return h.sum()


def adds(x: Any) -> Any:
    """20 additions."""
    for _ in range(20):
        x = x + x
    return x


def recorded(x: Any, y: Any) -> Any:
    """1000 additions that a gradient records, and does not go back through."""
    for _ in range(1000):
        x + y
    return x


def compiled(function: Any, *arguments: Any) -> Callable[[], object]:
    """A call of a function, compiled in graph mode."""
    made = ms.jit(function) if GRAPH else function
    return lambda: made(*arguments)


def gradient(function: Any, *arguments: Any) -> Callable[[], object]:
    """A call of the gradient of a function's sum."""
    return compiled(ms.grad(lambda *given: function(*given).sum()), *arguments)


def multilayer() -> Callable[[], object]:
    """784-512-256-10 at batch 128."""
    layers = [nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 256), nn.ReLU(), nn.Dense(256, 10)]
    return classified(nn.SequentialCell(layers), random(128, 784))


def tiny() -> Callable[[], object]:
    """16-16-16-10 at batch 32."""
    layers = [nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 10)]
    return classified(nn.SequentialCell(layers), random(32, 16))


def sunk() -> Callable[[], object]:
    """100 steps of LeNet-5 with 32 images in one call of `Model.train`, less the time in the compiled program.

    What is left is Python's: taking batches, finding the program, and beginning and ending the training; there are no
    callbacks that want to be called in every step.
    """
    network = LeNet()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    labels = Tensor(RNG.integers(0, 10, 32).astype(np.int32))
    data = [(random(32, 1, 32, 32), labels) for _ in range(4)]
    inside = [0.0]
    call = Executable.__call__

    def timed(self: Executable, *arguments: Any) -> Any:
        began = time.perf_counter()
        value = call(self, *arguments)
        inside[0] += time.perf_counter() - began
        return value

    def train() -> float:
        inside[0] = 0.0
        Executable.__call__ = timed  # type: ignore[method-assign]
        began = time.perf_counter()
        model.train(1, data, dataset_sink_mode=True, sink_size=100)
        Executable.__call__ = call  # type: ignore[method-assign]
        return time.perf_counter() - began - inside[0]

    return train


def own_step(way: str) -> Case:
    """A step of LeNet-5 with 32 images that is the user's own function, in PyNative mode.

    Args:
        way: "split": compiled, and the loss is read as numpy in the middle. "lines": the same, line by line. "whole":
            compiled, and the loss is not read.
    """
    network = LeNet()
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    criterion = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    images, labels = random(32, 1, 32, 32), Tensor(RNG.integers(0, 10, 32).astype(np.int32))
    slopes_of = ms.value_and_grad(lambda x, y: criterion(network(x), y), None, optimizer.parameters)

    def train(x: Any, y: Any) -> Any:
        loss, slopes = slopes_of(x, y)
        optimizer(slopes)
        return loss

    def train_and_read(x: Any, y: Any) -> Any:
        loss, slopes = slopes_of(x, y)
        loss.asnumpy()
        optimizer(slopes)
        return loss

    made = {"split": ms.jit(train_and_read), "lines": train_and_read, "whole": ms.jit(train)}[way]
    return lambda: made(images, labels)


GRAPH = len(sys.argv) > 1 and sys.argv[1] == "graph"


def product(kind: DType) -> Case:
    """A product of matrices of an element type."""
    a, b = random(640, 512), random(512, 1024)
    return compiled(ops.matmul, a.astype(kind), b.astype(kind))


CASES: dict[str, Case] = {
    "lenet32": lambda: classified(LeNet(), random(32, 1, 32, 32)),
    "lenet256": lambda: classified(LeNet(), random(256, 1, 32, 32)),
    "mlp128": multilayer,
    "resnet18": lambda: classified(resnet18(10, small=True), random(32, 3, 32, 32)),
    "mlp_tiny": tiny,
    "tblock": lambda: step(Block(), random(8, 128, 256)),
    "chain_1M": lambda: compiled(chain, random(1 << 20)),
    "chain_1M_grad": lambda: gradient(chain, random(1 << 20)),
    "chain_10M": lambda: compiled(chain, random(10 << 20)),
    "chain_10M_grad": lambda: gradient(chain, random(10 << 20)),
    "loop64": lambda: compiled(loop, random(32, 128), random(128, 128, scale=0.05), Tensor(64) if GRAPH else 64),
    "loop64_grad": lambda: gradient(loop, random(32, 128), random(128, 128, scale=0.05), Tensor(64) if GRAPH else 64),
    "lstm64": lambda: gradient(
        lambda w, u, xs: lstm(xs, w, u), random(128, 512, scale=0.05), random(128, 512, scale=0.05), random(64, 32, 128)
    ),
    "add8": lambda: compiled(lambda x, y: x + y, random(8), random(8)),
    "chain20_grad": lambda: gradient(adds, random(8)),
    **{f"product_{kind}".lower(): partial(product, kind) for kind in (ms.float32, ms.float16, ms.bfloat16)},
    "lenet_sunk": sunk,
    **{f"lenet_{way}": partial(own_step, way) for way in ("split", "lines", "whole")},
    "add8_recorded": lambda: compiled(ms.grad(recorded), random(8), random(8)),
}
del CASES["add8_recorded" if GRAPH else "lenet_sunk"]  # compiled, nothing is left of the additions

if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE if GRAPH else ms.PYNATIVE_MODE)
    main(CASES)
