"""Checks the parameters and call arguments of distributions and bijectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import broadcast_to
from framework.ops.array.properties import shape as shape_of
from framework.ops.constexpr import constexpr

__all__ = [
    "Given",
    "alike",
    "all_scalars",
    "batch_shape_of",
    "cast_to_tensor",
    "check_distribution_name",
    "check_greater",
    "check_greater_equal_zero",
    "check_greater_zero",
    "check_made_with",
"check_name_and_seed",
    "check_prob",
    "check_rank",
    "check_sum_equal_one",
    "common_shape",
    "need_tensor",
"need_tuple",
    "refuse_scalars",
    "set_param_type",
]  # fmt: skip

#: What a parameter of a distribution may be.
Given = float | Sequence[Any] | np.ndarray | Tensor | None


def cast_to_tensor(t: Given, hint_type: DType | None = mstype.float32) -> Tensor:
    """Convert a parameter to a tensor of a type; a Parameter stays itself, so that it can be trained.

    Args:
        t: a number, a list, an array or a tensor.
        hint_type: element type of the result.

    Raises:
        ValueError: it is None.
        TypeError: it is a bool, or nothing of these.

    """
    if t is None:
        raise ValueError("a parameter of a distribution must not be None here")
    if isinstance(t, Parameter):
        return t
    if isinstance(t, bool) or not isinstance(t, int | float | list | np.ndarray | np.generic | Tensor):
        raise TypeError(f"a parameter must be a number, a list, an array or a tensor, not {type(t).__name__}")
    return Tensor(t, dtype=hint_type)


def set_param_type(args: Mapping[str, Given], hint_type: DType | None) -> DType:
    """The element type of stored parameters.

    It is that of the arrays and tensors among them, which must agree, or the hint. Integers and Float64 become Float32.

    Args:
        args: the parameters by name.
        hint_type: the type of the distribution.

    Raises:
        TypeError: two of them have different element types.

    """
    common: DType | None = None
    for name, arg in args.items():
        if isinstance(arg, Tensor | np.ndarray):
            kind = arg.dtype if isinstance(arg, Tensor) else mstype.of(arg.dtype)
            if common is not None and kind != common:
                raise TypeError(f"{name} of type {kind} must have the type of the other arguments, {common}")
            common = kind
    if common is None:
        common = hint_type
    if common is None or not common.is_floating_point or common == mstype.float64:
        return mstype.float32
    return common


def check_made_with(kind: str, name: object, seed: object, dtype: DType, allowed: Sequence[DType]) -> None:
    """Check the arguments that all distributions have.

    Raises:
        TypeError: the name is no string, the seed no int, or the element type not allowed.
        ValueError: the seed is negative.

    """
    if dtype not in allowed:
        raise TypeError(f"{kind}: dtype must be one of {', '.join(map(str, allowed))}, not {dtype}")
    check_name_and_seed(kind, name, seed)


def check_name_and_seed(kind: str, name: object, seed: object) -> None:
    """Check a name and a seed.

    Raises:
        TypeError: the name is no string, or the seed no int.
        ValueError: the seed is negative.

    """
    if not isinstance(name, str):
        raise TypeError(f"{kind}: name must be a string, not {name!r}")
    if seed is None:
        return
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"{kind}: seed must be an int, not {seed!r}")
    if seed < 0:
        raise ValueError(f"{kind}: seed must not be negative, but is {seed}")


def batch_shape_of(parameters: Mapping[str, Given]) -> tuple[int, ...] | None:
    """The shape to which all parameters broadcast; None if one is missing.

    Raises:
        ValueError: they do not broadcast.

    """
    if any(value is None for value in parameters.values()):
        return None
    shapes = [value.shape if isinstance(value, Tensor) else np.shape(value) for value in parameters.values()]  # type: ignore[arg-type]
    return common_shape(*(tuple(shape) for shape in shapes))


def all_scalars(parameters: Mapping[str, Given]) -> bool:
    """Whether the given parameters are Python numbers."""
    return all(value is None or isinstance(value, int | float) for value in parameters.values())


@constexpr
def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which these broadcast."""
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise ValueError(f"parameters of shapes {', '.join(map(str, shapes))} do not broadcast") from None


