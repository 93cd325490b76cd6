"""The optimizers of `mint`: the numbers of PyTorch 2.13 after three steps, in both modes."""

from typing import Any

import pytest

import framework as ms
from framework import Tensor, mint, nn

GRADIENTS = ([1.0, 2.0, 3.0], [0.5, -1.0, 1.0], [-3.0, 0.0, 1.0])

CASES: list[tuple[str, dict[str, Any], list[float]]] = [
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}, [0.79214, -2.36068, 1.92379]),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}, [0.9094, -1.5832, 4.4927]),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1}, [0.8359, -2.1187, 2.72369]),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.6), "amsgrad": True}, [0.88053, -2.1, 2.76973]),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.2}, [0.78852, -2.02511, 2.5587]),
]


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_steps(case: tuple[str, dict[str, Any], list[float]], compiled: bool) -> None:
    name, settings, wanted = case
    weight = ms.Parameter(Tensor([1.0, -2.0, 3.0]), name="weight")
    optimizer: nn.Cell = getattr(mint.optim, name)([weight], **settings)
    step: Any = ms.jit(optimizer) if compiled else optimizer
    for gradient in GRADIENTS:
        step((Tensor(gradient),))
    assert weight.asnumpy().tolist() == pytest.approx(wanted, abs=2e-5)


def test_groups_have_rates_of_their_own_that_can_change() -> None:
    first, second = (ms.Parameter(Tensor([1.0]), name=name) for name in ("first", "second"))
    optimizer = mint.optim.SGD([{"params": [first], "lr": 0.5}, {"params": [second]}], 0.25)
    gradients = (Tensor([1.0]), Tensor([1.0]))
    optimizer(gradients)
    optimizer.param_groups[0]["lr"] = 0.0
    ms.ops.assign(optimizer.param_groups[1]["lr"], Tensor(1.0))
    optimizer(gradients)
    assert (float(first), float(second)) == (0.5, -0.25)


def test_what_does_not_fit() -> None:
    weight = ms.Parameter(Tensor([1.0]), name="weight")
    with pytest.raises(ValueError, match="nesterov needs a momentum"):
        mint.optim.SGD([weight], 0.1, nesterov=True)
    with pytest.raises(ValueError, match="betas must be from 0 to below 1"):
        mint.optim.Adam([weight], betas=(0.9, 1.0))
    with pytest.raises(ValueError, match="a group has no setting decay"):
        mint.optim.AdamW([{"params": [weight], "decay": 1.0}])
    with pytest.raises(ValueError, match="in the list twice"):
        mint.optim.Adam([weight, weight])
