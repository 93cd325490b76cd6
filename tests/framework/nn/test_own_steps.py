"""Optimizers and training steps as users write them, on the base classes. Numbers are those of MindSpore 2.10.0."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.ops import functional as F  # noqa: N812

MODES = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


_updated = ops.MultitypeFuncGraph("updated")


@_updated.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool")
def _update(beta: Any, rate: Any, decay: Any, weight: Any, moment: Any, gradient: Any, decays: bool) -> Any:
    change = moment * beta + gradient
    step = change + decay * weight if decays else change
    step = ops.depend(step, ops.assign(moment, change))
    return ops.depend(True, ops.assign(weight, weight - rate * step))


class Own(nn.Optimizer):
    """Momentum with decoupled weight decay, written as in published programs."""

    def __init__(self, params: Any, learning_rate: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta = Tensor(np.array([0.9], np.float32))
        self.moments = self.parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients: Any) -> Any:
        gradients = self.scale_grad(self.gradients_centralization(self.flatten_gradients(gradients)))
        decay, rate = self.get_weight_decay(), self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        state = (self._parameters, self.moments, gradients, self.decay_flags)
        if self.is_group and self.is_group_lr:
            done = self.hyper_map(F.partial(_updated, self.beta), rate, decay, *state)
        elif self.is_group:
            done = self.hyper_map(F.partial(_updated, self.beta, rate), decay, *state)
        else:
            done = self.hyper_map(F.partial(_updated, self.beta, rate, decay), *state)
        return self.broadcast_params(done) if self.use_parallel else done


class Falling(nn.Cell):
    def construct(self, step: Any) -> Any:
        return 0.1 / (step.astype(ms.float32) + 1.0)


def weights() -> tuple[Parameter, Parameter]:
    w = Parameter(Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)), name="w")
    return w, Parameter(Tensor(np.array([1.0, -1.0], np.float32)), name="gamma")


GRADIENTS = (
    Tensor(np.array([[0.5, 0.25], [1.0, -1.0]], np.float32)),
    Tensor(np.array([0.1, 0.2], np.float32)),
)
SCHEDULE = nn.ExponentialDecayLR(0.1, 0.9, 2)
MADE: list[tuple[Callable[[Any, Any], nn.Optimizer], list[float]]] = [
    (lambda w, b: Own([w, b], 0.1, 0.1, 2.0), [0.80288, 1.81323, 2.54696, 4.04139, 0.97195, -1.0561]),
    (lambda w, b: Own([w, b], SCHEDULE, 0.1), [0.71144, 1.81339, 2.39466, 4.40782, 0.94759, -1.10483]),
    (
        lambda w, b: Own([{"params": [w], "lr": 0.2}, {"params": [b]}, {"order_params": [b, w]}], 0.1, 0.05),
        [0.41319, 1.66204, 1.79668, 4.99542, 0.92917, -1.09689],
    ),
    (
        lambda w, b: Own([{"params": [w], "lr": SCHEDULE}, {"params": [b], "lr": 0.3}], 0.1, 0.05),
        [0.72462, 1.84104, 2.43506, 4.46571, 0.78912, -1.28878],
    ),
    (lambda w, b: Own([w, b], 0.1, Falling()), [0.702, 1.82365, 2.38576, 4.4866, 0.9439, -1.1122]),
    (
        lambda w, b: nn.AdamWeightDecay(
            [{"params": [w], "weight_decay": Falling()}, {"params": [b]}], 0.1, weight_decay=0.1
        ),
        [-0.25035, 0.73147, 1.71316, 5.15921, -0.25509, -2.19583],
    ),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("make", "wanted"), MADE)
def test_optimizers_of_users(mode: int, make: Callable[[Any, Any], nn.Optimizer], wanted: list[float]) -> None:
    ms.set_context(mode=mode)
    w, b = weights()
    optimizer = make(w, b)
    gradients = GRADIENTS[::-1] if optimizer.is_group_params_ordered else GRADIENTS
    for _ in range(3):
        optimizer(gradients)
    np.testing.assert_allclose([*w.asnumpy().ravel(), *b.asnumpy()], wanted, atol=2e-5)


def test_decay_of_the_step_enters_the_gradients() -> None:
    # sgd: w -= 0.5 * (g + w * 0.1 / (step + 1)), with the gradient divided by the loss scale.
    for mode in MODES:
        ms.set_context(mode=mode)
        w = Parameter(Tensor([1.0]), name="w")
        optimizer = nn.SGD([w], 0.5, weight_decay=Falling(), loss_scale=2.0)
        wanted = 1.0
        for step in range(3):
            optimizer((Tensor([4.0]),))
            wanted -= 0.5 * (2.0 + wanted * 0.1 / (step + 1))
        assert float(w[0]) == pytest.approx(wanted)
    factored = nn.AdaFactor([Parameter(Tensor([2.0]), name="v")], 0.1, weight_decay=Falling(), relative_step=False)
    factored((Tensor([0.0]),))
    assert float(factored.parameters[0][0]) == pytest.approx(2.0 - 2.0 * 0.1 * 0.1 * 2.0)
    lars = nn.LARS(nn.SGD([w], 0.5, weight_decay=Falling()), lars_filter=lambda item: False)
    w.set_data(Tensor([1.0]))
    lars((Tensor([0.0]),))
    assert float(w[0]) == pytest.approx(1.0 - 0.5 * 0.1)


def test_what_programs_ask_optimizers() -> None:
    w, b = weights()
    single = nn.Momentum([w, b], (rate for rate in (0.5, 0.25)), 0.9, weight_decay=0.1, loss_scale=4.0)
    assert (single.is_group, single.is_group_lr, single.is_group_params_ordered, single.dynamic_lr) == (
        False, False, False, True,
    )  # fmt: skip
    assert single.decay_flags == (True, False)
    assert [float(single.learning_rate(Tensor([step]))) for step in (0, 1, 5)] == [0.5, 0.25, 0.25]
    assert float(single.get_weight_decay()) == pytest.approx(0.4)
    assert [item.name for item in single.get_parameters()][:2] == ["w", "gamma"]
    np.testing.assert_allclose(single.scale_grad(single.decay_weight(GRADIENTS))[0], GRADIENTS[0] / 4 + w * 0.1)
    assert single.decay_weight(GRADIENTS)[1] is GRADIENTS[1]

    grouped = nn.SGD([{"params": [w], "lr": 0.5}, {"params": [b], "grad_centralization": True}], 0.25)
    assert [float(rate) for rate in grouped.get_lr()] == [0.5, 0.25]
    assert grouped.get_lr_parameter(w).name == "learning_rate_group_0"
    assert [item.name for item in grouped.get_lr_parameter([b, w])] == ["learning_rate", "learning_rate_group_0"]
    assert [rate.name for rate in grouped.learning_rate] == ["learning_rate_group_0", "learning_rate"]
    assert (grouped.group_weight_decay, grouped.grad_centralization_flags) == ([0.0, 0.0], (False, True))
    with pytest.raises(ValueError, match="does not update parameter other"):
        grouped.get_lr_parameter(Parameter(Tensor(1.0), name="other"))
    with pytest.raises(ValueError, match="'use_lazy' and 'use_offload'"):
        nn.Adam([w], use_lazy=True, use_offload=True)


_unscaled = ops.MultitypeFuncGraph("unscaled")


@_unscaled.register("Tensor", "Tensor")
def _unscale(scale: Any, gradient: Any) -> Any:
    return gradient * ops.cast(ops.Reciprocal()(scale), gradient.dtype)


class OwnStep(nn.TrainOneStepWithLossScaleCell):
    """The step of a language model, as published ones have it."""

    def __init__(self, network: nn.Cell, optimizer: nn.Optimizer, manager: nn.Cell) -> None:
        super().__init__(network, optimizer, manager)
        self.degree = 2 if self.reducer_flag else 1
        self.grad_reducer = nn.DistributedGradReducer(optimizer.parameters, False, self.degree)
        self.loss_scale = Parameter(Tensor(manager.get_loss_scale(), dtype=ms.float32), name="loss_scale")

    def construct(self, x: Any, labels: Any, sens: Any = None) -> Any:
        loss = self.network(x, labels)
        scale = self.loss_scale if sens is None else sens
        status, scale = self.start_overflow_check(loss, scale)
        gradients = self.grad(self.network, self.weights)(x, labels, ops.cast(scale, ms.float32))
        gradients = self.hyper_map(F.partial(_unscaled, scale * self.degree), self.grad_reducer(gradients))
        overflow = self.get_overflow_status(status, gradients)
        overflow = self.loss_scaling_manager(scale, overflow)
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale


@pytest.mark.filterwarnings("ignore:(overflow|invalid):RuntimeWarning")
@pytest.mark.parametrize("mode", MODES)
def test_steps_of_users_with_a_loss_scale(mode: int) -> None:
    ms.set_context(mode=mode)
    x, labels = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 2), np.float32)
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = OwnStep(nn.WithLossCell(net, nn.MSELoss()), optimizer, nn.DynamicLossScaleUpdateCell(1024.0, 2, 2))
    # The same in numpy: a row of the weights stands for both, as they are equal.
    weight, bias, moments, wanted = np.ones(3), 0.0, [np.zeros(3), 0.0], []
    for _ in range(4):
        error = x @ weight + bias - 1.0
        wanted.append(np.mean(error**2))
        moments = [moments[0] * 0.9 + (error[:, None] * x).mean(0), moments[1] * 0.9 + error.mean()]
        weight, bias = weight - 0.01 * moments[0], bias - 0.01 * moments[1]
    found = [step(Tensor(item), Tensor(labels)) for item in (x, x, np.full((2, 3), 1e30, np.float32), x, x)]
    assert [bool(overflow) for _, overflow, _ in found] == [False, False, True, False, False]
    assert float(step.loss_scale) == 2048.0
    np.testing.assert_allclose([float(loss) for loss, _, _ in found[:2] + found[3:]], wanted, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_steps_return_gradients_by_name(mode: int) -> None:
    ms.set_context(mode=mode)
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, 2.0, return_grad=True)
    loss, gradients = step(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), ops.ones((2, 2), ms.float32))
    assert float(loss) == 62.5
    assert {name: item.tolist() for name, item in gradients.items()} == {
        "weight": [[33.0, 46.0, 59.0], [33.0, 46.0, 59.0]],
        "bias": [13.0, 13.0],
    }


def test_losses_of_old_programs() -> None:
    from framework.nn.loss.loss import _Loss

    class Cubed(_Loss):
        def construct(self, x: Any, y: Any) -> Any:
            return self.get_loss(ops.abs(x - y) ** 3)

    assert Cubed()(Tensor([1.0, 2.0]), Tensor([3.0, 3.0])) == 4.5
    assert Cubed().get_axis(Tensor([[1.0]])) == (0, 1)