def alike(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors broadcast to one shape."""
    if len(tensors) == 1:
        return tensors
    shape = common_shape(*[shape_of(item) for item in tensors])
    return tuple([item if shape_of(item) == shape else broadcast_to(item, shape) for item in tensors])


def need_tensor(value: Any, name: str) -> Tensor:
    """An argument that must be a tensor.

    Raises:
        TypeError: it is none.

    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a Tensor")
    return value


@constexpr
def need_tuple(value: tuple[int, ...], name: str) -> tuple[int, ...]:
    """An argument that must be a tuple.

    Raises:
        TypeError: it is none.

    """
    if not isinstance(value, tuple):
        raise TypeError(f"{name} must be a tuple, not {value!r}")
    return value


@constexpr
def check_distribution_name(name: str | None, expected_name: str) -> None:
    """Check that both distributions of a divergence are of one kind.

    Raises:
        ValueError: the other is of another kind.

    """
    if name != expected_name:
        raise ValueError(f"dist must be {expected_name!r}, not {name!r}: other divergences have no formula here")


def _known(value: Tensor | None) -> np.ndarray | None:
    """The elements, if they are known; those of a Parameter may change."""
    return None if value is None or isinstance(value, Parameter) else value.asnumpy()


def check_greater_equal_zero(value: Tensor | None, name: str) -> None:
    """Check that no element is negative; a Parameter is not checked.

    Raises:
        ValueError: one is.

    """
    known = _known(value)
    if known is not None and (known < 0).any():
        raise ValueError(f"{name} must be greater than or equal to zero")


def check_greater_zero(value: Tensor | None, name: str) -> None:
    """Check that all elements are above 0; a Parameter is not checked.

    Raises:
        ValueError: one is not.

    """
    known = _known(value)
    if known is not None and not (known > 0).all():
        raise ValueError(f"{name} must be greater than zero")


def check_greater(a: Tensor | None, b: Tensor | None, name_a: str, name_b: str) -> None:
    """Check that the first is less than the second; Parameters are not checked.

    Raises:
        ValueError: it is not.

    """
    low, high = _known(a), _known(b)
    if low is not None and high is not None and not (low < high).all():
        raise ValueError(f"{name_a} must be less than {name_b}")


def check_prob(p: Tensor | None) -> None:
    """Check that probabilities are above 0 and below 1; a Parameter is not checked.

    Raises:
        ValueError: one is not.

    """
    known = _known(p)
    if known is not None and not ((known > 0) & (known < 1)).all():
        raise ValueError("probabilities must be greater than zero and less than one")


def check_sum_equal_one(probs: Tensor | None) -> None:
    """Check that the probabilities of each row have the sum 1; a Parameter is not checked.

    Raises:
        ValueError: one has another.

    """
    known = _known(probs)
    if known is not None:
        eps = float(np.finfo(known.dtype).eps)
        if not np.allclose(known.sum(-1), 1, rtol=10 * eps, atol=eps):
            raise ValueError("the probabilities of the categories must have the sum one")


def check_rank(probs: Tensor | None) -> None:
    """Check that category probabilities have at least one dimension.

    Raises:
        ValueError: it is a single number.

    """
    known = _known(probs)
    if known is not None and known.ndim == 0:
        raise ValueError("probs must have at least one dimension, with the categories as the last")


def refuse_scalars(**parameters: Given) -> None:
    """Refuse Python numbers where MindSpore requires arrays.

    Raises:
        TypeError: one of them is a number.

    """
    for name, value in parameters.items():
        if isinstance(value, int | float):
            raise TypeError(f"{name} must be a list, an array or a tensor, not the number {value}")
