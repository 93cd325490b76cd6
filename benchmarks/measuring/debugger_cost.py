"""What an idle session of the debugger costs: `python debugger_cost.py CASE MODE BLOCKS STEPS URL TOKEN` prints JSON.

One training goes on, attached to a dashboard; blocks of steps that the session runs and blocks of steps that run by
themselves take turns, in random order within each pair. The first pair, which compiles, counts for nothing.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import framework as ms
from framework import Tensor, nn
from framework.debugger import attach
from framework.model_zoo import LeNet5

MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}


def mlp_tiny() -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """16-16-16-10 on 32 rows: a step so short that whatever is added shows."""
    layers = [nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 10)]
    return nn.SequentialCell(*layers), _batch(16)


def lenet32() -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """LeNet-5 on 32 pictures."""
    return LeNet5(), _batch(1, 32, 32)


CASES: dict[str, Callable[[], tuple[nn.Cell, tuple[Tensor, ...]]]] = {"mlp_tiny": mlp_tiny, "lenet32": lenet32}


def _batch(*shape: int) -> tuple[Tensor, ...]:
    rng = np.random.default_rng(0)
    return Tensor(rng.standard_normal((32, *shape), np.float32)), Tensor(rng.integers(0, 10, 32).astype(np.int32))


def main() -> None:
    """Train, and print the seconds per step of each pair of blocks, by session and alone."""
    case, mode, blocks, steps, url, token = sys.argv[1:]
    ms.set_context(mode=MODES[mode])
    ms.set_seed(1)
    network, batch = CASES[case]()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 1e-3, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer).set_train()
    pairs = []
    with attach(step, url, token):
        session: Any = step._run_by
        while session.link.lost_since is not None:
            step(*batch)
        for _ in range(int(blocks) + 1):
            seconds = {}
            for runner in random.sample([session, None], 2):
                step._run_by = runner
                began = time.perf_counter()
                for _ in range(int(steps)):
                    step(*batch)
                seconds[runner is session] = (time.perf_counter() - began) / int(steps)
            pairs.append((seconds[True], seconds[False]))
        step._run_by = session
    print(json.dumps(pairs[1:]))


if __name__ == "__main__":
    main()
