"""One of two processes of a training: `python two_processes.py RANK PORT FOLDER WATCHED [URL TOKEN]`; writes weights.

With a dashboard's address, the training begins once that has sent a command.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import torch
from torch import nn

import mindinsight.torch as mi


def main() -> None:
    """Train, and save the weights at the end."""
    rank, port, folder, watched = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4] == "1"
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
    model = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    link = {"url": sys.argv[5], "token": sys.argv[6]} if len(sys.argv) > 5 else {}
    run = mi.watch(model, optimizer, folder / f"rank{rank}", histograms=2, **link) if watched else None
    while link and run is not None and run._session is not None and not run._session.conversation.inbox:
        time.sleep(0.005)
    torch.manual_seed(rank)
    for step in range(5):
        x = torch.randn(10, 6, generator=torch.Generator().manual_seed(step * 2 + rank))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), torch.arange(10) % 3).backward()
        optimizer.step()
    if run is not None:
        run.close()
    torch.save([weight.detach() for weight in net.parameters()], folder / f"weights{rank}-{watched}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
