"""torch.profiler's side: `python capture_torch.py CASE ROUNDS STEPS`, by the same blocks as `capture_ours.py`."""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

WARM = 15


def lenet() -> nn.Module:
    """LeNet-5 on 1x32x32."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


def block(step: Any, count: int) -> float:
    """Seconds of processor time of some steps."""
    began = time.process_time()
    for _ in range(count):
        step()
    return time.process_time() - began


def main(case: str, rounds: int, steps: int) -> None:
    """Measures a case."""
    torch.manual_seed(0)
    if case.startswith("resnet18"):
        import torchvision

        network, images = torchvision.models.resnet18(num_classes=10), torch.randn(8, 3, 64, 64)
    else:
        network, images = lenet(), torch.randn(32, 1, 32, 32)
    labels = torch.randint(0, 10, (images.shape[0],))
    optimizer = torch.optim.SGD(network.parameters(), 0.01, 0.9)
    loss = nn.CrossEntropyLoss()

    def step() -> None:
        optimizer.zero_grad()
        loss(network(images), labels).backward()
        optimizer.step()

    for _ in range(WARM):
        step()
    ratios = []
    for _ in range(rounds):
        before = block(step, steps)
        with profile(activities=[ProfilerActivity.CPU]):
            during = block(step, steps)
        ratios.append(2 * during / (before + block(step, steps)))
    print(json.dumps({"ratio": statistics.median(ratios)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
