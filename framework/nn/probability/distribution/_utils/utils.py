"""MindSpore's path of the checks of parameters, which some programs import; they are in `parameters`."""

from __future__ import annotations

from collections.abc import Callable

from framework.common.tensor import Tensor
from framework.nn.probability.distribution.parameters import (
    cast_to_tensor,
    check_distribution_name,
    check_greater,
    check_greater_equal_zero,
    check_greater_zero,
    check_prob,
    check_rank,
    check_sum_equal_one,
    need_tensor,
    need_tuple,
    set_param_type,
)

__all__ = [
    "CheckTensor", "CheckTuple", "cast_to_tensor", "check_distribution_name", "check_greater",
    "check_greater_equal_zero", "check_greater_zero", "check_prob", "check_rank", "check_sum_equal_one",
    "set_param_type",
]  # fmt: skip


def CheckTuple() -> Callable[[tuple[int, ...], str], tuple[int, ...]]:  # noqa: N802 - MindSpore's name
    """A function of a value and its name, which returns the value if it is a tuple and raises a TypeError if not."""
    return need_tuple


def CheckTensor() -> Callable[[Tensor, str], Tensor]:  # noqa: N802 - MindSpore's name
    """A function of a value and its name, which returns the value if it is a tensor and raises a TypeError if not."""
    return need_tensor
