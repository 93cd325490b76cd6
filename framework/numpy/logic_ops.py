"""Element-wise comparisons and logic, and tests of whole tensors.

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
    """Element-wise x1 == x2."""
    first, second = operands(x1, x2)
    return typed(F.equal(first, second), dtype)


def greater(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Element-wise x1 > x2."""
    first, second = operands(x1, x2)
    return typed(F.greater(first, second), dtype)


def greater_equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Element-wise x1 >= x2."""
    first, second = operands(x1, x2)
    return typed(F.greater_equal(first, second), dtype)


def less(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Element-wise x1 < x2."""
    first, second = operands(x1, x2)
    return typed(F.less(first, second), dtype)


def less_equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Element-wise x1 <= x2."""
    first, second = operands(x1, x2)
    return typed(F.less_equal(first, second), dtype)


def not_equal(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Element-wise x1 != x2."""
    first, second = operands(x1, x2)
    return typed(F.not_equal(first, second), dtype)


def logical_and(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Logical and; non-zero numbers are true."""
    return typed(F.logical_and(to_tensor(x1, mstype.bool_), to_tensor(x2, mstype.bool_)), dtype)


def logical_or(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Logical or."""
    return typed(F.logical_or(to_tensor(x1, mstype.bool_), to_tensor(x2, mstype.bool_)), dtype)


def logical_xor(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Logical exclusive or."""
    return typed(F.logical_xor(to_tensor(x1, mstype.bool_), to_tensor(x2, mstype.bool_)), dtype)


def isfinite(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Test for finite numbers."""
    return typed(F.isfinite(to_tensor(x)), dtype)


def isinf(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Test for infinities."""
    return typed(F.isinf(to_tensor(x)), dtype)


def isnan(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Test for NaN."""
    return typed(F.isnan(to_tensor(x)), dtype)


def logical_not(a: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Logical not: whether the element is 0 or False."""
    return typed(F.logical_not(to_tensor(a, mstype.bool_)), dtype)


def isneginf(x: ArrayLike) -> Tensor:
    """Test for negative infinity."""
    return F.isneginf(to_tensor(x))


def isposinf(x: ArrayLike) -> Tensor:
    """Test for positive infinity."""
    return F.isposinf(to_tensor(x))


def signbit(x: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Test for negative numbers."""
    return typed(F.less(to_tensor(x), 0), dtype)


def isscalar(element: object) -> bool:
    """Whether a value is a single Python number or string, not a tensor."""
    return isinstance(element, bool | int | float | complex | str | bytes | np.generic)


def isclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether two elements differ by at most `atol + rtol * abs(b)`; with `equal_nan`, NaN is close to NaN."""
    first, second = to_tensor(a), to_tensor(b)
    close = F.less_equal(F.abs(first - second), atol + rtol * F.abs(second))
    close = F.logical_or(F.logical_and(close, F.isfinite(second)), F.equal(first, second))
    return F.logical_or(close, F.logical_and(F.isnan(first), F.isnan(second))) if equal_nan else close  # type: ignore[no-any-return]


def isin(element: ArrayLike, test_elements: ArrayLike, invert: bool = False) -> Tensor:
    """Whether each element is in a set of test elements.

    Args:
        element: a tensor of any shape.
        test_elements: the others, of any shape.
        invert: whether it is none of them.

    """
    found = F.any(F.equal(F.expand_dims(to_tensor(element), -1), F.reshape(to_tensor(test_elements), (-1,))), -1)
    return typed(F.logical_not(found)) if invert else found


def in1d(ar1: ArrayLike, ar2: ArrayLike, invert: bool = False) -> Tensor:
    """Like `isin`, for the flattened elements."""
    return isin(F.reshape(to_tensor(ar1), (-1,)), ar2, invert)


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Tensor | bool:
    """Whether two tensors have the same shape and elements; with `equal_nan`, NaN equals NaN."""
    first, second = to_tensor(a1), to_tensor(a2)
    return F.all(_same(first, second, equal_nan)) if first.shape == second.shape else False


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Tensor | bool:
    """Whether two tensors are equal after broadcasting; their shapes must be compatible."""
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
