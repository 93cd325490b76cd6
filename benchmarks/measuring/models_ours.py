"""Our side of the comparison of whole models: `python models_ours.py graph|pynative SECONDS CASE...`; one step each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import framework as ms
from benchmarks.measuring.framework_timing import Case, main
from framework import Tensor, model_zoo, nn
from framework.model_zoo.resnet import BasicBlock, Bottleneck, ResNet

RNG = np.random.default_rng(0)
SMALL = model_zoo.TransformerConfig(
    8000, hidden_size=128, num_layers=2, num_heads=4, intermediate_size=512, max_position=64, dropout=0.0
)


def trained(network: nn.Cell, *batch: Tensor) -> Callable[[], object]:
    """A step of training with momentum; the network gives the loss."""
    train = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 0.01, 0.9)).set_train()
    return lambda: train(*batch)


def classified(network: nn.Cell, inputs: Tensor, classes: int = 10) -> Callable[[], object]:
    """A step of training a classifier."""
    labels = Tensor(RNG.integers(0, classes, inputs.shape[0]).astype(np.int32))
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    return trained(loss, inputs, labels)


def pictures(*shape: int) -> Tensor:
    """Normal numbers."""
    return Tensor(RNG.standard_normal(shape, np.float32))


def tokens(*shape: int) -> Tensor:
    """Numbers of tokens."""
    return Tensor(RNG.integers(0, 8000, shape).astype(np.int32))


CASES: dict[str, Case] = {
    "lenet": lambda: classified(model_zoo.LeNet5(), pictures(64, 1, 32, 32)),
    "alexnet": lambda: classified(model_zoo.AlexNet(10, dropout=0.0, width=0.25), pictures(8, 3, 227, 227)),
    "resnet18": lambda: classified(ResNet(BasicBlock, (2, 2, 2, 2), 10, width=16, small=True), pictures(16, 3, 32, 32)),
    "resnet50": lambda: classified(ResNet(Bottleneck, (3, 4, 6, 3), 10, width=16, small=True), pictures(8, 3, 32, 32)),
    "lstm": lambda: classified(model_zoo.LSTMClassifier(8000, 2, 64, 64), tokens(16, 32), 2),
    "bert": lambda: classified(model_zoo.BertClassifier(SMALL), tokens(8, 64), 2),
    "gpt": lambda: trained(model_zoo.GPTWithLoss(model_zoo.GPT(SMALL)), tokens(8, 65)),
}

if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1:2] == ["graph"] else ms.PYNATIVE_MODE)
    main(CASES)
