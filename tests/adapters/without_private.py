"""A training on a PyTorch without a private function: `python without_private.py MODULE NAME FOLDER`.

Prints what the adapter says, and fails if the weights are not those of the training left alone. Used by
`test_torch_robust.py`.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys

import torch
from torch import nn


def main() -> None:
    """Take the function away, and train."""
    module, name, folder = sys.argv[1:4]
    logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
    torch.set_num_threads(1)
    owner = importlib.import_module(module)
    hidden = getattr(owner, name)
    # PyTorch itself calls some of them, so they are missing only while the adapter looks for them.
    importlib.import_module("torch._dynamo")
    delattr(owner, name)
    mi = importlib.import_module("mindinsight.torch")
    setattr(owner, name, hidden)

    def train(watched: bool) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with mi.watch(model, optimizer, folder, histograms=2) if watched else contextlib.nullcontext():
            for _ in range(4):
                optimizer.zero_grad()
                model(torch.ones(2, 6)).square().mean().backward()
                optimizer.step()
        return [weight.detach() for weight in model.parameters()]

    if not all(torch.equal(one, other) for one, other in zip(train(False), train(True), strict=True)):
        sys.exit("the weights differ")


if __name__ == "__main__":
    main()
