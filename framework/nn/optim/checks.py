"""Checks the arguments of optimizers and raises MindSpore's errors. Each optimizer calls these functions first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from framework.common.parameter import Parameter
from framework.common.validator import check_bool, check_float
from framework.communication.data_parallel import ranks_of_cut_operators
from framework.nn.annotations import Decay
from framework.nn.cell import Cell

__all__ = [
    "as_float", "check_betas", "check_decay", "check_flags", "check_from_zero", "check_parameters",
    "check_whole_parameters", "listed",
]  # fmt: skip


def listed(parameters: Any) -> list[Any]:
    """Parameters, or groups of them, as a list.

    Raises:
        TypeError: they are not iterable.
        ValueError: there are none.
    """
    if parameters is None:
        raise ValueError("For 'Optimizer', the argument parameters can not be None: pass net.trainable_params()")
    if not isinstance(parameters, Iterable):
        raise TypeError(f"parameters must come as a list, not as {type(parameters).__name__}")
    items = list(parameters)
    if not items:
        raise ValueError("For 'Optimizer', the argument parameters must not be empty: pass net.trainable_params()")
    return items


def check_parameters(items: Iterable[Any]) -> None:
    """Check that all items are Parameters.

    Raises:
        TypeError: one is not.
    """
    for item in items:
        if not isinstance(item, Parameter):
            raise TypeError(f"an optimizer takes Parameters, not {type(item).__name__}")


def check_decay(decay: Decay) -> None:
    """Check a weight decay: a Cell, or a number of at least 0.

    Raises:
        TypeError: it is neither.
        ValueError: it is negative.
    """
    if not isinstance(decay, Cell):
        check_float(as_float(decay), "weight_decay", least=0.0)


def as_float(value: object) -> object:
    """An int as a float; anything else as it is."""
    return float(value) if isinstance(value, int) else value


def check_betas(name: str, beta1: float, beta2: float, eps: float) -> None:
    """Check the decay rates, floats between 0 and 1, and eps, a float above 0, of the optimizer called `name`.

    Raises:
        TypeError: one is no float.
        ValueError: one is out of its range.
    """
    check_float(beta1, f"{name}: beta1", above=0.0, below=1.0)
    check_float(beta2, f"{name}: beta2", above=0.0, below=1.0)
    check_float(eps, f"{name}: eps", above=0.0)


def check_from_zero(name: str, **values: object) -> None:
    """Check that values, by their names, are floats of at least 0.

    Raises:
        TypeError: one is no float.
        ValueError: one is negative.
    """
    for argument, value in values.items():
        check_float(value, f"{name}: {argument}", least=0.0)


def check_flags(name: str, **values: object) -> None:
    """Check that values, by their names, are True or False.

    Raises:
        TypeError: one is neither.
    """
    for argument, value in values.items():
        check_bool(value, f"{name}: {argument}")


def check_whole_parameters(name: str) -> None:
    """Check that ranks do not have parts of Parameters, for an optimizer that needs norms or means of whole ones.

    Raises:
        NotImplementedError: the parallel mode cuts operators, and with them Parameters.
    """
    if ranks_of_cut_operators() > 1:
        raise NotImplementedError(
            f"{name} needs the norm of each whole Parameter, and the parallel mode cuts Parameters over ranks: use "
            "another optimizer, such as Adam, or ParallelMode.DATA_PARALLEL"
        )
