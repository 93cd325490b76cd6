"""PyTorch's side of the comparison of whole models, where one is a few lines: `models_torch.py - SECONDS CASE...`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch  # type: ignore[import-not-found]

from benchmarks.measuring.framework_timing import Case, main

F, N = torch.nn.functional, torch.nn


class LSTMClassifier(N.Module):  # type: ignore[misc]
    """An embedding, an LSTM, a dense layer over its last state."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.encoder = N.Embedding(8000, 64), N.LSTM(64, 64, batch_first=True)
        self.decoder = N.Linear(64, 2)

    def forward(self, ids: Any) -> Any:
        """The scores of two classes."""
        return self.decoder(self.encoder(self.embedding(ids))[0][:, -1])


class Bert(N.Module):  # type: ignore[misc]
    """Two layers of an encoder over embeddings, and a pooler."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions, self.segments = N.Embedding(8000, 128), N.Embedding(64, 128), N.Embedding(2, 128)
        self.norm = N.LayerNorm(128)
        layer = N.TransformerEncoderLayer(128, 4, 512, 0.0, "gelu", batch_first=True)
        self.layers = N.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.pooler, self.classifier = N.Linear(128, 128), N.Linear(128, 2)

    def forward(self, ids: Any) -> Any:
        """The scores of two classes."""
        x = self.words(ids) + self.positions.weight + self.segments(torch.zeros_like(ids))
        return self.classifier(torch.tanh(self.pooler(self.layers(self.norm(x))[:, 0])))


def lenet() -> Any:
    """LeNet-5 on 1x32x32."""
    return N.Sequential(
        N.Conv2d(1, 6, 5, bias=False), N.ReLU(), N.MaxPool2d(2),
        N.Conv2d(6, 16, 5, bias=False), N.ReLU(), N.MaxPool2d(2), N.Flatten(),
        N.Linear(400, 120), N.ReLU(), N.Linear(120, 84), N.ReLU(), N.Linear(84, 10),
    )  # fmt: skip


def step(network: Any, inputs: Any, classes: int) -> Callable[[], object]:
    """A step of training with momentum."""
    optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
    labels = torch.randint(0, classes, (inputs.shape[0],))

    def train() -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(network(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss

    return train


CASES: dict[str, Case] = {
    "lenet": lambda: step(lenet(), torch.randn(64, 1, 32, 32), 10),
    "lstm": lambda: step(LSTMClassifier(), torch.randint(0, 8000, (16, 32)), 2),
    "bert": lambda: step(Bert(), torch.randint(0, 8000, (8, 64)), 2),
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    main(CASES)
