"""Train a small GPT on its own source text, and let it continue the text.

python examples/gpt.py --summary-dir summaries/gpt
mindinsight start --summary-base-dir summaries
"""

from __future__ import annotations

import argparse
import inspect
import math
import sys

import numpy as np

import framework as ms
from framework import nn
from framework.model_zoo import GPT, GPTWithLoss, TransformerConfig, gpt


def windows(ids: list[int], length: int, count: int, batch_size: int, seed: int) -> list[tuple[np.ndarray]]:
    """Yield batches of windows of a text, each with the following token."""
    places = np.random.default_rng(seed).integers(0, len(ids) - length, (count, batch_size))
    text = np.array(ids, np.int32)
    return [(np.stack([text[place : place + length + 1] for place in batch]),) for batch in places]


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(options.seed)
    text = inspect.getsource(gpt)
    letters = sorted(set(text))
    ids = [letters.index(letter) for letter in text]
    sizes = TransformerConfig(
        len(letters), hidden_size=options.hidden, num_layers=options.layers, num_heads=4,
        intermediate_size=4 * options.hidden, max_position=options.length, dropout=0.0, epsilon=1e-5,
    )  # fmt: skip
    network = GPT(sizes)
    print(f"{len(text)} letters of {len(letters)} kinds; guessing costs {math.log(len(letters)):.2f}")
    model = ms.Model(GPTWithLoss(network), optimizer=nn.Adam(network.trainable_params(), options.lr))
    callbacks: list[ms.Callback] = [ms.LossMonitor(options.print_every)]
    if options.summary_dir:
        callbacks.append(
            ms.SummaryCollector(options.summary_dir, custom_lineage_data={"text": "framework.model_zoo.gpt"})
        )
    model.train(1, windows(ids, options.length, options.steps, options.batch_size, options.seed), callbacks)
    beginning = "class "
    written = network.write([letters.index(letter) for letter in beginning], options.write)
    print("".join(letters[number] for number in written))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary-dir", default="", help="where to record the run for the dashboard")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--length", type=int, default=64, help="length of the context in letters")
    parser.add_argument("--hidden", type=int, default=64, help="features of a letter")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=int, default=200, help="number of letters to write at the end")
    parser.add_argument("--print-every", type=int, default=50)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
