"""Recognise handwritten digits: from images to a trained network, in twelve steps.

    python examples/mnist.py --summary-dir summaries/mnist
    mindinsight start --summary-base-dir summaries

With `--data DIRECTORY` it reads MNIST's files from there (train-images-idx3-ubyte and the others, also packed by gzip);
without, it takes the 1,797 digits that come with scikit-learn. `--mode pynative` runs the same line by line.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework import dataset as ds
from framework import nn
from framework.common.initializer import Normal, initializer
from framework.dataset import vision
from framework.dataset.transforms import TypeCast


class Digits:
    """scikit-learn's digits as a source of rows: images of 32 x 32 grey levels with their labels."""

    def __init__(self, usage: str) -> None:
        from sklearn.datasets import load_digits  # Slow to import: --help should not wait for it.

        pixels, labels = load_digits(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(labels))
        chosen = order[:1437] if usage == "train" else order[1437:]
        pictures = pixels[chosen].reshape(-1, 8, 8, 1).repeat(4, axis=1).repeat(4, axis=2)
        self.pictures, self.labels = (pictures * (255 / 16)).astype(np.uint8), labels[chosen].astype(np.int32)

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        return self.pictures[place], self.labels[place]

    def __len__(self) -> int:
        return len(self.labels)


# 1. Load data -------------------------------------------------------------------------------------------------------


def load(directory: str, usage: str) -> Any:
    """Return the images and labels for "train" or "test"."""
    if directory:
        return ds.MnistDataset(directory, usage=usage, shuffle=usage == "train")
    return ds.GeneratorDataset(Digits(usage), ["image", "label"], shuffle=usage == "train")


# 2. Enhance it ------------------------------------------------------------------------------------------------------


def enhance(data: Any, batch_size: int, *, training: bool) -> Any:
    """Return images of 32 x 32 numbers around 0, channel first, in batches; training uses full ones only."""
    prepare = [vision.Resize((32, 32)), vision.Rescale(1 / 255 / 0.3081, -0.1307 / 0.3081), vision.HWC2CHW()]
    data = data.map(prepare, input_columns="image").map(TypeCast(ms.int32), input_columns="label")
    return data.batch(batch_size, drop_remainder=training)


# 3. Define the network ----------------------------------------------------------------------------------------------


class LeNet5(nn.Cell):
    """Two convolutions with pooling, then three dense layers."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, classes)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x: Any) -> Any:
        """Return ten scores for each image."""
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


# 4. Initialize weights ----------------------------------------------------------------------------------------------


def initialize(network: nn.Cell) -> None:
    """Draw the dense layers' weights from a narrow normal distribution."""
    for name, parameter in network.parameters_and_names():
        if name.startswith("fc") and name.endswith("weight"):
            parameter.set_data(initializer(Normal(0.05), parameter.shape, ms.float32))


def main(arguments: list[str] | None = None) -> int:
    """Run the twelve steps; return the exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(options.seed)
    train_data = enhance(load(options.data, "train"), options.batch_size, training=True)
    test_data = enhance(load(options.data, "test"), options.batch_size, training=False)
    if train_data.get_dataset_size() == 0:
        print(f"A batch of {options.batch_size} is more than there is to train with: choose a smaller --batch-size")
        return 2
    network = LeNet5()
    initialize(network)

    # 5. Execute: an untrained network returns scores, too.
    first, labels = next(iter(train_data))
    print(f"untrained: {float((network(first).argmax(1) == labels).mean()):.0%} of a batch are right")

    # 6. Loss
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    # 7. Optimizer: its learning rate decreases; with a constant one, the last few steps would decide the accuracy.
    steps = train_data.get_dataset_size()
    rates = nn.cosine_decay_lr(0.0, options.lr, options.epochs * steps, steps, options.epochs)
    optimizer = nn.Momentum(network.trainable_params(), learning_rate=rates, momentum=0.9)

    # 8. Train
    model = ms.Model(network, loss, optimizer, metrics={"Accuracy": nn.Accuracy(), "Loss": nn.Loss()})
    callbacks: list[ms.Callback] = [ms.LossMonitor(options.print_every)]
    if options.summary_dir:
        callbacks.append(ms.SummaryCollector(options.summary_dir, custom_lineage_data={"example": "mnist"}))
    model.train(options.epochs, train_data, callbacks=callbacks)

    # 9. Evaluate
    collecting = [item for item in callbacks if isinstance(item, ms.SummaryCollector)]
    found = model.eval(test_data, callbacks=collecting)
    print(f"test: accuracy {found['Accuracy']:.4f}, loss {found['Loss']:.4f}")

    with tempfile.TemporaryDirectory() as directory:
        # 10. Save
        file = str(Path(options.save or directory) / "lenet5.ckpt")
        ms.save_checkpoint(network, file)

        # 11. Load and predict
        again = LeNet5()
        ms.load_param_into_net(again, ms.load_checkpoint(file))
        pictures, labels = next(iter(test_data))
        predicted = ms.Model(again).predict(pictures).argmax(1)
        if options.save:
            print(f"saved: {file}")
        print(f"loaded: says {predicted[:8].asnumpy().tolist()} of {labels[:8].asnumpy().tolist()}")

    # 12. Fine-tune: keep the convolutions, and train the last layer with a smaller learning rate.
    for parameter in again.trainable_params():
        parameter.requires_grad = parameter.name.startswith("fc3")
    tuned = ms.Model(
        again, loss, nn.Adam(again.trainable_params(), options.lr / 50), metrics={"Accuracy": nn.Accuracy()}
    )
    tuned.train(1, train_data)
    print(f"fine-tuned: accuracy {tuned.eval(test_data)['Accuracy']:.4f}")
    if options.summary_dir:
        base = Path(options.summary_dir).resolve().parent
        print(f"recorded: {options.summary_dir}; see it with: mindinsight start --summary-base-dir {base}")
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default="", help="directory of MNIST's files; default: scikit-learn's digits")
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.01, help="the learning rate of the first epoch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--summary-dir", default="", help="where to record the run for the dashboard")
    parser.add_argument("--save", default="", help="directory for the trained network")
    parser.add_argument(
        "--print-every", type=int, default=0, help="print the loss at this interval of steps; 0: after each epoch"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
