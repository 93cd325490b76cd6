"""Programs with native segments compute what they compute without, and what they must not change stays as it is."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.engine import emit
from framework.engine.native import is_on
from tests.framework.sources import names_of

COUNT = 200 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 25
RNG = np.random.default_rng(3)

if not is_on():
    pytest.skip("there is no compiler for native segments here", allow_module_level=True)


@pytest.fixture(autouse=True)
def _graph_mode(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Graph mode, in which the second call of a program runs in its final form."""
    monkeypatch.setattr(emit, "AFTER_CALLS", 2)
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.kernels.use("fast")
    ms.set_context(mode=ms.PYNATIVE_MODE)


def floats(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape, np.float32))


def segments(compiled: Any) -> int:
    """How many native segments the program has that was compiled last."""
    return int(compiled.latest.executable.source.count("(table, ") + compiled.latest.executable.source.count("(table)"))


class Convolutions(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 3, stride=2, pad_mode="same", has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.layer = nn.Dense(16 * 6 * 6, 10)

    def construct(self, x: Any) -> Any:
        x = self.pool(ops.relu(self.conv1(x)))
        return self.layer(self.flatten(ops.relu(self.conv2(x))))


class Attention(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Dense(24, 72)
        self.norm = nn.LayerNorm((24,))
        self.last = nn.Dense(24, 10)

    def construct(self, x: Any) -> Any:
        heads = self.qkv(x).reshape(4, 6, 3, 2, 12).transpose(2, 0, 3, 1, 4)
        q, k, v = heads[0], heads[1], heads[2]
        weights = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) * 0.3)
        mixed = ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(4, 6, 24)
        return self.last(self.norm(x + mixed).mean(1))


class Recurrent(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w, self.u, self.last = nn.Dense(8, 64), nn.Dense(16, 64), nn.Dense(16, 10)

    def construct(self, xs: Any) -> Any:
        h = c = ops.zeros((5, 16), ms.float32)
        for t in range(4):
            gates = self.w(xs[t]) + self.u(h)
            i, f, o = ops.sigmoid(gates[:, :16]), ops.sigmoid(gates[:, 16:32]), ops.sigmoid(gates[:, 48:])
            c = f * c + i * ops.tanh(gates[:, 32:48])
            h = o * ops.tanh(c)
        return self.last(h)


class Looping(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Dense(12, 12), nn.Dense(12, 10)

    def construct(self, x: Any) -> Any:
        i = ops.zeros((), ms.int32)
        while i < 5:
            x = ops.tanh(self.layer(x))
            i = i + 1
        return self.last(x)


def layers() -> nn.Cell:
    return nn.SequentialCell([nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16), nn.Tanh(), nn.Dense(16, 10)])


def normalized() -> nn.Cell:
    cells = [nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10)]
    return nn.SequentialCell(cells)


NETWORKS = {
    "layers": (layers, (32, 16), 32),
    "wide layers": (lambda: nn.SequentialCell([nn.Dense(200, 300), nn.ReLU(), nn.Dense(300, 10)]), (64, 200), 64),
    "convolutions": (Convolutions, (4, 1, 28, 28), 4),
    "normalization": (normalized, (4, 3, 8, 8), 4),
    "attention": (Attention, (4, 6, 24), 4),
    "recurrent": (Recurrent, (4, 5, 8), 5),
    "loop": (Looping, (7, 12), 7),
}
OPTIMIZERS = {
    "momentum": lambda weights: nn.Momentum(weights, 0.05, 0.9),
    "decayed momentum": lambda weights: nn.Momentum(weights, 0.05, 0.9, weight_decay=0.01),
    "sgd": lambda weights: nn.SGD(weights, 0.05),
    "adam": lambda weights: nn.Adam(weights, 0.01),
}


def trained(make: Any, shape: tuple[int, ...], count: int, optimizer: Any) -> tuple[list[Any], list[Any], int]:
    """Losses and weights of a training, and how many native segments its step has."""
    ms.set_seed(5)
    network = make()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
        optimizer(network.trainable_params()),
    ).set_train()
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(6):
        x = Tensor(rng.standard_normal(shape, np.float32))
        losses.append(step(x, Tensor(rng.integers(0, 10, count).astype(np.int32))).asnumpy())
    return losses, [weight.asnumpy() for weight in network.get_parameters()], segments(step._programs)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", NETWORKS)
