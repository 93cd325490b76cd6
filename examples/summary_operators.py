"""Record images, a loss and distributions from inside a network, its loss and its optimizer.

    python examples/summary_operators.py --summary-dir summaries/alexnet
    mindinsight start --summary-base-dir summaries

AlexNet shows its input, the loss shows itself, and Momentum shows weights and gradients as it changes them. The network
is a quarter as wide as the original, to run on any machine; `--width 1` is the original.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import framework as ms
from framework import Tensor, nn
from framework.common import dtype as mstype
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812


class AlexNet(nn.Cell):
    """AlexNet that records its input images."""

    def __init__(self, num_classes: int = 1001, channel: int = 3, width: float = 1.0) -> None:
        super().__init__()
        first, second, third, dense = (max(1, int(size * width)) for size in (96, 256, 384, 4096))
        self.conv1 = nn.Conv2d(channel, first, 11, stride=4, pad_mode="valid")
        self.conv2 = nn.Conv2d(first, second, 5, pad_mode="same")
        self.conv3 = nn.Conv2d(second, third, 3, pad_mode="same")
        self.conv4 = nn.Conv2d(third, third, 3, pad_mode="same")
        self.conv5 = nn.Conv2d(third, first, 3, pad_mode="same")
        self.relu = P.ReLU()
        self.max_pool2d = P.MaxPool(kernel_size=3, strides=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(6 * 6 * first, dense)
        self.fc2 = nn.Dense(dense, dense)
        self.fc3 = nn.Dense(dense, num_classes)
        self.image_summary = P.ImageSummary()

    def construct(self, x: Any) -> Any:
        """Return the scores of the classes for images of 227 x 227 pixels."""
        self.image_summary("image", x)
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.relu(self.conv3(x))
        x = self.relu(self.conv4(x))
        x = self.max_pool2d(self.relu(self.conv5(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class CrossEntropyLoss(nn.Cell):
    """Mean cross entropy that records its value."""

    def __init__(self) -> None:
        super().__init__()
        self.cross_entropy = P.SoftmaxCrossEntropyWithLogits()
        self.mean = P.ReduceMean()
        self.one_hot = P.OneHot()
        self.on_value = Tensor(1.0, mstype.float32)
        self.off_value = Tensor(0.0, mstype.float32)
        self.scalar_summary = P.ScalarSummary()

    def construct(self, logits: Any, label: Any) -> Any:
        """Return the loss of scores and class labels."""
        label = self.one_hot(label, F.shape(logits)[1], self.on_value, self.off_value)
        loss = self.cross_entropy(logits, label)[0]
        loss = self.mean(loss, (-1,))
        self.scalar_summary("loss", loss)
        return loss


class Momentum(Optimizer):
    """Gradient descent with momentum that records each weight and its gradient."""

    def __init__(self, params: Any, learning_rate: float, momentum: float) -> None:
        super().__init__(learning_rate, params)
        self.momentum = Tensor(momentum, mstype.float32)
        self.moments = self.parameters.clone("moments", init="zeros")
        self.opt = P.ApplyMomentum()
        self.histogram_summary = P.HistogramSummary()
        self.weight_names = [param.name for param in self.parameters]
        self.gradient_names = [name + ".gradient" for name in self.weight_names]

    def construct(self, grads: Any) -> Any:
        """Run one step."""
        for i in range(self.param_count):
            self.histogram_summary(self.weight_names[i], self.params[i])
            self.histogram_summary(self.gradient_names[i], grads[i])
            self.opt(self.params[i], self.moments[i], self.learning_rate, grads[i], self.momentum)
        return True


def pictures(count: int, batch_size: int) -> list[tuple[Any, ...]]:
    """Return scikit-learn's digits in 227 x 227 pixels and three colours."""
    from sklearn.datasets import load_digits  # Slow to import: --help should not wait for it.

    pixels, labels = load_digits(return_X_y=True)
    places = np.arange(227) * 8 // 227
    large = (pixels[:count].reshape(-1, 1, 8, 8) / 16)[:, :, places][:, :, :, places]
    x, y = np.repeat(large, 3, axis=1).astype(np.float32), labels[:count].astype(np.int32)
    return [(x[i : i + batch_size], y[i : i + batch_size]) for i in range(0, count, batch_size)]


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    network = AlexNet(options.classes, width=options.width)
    model = ms.Model(network, CrossEntropyLoss(), Momentum(network.trainable_params(), options.lr, 0.9))
    # The operators in the network record values; the collector selects the steps and adds the graph.
    chosen = {"collect_graph": True, "collect_train_lineage": True}
    collector = ms.SummaryCollector(
        options.summary_dir, options.collect_freq, collect_specified_data=chosen, keep_default_action=False
    )
    model.train(options.epochs, pictures(options.pictures, options.batch_size), [collector, ms.LossMonitor()])
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary-dir", required=True, help="where to record the run for the dashboard")
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--width", type=float, default=0.25, help="a factor on the size of every layer")
    parser.add_argument("--classes", type=int, default=1001)
    parser.add_argument("--pictures", type=int, default=128)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--collect-freq", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
