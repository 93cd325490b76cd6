"""Twenty steps of training from recorded weights give the recorded losses, and end at the recorded weights."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from framework import Tensor, context, nn
from framework.pynative import value_and_gradient
from tests.framework.oracle.cases import DIRECTORY
from tests.framework.oracle.networks import NETWORKS, WithLoss

TRAIN = DIRECTORY / "train"

pytestmark = pytest.mark.skipif(not TRAIN.exists(), reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")

#: Zero in exact arithmetic, so that Adam turns rounding into steps.
ONLY_ROUNDING = {"layers.0.k.bias", "layers.1.k.bias"}


def recorded(name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What was recorded of a network."""
    with np.load(TRAIN / f"{name}.npz") as file:
        return json.loads((TRAIN / f"{name}.json").read_text()), dict(file)


def begun(name: str, arrays: dict[str, np.ndarray]) -> nn.Cell:
    """The network with the recorded initial weights."""
    network = NETWORKS[name]()
    parameters = dict(network.parameters_and_names())
    initial = {key.removeprefix("init."): value for key, value in arrays.items() if key.startswith("init.")}
    assert set(parameters) == set(initial)
    for key, value in initial.items():
        parameters[key].set_data(value)
    return network


def batch(arrays: dict[str, np.ndarray], number: int) -> list[Tensor]:
    """The inputs of a batch, the labels last."""
    keys = [key for key in arrays if key.startswith(f"batch{number}.")]
    order = {"x": 0, "ids": 0, "image": 0, "mask": 1, "label": 9, "labels": 9, "y": 9}
    return [Tensor(arrays[key]) for key in sorted(keys, key=lambda key: order[key.split(".")[1]])]


@pytest.fixture(params=[context.PYNATIVE_MODE, context.GRAPH_MODE], ids=["PYNATIVE_MODE", "GRAPH_MODE"])
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    before = context.get_context("mode")
    context.set_context(mode=request.param)
    yield
    context.set_context(mode=before)


@pytest.mark.usefixtures("_mode")
@pytest.mark.parametrize("name", ["lenet", "transformer"])
def test_losses_and_final_weights(name: str) -> None:
    about, arrays = recorded(name)
    network = begun(name, arrays)
    kind = getattr(nn, about["optimizer"]["name"])
    step = nn.TrainOneStepCell(WithLoss(network), kind(network.trainable_params(), **about["optimizer"]["kwargs"]))
    step.set_train()
    batches = len({key.split(".")[0] for key in arrays if key.startswith("batch")})
    losses = [float(step(*batch(arrays, number % batches))) for number in range(about["steps"])]
    wanted = about["modes"]["PYNATIVE_MODE"]["loss"]
    np.testing.assert_allclose(losses[:2], wanted[:2], rtol=1e-5)
    np.testing.assert_allclose(losses[:5], wanted[:5], rtol=1e-4)
    np.testing.assert_allclose(losses, wanted, rtol=1e-2)
    for key, parameter in network.parameters_and_names():
        if key not in ONLY_ROUNDING:
            final = about["modes"]["PYNATIVE_MODE"]["final"][key]
            assert abs(float(parameter.asnumpy().sum()) - final["sum"]) <= 1e-2 * final["abs_sum"], key


def test_residual_network_with_batch_norm_and_weight_decay() -> None:
    # Rounding grows faster here: computed in float64, the third loss is as far from the recorded one.
    about, arrays = recorded("resnet18_cifar")
    network = begun("resnet18_cifar", arrays)
    optimizer = nn.Momentum(network.trainable_params(), **about["optimizer"]["kwargs"])
    step = nn.TrainOneStepCell(WithLoss(network), optimizer).set_train()
    losses = [float(step(*batch(arrays, number))) for number in range(3)]
    wanted = about["modes"]["PYNATIVE_MODE"]["loss"][:3]
    np.testing.assert_allclose(losses[:2], wanted[:2], rtol=1e-5)
    np.testing.assert_allclose(losses, wanted, rtol=3e-4)


def test_gradients_of_the_first_step() -> None:
    _, arrays = recorded("lenet")
    network = begun("lenet", arrays).set_train()
    weights = network.trainable_params()
    _, _, gradients = value_and_gradient(WithLoss(network), batch(arrays, 0), (), weights)
    for parameter, gradient in zip(weights, gradients, strict=True):
        wanted = arrays[f"grad_step1.{parameter.name}"]
        np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=1e-4, atol=1e-6, err_msg=parameter.name)
