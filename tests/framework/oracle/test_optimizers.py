"""Ten steps of each optimizer with given gradients, as real MindSpore took them."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from framework import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, context, nn
from tests.framework.oracle.cases import DIRECTORY

INDEX = DIRECTORY / "optim/index.json"
RECORDED = json.loads(INDEX.read_text())["optimizers"] if INDEX.exists() else {}

pytestmark = pytest.mark.skipif(not RECORDED, reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")

NAMES = ("fc.weight", "fc.bias")


def made(case: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[nn.Optimizer, dict[str, Parameter]]:
    """The optimizer of a case with its parameters; skips missing ones."""
    kind = getattr(nn, case["optimizer"], None)
    kwargs = dict(case["kwargs"])
    rate = kwargs.get("learning_rate")
    if kind is None or (isinstance(rate, dict) and not hasattr(nn, rate["schedule"])):
        pytest.skip(f"not there yet: nn.{case['optimizer']} with {kwargs}")
    if isinstance(rate, dict):
        kwargs["learning_rate"] = getattr(nn, rate["schedule"])(**rate["arguments"])
    parameters = {name: Parameter(Tensor(arrays[f"init.{name}"]), name=name) for name in NAMES}
    groups = kwargs.pop("parameter_groups", None)
    if groups is None:
        return kind(list(parameters.values()), **kwargs), parameters
    groups = [{**group, "params": [parameters[name] for name in group["params"]]} for group in groups]
    return kind(groups, **kwargs), parameters


@pytest.fixture(autouse=True)
def _pynative_mode_again() -> Iterator[None]:
    yield
    context.set_context(mode=PYNATIVE_MODE)


@pytest.mark.parametrize("mode", [PYNATIVE_MODE, GRAPH_MODE], ids=["pynative", "graph"])
@pytest.mark.parametrize(
    "case",
    [case for cases in RECORDED.values() for case in cases],
    ids=lambda case: f"{case['optimizer']}-{case['case']}",
)
def test_steps(case: dict[str, Any], mode: int) -> None:
    with np.load(DIRECTORY / f"optim/{case['optimizer']}.npz") as file:
        arrays = dict(file)
    optimizer, parameters = made(case, arrays)
    values = case.get("values_by_documented_formula", case["values"])
    context.set_context(mode=mode)
    for step in range(10):
        gradients = [Tensor(arrays[f"grad.{step}.{parameter.name}"]) for parameter in optimizer.parameters]
        optimizer(gradients)
        for name, parameter in parameters.items():
            np.testing.assert_allclose(
                parameter.asnumpy(), arrays[values[name]][step], rtol=case["rtol"], atol=case["atol"], err_msg=name
            )
    state = {parameter.name: parameter for parameter in slots(optimizer)}
    # Where the recording does not follow the formula, neither does what it kept.
    kept = {} if "values_by_documented_formula" in case else case.get("state_after_last_step", {})
    for name, key in kept.items():
        if name in state:
            np.testing.assert_allclose(
                np.ravel(state[name].asnumpy()),
                np.ravel(arrays[key]),
                rtol=case["rtol"],
                atol=case["atol"],
                err_msg=name,
            )


def slots(optimizer: nn.Optimizer) -> list[Parameter]:
    """What an optimizer keeps besides the parameters."""
    kept = [value for value in vars(optimizer).values() if isinstance(value, tuple)]
    own = [item for value in kept for item in value if isinstance(item, Parameter)]
    changed = {id(item) for item in optimizer.parameters}
    return [item for item in (*own, *optimizer.get_parameters()) if id(item) not in changed]
