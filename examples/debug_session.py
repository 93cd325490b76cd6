"""Train LeNet-5 with a fault in it, attached to the debugger: find where the numbers go wrong.

    mindinsight start --summary-base-dir summaries
    python examples/debug_session.py --summary-dir summaries/faulty

One picture in the data has a NaN. The training pauses before its first step; on the page Debugger, arm the recommended
watchpoints and continue: it pauses where the loss is lost, and the cause card says what made the first value that is
not finite. Without a dashboard, the training continues after `--lease` seconds.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import framework as ms
from framework import nn
from framework.debugger import Debugger
from framework.model_zoo import LeNet5

BATCH = 32


def digits(bad: int) -> list[tuple[Any, Any]]:
    """Return scikit-learn's digits in batches; one pixel of one image is NaN.

    Args:
        bad: the number of that picture.
    """
    from sklearn.datasets import load_digits  # Slow to import: --help should not wait for it.

    pixels, labels = load_digits(return_X_y=True)
    pictures = (pixels.reshape(-1, 1, 8, 8) / 16).repeat(4, axis=2).repeat(4, axis=3).astype(np.float32)
    pictures[bad, 0, 5, 7] = np.nan
    starts = range(0, len(labels) - BATCH, BATCH)
    return [(pictures[i : i + BATCH], labels[i : i + BATCH].astype(np.int32)) for i in starts]


def main(arguments: list[str] | None = None) -> int:
    """Train."""
    parser = argparse.ArgumentParser(description="Train LeNet-5 with a fault, attached to the debugger.")
    parser.add_argument("--summary-dir", default="summaries/faulty", help="where the run is recorded")
    parser.add_argument("--url", help="address of the dashboard; by default port 8080 of this machine")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--bad", type=int, default=700, help="the number of the image with the fault")
    parser.add_argument("--lease", type=float, default=600.0, help="maximum seconds of a pause without user action")
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    given = parser.parse_args(arguments)
    ms.set_context(mode=ms.GRAPH_MODE if given.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    network = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    recorded = ms.SummaryCollector(given.summary_dir)
    debugger = Debugger(given.url, lease=given.lease, pause_at_start=True)
    model.train(given.epochs, digits(given.bad), callbacks=[recorded, debugger])
    return 0


if __name__ == "__main__":
    sys.exit(main())
