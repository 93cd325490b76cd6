"""PyTorch trainings without a fault, of ten kinds of models and ten optimizers. Used by `test_torch_faults.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import nn
from torch.nn import functional

__all__ = ["CLEAN"]

Watch = Callable[..., Any]
CLEAN: dict[str, Callable[[Watch], None]] = {}
STEPS: Final = 20


def training(make_optimizer: Callable[..., Any], **options: Any) -> Callable[[Callable[[], Any]], None]:
    """Adds a training: the function makes a model, which is called with numbers and classes and returns the loss."""

    def add(make: Callable[[], nn.Module]) -> None:
        def train(watch: Watch) -> None:
            torch.manual_seed(0)
            model = make()
            clips, casts = options.pop("clips", False), options.pop("casts", False)
            optimizer = make_optimizer(model.parameters(), **options)
            generator = torch.Generator().manual_seed(1)
            centres = torch.randn(4, 16, generator=generator)
            with watch(model, optimizer):
                for _ in range(STEPS):
                    classes = torch.randint(0, 4, (24,), generator=generator)
                    numbers = centres[classes] + 0.3 * torch.randn(24, 16, generator=generator)
                    optimizer.zero_grad()
                    with torch.autocast("cpu", torch.bfloat16, enabled=casts):
                        loss = model(numbers, classes)
                    loss.backward()
                    if clips:
                        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                    optimizer.step()

        CLEAN[make.__name__] = train

    return add


class Classifier(nn.Module):
    """A network with the loss of its classes."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.net = nn.Sequential(*layers)

    def forward(self, numbers: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(self.net(numbers), classes)


@training(torch.optim.SGD, lr=0.05)
def perceptron() -> nn.Module:
    return Classifier(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 4))


@training(torch.optim.SGD, lr=0.02, momentum=0.9, weight_decay=1e-4)
def convolutions() -> nn.Module:
    return Classifier(
        nn.Unflatten(1, (1, 4, 4)), nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Conv2d(8, 8, 3, padding=1, groups=2), nn.SiLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32, 4),
    )  # fmt: skip


class Encoder(nn.Module):
    """A transformer's layer over four words of four numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.head = nn.Linear(4, 16), nn.Linear(16, 4)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True, activation="gelu")

    def forward(self, numbers: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(self.wide(numbers.reshape(-1, 4, 4)))
        return functional.cross_entropy(self.head(hidden.mean(1)), classes)


@training(torch.optim.AdamW, lr=1e-3, clips=True)
def transformer() -> nn.Module:
    return Encoder()


class Causal(nn.Module):
    """Attention with a mask of minus infinity over words that come later."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.ask, self.out = nn.Embedding(8, 12), nn.Linear(12, 36), nn.Linear(12, 8)
        self.norm = nn.LayerNorm(12)
        self.register_buffer("hidden", torch.ones(16, 16, dtype=torch.bool).triu(1))

    def forward(self, numbers: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        words = numbers.mul(2).long().clamp(-4, 3) + 4
        query, key, value = self.ask(self.norm(self.words(words))).chunk(3, -1)
        scores = (query @ key.mT / 12**0.5).masked_fill(self.hidden, -torch.inf)
        found = self.out(torch.softmax(scores, -1) @ value)
        return functional.cross_entropy(found[:, :-1].flatten(0, 1), words[:, 1:].flatten())


@training(torch.optim.Adam, lr=1e-3)
def masked_attention() -> nn.Module:
    return Causal()


class Recurrent(nn.Module):
    """A recurrent network over sixteen numbers, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTM(1, 12, batch_first=True), nn.Linear(12, 4)

    def forward(self, numbers: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(self.head(self.cell(numbers[:, :, None])[0][:, -1]), classes)


@training(torch.optim.RMSprop, lr=1e-3)
def recurrent() -> nn.Module:
    return Recurrent()


class Coder(nn.Module):
    """A variational autoencoder."""

    def __init__(self) -> None:
        super().__init__()
        self.code, self.back = nn.Linear(16, 6), nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 16))

    def forward(self, numbers: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        mean, spread = self.code(numbers).chunk(2, 1)
        made = self.back(mean + torch.randn_like(mean) * (spread / 2).exp())
        apart = (mean.square() + spread.exp() - spread - 1).sum(1).mean() / 2
        return functional.mse_loss(made, numbers) + 0.01 * apart


@training(torch.optim.NAdam, lr=1e-3)
def autoencoder() -> nn.Module:
    return Coder()


@training(torch.optim.Adagrad, lr=0.01)
def gates() -> nn.Module:
    return Classifier(nn.Linear(16, 24), nn.GLU(), nn.Sigmoid(), nn.Linear(12, 4))


@training(torch.optim.RAdam, lr=1e-3, casts=True)
def short_numbers() -> nn.Module:
    return Classifier(nn.Linear(16, 24), nn.LayerNorm(24), nn.GELU(), nn.Dropout(0.2), nn.Linear(24, 4))


class Bag(nn.Module):
    """Words in a bag, two losses, and a rate for each group of weights."""

    def __init__(self) -> None:
        super().__init__()
        self.bag, self.head, self.size = nn.EmbeddingBag(9, 8, mode="mean"), nn.Linear(8, 4), nn.Linear(8, 1)

    def forward(self, numbers: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        hidden = self.bag(numbers.mul(2).long().clamp(-4, 4) + 4)
        size = functional.smooth_l1_loss(self.size(hidden)[:, 0], numbers.norm(dim=1))
        return functional.cross_entropy(self.head(hidden), classes, label_smoothing=0.1) + size


@training(torch.optim.Adamax, lr=1e-3)
def words_in_a_bag() -> nn.Module:
    return Bag()


@training(torch.optim.ASGD, lr=0.02)
def deep() -> nn.Module:
    layers = [layer for _ in range(4) for layer in (nn.Linear(16, 16), nn.LeakyReLU(0.1))]
    return Classifier(*layers, nn.Linear(16, 4))
