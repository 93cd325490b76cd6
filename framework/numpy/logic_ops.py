"""Comparisons and truth, element by element; and questions about whole tensors.

Arguments are as in `math_ops`; results are Bool unless `dtype` names another element type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, TypeLike, operands, to_tensor, typed
from framework.ops import functional as F  # noqa: N812

__all__ = [
    "array_equal", "array_equiv", "equal", "greater", "greater_equal", "in1d", "isclose", "isfinite", "isin", "isinf",
    "isnan", "isneginf", "isposinf", "isscalar", "less", "less_equal", "logical_and", "logical_not", "logical_or",
    "logical_xor", "not_equal", "signbit", "sometrue",
]  # fmt: skip


def equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether both are equal."""
    first, second = operands(x1, x2)
    return typed(F.equal(first, second), dtype)


def greater(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the first is larger."""
    first, second = operands(x1, x2)
    return typed(F.greater(first, second), dtype)


def greater_equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the first is larger or equal."""
    first, second = operands(x1, x2)
    return typed(F.greater_equal(first, second), dtype)


def less(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the first is smaller."""
    first, second = operands(x1, x2)
    return typed(F.less(first, second), dtype)


def less_equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the first is smaller or equal."""
    first, second = operands(x1, x2)
    return typed(F.less_equal(first, second), dtype)


def not_equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether both differ."""
    first, second = operands(x1, x2)
    return typed(F.not_equal(first, second), dtype)


def logical_and(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether both are true; numbers other than 0 are."""
    return typed(F.logical_and(to_tensor(x1, mstype.bool_), to_tensor(x2, mstype.bool_)), dtype)


def logical_or(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether one of both is true."""
    return typed(F.logical_or(to_tensor(x1, mstype.bool_), to_tensor(x2, mstype.bool_)), dtype)


def logical_xor(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether one of both is true, and not the other."""
    return typed(F.logical_xor(to_tensor(x1, mstype.bool_), to_tensor(x2, mstype.bool_)), dtype)


def isfinite(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the number is neither infinite nor NaN."""
    return typed(F.isfinite(to_tensor(x)), dtype)


def isinf(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the number is infinite."""
    return typed(F.isinf(to_tensor(x)), dtype)


def isnan(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the number is NaN."""
    return typed(F.isnan(to_tensor(x)), dtype)


def logical_not(a: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the number is 0 or False."""
    return typed(F.logical_not(to_tensor(a, mstype.bool_)), dtype)


def isneginf(x: ArrayLike) -> Tensor:
    """Whether the number is negative and infinite."""
    return F.isneginf(to_tensor(x))


def isposinf(x: ArrayLike) -> Tensor:
    """Whether the number is positive and infinite."""
    return F.isposinf(to_tensor(x))


def signbit(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Whether the number is negative."""
    return typed(F.less(to_tensor(x), 0), dtype)


def isscalar(element: object) -> bool:
    """Whether a value is a single number or text of Python, not a tensor."""
    return isinstance(element, bool | int | float | complex | str | bytes | np.generic)


def isclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether two numbers differ by at most `atol + rtol * abs(b)`; with `equal_nan`, NaN is close to NaN."""
    first, second = to_tensor(a), to_tensor(b)
    close = F.less_equal(F.abs(first - second), atol + rtol * F.abs(second))
    close = F.logical_or(F.logical_and(close, F.isfinite(second)), F.equal(first, second))
    return F.logical_or(close, F.logical_and(F.isnan(first), F.isnan(second))) if equal_nan else close  # type: ignore[no-any-return]


def isin(element: ArrayLike, test_elements: ArrayLike, invert: bool = False) -> Tensor:
    """Whether each element is one of others.

    Args:
        element: a tensor of any shape.
        test_elements: the others, of any shape.
        invert: whether it is none of them.

    """
    found = F.any(F.equal(F.expand_dims(to_tensor(element), -1), F.reshape(to_tensor(test_elements), (-1,))), -1)
    return typed(F.logical_not(found)) if invert else found


def in1d(ar1: ArrayLike, ar2: ArrayLike, invert: bool = False) -> Tensor:
    """As `isin`, of the elements in a row."""
    return isin(F.reshape(to_tensor(ar1), (-1,)), ar2, invert)


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Tensor | bool:
    """Whether two tensors have the same shape and elements; with `equal_nan`, NaN equals NaN."""
    first, second = to_tensor(a1), to_tensor(a2)
    return F.all(_same(first, second, equal_nan)) if first.shape == second.shape else False


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Tensor | bool:
    """Whether two tensors are equal after they are broadcast against each other; the shapes must fit."""
    return F.all(F.equal(to_tensor(a1), to_tensor(a2)))


def _same(first: Tensor, second: Tensor, equal_nan: bool) -> Any:
    same = F.equal(first, second)
    return F.logical_or(same, F.logical_and(F.isnan(first), F.isnan(second))) if equal_nan else same


def sometrue(a: ArrayLike, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """Whether any element along axes is true.

    Args:
        a: a tensor.
        axis: an axis or several; None for all.
        keepdims: keep the axes with length 1.

    """
    return F.any(to_tensor(a, mstype.bool_), axis, keepdims)
