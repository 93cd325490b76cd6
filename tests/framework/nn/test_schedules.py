"""Learning-rate schedules: both forms agree, optimizers take them, wrong arguments are named."""

from typing import Any

import numpy as np
import pytest

from framework import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, context, nn
from framework.common import dtype as mstype


def test_cells_and_lists_agree_where_an_epoch_is_a_step() -> None:
    steps = range(9)
    pairs: list[tuple[nn.LearningRateSchedule, list[float]]] = [
        (nn.ExponentialDecayLR(0.1, 0.5, 3), nn.exponential_decay_lr(0.1, 0.5, 9, 1, 3)),
        (nn.NaturalExpDecayLR(0.1, 0.5, 3, True), nn.natural_exp_decay_lr(0.1, 0.5, 9, 1, 3, True)),
        (nn.InverseDecayLR(0.1, 0.5, 3, True), nn.inverse_decay_lr(0.1, 0.5, 9, 1, 3, True)),
        (nn.CosineDecayLR(0.01, 0.1, 4), nn.cosine_decay_lr(0.01, 0.1, 9, 1, 4)),
        (nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0, True), nn.polynomial_decay_lr(0.1, 0.01, 9, 1, 4, 2.0, True)),
        (nn.WarmUpLR(0.1, 4), nn.warmup_lr(0.1, 9, 1, 4)),
    ]
    for cell, rates in pairs:
        got = [cell(Tensor(step, mstype.int32)).asnumpy() for step in steps]
        np.testing.assert_allclose(got, rates, rtol=1e-5)


def test_pieces() -> None:
    assert nn.piecewise_constant_lr([2, 3], [0.1, 0.05]) == [0.1, 0.1, 0.05]


@pytest.mark.parametrize("mode", [PYNATIVE_MODE, GRAPH_MODE])
@pytest.mark.parametrize("rate", [nn.WarmUpLR(0.4, 4), nn.warmup_lr(0.4, 5, 1, 4)], ids=["cell", "list"])
def test_an_optimizer_steps_at_the_rates_of_a_schedule(mode: int, rate: Any) -> None:
    context.set_context(mode=mode)
    try:
        weight = Parameter(Tensor([0.0], mstype.float32), name="w")
        optimizer = nn.SGD([weight], rate)
        seen = []
        for _ in range(5):
            optimizer([Tensor([-1.0], mstype.float32)])
            seen.append(weight.asnumpy().item())
    finally:
        context.set_context(mode=PYNATIVE_MODE)
    np.testing.assert_allclose(np.diff([0.0, *seen]), [0, 0.1, 0.2, 0.3, 0.4], atol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: nn.ExponentialDecayLR(0.0, 0.5, 3), "learning_rate must be above 0"),
        (lambda: nn.InverseDecayLR(0.1, 0.5, 0), "the number of steps"),
        (lambda: nn.CosineDecayLR(0.2, 0.1, 3), "min_lr"),
        (lambda: nn.PolynomialDecayLR(0.1, -1.0, 3, 1.0), "end_learning_rate"),
        (lambda: nn.PolynomialDecayLR(0.1, 0.0, 3, 0.0), "power"),
        (lambda: nn.WarmUpLR(0.1, True), "the number of steps"),
        (lambda: nn.LearningRateSchedule()(Tensor(1)), "must define construct"),
        (lambda: nn.exponential_decay_lr(0.1, 0.5, 0, 1, 1), "total_step must be above 0"),
        (lambda: nn.warmup_lr(0.1, 3, 1, -1), "warmup_epoch"),
        (lambda: nn.cosine_decay_lr(0.2, 0.1, 3, 1, 1), "min_lr"),
        (lambda: nn.polynomial_decay_lr(0.2, 0.1, 3, 1, 1, 0.0), "power"),
        (lambda: nn.piecewise_constant_lr([2, 2], [0.1, 0.1]), "increase"),
        (lambda: nn.piecewise_constant_lr([2], [0.1, 0.1]), "1 milestones need as many rates, not 2"),
        (lambda: nn.piecewise_constant_lr([2], [0.0]), "above 0"),
    ],
)
def test_wrong_arguments_are_named(wrong: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError, NotImplementedError), match=words):
        wrong()
