"""Trainings with a planted fault, in networks and at places that differ by seed; the debugger must find it.

Each is what happens to people: a logarithm of zero, a learning rate that is too high, a tensor in float16 that grows
too large, a NaN in one picture of the data, units that never fire, a gradient that ends somewhere, a weight that nobody
initialized, a wrong axis, a loss scale that nobody takes back, labels that are one place off.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import framework as ms
from framework import Tensor, nn, ops
from framework.observe import Execution, watching

FINITE_LOST = ("log_of_zero", "learning_rate", "float16", "bad_image")
"""Faults that end in values that are not finite."""
SHOWN_BY_WATCHPOINTS = ("dead_relu", "cut_gradient", "uninitialized")
FOUND_BY_LOOKING = ("wrong_axis", "loss_scale", "shifted_labels")
ALL = (*FINITE_LOST, *SHOWN_BY_WATCHPOINTS, *FOUND_BY_LOOKING)
STEPS = 60
"""By so many steps each of them shows."""


@dataclass
class Planted:
    """A training with a fault.

    Attributes:
        kind: one of `ALL`.
        training: the whole step.
        culprits: parts of the names of tensors of which the debugger is to name one; empty where only running it tells.
        batches: what the step is called with, one after the other.
    """

    kind: str
    training: nn.Cell
    culprits: tuple[str, ...]
    batches: list[tuple[Tensor, ...]] = field(repr=False)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        return iter(self.batches)


class Log(nn.Cell):
    """Weights values by the logarithm of a rectifier's output."""

    def construct(self, x: Any) -> Any:
        """Minus infinity where that is nothing."""
        return x - 0.01 * ops.log(ops.relu(x))


class Half(nn.Cell):
    """Squares in float16, which ends at 65,504."""

    def construct(self, x: Any) -> Any:
        """Infinite where they are larger than 0.128."""
        small = ops.cast(x * 2000.0, ms.float16)
        return ops.cast(small * small, ms.float32) * 1e-5


class Cut(nn.Cell):
    """Lets nothing back."""

    def construct(self, x: Any) -> Any:
        """The same."""
        return ops.stop_gradient(x)


class Gate(nn.Cell):
    """Weighs features, along an axis."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """Each times its part of all."""
        return x * ops.softmax(x, axis=self.axis)


class Chain(nn.Cell):
    """Cells in sequence, after an optional convolution, with a head for three classes."""

    def __init__(self, front: nn.Cell | None, cells: Sequence[nn.Cell], head: nn.Cell) -> None:
        super().__init__()
        self.front = front
        self.flatten = nn.Flatten()
        self.cells_in_a_row = nn.CellList(list(cells))
        self.head = head

    def construct(self, x: Any) -> Any:
        """Logits."""
        if self.front is not None:
            x = self.front(x)
        x = self.flatten(x)
        for cell in self.cells_in_a_row:
            x = cell(x)
        return self.head(x)


def plant(kind: str, seed: int) -> Planted:
    """Make a training with a fault.

    Args:
        kind: one of `ALL`.
        seed: chooses the network, the place and the data.
    """
    random = np.random.default_rng((ALL.index(kind), seed))
    ms.set_seed(seed + 1)
    width = int(random.integers(6, 14))
    front = None if kind == "uninitialized" or random.random() < 0.5 else nn.Conv2d(1, 3, 3, pad_mode="same")
    count = int(random.integers(2, 5))
    cells: list[nn.Cell] = []
    sizes = [64 * (1 if front is None else 3), *([width] * count)]
    activations: list[Callable[[], nn.Cell]] = [nn.ReLU] if kind == "dead_relu" else [nn.ReLU, nn.Tanh, nn.GELU]
    for given, made in itertools.pairwise(sizes):
        cells += [nn.Dense(given, made), activations[int(random.integers(len(activations)))]()]
    place = 2 * int(random.integers(1, count + 1))
    culprits: tuple[str, ...] = ()
    if kind in _LAYERS:
        cell, culprit = _LAYERS[kind]
        cells.insert(place, cell())
        culprits = (f"cells_in_a_row-CellList/{place}-{culprit}",)
    elif kind == "dead_relu":
        cells[place - 2].bias.set_data(Tensor(np.full(width, -1e3, np.float32)))
        culprits = (f"cells_in_a_row-CellList/{place - 1}-ReLU/ReLU",)
    elif kind == "cut_gradient":
        cells.insert(place, Cut())
        culprits = tuple(f"cells_in_a_row.{number}.weight" for number in range(0, place, 2))
    elif kind == "uninitialized":
        weight = cells[place - 2].weight
        weight.set_data(Tensor(np.zeros(weight.shape, np.float32)))
        culprits = (f"cells_in_a_row.{place - 2}.weight",)
    network = Chain(front, cells, nn.Dense(width, 3))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    rate = 1e37 if kind == "learning_rate" else 0.1
    optimizer = nn.Momentum(network.trainable_params(), rate, 0.9)
    scale = 4096.0 if kind == "loss_scale" else None
    training = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer, sens=scale).set_train()
    if kind == "bad_image":
        culprits = ("data",)
    return Planted(kind, training, culprits, _batches(kind, random))


_LAYERS: dict[str, tuple[Callable[[], nn.Cell], str]] = {
    "log_of_zero": (Log, "Log/Log"),
    "float16": (Half, "Half/Mul"),
    "wrong_axis": (lambda: Gate(0), "Gate/Softmax"),
}


def _batches(kind: str, random: np.random.Generator) -> list[tuple[Tensor, ...]]:
    """Pictures of three bars, with their numbers."""
    bad = int(random.integers(3, 20))
    made = []
    for number in range(STEPS):
        labels = random.integers(0, 3, 12)
        pictures = random.standard_normal((12, 1, 8, 8)).astype(np.float32) * np.float32(0.1)
        pictures[np.arange(12), 0, labels * 2 + 1] += 1.0
        if kind == "bad_image" and number == bad:
            pictures[int(random.integers(12)), 0, int(random.integers(8)), int(random.integers(8))] = np.nan
        if kind == "shifted_labels":
            labels = np.roll(labels, 1)
        made.append((Tensor(pictures), Tensor(labels.astype(np.int32))))
    return made


def first_not_finite(planted: Planted) -> tuple[int, str] | None:
    """The step, from 1, and the operator that made the first value that is not finite of finite ones.

    Read off what executes, one operator after the other; runs the training to there. An empty name: the input had it.
    """
    for step, batch in enumerate(planted, 1):
        found: list[str] = []

        def see(execution: Execution, found: list[str] = found) -> None:
            if not found and _finite(execution.inputs) and not _finite((execution.outputs,)):
                found.append(execution.full_name)

        with watching(see):
            loss = planted.training(*batch)
        if found or not _finite((loss,)):
            return step, found[0] if found else ""
    return None


def _finite(values: Sequence[Any]) -> bool:
    arrays = [item.asnumpy() for item in _flat(values) if isinstance(item, Tensor)]
    return all(bool(np.isfinite(array).all()) for array in arrays if array.dtype.kind in "fc")


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for item in values:
        if isinstance(item, tuple | list):
            yield from _flat(item)
        else:
            yield item
