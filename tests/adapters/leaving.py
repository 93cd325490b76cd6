"""A training that ends in some way: `python leaving.py HOW FOLDER`. Used by `test_torch_robust.py`."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import torch
from torch import nn

import mindinsight.torch as mi
from summaries.reading.reader import EventFileReader


def wait_for_file(folder: Path) -> None:
    """Wait until the fourth step is in the file: what was recorded a moment ago is still in memory."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        batches = [EventFileReader(path).read() for path in folder.glob("*events*")]
        if any(row["step"] >= 4 for batch in batches for _, rows in batch.scalars() for row in rows):
            return
        time.sleep(0.05)


def main() -> None:
    """Train, and leave in the fifth step."""
    how, folder = sys.argv[1:3]
    torch.set_num_threads(1)
    model = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run = mi.watch(model, optimizer, folder)
    for step in range(1, 10):
        if step == 5:
            wait_for_file(Path(folder))
        if step == 5 and how == "exit":
            os._exit(7)
        if step == 5 and how == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
        optimizer.zero_grad()
        model(torch.ones(2, 6)).square().mean().backward()
        optimizer.step()
    run.close()


if __name__ == "__main__":
    main()
