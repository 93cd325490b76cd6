"""Train a small network on handwritten digits and watch it in the dashboard while it learns.

    python examples/digits.py --summary-dir summaries
    mindinsight start --summary-base-dir summaries

The network is written out in plain numpy: two dense layers, ReLU, softmax cross-entropy, gradient descent with
momentum. Each run writes into a sub-directory named by its settings. `--runs 3` trains three settings side by side.
Stop it with Ctrl-C; what was recorded is kept.
"""

import argparse
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from summaries import SummaryWriter

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

HIDDEN = 64
CLASSES = 10
MOMENTUM = 0.9
VALIDATE_EVERY = 5
# What `--runs` varies: factors on the learning rate and on the batch size.
VARIANTS = ((1.0, 1), (0.1, 1), (1.0, 4), (3.0, 1), (0.3, 4), (0.03, 1))


@dataclass(frozen=True)
class Settings:
    """The settings in which trainings differ."""

    lr: float
    batch_size: int
    epochs: int
    seed: int

    @property
    def name(self) -> str:
        """The name of the run's sub-directory."""
        return f"digits_lr{self.lr:g}_b{self.batch_size}_seed{self.seed}"


@dataclass(frozen=True)
class Digits:
    """1797 images of 8 x 8 pixels, four fifths of them for training."""

    train_x: Array
    train_y: Labels
    val_x: Array
    val_y: Labels

    @classmethod
    def load(cls, seed: int) -> "Digits":
        """Read the data set that comes with scikit-learn and split it at random."""
        from sklearn.datasets import load_digits  # Slow to import: --help should not wait for it.

        pixels, labels = load_digits(return_X_y=True)
        order = np.random.default_rng(seed).permutation(len(labels))
        x, y = pixels[order] / 16.0, labels[order]
        split = len(y) * 4 // 5
        return cls(x[:split], y[:split], x[split:], y[split:])


class Network:
    """pixels -> dense -> ReLU -> dense -> one score for each of the ten digits."""

    def __init__(self, rng: np.random.Generator) -> None:
        # He initialization: the scale keeps the size of the activations the same from layer to layer.
        self.weights = {
            "w1": rng.normal(0, math.sqrt(2 / 64), (64, HIDDEN)),
            "b1": np.zeros(HIDDEN),
            "w2": rng.normal(0, math.sqrt(2 / HIDDEN), (HIDDEN, CLASSES)),
            "b2": np.zeros(CLASSES),
        }

    def scores(self, x: Array) -> tuple[Array, Array]:
        """Return the hidden layer's output and the scores."""
        hidden = np.maximum(x @ self.weights["w1"] + self.weights["b1"], 0)
        return hidden, hidden @ self.weights["w2"] + self.weights["b2"]

    def gradients(self, x: Array, y: Labels) -> tuple[float, float, dict[str, Array]]:
        """Return the mean loss, the accuracy, and the loss's gradient with respect to every weight."""
        hidden, scores = self.scores(x)
        probabilities = softmax(scores)
        # The gradient of softmax followed by cross-entropy: probability minus 1 at the right class.
        d_scores = probabilities.copy()
        d_scores[np.arange(len(y)), y] -= 1
        d_scores /= len(y)
        d_hidden = (d_scores @ self.weights["w2"].T) * (hidden > 0)
        gradients = {
            "w1": x.T @ d_hidden,
            "b1": d_hidden.sum(axis=0),
            "w2": hidden.T @ d_scores,
            "b2": d_scores.sum(axis=0),
        }
        return cross_entropy(probabilities, y), accuracy(scores, y), gradients

    def evaluate(self, x: Array, y: Labels) -> tuple[float, float]:
        """Return loss and accuracy on validation data."""
        _, scores = self.scores(x)
        return cross_entropy(softmax(scores), y), accuracy(scores, y)


def softmax(scores: Array) -> Array:
    """Turn scores into probabilities; subtracting the largest keeps `exp` from overflowing."""
    powers: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: Array = powers / powers.sum(axis=1, keepdims=True)
    return probabilities


def cross_entropy(probabilities: Array, y: Labels) -> float:
    """Return the mean of -log(probability of the right class)."""
    return float(-np.log(probabilities[np.arange(len(y)), y] + 1e-12).mean())


