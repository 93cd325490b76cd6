"""A LeNet-5 that trains under the debugger until it is killed: `python debugger_training.py MODE URL TOKEN`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.measuring.debugger_cost import CASES, MODES
from framework import nn, set_context
from framework.debugger import attach


def main() -> None:
    """Train."""
    mode, url, token = sys.argv[1:]
    set_context(mode=MODES[mode])
    network, batch = CASES["lenet32"]()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 1e-4, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer).set_train()
    with attach(step, url, token, pause_at_start=True):
        while True:
            step(*batch)


if __name__ == "__main__":
    main()
