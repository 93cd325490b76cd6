"""Comparison and logic: operators whose outputs are Bool, and the bit-wise ones."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.elementwise import Binary, Unary

__all__ = [
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Equal",
    "Greater",
    "GreaterEqual",
    "IsFinite",
    "IsInf",
    "IsNan",
    "Less",
    "LessEqual",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "NotEqual",
]


class _Comparison(Binary):
    def infer_dtype(self, x: Any, y: Any) -> DType:
        mstype.result_type(x, y)  # two types that do not meet cannot be compared either
        return mstype.bool_


class Equal(_Comparison):
    """x == y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.Equal()(Tensor([1, 2, 3]), Tensor([1, 5, 3])))
        [ True False  True]
    """

    ufunc = "equal"


class NotEqual(_Comparison):
    """x != y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.NotEqual()(Tensor([1, 2, 3]), Tensor([1, 5, 3])))
        [False  True False]
    """

    ufunc = "not_equal"


class Less(_Comparison):
    """x < y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.Less()(Tensor([1, 2, 3]), 2))
        [ True False False]
    """

    ufunc = "less"


class LessEqual(_Comparison):
    """x <= y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LessEqual()(Tensor([1, 2, 3]), 2))
        [ True  True False]
    """

    ufunc = "less_equal"


class Greater(_Comparison):
    """x > y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.Greater()(Tensor([1, 2, 3]), 2))
        [False False  True]
    """

    ufunc = "greater"


class GreaterEqual(_Comparison):
    """x >= y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.GreaterEqual()(Tensor([1, 2, 3]), 2))
        [False  True  True]
    """

    ufunc = "greater_equal"


class LogicalAnd(_Comparison):
    """Whether both hold.

    Inputs: x and y, Bool tensors, or tensors of numbers of which all but 0 hold; their shapes broadcast.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LogicalAnd()(Tensor([True, True, False, False]), Tensor([True, False, True, False])))
        [ True False False False]
    """

    ufunc = "logical_and"


class LogicalOr(_Comparison):
    """Whether one of them holds.

    Inputs: x and y, Bool tensors, or tensors of numbers of which all but 0 hold; their shapes broadcast.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LogicalOr()(Tensor([True, True, False, False]), Tensor([True, False, True, False])))
        [ True  True  True False]
    """

    ufunc = "logical_or"


class LogicalXor(_Comparison):
    """Whether exactly one of them holds.

    Inputs: x and y, Bool tensors, or tensors of numbers of which all but 0 hold; their shapes broadcast.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LogicalXor()(Tensor([True, True, False, False]), Tensor([True, False, True, False])))
        [False  True  True False]
    """

    ufunc = "logical_xor"


class _Question(Unary):
    def infer_dtype(self, x: DType) -> DType:
        return mstype.bool_


class LogicalNot(_Question):
    """Whether it does not hold.

    Inputs: x, a Bool tensor, or a tensor of numbers of which all but 0 hold.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.LogicalNot()(Tensor([True, False])))
        [False  True]
    """

    ufunc = "logical_not"


class IsFinite(_Question):
    """Whether an element is neither infinite nor NaN.

    Inputs: x, a tensor of any shape.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.IsFinite()(Tensor([1.0, float("inf"), float("nan")])))
        [ True False False]
    """

    ufunc = "isfinite"


class IsInf(_Question):
    """Whether an element is infinite.

    Inputs: x, a tensor of any shape.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.IsInf()(Tensor([1.0, float("inf"), float("nan")])))
        [False  True False]
    """

    ufunc = "isinf"


class IsNan(_Question):
    """Whether an element is NaN.

    Inputs: x, a tensor of any shape.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.IsNan()(Tensor([1.0, float("inf"), float("nan")])))
        [False False  True]
    """

    ufunc = "isnan"


class BitwiseAnd(Binary):
    """The bits that are set in both.

    Inputs: x and y, tensors of integers or Bool, or one of them a number; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.BitwiseAnd()(Tensor([12]), Tensor([10])))  # of 1100 and 1010: 1000
        [8]
    """

    ufunc = "bitwise_and"


class BitwiseOr(Binary):
    """The bits that are set in one of them.

    Inputs: x and y, tensors of integers or Bool, or one of them a number; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.BitwiseOr()(Tensor([12]), Tensor([10])))  # of 1100 and 1010: 1110
        [14]
    """

    ufunc = "bitwise_or"


class BitwiseXor(Binary):
    """The bits that are set in exactly one of them.

    Inputs: x and y, tensors of integers or Bool, or one of them a number; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the element type in which the two meet.

    Example:
        >>> print(ops.BitwiseXor()(Tensor([12]), Tensor([10])))  # of 1100 and 1010: 0110
        [6]
    """

    ufunc = "bitwise_xor"
