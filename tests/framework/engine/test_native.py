"""Programs with native segments compute what they compute without, and what they must not change stays as it is."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.engine.native import is_on
from tests.framework.engine.programs import program

COUNT = 200 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 25
RNG = np.random.default_rng(3)

if not is_on():
    pytest.skip("there is no compiler for native segments here", allow_module_level=True)


pytestmark = pytest.mark.usefixtures("tier_up_at_once")


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


class Texts(nn.Cell):
    """Rows of a table by indices, parts and joined tensors, and a product with a table's transpose."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(24, 16)
        self.inner, self.last = nn.Dense(16, 32), nn.Dense(24 * 6, 10)

    def construct(self, x: Any) -> Any:
        ids = ops.cast(ops.abs(x) * 5.0, ms.int32)
        ids = ops.minimum(ids, ids * 0 + 23)
        gates, values = ops.split(self.inner(self.tokens(ids)), 16, axis=-1)
        states = []
        for gate, value in zip(ops.unstack(gates, axis=1), ops.unstack(values, axis=1), strict=True):
            states.append(ops.sigmoid(gate) * value)
        both = ops.concat((ops.stack(states, axis=1), self.tokens(ids)), axis=1)[:, 3:9]
        return self.last(ops.matmul(both, self.tokens.embedding_table.T).reshape(4, -1))


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
    "texts": (Texts, (4, 6), 4),
    "loop": (Looping, (7, 12), 7),
}
OPTIMIZERS = {
    "momentum": lambda weights: nn.Momentum(weights, 0.05, 0.9),
    "decayed momentum": lambda weights: nn.Momentum(weights, 0.05, 0.9, weight_decay=0.01),
    "sgd": lambda weights: nn.SGD(weights, 0.05),
    "adam": lambda weights: nn.Adam(weights, 0.01),
}
UPDATES = {
    **OPTIMIZERS,
    "nesterov": lambda weights: nn.Momentum(weights, 0.05, 0.9, use_nesterov=True),
    "sgd that accumulates": lambda weights: nn.SGD(weights, 0.05, momentum=0.9, dampening=0.1),
    "sgd, nesterov": lambda weights: nn.SGD(weights, 0.05, momentum=0.9, nesterov=True),
    "adam, nesterov": lambda weights: nn.Adam(weights, 0.01, use_nesterov=True),
    "adam, amsgrad": lambda weights: nn.Adam(weights, 0.01, use_amsgrad=True),
    "adam, decayed": lambda weights: nn.AdamWeightDecay(weights, 0.01, weight_decay=0.02),
    "rmsprop": lambda weights: nn.RMSProp(weights, 0.01, momentum=0.5),
    "rmsprop, centered": lambda weights: nn.RMSProp(weights, 0.01, centered=True),
    "adagrad": lambda weights: nn.Adagrad(weights, learning_rate=0.05),
    "ftrl": lambda weights: nn.FTRL(weights, learning_rate=0.05),
    "lamb": lambda weights: nn.Lamb(weights, 0.01),
}
#: Their steps do more than arithmetic, element by element.
BESIDE = ("ftrl", "lamb")


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


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "loop"])
def test_a_step_is_one_segment(name: str) -> None:
    *_, native = trained(*NETWORKS[name], OPTIMIZERS["momentum"])
    assert native == 1


