"""PyTorch's side of the comparison of training cores: `python framework_torch.py eager|compile SECONDS CASE...`."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch  # type: ignore[import-not-found]

from benchmarks.measuring.framework_timing import Case, main

F = torch.nn.functional


class Block(torch.nn.Module):  # type: ignore[misc]
    """A post-norm encoder block: hidden 256, 4 heads, feed-forward 1024."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(256, 768), torch.nn.Linear(256, 256)
        self.up, self.down = torch.nn.Linear(256, 1024), torch.nn.Linear(1024, 256)
        self.norm1, self.norm2 = torch.nn.LayerNorm(256), torch.nn.LayerNorm(256)

    def forward(self, x: Any) -> Any:
        """The mean square of the block's output."""
        q, k, v = self.qkv(x).reshape(8, 128, 3, 4, 64).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(2, 3) * (1.0 / math.sqrt(64.0)), -1)
        mixed = (weights @ v).transpose(1, 2).reshape(8, 128, 256)
        x = self.norm1(x + self.out(mixed))
        x = self.norm2(x + self.down(torch.relu(self.up(x))))
        return (x * x).mean()


class Residual(torch.nn.Module):  # type: ignore[misc]
    """A block of ResNet-18: two convolutions of 3 x 3, and a way around them."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        nn = torch.nn
        first = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        second = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.way = nn.Sequential(first, nn.BatchNorm2d(width), nn.ReLU(), second, nn.BatchNorm2d(width))
        shorter = nn.Sequential(nn.Conv2d(channels, width, 1, stride, bias=False), nn.BatchNorm2d(width))
        self.around = nn.Identity() if channels == width else shorter

    def forward(self, x: Any) -> Any:
        """Half as large where the stride is 2."""
        return torch.relu(self.way(x) + self.around(x))


def resnet18() -> Callable[[], object]:
    """ResNet-18 for pictures of 32 x 32."""
    nn = torch.nn
    network = nn.Sequential(
        *(nn.Conv2d(3, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU()),
        *(Residual(64, 64, 1), Residual(64, 64, 1), Residual(64, 128, 2), Residual(128, 128, 1)),
        *(Residual(128, 256, 2), Residual(256, 256, 1), Residual(256, 512, 2), Residual(512, 512, 1)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)),
    )
    return step(network, torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,)))


def compiled(function: Any) -> Any:
    """The function, compiled if that is asked for."""
    return torch.compile(function) if COMPILE else function


def step(network: Any, batch: Any, labels: Any = None) -> Callable[[], object]:
    """A step of training with momentum."""
    optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
    forward = compiled(network)

    def train() -> Any:
        optimizer.zero_grad()
        out = forward(batch)
        loss = out if labels is None else F.cross_entropy(out, labels)
        loss.backward()
        optimizer.step()
        return loss

    return train


def lenet(images: int) -> Callable[[], object]:
    """LeNet-5 on 1x32x32."""
    nn = torch.nn
    network = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
    )
    return step(network, torch.randn(images, 1, 32, 32), torch.randint(0, 10, (images,)))


def multilayer() -> Callable[[], object]:
    """784-512-256-10 at batch 128."""
    nn = torch.nn
    network = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))
    return step(network, torch.randn(128, 784), torch.randint(0, 10, (128,)))


def tiny() -> Callable[[], object]:
    """16-16-16-10 at batch 32."""
    nn = torch.nn
    network = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 10))
    return step(network, torch.randn(32, 16), torch.randint(0, 10, (32,)))


def recorded() -> Callable[[], object]:
    """1000 additions that autograd records."""
    x, y = torch.randn(8).requires_grad_(), torch.randn(8)

    def additions() -> None:
        for _ in range(1000):
            x + y

    return additions


def chain(x: Any) -> Any:
    """12 element-wise operators."""
    y = torch.tanh(x * 1.1 + 0.1)
    y = torch.exp(-(y * 0.9)) + 0.5
    y = torch.square(y / 1.5) - 0.25
    return torch.relu(y) * 0.7


def loop(x: Any, w: Any) -> Any:
    """64 rounds of tanh(x @ w)."""
    for _ in range(64):
        x = torch.tanh(x @ w)
    return x


def lstm(w: Any, u: Any, xs: Any) -> Any:
    """A hand-written LSTM over 64 steps of 32 x 128."""
    h = c = torch.zeros(32, 128)
    for t in range(64):
        gates = xs[t] @ w + h @ u
        i, f = torch.sigmoid(gates[:, :128]), torch.sigmoid(gates[:, 128:256])
        g, o = torch.tanh(gates[:, 256:384]), torch.sigmoid(gates[:, 384:])
        c = f * c + i * g
        h = o * torch.tanh(c)
    return h.sum()


def adds(x: Any) -> Any:
    """20 additions."""
    for _ in range(20):
        x = x + x
    return x


def called(function: Any, *arguments: Any) -> Callable[[], object]:
    """A call without a gradient."""
    made = compiled(function)
    return lambda: made(*arguments)


def gradient(function: Any, first: Any, *others: Any) -> Callable[[], object]:
    """A call of the gradient of a function's sum with respect to its first argument."""
    made, first = compiled(lambda *given: function(*given).sum()), first.requires_grad_()
    return lambda: torch.autograd.grad(made(first, *others), first)


COMPILE = len(sys.argv) > 1 and sys.argv[1] == "compile"


def product(name: str) -> Case:
    """A product of matrices of an element type."""
    kind = getattr(torch, name)
    return called(torch.matmul, torch.randn(640, 512).to(kind), torch.randn(512, 1024).to(kind))


CASES: dict[str, Case] = {
    "lenet32": lambda: lenet(32),
    "lenet256": lambda: lenet(256),
    "mlp128": multilayer,
    "resnet18": resnet18,
    "mlp_tiny": tiny,
    "tblock": lambda: step(Block(), torch.randn(8, 128, 256)),
    "chain_1M": lambda: called(chain, torch.randn(1 << 20)),
    "chain_1M_grad": lambda: gradient(chain, torch.randn(1 << 20)),
    "chain_10M": lambda: called(chain, torch.randn(10 << 20)),
    "chain_10M_grad": lambda: gradient(chain, torch.randn(10 << 20)),
    "loop64": lambda: called(loop, torch.randn(32, 128), torch.randn(128, 128) * 0.05),
    "loop64_grad": lambda: gradient(loop, torch.randn(32, 128), torch.randn(128, 128) * 0.05),
    "lstm64": lambda: gradient(
        lstm, torch.randn(128, 512) * 0.05, torch.randn(128, 512) * 0.05, torch.randn(64, 32, 128)
    ),
    "add8": lambda: called(torch.add, torch.randn(8), torch.randn(8)),
    "chain20_grad": lambda: gradient(adds, torch.randn(8)),
    "add8_recorded": recorded,
    **{f"product_{name}": partial(product, name) for name in ("float32", "float16", "bfloat16")},
}

if __name__ == "__main__":
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    main(CASES)