def test_training_is_the_same(name: str, optimizer: str) -> None:
    if name not in ("layers", "convolutions") and optimizer != "momentum":
        pytest.skip("one network with each optimizer is enough")
    losses, weights, native = trained(*NETWORKS[name], OPTIMIZERS[optimizer])
    assert native
    ms.kernels.use("numpy")
    wanted, others, none = trained(*NETWORKS[name], OPTIMIZERS[optimizer])
    assert not none
    np.testing.assert_allclose(losses, wanted, rtol=2e-5)
    # Adam makes steps of one size of gradients of any size, of which the smallest are mostly rounding.
    atol = 1e-4 if optimizer == "adam" else 2e-6
    for weight, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(weight, other, rtol=2e-4, atol=atol)


def test_a_step_of_layers_is_one_segment() -> None:
    *_, native = trained(*NETWORKS["layers"], OPTIMIZERS["momentum"])
    assert native == 1


def test_the_table_says_and_chooses() -> None:
    (row,) = [row for row in ms.kernels.table() if row.name == "driver"]
    assert row.implementation.startswith("LLVM")
    ms.kernels.use("numpy", "driver")
    assert not trained(*NETWORKS["layers"], OPTIMIZERS["momentum"])[2]


class Counting(nn.Cell):
    """Adds its input to a Parameter, and returns a product of that."""

    def __init__(self) -> None:
        super().__init__()
        self.total = ms.Parameter(ops.zeros((8, 8), ms.float32), name="total")

    def construct(self, x: Any) -> Any:
        ops.assign_add(self.total, x)
        return ops.matmul(x, x + x)


def test_numbers_that_somebody_holds_do_not_change() -> None:
    cell, x = Counting(), Tensor(np.ones((8, 8), np.float32))
    for count in range(1, 6):
        before = cell.total.asnumpy()
        kept = before.copy()
        cell(x)
        np.testing.assert_array_equal(before, kept)
        assert (cell.total.asnumpy() == count).all()
    address = cell.total._data.ctypes.data
    del before
    cell(x)
    assert segments(cell._programs)
    assert cell.total._data.ctypes.data == address
    assert (cell.total.asnumpy() == 6).all()


def test_a_parameter_as_an_argument_is_read_before_it_changes() -> None:
    cell = Counting()
    cell.total.set_data(Tensor(np.ones((8, 8), np.float32)))
    for count in range(5):
        made = cell(cell.total)
        np.testing.assert_array_equal(made.asnumpy(), np.full((8, 8), 16.0 * 4.0**count))
        assert (cell.total.asnumpy() == 2.0 ** (count + 1)).all()


class Switched(nn.Cell):
    """Returns a Parameter's transpose as it was, and what it is."""

    def __init__(self) -> None:
        super().__init__()
        self.w = ms.Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name="w")

    def construct(self, x: Any) -> Any:
        before = self.w.transpose(1, 0)
        ops.assign_add(self.w, x)
        return ops.matmul(before, x), ops.matmul(x, before), self.w + 0.0


def test_a_view_of_a_parameter_keeps_what_it_was() -> None:
    cell, x = Switched(), np.ones((2, 3), np.float32)
    for count in range(5):
        was = (np.arange(6, dtype=np.float32).reshape(2, 3) + count).T
        one, other, now = cell(Tensor(x))
        np.testing.assert_allclose(one.asnumpy(), was @ x)
        np.testing.assert_allclose(other.asnumpy(), x @ was)
        np.testing.assert_array_equal(now.asnumpy(), was.T + 1)


def test_arrays_of_another_layout() -> None:
    compiled = ms.jit(lambda x, w: ops.softmax(ops.matmul(x, w)))
    x, w = RNG.standard_normal((9, 7), np.float32), RNG.standard_normal((7, 5), np.float32)
    wanted = compiled(Tensor(x), Tensor(w)).asnumpy()
    for _ in range(3):
        compiled(Tensor(x), Tensor(w))
    assert segments(compiled)
    turned = Tensor(np.zeros(1, np.float32))
    turned._data = np.asfortranarray(x)
    np.testing.assert_allclose(compiled(turned, Tensor(w)).asnumpy(), wanted, rtol=1e-6)


