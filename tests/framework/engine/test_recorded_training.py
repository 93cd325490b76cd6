"""The recorded trainings in graph mode: a whole step, gradients and optimizer included, is one compiled program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import framework as ms
from framework import nn
from framework.engine.api import cell_programs
from tests.framework.oracle.networks import WithLoss
from tests.framework.oracle.test_training import DIRECTORY, TRAIN, batch, begun, recorded

pytestmark = pytest.mark.skipif(not TRAIN.exists(), reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("name", ["lenet", "transformer"])
def test_a_compiled_step_gives_the_recorded_losses(name: str) -> None:
    about, arrays = recorded(name)
    network = begun(name, arrays)
    kind = getattr(nn, about["optimizer"]["name"])
    optimizer = kind(network.trainable_params(), **about["optimizer"]["kwargs"])
    step = nn.TrainOneStepCell(WithLoss(network), optimizer).set_train()
    batches = len({key.split(".")[0] for key in arrays if key.startswith("batch")})
    losses = [float(step(*batch(arrays, number % batches))) for number in range(about["steps"])]
    wanted = about["modes"]["GRAPH_MODE"]["loss"]
    np.testing.assert_allclose(losses[:5], wanted[:5], rtol=1e-4)
    np.testing.assert_allclose(losses, wanted, rtol=1e-2)
    assert cell_programs(step).compilations == 1
