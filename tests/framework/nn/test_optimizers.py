"""Optimizers: groups, rates, errors; their numbers are checked against recorded ones."""

import numpy as np
import pytest

from framework import Parameter, Tensor, nn


def parameter(name: str, value: float = 1.0) -> Parameter:
    return Parameter(Tensor([value]), name=name)


def test_groups_have_their_own_rate_and_decay() -> None:
    a, b = parameter("a"), parameter("b")
    optimizer = nn.SGD([{"params": [a], "lr": 1.0, "weight_decay": 0.5}, {"params": [b]}], learning_rate=0.1)
    optimizer([Tensor([2.0]), Tensor([2.0])])
    assert (float(a), float(b)) == (pytest.approx(-1.5), pytest.approx(0.8))


def test_order_of_parameters() -> None:
    a, b = parameter("a"), parameter("b")
    optimizer = nn.SGD([{"params": [a]}, {"params": [b]}, {"order_params": [b, a]}], learning_rate=1.0)
    optimizer([Tensor([1.0]), Tensor([0.0])])
    assert (float(a), float(b)) == (1.0, 0.0)


def test_decay_leaves_out_what_normalizes() -> None:
    gamma, weight = parameter("bn.gamma"), parameter("fc.weight")
    optimizer = nn.Momentum([gamma, weight], 1.0, 0.0, weight_decay=0.5)
    optimizer([Tensor([0.0]), Tensor([0.0])])
    assert (float(gamma), float(weight)) == (1.0, 0.5)


def test_one_rate_per_step_and_the_last_from_then_on() -> None:
    w = parameter("w", 0.0)
    optimizer = nn.SGD([w], learning_rate=[1.0, 0.25])
    values = []
    for _ in range(3):
        optimizer([Tensor([-1.0])])
        values.append(float(w))
    assert values == [1.0, 1.25, 1.5]
    assert int(optimizer.global_step) == 3


def test_a_cell_gives_the_rate() -> None:
    class Halving(nn.Cell):
        def construct(self, step):
            return 1.0 / (step + 1)

    w = parameter("w", 0.0)
    optimizer = nn.SGD([w], learning_rate=Halving())
    for _ in range(2):
        optimizer([Tensor([-1.0])])
    assert float(w) == 1.5


def test_the_step_of_training_scales_and_applies() -> None:
    net = nn.Dense(2, 1, weight_init="zeros", has_bias=False)
    loss = nn.WithLossCell(net, nn.MSELoss())
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.5, loss_scale=4.0)
    step = nn.TrainOneStepCell(loss, optimizer, sens=4.0)
    data, label = Tensor([[1.0, 0.0]]), Tensor([[1.0]])
    assert float(step(data, label)) == 1.0
    np.testing.assert_allclose(net.weight.asnumpy(), [[1.0, 0.0]])
    (gradient,) = nn.WithGradCell(net, nn.MSELoss())(data, Tensor([[0.0]]))
    np.testing.assert_allclose(gradient.asnumpy(), [[2.0, 0.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.SGD([]), "must not be empty: pass net.trainable_params"),
        (lambda: nn.SGD([{"params": [parameter("a")], "rate": 1}]), "has no key rate"),
        (lambda: nn.SGD([Tensor([1.0])]), "takes Parameters, not Tensor"),
        (lambda: nn.SGD([parameter("a")], nesterov=True), "needs a momentum above 0"),
        (lambda: nn.Momentum([parameter("a")], 0.1, -1.0), "momentum must be at least 0"),
        (lambda: nn.Adam([parameter("a")], beta1=1.0), "beta1 must be above 0.0 and below 1.0"),
        (lambda: nn.SGD([parameter("a")], learning_rate=[[0.1]]), "a vector with one rate per step"),
    ],
)
def test_what_cannot_be(make, message) -> None:
    with pytest.raises((KeyError, TypeError, ValueError), match=message):
        make()


def test_a_parameter_is_in_one_group() -> None:
    a = parameter("a")
    with pytest.raises(RuntimeError, match="parameter a is in the list twice"):
        nn.SGD([a, a])
