"""Optimizers without recordings, compared with their formulas in both modes; groups, and refusals."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from framework import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, context, nn
from framework.common import dtype as mstype

RNG = np.random.default_rng(11)
START = RNG.normal(size=(3, 2)).astype(np.float32)
GRADIENTS = RNG.normal(size=(6, 3, 2)).astype(np.float32)


@pytest.fixture(autouse=True)
def _pynative_mode_again() -> Iterator[None]:
    yield
    context.set_context(mode=PYNATIVE_MODE)


def lamb(rate: float, decay: float) -> np.ndarray:
    """You et al. 2020, algorithm 2, in float64."""
    w, m, v = START.astype(np.float64), np.zeros((3, 2)), np.zeros((3, 2))
    for t, g in enumerate(GRADIENTS.astype(np.float64), 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        r = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6) + decay * w
        w = w - rate * np.linalg.norm(w) / np.linalg.norm(r) * r
    return w


@pytest.mark.parametrize("mode", [PYNATIVE_MODE, GRAPH_MODE], ids=["pynative", "graph"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb(mode: int, decay: float) -> None:
    weight = Parameter(Tensor(START), name="w")
    optimizer = nn.Lamb([weight], 0.05, weight_decay=decay)
    context.set_context(mode=mode)
    for gradient in GRADIENTS:
        optimizer([Tensor(gradient)])
    np.testing.assert_allclose(weight.asnumpy(), lamb(0.05, decay), rtol=1e-3)


def test_lamb_takes_plain_steps_from_0() -> None:
    weight = Parameter(Tensor(np.zeros(2, np.float32)), name="w")
    nn.Lamb([weight], 0.5)([Tensor(np.asarray([1.0, -2.0], np.float32))])
    np.testing.assert_allclose(weight.asnumpy(), [-0.5, 0.5], rtol=1e-4)


MADE: dict[str, Any] = {
    "Adadelta": {"learning_rate": 1.0},
    "Adagrad": {"learning_rate": 0.5},
    "Adam": {"learning_rate": 0.1},
    "AdaMax": {"learning_rate": 0.1},
    "AdamWeightDecay": {"learning_rate": 0.1},
    "ASGD": {"learning_rate": 0.1},
    "FTRL": {"learning_rate": 0.5},
    "Lamb": {"learning_rate": 0.1},
    "LazyAdam": {"learning_rate": 0.1},
    "Momentum": {"learning_rate": 0.1, "momentum": 0.5},
    "ProximalAdagrad": {"learning_rate": 0.5},
    "RMSProp": {"learning_rate": 0.1},
    "Rprop": {"learning_rate": 0.1},
    "SGD": {"learning_rate": 0.1},
}


@pytest.mark.parametrize("name", list(MADE))
def test_every_optimizer_finds_the_lowest_point_nearby(name: str) -> None:
    weight = Parameter(Tensor(np.asarray([2.0, -1.5], np.float32)), name="w")
    optimizer = getattr(nn, name)([weight], **MADE[name])
    start = float(np.square(weight.asnumpy()).sum())
    for _ in range(150):
        optimizer([Tensor(2 * weight.asnumpy())])
    assert float(np.square(weight.asnumpy()).sum()) < start / 2


@pytest.mark.parametrize("name", sorted(set(MADE) - {"Rprop", "FTRL", "Adadelta"}))
def test_groups_have_their_own_rates(name: str) -> None:
    one, other, still = (Parameter(Tensor(np.ones(2, np.float32)), name=each) for each in ("a", "b", "c"))
    groups = [{"params": [one], "lr": MADE[name]["learning_rate"]}, {"params": [other]}, {"params": [still], "lr": 0.0}]
    order = {"order_params": [still, other, one]}
    optimizer = getattr(nn, name)([*groups, order], **MADE[name])
    gradient = np.asarray([0.5, 0.25], np.float32)
    optimizer([Tensor(gradient)] * 3)
    np.testing.assert_allclose(one.asnumpy(), other.asnumpy())
    assert (one.asnumpy() < 1).all()
    np.testing.assert_array_equal(still.asnumpy(), 1)


@pytest.mark.parametrize("name", sorted(MADE))
def test_half_precision_stays(name: str) -> None:
    weight = Parameter(Tensor(np.ones(2), mstype.float16), name="w")
    getattr(nn, name)([weight], **MADE[name])([Tensor(np.ones(2), mstype.float16)])
    assert weight.dtype == mstype.float16


def test_weight_decay_is_no_part_of_the_means_where_it_is_decoupled() -> None:
    weight = Parameter(Tensor(np.ones(2, np.float32)), name="w")
    optimizer = nn.AdamWeightDecay([weight], 0.1, weight_decay=0.5)
    optimizer([Tensor(np.zeros(2, np.float32))])
    np.testing.assert_allclose(weight.asnumpy(), 1 - 0.1 * 0.5)
    assert not optimizer.moments1[0].asnumpy().any()


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("Adagrad", {"accum": -1.0}, "accum"),
        ("ProximalAdagrad", {"l1": -1.0}, "l1"),
        ("RMSProp", {"epsilon": 0.0}, "epsilon"),
        ("FTRL", {"lr_power": 0.5}, "lr_power"),
        ("AdaMax", {"beta1": 1.0}, "beta1"),
        ("Adadelta", {"rho": 2.0}, "rho"),
        ("AdamWeightDecay", {"eps": 0.0}, "eps"),
        ("Lamb", {"beta2": 0.0}, "beta2"),
        ("Rprop", {"etas": (1.5, 1.2)}, "etas"),
        ("Rprop", {"step_sizes": (1.0, 0.5)}, "step_sizes"),
        ("Adam", {"use_amsgrad": True, "use_nesterov": True}, "cannot both be True"),
    ],
)
def test_wrong_arguments_are_named(name: str, wrong: dict[str, Any], words: str) -> None:
    weight = Parameter(Tensor([1.0]), name="w")
    with pytest.raises(ValueError, match=words):
        getattr(nn, name)([weight], **{**MADE[name], **wrong})
