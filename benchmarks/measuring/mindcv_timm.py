"""Times training steps of one model of timm: `mindcv_timm.py - SECONDS NAME BATCH SIDE`.

Prints the fastest step in microseconds as JSON.
"""

import json
import os
import sys
import time

import timm  # type: ignore[import-not-found]
import torch  # type: ignore[import-not-found]

FEWEST = 3


def main(seconds: float, name: str, batch: int, side: int) -> None:
    """Trains for some seconds, at least three steps after the first."""
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    network = timm.create_model(name, num_classes=10).train()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.001, momentum=0.9)
    pictures, labels = torch.randn(batch, 3, side, side), torch.arange(batch) % 10
    cross_entropy = torch.nn.CrossEntropyLoss()

    def step() -> None:
        optimizer.zero_grad()
        cross_entropy(network(pictures), labels).backward()
        optimizer.step()

    step()
    times: list[float] = []
    while len(times) < FEWEST or sum(times) < seconds:
        began = time.perf_counter()
        step()
        times.append(time.perf_counter() - began)
    print(json.dumps({name: min(times) * 1e6}))


main(float(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
