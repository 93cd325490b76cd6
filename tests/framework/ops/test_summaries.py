"""Summary operators: what they note happens once, in order, in both modes, in programs of every shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.common import noted
from framework.ir.errors import InferenceError

Heard = list[tuple[str, str, Any]]


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def heard(request: pytest.FixtureRequest) -> Iterator[Heard]:
    """All that is noted, in one of the modes."""
    ms.set_context(mode=request.param)
    seen: Heard = []

    def listener(kind: str, tag: str, value: Any) -> None:
        seen.append((kind, tag, np.array(value).tolist()))

    noted.listen(listener)
    yield seen
    noted.stop_listening(listener)
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Noting(nn.Cell):
    """Records values in an unrolled loop, in both branches of a choice, in a loop that depends on a tensor, and after
    them."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        self.scalar = ops.ScalarSummary()
        self.tensor = ops.TensorSummary()
        self.histogram = ops.HistogramSummary()

    def construct(self, x: Any) -> Any:
        y = x * self.weight
        total = y.sum()
        for i in range(2):
            self.scalar(f"round{i}", total + i)
        if total > 0:
            self.scalar("positive", total)
            self.scalar("positive", total)
        else:
            self.scalar("negative", total)
        size = ops.abs(total) + 1
        while size < 20:
            self.scalar("size", size)
            size = size * 2
        self.histogram("weight", self.weight)
        self.tensor("y", y)
        return y.sum() * size


def expected(x: list[float]) -> Heard:
    """What plain Python says."""
    y = [x[0] * 1.0, x[1] * 2.0]
    total = sum(y)
    wanted: Heard = [("scalar", f"round{i}", total + i) for i in range(2)]
    wanted += [("scalar", "positive", total)] * 2 if total > 0 else [("scalar", "negative", total)]
    size = abs(total) + 1
    while size < 20:
        wanted.append(("scalar", "size", size))
        size *= 2
    return [*wanted, ("histogram", "weight", [1.0, 2.0]), ("tensor", "y", y)]


@pytest.mark.parametrize("x", [[1.0, 2.0], [-1.0, -2.0]])
def test_values_are_noted_once_and_in_order_in_loops_and_choices(heard: Heard, x: list[float]) -> None:
    network = Noting()
    network(Tensor(x))
    assert heard == expected(x)


@pytest.mark.parametrize("x", [[1.0, 2.0], [-1.0, -2.0]])
def test_a_differentiated_network_notes_the_same(heard: Heard, x: list[float]) -> None:
    network = Noting()
    gradients = ms.grad(network, None, network.trainable_params())(Tensor(x))
    assert heard == expected(x)
    heard.clear()
    delta = 2.0**-8
    for place in range(2):
        # The program is piecewise quadratic, so the central difference is exact but for rounding.
        ends = []
        for sign in (1, -1):
            network.weight.set_data(Tensor([1.0 + sign * delta * (place == 0), 2.0 + sign * delta * (place == 1)]))
            ends.append(float(network(Tensor(x)).asnumpy()))
        network.weight.set_data(Tensor([1.0, 2.0]))
        assert gradients[0].asnumpy()[place] == pytest.approx((ends[0] - ends[1]) / (2 * delta), rel=1e-3)


def test_a_second_order_gradient_notes_once(heard: Heard) -> None:
    network = Noting()
    second = ms.grad(ms.grad(lambda x: network(x * x).sum()))
    second(Tensor(1.0))
    assert heard == expected([1.0, 1.0])


def test_what_nobody_reads_and_what_is_equal_is_noted_all_the_same(heard: Heard) -> None:
    scalar = ops.ScalarSummary()

    @ms.jit
    def function(x: Any) -> Any:
        scalar("sum", (x * x).sum())
        scalar("sum", (x * x).sum())
        unused = x * 2
        ops.TensorSummary()("unused", unused)
        return x

    function(Tensor([1.0, 2.0]))
    assert heard == [("scalar", "sum", 5.0), ("scalar", "sum", 5.0), ("tensor", "unused", [2.0, 4.0])]


class NotingMomentum(nn.Momentum):
    """An optimizer in the shape of the documents': it notes weights and gradients before it changes them."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.weight_names = [item.name for item in self.parameters]
        self.gradient_names = [f"{name}.gradient" for name in self.weight_names]
        self.histogram_summary = ops.HistogramSummary()

    def construct(self, grads: Any) -> Any:
        for i in range(self.param_count):
            self.histogram_summary(self.weight_names[i], self.params[i])
            self.histogram_summary(self.gradient_names[i], grads[i])
        return super().construct(grads)


def test_an_optimizer_notes_each_weight_as_it_was_before_the_step(heard: Heard) -> None:
    network = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    step = nn.TrainOneStepCell(
        nn.WithLossCell(network, nn.MSELoss()), NotingMomentum(network.trainable_params(), 0.5, 0.9)
    )
    weights = []
    for _ in range(2):
        weights.append(network.weight.asnumpy().tolist())
        step(Tensor([[1.0, 2.0]]), Tensor([[0.0]]))
    assert [tag for _, tag, _ in heard] == ["weight", "weight.gradient", "bias", "bias.gradient"] * 2
    assert [value for _, tag, value in heard if tag == "weight"] == weights
    assert heard[1][2] == [[6.0, 12.0]]


def test_a_picture_is_noted_whole_although_its_memory_is_used_again(heard: Heard) -> None:
    images = np.arange(32, dtype=np.float32).reshape(2, 1, 4, 4)

    class Shown(nn.Cell):
        def construct(self, x: Any) -> Any:
            y = x + 1
            ops.ImageSummary()("image", y)
            y = y * 2
            return (y + 1).sum()

    Shown()(Tensor(images))
    assert heard == [("image", "image", (images + 1).tolist())]


@pytest.mark.parametrize(
    ("operator", "arguments", "error", "message"),
    [
        (ops.ScalarSummary, ("loss", Tensor([1.0, 2.0])), ValueError, "one number"),
        (ops.ScalarSummary, ("", Tensor(1.0)), ValueError, "empty"),
        (ops.ScalarSummary, (1, Tensor(1.0)), TypeError, "tag must be a string"),
        (ops.ImageSummary, ("image", Tensor([1.0])), ValueError, "4 dimensions"),
        (ops.HistogramSummary, ("h", Tensor(1.0)), ValueError, "1 dimensions or more"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    heard: Heard, operator: Any, arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    operation = operator()
    tag, value = arguments

    def note(x: Any) -> Any:
        return operation(tag, x)

    graph = ms.get_context("mode") == ms.GRAPH_MODE
    with pytest.raises(InferenceError if graph else error, match=message):
        (ms.jit(note) if graph else note)(value)
    assert heard == []
