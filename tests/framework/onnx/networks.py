"""Networks that are exported: the model zoo, loops and branches, training steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import framework as ms
from framework import model_zoo as zoo
from framework import nn

SMALL: dict[str, Any] = {
    "vocab_size": 50, "hidden_size": 16, "num_layers": 2, "num_heads": 2, "intermediate_size": 32, "max_position": 20,
    "dropout": 0.0,
}  # fmt: skip


def numbers(*shape: int, seed: int = 0) -> ms.Tensor:
    """Normally distributed numbers."""
    return ms.Tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def places(below: int, *shape: int) -> ms.Tensor:
    """Ints from 0 on."""
    return ms.Tensor(np.random.default_rng(1).integers(0, below, shape).astype(np.int32))


def open_batch(*shape: int) -> ms.Tensor:
    """A tensor whose first dimension is open."""
    return ms.Tensor(shape=[None, *shape], dtype=ms.float32)


class Rounds(nn.Cell):
    """A loop, then a branch."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones", bias_init="zeros")

    def construct(self, x: Any) -> Any:
        while x.sum() < 10.0:
            x = x + self.dense(x) ** 2 + 0.5
        x = x * 2 if x.mean() > 3.0 else x.exp() - 1
        return x, x.sum()


class Nested(nn.Cell):
    """A loop in a loop, with `break` and `return`."""

    def construct(self, x: Any, y: Any) -> Any:
        while x.sum() < 100.0:
            x = x + 1
            while y.sum() < 500.0:
                y = y + 1
                if y.max() > 20.0:
                    break
                if y.min() > 30.0:
                    return y
            y = y - x
            if x.mean() > 25.0:
                break
        return x * y


class Counting(nn.Cell):
    """Changes a Parameter within branches and a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = ms.Parameter(ms.Tensor(np.zeros(3, np.float32)), name="seen")

    def construct(self, x: Any) -> Any:
        for _ in range(3):
            if x.sum() > 0.0:
                self.seen += x
            x = x - 0.3
        while x.sum() < 3.0:
            self.seen += 1.0
            x = x + 1.0
        return x * self.seen


def inference() -> dict[str, tuple[nn.Cell, tuple[Any, ...], tuple[Any, ...]]]:
    """Each network with what it is exported for and what it is run on."""
    config, ids = zoo.TransformerConfig(**SMALL), places(50, 2, 8)
    images = (open_batch(3, 32, 32),), (numbers(2, 3, 32, 32),)
    big = (numbers(1, 3, 227, 227),)
    made = {
        "lenet": (zoo.LeNet5(), (open_batch(1, 32, 32),), (numbers(3, 1, 32, 32),)),
        "alexnet": (zoo.AlexNet(num_classes=10, width=0.05), big, big),
        "resnet18": (zoo.resnet18(num_classes=10, width=4), *images),
        "resnet50": (zoo.resnet50(num_classes=10, width=4), *images),
        "gpt": (zoo.GPT(config), (ids,), (ids,)),
        "gpt_loss": (zoo.GPTWithLoss(zoo.GPT(config)), (ids,), (ids,)),
        "bert": (zoo.Bert(config), (ids,), (ids,)),
        "bert_classes": (zoo.BertClassifier(config), (ids,), (ids,)),
        "lstm": (zoo.LSTMClassifier(50, 2, 8, 8, 2, bidirectional=True), (ids,), (ids,)),
        "rounds": (Rounds(), (open_batch(3),), (numbers(2, 3),)),
        "nested": (Nested(), (numbers(3), numbers(3)), (numbers(3), numbers(3))),
    }
    return {name: (net.set_train(False), spec, given) for name, (net, spec, given) in made.items()}


def training() -> dict[str, tuple[nn.Cell, tuple[Any, ...]]]:
    """Training steps with what they are run on."""
    config, loss = zoo.TransformerConfig(**SMALL), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    images, texts = (numbers(4, 1, 32, 32), places(10, 4)), (places(50, 2, 8), places(2, 2))
    lenet, sgd, bert = zoo.LeNet5(), zoo.LeNet5(has_bias=True), zoo.BertClassifier(config)
    made = {
        "lenet": (lenet, nn.Momentum(lenet.trainable_params(), 0.05, 0.9), images),
        "lenet_sgd": (sgd, nn.SGD(sgd.trainable_params(), 0.05, momentum=0.9), images),
        "bert": (bert, nn.Adam(bert.trainable_params(), 0.001), texts),
    }
    return {
        name: (nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train(), given)
        for name, (net, optimizer, given) in made.items()
    }
