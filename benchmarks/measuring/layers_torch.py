"""PyTorch's side of `benchmarks/layers.py`: `layers_torch.py eager CASE SECONDS` answers line by line."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch  # type: ignore[import-not-found]

from benchmarks.measuring.layers_cases import MOMENTUM, RATE, Case, batch_of, main, weights_of

F, N = torch.nn.functional, torch.nn


class BertLayer(N.Module):  # type: ignore[misc]
    """Attention and a feed-forward network, each added to its input and normalized."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value = N.Linear(width, width), N.Linear(width, width), N.Linear(width, width)
        self.output, self.norm1 = N.Linear(width, width), N.LayerNorm(width)
        self.up, self.down, self.norm2 = N.Linear(width, 4 * width), N.Linear(4 * width, width), N.LayerNorm(width)
        self.dropout = N.Dropout(dropout)

    def split(self, x: Any) -> Any:
        """From (N, T, width) to (N, heads, T, size)."""
        batch, length, _ = x.shape
        return x.view(batch, length, self.heads, self.size).transpose(1, 2)

    def forward(self, x: Any) -> Any:
        """The layer's output, of the shape of x."""
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        shares = self.dropout(torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(self.size), -1))
        found = (shares @ value).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.dropout(self.output(found)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


def build(case: Case) -> Callable[[], float]:
    """A training step of a case, which returns the loss."""
    if case.kind == "BERT":
        network = BertLayer(case.width, case.heads, case.dropout)
    else:
        kind = {"LSTM": N.LSTM, "GRU": N.GRU}[case.kind]
        network = kind(case.width, case.width, case.layers, bidirectional=case.bidirectional)
    named = dict(network.named_parameters())
    with torch.no_grad():
        for name, values in weights_of({name: tuple(p.shape) for name, p in named.items()}).items():
            named[name].copy_(torch.from_numpy(values))
    optimizer = torch.optim.SGD(network.parameters(), RATE, momentum=MOMENTUM)
    inputs, wanted = map(torch.from_numpy, batch_of(case))

    def train() -> float:
        optimizer.zero_grad()
        out = network(inputs)
        loss = F.mse_loss(out if case.kind == "BERT" else out[0], wanted)
        loss.backward()
        optimizer.step()
        return loss.item()

    return train


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(build)