def test_labels_outside_are_refused_and_nothing_changes() -> None:
    network = layers()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), nn.Momentum(network.trainable_params(), 0.1, 0.9))
    x, labels = floats(32, 16), np.zeros(32, np.int32)
    for _ in range(4):
        step(x, Tensor(labels))
    before = [weight.asnumpy().copy() for weight in network.get_parameters()]
    labels[7] = 10
    with pytest.raises(ValueError, match="labels from 0 to 10 must lie from 0 to 9"):
        step(x, Tensor(labels))
    for weight, kept in zip(network.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(weight.asnumpy(), kept)


def test_a_kernel_that_is_chosen_later(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ms.jit(lambda x: ops.softmax(ops.matmul(x, x + 1.0)))
    x = floats(6, 6)
    for _ in range(4):
        wanted = compiled(x).asnumpy()
    assert segments(compiled)
    asked: list[Any] = []
    from framework.kernels import accelerated

    plain = accelerated.softmax_.plain
    monkeypatch.setattr(accelerated.softmax_, "plain", lambda *given: asked.append(1) or plain(*given))
    compiled(x)
    assert not asked
    ms.kernels.use("numpy", "softmax")
    np.testing.assert_allclose(compiled(x).asnumpy(), wanted, rtol=1e-5)
    assert asked == [1]
    ms.kernels.use("fast", "softmax")
    compiled(x)
    assert asked == [1]


def test_threads_call_one_program() -> None:
    compiled = ms.jit(lambda x, w: ops.tanh(ops.matmul(x, w)).sum(0))
    x = [floats(64, 64) for _ in range(4)]
    for _ in range(3):
        wanted = [compiled(one, x[0]).asnumpy() for one in x]
    wrong: list[int] = []

    def call(number: int) -> None:
        for _ in range(200):
            if not np.array_equal(compiled(x[number], x[0]).asnumpy(), wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


STEPS = (
    "ops.matmul({a}, {b}.transpose(1, 0))", "ops.matmul({a}.transpose(1, 0), {b})", "{a} * {b} + 0.5",
    "ops.tanh({a} - {b})", "{a}.reshape(2, 12, 6)[1, 2:8].reshape(3, 12).sum(0) * {b}",
    "ops.softmax({a}) + ops.log_softmax({b})", "{a} / (ops.sqrt(ops.square({b}).mean(1, keep_dims=True)) + 1.0)",
    "{a} - ops.amax({b}, 1, True)", "ops.relu({a}) * {b}[3:4]", "ops.concat(({a}[:6], {b}[6:]))",
    "ops.matmul({a}.reshape(3, 4, 12), {b}.reshape(3, 4, 12).transpose(0, 2, 1)).sum() * {a}",
    "ops.exp(ops.minimum({a}, {b}) * 0.1)", "ops.zeros_like({a}) + {b}.transpose(1, 0)",
    "({a}.sum(0) + {b}.mean(0)) * {a}",
)  # fmt: skip


def program(seed: int) -> Any:
    """A random program on two square matrices."""
    rng = np.random.default_rng(seed)
    names, lines = ["x", "y"], []
    for number in range(8):
        step = str(rng.choice(STEPS))
        a, b = (str(rng.choice(names[-4:])) for _ in range(2))
        lines.append(f"    v{number} = ({step.format(a=a, b=b)}) * 0.3")
        names.append(f"v{number}")
    source = "\n".join(["def program(x, y):", *lines, f"    return {names[-1]} + {names[-2]}"])
    return names_of(source, ops=ops)["program"]


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs(seed: int) -> None:
    function = program(seed)
    x, y = (Tensor(np.random.default_rng(seed + at).standard_normal((12, 12)).astype(np.float32)) for at in (1, 2))
    gradient = ms.grad(lambda x, y: function(x, y).sum(), grad_position=(0, 1))
    native, plain = (ms.jit(lambda x, y: (function(x, y), gradient(x, y))) for _ in range(2))
    for _ in range(3):
        made = native(x, y)
    assert segments(native)
    ms.kernels.use("numpy")
    wanted = plain(x, y)
    for one, other in zip((made[0], *made[1]), (wanted[0], *wanted[1]), strict=True):
        scale = abs(other.asnumpy()).max()
        # Where everything cancels, as in the gradient of a softmax's sum, only rounding is left.
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-5 * scale + 1e-8)
