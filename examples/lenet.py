"""Train LeNet-5 on handwritten digits and watch it in the dashboard while it learns.

    python examples/lenet.py --summary-dir summaries
    mindinsight start --summary-base-dir summaries

The run is a sub-directory named by its settings; nearly everything in it comes from `SummaryCollector`. `--pace` makes
the training slow enough to be watched. Stop it with Ctrl-C; what was recorded is kept. `make run` trains three of
these, one of them attached to the debugger.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework import dataset as ds
from framework import nn, ops
from framework.debugger import Debugger
from framework.model_zoo import LeNet5


class Watch(ms.Callback):
    """Notes accuracy, learning rate and images by their labels for the collector, which must follow in the list."""

    def __init__(self, network: Any, optimizer: Any, testing: Any, every: int) -> None:
        self._network, self._optimizer, self._every = network, optimizer, every
        self._pictures, self._labels = next(iter(testing.create_tuple_iterator()))

    def on_train_step_end(self, run_context: ms.RunContext) -> None:
        """Note the values of a step that is recorded."""
        step = run_context.original_args().cur_step_num
        if step != 1 and step % self._every:
            return
        labels = self._labels.asnumpy()
        right = float((self._network(self._pictures).asnumpy().argmax(1) == labels).mean())
        ops.ScalarSummary()("accuracy/test", ms.Tensor(right, ms.float32))
        ops.ScalarSummary()("learning_rate", self._optimizer.get_lr())
        for label in range(10):
            pictures = self._pictures.asnumpy()[labels == label]
            if len(pictures) and step % (10 * self._every) == 0:
                ops.ImageSummary()(f"label/{label}", ms.Tensor(pictures))


class Pace(ms.Callback):
    """Limits the number of steps per second; 0 for no limit."""

    def __init__(self, steps_per_second: float) -> None:
        self._seconds = 1 / steps_per_second if steps_per_second else 0.0
        self._due = 0.0

    def on_train_step_end(self, run_context: ms.RunContext) -> None:
        """Wait until the next step is due."""
        now = time.monotonic()
        self._due = max(self._due + self._seconds, now)
        time.sleep(self._due - now)


def digits(batch_size: int) -> tuple[Any, Any]:
    """Return scikit-learn's digits as batches for training and for evaluation."""
    from sklearn.datasets import load_digits  # Slow to import: --help should not wait for it.

    pixels, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    pictures = (pixels[order].reshape(-1, 1, 8, 8) / 16).repeat(4, axis=2).repeat(4, axis=3).astype(np.float32)
    chosen, cut = labels[order].astype(np.int32), len(labels) * 4 // 5
    training = ds.NumpySlicesDataset({"image": pictures[:cut], "label": chosen[:cut]}, shuffle=True)
    testing = ds.NumpySlicesDataset({"image": pictures[cut:], "label": chosen[cut:]}, shuffle=False)
    return training.batch(batch_size, drop_remainder=True), testing.batch(batch_size)


def optimizer_of(name: str, parameters: Any, rate: float) -> Any:
    """Return the optimizer with this name."""
    if name == "adam":
        return nn.Adam(parameters, rate)
    return nn.Momentum(parameters, rate, 0.9) if name == "momentum" else nn.SGD(parameters, rate)


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(options.seed)
    training, testing = digits(options.batch_size)
    network = LeNet5()
    optimizer = optimizer_of(options.optimizer, network.trainable_params(), options.lr)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, optimizer, metrics={"Accuracy": nn.Accuracy(), "Loss": nn.Loss()})
    name = f"lenet_{options.optimizer}_lr{options.lr:g}_b{options.batch_size}"
    collector = ms.SummaryCollector(
        options.summary_dir / name,
        collect_freq=options.collect_freq,
        collect_specified_data={"collect_gradients": True},
        custom_lineage_data={"seed": options.seed, "example": "lenet"},
    )
    watch = Watch(network, optimizer, testing, options.collect_freq)
    callbacks = [watch, collector, ms.LossMonitor(0), Pace(options.pace)]
    if options.debug:
        callbacks.append(Debugger(options.url))
    print(f"Writing {options.summary_dir / name}", flush=True)
    try:
        model.fit(options.epochs, training, testing, callbacks=callbacks)
    except KeyboardInterrupt:
        print(f"{name}: stopped")
        return 128 + signal.SIGINT
    print(f"{name}: accuracy {model.eval(testing)['Accuracy']:.3f}")
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary-dir", type=Path, required=True, help="directory for the run")
    parser.add_argument("--optimizer", choices=("momentum", "adam", "sgd"), default="momentum")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--collect-freq", type=int, default=2, help="interval of recorded steps")
    parser.add_argument("--pace", type=float, default=10.0, help="steps per second; 0 for no limit")
    parser.add_argument("--debug", action="store_true", help="attach the training to the debugger")
    parser.add_argument("--url", help="with --debug: address of the dashboard")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