@pytest.mark.parametrize("name", UPDATES)
def test_steps_of_optimizers_are_numpy_s_to_the_bit(name: str) -> None:
    *made, native = trained(*NETWORKS["layers"], UPDATES[name])
    assert native == 1 or name in BESIDE
    ms.kernels.use("numpy", "driver")
    *wanted, none = trained(*NETWORKS["layers"], UPDATES[name])
    assert not none
    np.testing.assert_array_equal(made[0], wanted[0])
    for one, other in zip(made[1], wanted[1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_moving_values_of_a_batch_are_numpy_s_to_the_bit() -> None:
    made = trained(*NETWORKS["normalization"], OPTIMIZERS["momentum"])[1]
    ms.kernels.use("numpy", "driver")
    wanted = trained(*NETWORKS["normalization"], OPTIMIZERS["momentum"])[1]
    for one, other in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_moving_values_that_somebody_holds_stay() -> None:
    network = normalized().set_train()
    compiled = nn.TrainOneStepCell(
        nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
        nn.Momentum(network.trainable_params(), 0.05, 0.9),
    ).set_train()
    (moving,) = [weight for weight in network.get_parameters() if weight.name.endswith("mean")]
    x, labels = floats(4, 3, 8, 8), Tensor(np.zeros(4, np.int32))
    for _ in range(5):
        before = moving.asnumpy()
        kept = before.copy()
        compiled(x, labels)
        np.testing.assert_array_equal(before, kept)
        assert not np.array_equal(moving.asnumpy(), kept)


def test_a_layer_that_is_called_twice_moves_its_values_twice() -> None:
    class Twice(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.last = nn.BatchNorm1d(16), nn.Dense(16, 10)

        def construct(self, x: Any) -> Any:
            return self.last(self.norm(self.norm(x) * 2.0))

    made = trained(Twice, (8, 16), 8, OPTIMIZERS["momentum"])[1]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(5)
    network = Twice()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
        OPTIMIZERS["momentum"](network.trainable_params()),
    ).set_train()
    rng = np.random.default_rng(0)
    for _ in range(6):
        x = Tensor(rng.standard_normal((8, 16), np.float32))
        step(x, Tensor(rng.integers(0, 10, 8).astype(np.int32)))
    for one, weight in zip(made, network.get_parameters(), strict=True):
        np.testing.assert_allclose(one, weight.asnumpy(), rtol=2e-4, atol=2e-6)


class Assigning(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.last = ms.Parameter(ops.zeros((8, 8), ms.float32), name="last")
        self.number = ms.Parameter(ops.ones((4, 4), ms.float32), name="number")

    def construct(self, x: Any) -> Any:
        ops.assign(self.last, ops.matmul(x, x))
        ops.assign(self.number, 3.0)
        return ops.matmul(x, x + 1.0)


def test_what_is_assigned_is_there_and_what_was_there_stays() -> None:
    cell = Assigning()
    for count in range(1, 6):
        before = cell.last.asnumpy()
        kept = before.copy()
        cell(Tensor(np.full((8, 8), count, np.float32)))
        np.testing.assert_array_equal(before, kept)
        assert (cell.last.asnumpy() == 8.0 * count**2).all()
        assert (cell.number.asnumpy() == 3.0).all()
    assert segments(cell._programs)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_indices_below_zero_count_from_the_end_and_others_outside_are_refused(kind: type) -> None:
    table = floats(7, 5)
    compiled = ms.jit(lambda ids: ops.matmul(ops.gather(table, ids, 0), table.transpose(1, 0)))
    ids = np.array([[0, -1, 6], [-7, 3, 3]], kind)
    for _ in range(4):
        made = compiled(Tensor(ids))
    assert segments(compiled)
    np.testing.assert_allclose(made.asnumpy(), table.asnumpy()[ids] @ table.asnumpy().T, rtol=1e-5, atol=1e-6)
    ids[1, 2] = 7
    with pytest.raises(IndexError, match="7"):
        compiled(Tensor(ids))


def test_indices_that_are_parts_of_an_input() -> None:
    table = floats(9, 4)
    compiled = ms.jit(lambda ids: ops.gather(table, ids[:, 1:], 0).sum(1) @ ops.gather(table, ids[0, :-1], 0).T)
    ids = RNG.integers(0, 9, (3, 5)).astype(np.int32)
    for _ in range(4):
        made = compiled(Tensor(ids))
    assert segments(compiled) == 1
    rows = table.asnumpy()
    np.testing.assert_allclose(made.asnumpy(), rows[ids[:, 1:]].sum(1) @ rows[ids[0, :-1]].T, rtol=1e-5, atol=1e-5)


def test_large_parts_of_what_only_a_segment_knows_are_seen_outside() -> None:
    """A sort has no native form; its inputs and the readers of its result are transposed and sliced arrays."""

    def program(x: Any, w: Any) -> Any:
        y = ops.softmax(x) @ w
        turned = y.transpose(1, 0)[3:200]
        return ops.sort(turned)[0].sum() * turned.sum(0) + y[:, 0]

    compiled = ms.jit(program)
    x, w = floats(256, 256), floats(256, 256)
    for _ in range(4):
        made = compiled(x, w).asnumpy()
    assert segments(compiled)
    ms.kernels.use("numpy")
    np.testing.assert_allclose(made, ms.jit(program)(x, w).asnumpy(), rtol=1e-3, atol=1e-3)


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


def test_a_parameter_as_an_argument_is_the_parameter_itself() -> None:
    # As line by line: the argument is read after the assignment, so the product is one of the new numbers.
    cell = Counting()
    cell.total.set_data(Tensor(np.ones((8, 8), np.float32)))
    for count in range(5):
        made = cell(cell.total)
        np.testing.assert_array_equal(made.asnumpy(), np.full((8, 8), 16.0 * 4.0 ** (count + 1)))
        assert (cell.total.asnumpy() == 2.0 ** (count + 1)).all()


class Switched(nn.Cell):
    """Returns the former transpose of a Parameter, and the current one."""

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
    with pytest.raises(ValueError, match="labels must lie from 0 to 9, not from 0 to 10"):
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


@np.errstate(over="ignore", invalid="ignore")  # What is too large for Float32 is so in every form; numpy says so.
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
        scale = abs(other.asnumpy()[np.isfinite(other.asnumpy())]).max(initial=0.0)
        # Where everything cancels, as in the gradient of a softmax's sum, only rounding is left.
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-5 * scale + 1e-8)


def test_a_segment_reads_what_another_has_repeated() -> None:
    def function(x: Any, y: Any) -> Any:
        rows = ops.broadcast_to(ops.matmul(x, y)[:1] * 0.5, (12, 12))
        first = ops.matmul(rows, x)
        # No segment goes over this operator.
        between = ops.sin(first)
        return ops.matmul(rows * between, y), first

    rng = np.random.default_rng(4)
    x, y = (Tensor(rng.standard_normal((12, 12)).astype(np.float32)) for _ in range(2))
    compiled = ms.jit(function)
    for _ in range(4):
        made = [item.asnumpy() for item in compiled(x, y)]
    source = compiled.latest.executable.source
    assert source.count("(table, ") == 2
    exact = [item.asnumpy().astype(np.float64) for item in (x, y)]
    rows = np.broadcast_to((exact[0] @ exact[1])[:1] * 0.5, (12, 12))
    first = rows @ exact[0]
    np.testing.assert_allclose(made[1], first, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(made[0], (rows * np.sin(first)) @ exact[1], rtol=1e-3, atol=1e-3)
