"""The training of LeNet-5 that the real runs of MindSpore are recordings of, by this framework."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import framework as ms
from framework import dataset as ds
from framework import nn
from framework.train import Model
from tests.framework.oracle.networks import LeNet


class LeNet5(LeNet):
    """The network of the real runs, by its name there."""


class Pictures:
    """The real runs' data set: digits of 32 x 32 pixels."""

    def __init__(self, first: int, last: int) -> None:
        pixels, labels = load_digits(return_X_y=True)
        self.x = np.kron(pixels[first:last].reshape(-1, 1, 8, 8) / 16, np.ones((1, 1, 4, 4))).astype(np.float32)
        self.y = labels[first:last].astype(np.int32)

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        return self.x[place], self.y[place]

    def __len__(self) -> int:
        return len(self.y)


def pictures(first: int, last: int) -> Any:
    return ds.GeneratorDataset(Pictures(first, last), ["image", "label"], shuffle=False).batch(32, drop_remainder=True)


def model() -> Model:
    ms.set_seed(1)
    network = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    metrics = {"Accuracy": nn.Accuracy(), "Loss": nn.Loss()}
    return Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9), metrics=metrics)


CUSTOM = {
    "run": "mom_lr01_b32", "optimizer_name": "Momentum", "lr": 0.01, "batch": 32, "epochs_planned": 5, "seed": 1,
    "dataset": "sklearn_digits_32x32",
}  # fmt: skip


def train_like_mindspore(directory: Path, epochs: int = 1, pictures_used: int = 352) -> None:
    """Train and evaluate with the collector's settings of the real runs."""
    ms.set_context(mode=ms.GRAPH_MODE)
    chosen = {"histogram_regular": ".*"}
    collector = ms.SummaryCollector(
        directory, collect_freq=5, custom_lineage_data=CUSTOM, collect_specified_data=chosen
    )
    trained = model()
    trained.train(epochs, pictures(0, pictures_used), callbacks=[collector])
    trained.eval(pictures(pictures_used, pictures_used + 64), callbacks=[collector])
    ms.set_context(mode=ms.PYNATIVE_MODE)
