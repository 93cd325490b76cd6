"""Try a dozen settings, and see on the lineage page which of them matter.

    python examples/sweep.py --summary-dir summaries/sweep
    mindinsight start --summary-base-dir summaries

Each run has a directory of its own, with its settings and what came out as lineage.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework import dataset as ds
from framework import nn

SETTINGS = tuple(itertools.product(("momentum", "adam"), (0.1, 0.01, 0.001), (16, 64)))
"""Optimizer, learning rate and size of the hidden layer: all twelve combinations."""


def digits(first: int, last: int, batch_size: int, *, training: bool) -> Any:
    """Return some of scikit-learn's digits, each as 64 numbers."""
    from sklearn.datasets import load_digits  # Slow to import: --help should not wait for it.

    pixels, labels = load_digits(return_X_y=True)
    columns = {"image": (pixels[first:last] / 16).astype(np.float32), "label": labels[first:last].astype(np.int32)}
    return ds.NumpySlicesDataset(columns, shuffle=training).batch(batch_size, drop_remainder=training)


def run(directory: Path, options: argparse.Namespace, name: str, rate: float, hidden: int) -> float:
    """Train with the given settings; return the accuracy."""
    ms.set_seed(options.seed)
    network = nn.SequentialCell(nn.Dense(64, hidden), nn.ReLU(), nn.Dense(hidden, 10))
    parameters = network.trainable_params()
    optimizer = nn.Adam(parameters, rate) if name == "adam" else nn.Momentum(parameters, rate, 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, optimizer, metrics={"Accuracy": nn.Accuracy(), "Loss": nn.Loss()})
    collector = ms.SummaryCollector(
        directory / f"{name}_lr{rate:g}_h{hidden}",
        collect_specified_data={"collect_input_data": False},
        custom_lineage_data={"hidden": hidden, "seed": options.seed},
    )
    model.train(options.epochs, digits(0, options.pictures, 32, training=True), callbacks=[collector])
    found = model.eval(digits(options.pictures, 1797, 32, training=False), callbacks=[collector])
    return float(found["Accuracy"])


def main(arguments: list[str] | None = None) -> int:
    """Train all; return the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    ms.set_context(mode=ms.GRAPH_MODE)
    for name, rate, hidden in SETTINGS:
        accuracy = run(options.summary_dir, options, name, rate, hidden)
        print(f"{name:8} lr {rate:<5g} hidden {hidden:2}: accuracy {accuracy:.3f}", flush=True)
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary-dir", type=Path, required=True, help="directory for the runs")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--pictures", type=int, default=1437, help="number of training images")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