def accuracy(scores: Array, y: Labels) -> float:
    """Return the share of images whose highest score is that of the right class."""
    return float((scores.argmax(axis=1) == y).mean())


def norm(arrays: dict[str, Array]) -> float:
    """Return the Euclidean norm of all arrays together."""
    return math.sqrt(sum(float((array**2).sum()) for array in arrays.values()))


def learning_rate(settings: Settings, step: int, total: int) -> float:
    """Return the learning rate, which follows half a cosine; endless trainings repeat it."""
    return settings.lr * 0.5 * (1 + math.cos(math.pi * (step % total) / total))


def train(settings: Settings, data: Digits, writer: SummaryWriter, *, forever: bool) -> Iterator[int]:
    """Train one network, yielding the number of each finished step."""
    rng = np.random.default_rng(settings.seed)
    network = Network(rng)
    velocity = {name: np.zeros_like(weight) for name, weight in network.weights.items()}
    per_epoch = math.ceil(len(data.train_y) / settings.batch_size)
    total = settings.epochs * per_epoch
    step = 0
    while forever or step < total:
        order = rng.permutation(len(data.train_y))
        for start in range(0, len(order), settings.batch_size):
            batch = order[start : start + settings.batch_size]
            loss, correct, gradients = network.gradients(data.train_x[batch], data.train_y[batch])
            rate = learning_rate(settings, step, total)
            for name, gradient in gradients.items():
                velocity[name] = MOMENTUM * velocity[name] - rate * gradient
                network.weights[name] += velocity[name]
            step += 1
            writer.add_scalar("loss", loss, step)
            writer.add_scalar("accuracy/train", correct, step)
            writer.add_scalar("learning_rate", rate, step)
            writer.add_scalar("grad_norm", norm(gradients), step)
            writer.add_scalar("weights/norm", norm(network.weights), step)
            if step % VALIDATE_EVERY == 0 or step == total:
                val_loss, val_accuracy = network.evaluate(data.val_x, data.val_y)
                writer.add_scalars({"loss/val": val_loss, "accuracy/val": val_accuracy}, step=step)
            yield step
    val_loss, val_accuracy = network.evaluate(data.val_x, data.val_y)
    print(f"{settings.name}: {step} steps, validation accuracy {val_accuracy:.3f}, loss {val_loss:.3f}")


def train_together(trainings: dict[SummaryWriter, Iterator[int]], pace: float, stopped: threading.Event) -> None:
    """Run one step of each training in turn, `pace` rounds per second (0: no limit), until all are done."""
    due = time.monotonic()
    while trainings and not stopped.is_set():
        for writer, training in list(trainings.items()):
            if next(training, None) is None:
                writer.close()
                del trainings[writer]
        if pace:
            due = max(due + 1 / pace, time.monotonic() - 1)
            stopped.wait(max(0.0, due - time.monotonic()))


def variants(base: Settings, runs: int) -> list[Settings]:
    """Return the settings of `runs` trainings, the first of them `base` itself."""
    chosen = []
    for number in range(runs):
        lr, batch = VARIANTS[number % len(VARIANTS)]
        seed = base.seed + number // len(VARIANTS)
        chosen.append(Settings(base.lr * lr, base.batch_size * batch, base.epochs, seed))
    return chosen


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary-dir", type=Path, required=True, help="directory for the runs")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1, help="number of settings to train side by side")
    parser.add_argument("--pace", type=float, default=20.0, help="steps per second; 0 for no limit")
    parser.add_argument("--forever", action="store_true", help="train until stopped")
    options = parser.parse_args(arguments)
    for name in ("epochs", "lr", "batch_size", "runs"):
        if getattr(options, name) <= 0:
            parser.error(f"--{name.replace('_', '-')} has to be more than zero")
    if options.pace < 0:
        parser.error("--pace cannot be negative")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    data = Digits.load(options.seed)
    base = Settings(options.lr, options.batch_size, options.epochs, options.seed)
    trainings: dict[SummaryWriter, Iterator[int]] = {}
    try:
        for settings in variants(base, options.runs):
            writer = SummaryWriter(options.summary_dir / settings.name, flush_secs=0.2)
            trainings[writer] = train(settings, data, writer, forever=options.forever)
            print(f"Writing {writer.path}")
        train_together(trainings, options.pace, stopped)
    finally:
        for writer in trainings:
            writer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
