"""Loss scales: the same step whatever the scale; steps that overflow change nothing but the scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from framework import Tensor, nn
from framework.train import DynamicLossScaleManager, FixedLossScaleManager, Model
from tests.framework.train.networks import batches, classifier, model, values_of


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize(
    "manager",
    [
        DynamicLossScaleManager(2.0**10, 2, 3),
        FixedLossScaleManager(256.0),
    ],
)
def test_a_scale_that_fits_changes_no_step(manager: Any) -> None:
    plain = model()
    plain.train(2, batches())
    scaled = model(loss_scale_manager=manager)
    scaled.train(2, batches())
    found = values_of(scaled)
    for name, value in values_of(plain).items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-6, err_msg=name)


def test_an_optimizer_divides_by_a_fixed_scale() -> None:
    plain = model()
    plain.train(1, batches())
    network = classifier()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9, loss_scale=64.0)
    scaled = Model(network, loss, optimizer, loss_scale_manager=FixedLossScaleManager(64.0, False))
    scaled.train(1, batches())
    for name, value in values_of(plain).items():
        np.testing.assert_allclose(values_of(scaled)[name], value, rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.usefixtures("mode")
def test_an_overflow_leaves_the_parameters_and_halves_the_scale() -> None:
    network = classifier(dropout=0.0)
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepWithLossScaleCell(loss, optimizer, nn.DynamicLossScaleUpdateCell(64.0, 2, 2)).set_train()
    x, y = (Tensor(item) for item in batches()[0])
    scales, overflows = [], []
    for factor in (1.0, np.inf, 1.0, 1.0, 1.0, 1.0):
        before = network[0].weight.asnumpy().copy()
        _, overflow, scale = step(x * Tensor(np.float32(factor)), y)
        overflows.append(bool(overflow.asnumpy()))
        scales.append(float(scale.asnumpy()))
        assert (network[0].weight.asnumpy() == before).all() == overflows[-1]
    assert overflows == [False, True, False, False, False, False]
    assert scales == [64.0, 64.0, 32.0, 32.0, 64.0, 64.0]


def test_by_hand_the_manager_does_the_same() -> None:
    manager = DynamicLossScaleManager(64.0, 2, 2)
    scales = []
    for overflow in (False, True, False, False, False):
        scales.append(manager.get_loss_scale())
        manager.update_loss_scale(overflow)
    assert scales == [64.0, 64.0, 32.0, 32.0, 64.0]


@pytest.mark.usefixtures("mode")
def test_a_scale_may_be_a_number() -> None:
    network = classifier(dropout=0.0)
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepWithLossScaleCell(loss, nn.SGD(network.trainable_params(), 0.1), Tensor(np.array([8.0])))
    step.set_train()
    x, y = (Tensor(item) for item in batches()[0])
    assert float(step(x, y)[2].asnumpy()) == 8.0
    step.set_sense_scale(16.0)
    assert float(step(x, y)[2].asnumpy()) == 16.0


@pytest.mark.parametrize("make", [lambda: DynamicLossScaleManager(0.5), lambda: DynamicLossScaleManager(2.0, 1)])
def test_numbers_out_of_range_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"at least 1|above 1"):
        make()
