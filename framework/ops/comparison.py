"""Comparison, logic and bitwise operators: each with inference, kernel and functional form; none has a gradient."""

from __future__ import annotations

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.reshaping import reshape
from framework.ops.creation.filled_like import OnesLike
from framework.ops.elementwise import Binary, Unary
from framework.ops.mathematics.complex_numbers import imag
from framework.ops.mathematics.rounding import abs, sign

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
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "equal",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "is_nonzero",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
    "signbit",
]

ones_like = OnesLike()


class _Comparison(Binary):
    def infer_dtype(self, x: DType | float, y: DType | float | None) -> DType:
        mstype.result_type(x, y)  # Raises TypeError for types without a common type.
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


equal = Equal()


class NotEqual(_Comparison):
    """x != y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.NotEqual()(Tensor([1, 2, 3]), Tensor([1, 5, 3])))
        [False  True False]
    """

    ufunc = "not_equal"


not_equal = NotEqual()
ne = NotEqual()


class Less(_Comparison):
    """x < y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.Less()(Tensor([1, 2, 3]), 2))
        [ True False False]
    """

    ufunc = "less"


less = Less()
lt = Less()


class LessEqual(_Comparison):
    """x <= y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LessEqual()(Tensor([1, 2, 3]), 2))
        [ True  True False]
    """

    ufunc = "less_equal"


less_equal = LessEqual()
le = LessEqual()


class Greater(_Comparison):
    """x > y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.Greater()(Tensor([1, 2, 3]), 2))
        [False False  True]
    """

    ufunc = "greater"


greater = Greater()
gt = Greater()


class GreaterEqual(_Comparison):
    """x >= y.

    Inputs: x and y, tensors of shapes that broadcast, or numbers.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.GreaterEqual()(Tensor([1, 2, 3]), 2))
        [False  True  True]
    """

    ufunc = "greater_equal"


greater_equal = GreaterEqual()
ge = GreaterEqual()


class LogicalAnd(_Comparison):
    """True where both x and y are true.

    Inputs: x and y, Bool tensors, or tensors of numbers where all but 0 count as True; their shapes broadcast.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LogicalAnd()(Tensor([True, True, False, False]), Tensor([True, False, True, False])))
        [ True False False False]
    """

    ufunc = "logical_and"


logical_and = LogicalAnd()


class LogicalOr(_Comparison):
    """True where x is true, or y, or both.

    Inputs: x and y, Bool tensors, or tensors of numbers where all but 0 count as True; their shapes broadcast.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LogicalOr()(Tensor([True, True, False, False]), Tensor([True, False, True, False])))
        [ True  True  True False]
    """

    ufunc = "logical_or"


logical_or = LogicalOr()


class LogicalXor(_Comparison):
    """True where exactly one of x and y is true.

    Inputs: x and y, Bool tensors, or tensors of numbers where all but 0 count as True; their shapes broadcast.
    Output: a Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.LogicalXor()(Tensor([True, True, False, False]), Tensor([True, False, True, False])))
        [False  True  True False]
    """

    ufunc = "logical_xor"


logical_xor = LogicalXor()


class _Question(Unary):
    def infer_dtype(self, x: DType) -> DType:
        return mstype.bool_


class LogicalNot(_Question):
    """True where x is false.

    Inputs: x, a Bool tensor, or a tensor of numbers where all but 0 count as True.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.LogicalNot()(Tensor([True, False])))
        [False  True]
    """

    ufunc = "logical_not"


logical_not = LogicalNot()


class IsFinite(_Question):
    """True where an element is neither infinite nor NaN.

    Inputs: x, a tensor of any shape.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.IsFinite()(Tensor([1.0, float("inf"), float("nan")])))
        [ True False False]
    """

    ufunc = "isfinite"


isfinite = IsFinite()


class IsInf(_Question):
    """True where an element is infinite.

    Inputs: x, a tensor of any shape.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.IsInf()(Tensor([1.0, float("inf"), float("nan")])))
        [False  True False]
    """

    ufunc = "isinf"


isinf = IsInf()


class IsNan(_Question):
    """True where an element is NaN.

    Inputs: x, a tensor of any shape.
    Output: a Bool tensor of x's shape.

    Example:
        >>> print(ops.IsNan()(Tensor([1.0, float("inf"), float("nan")])))
        [False False  True]
    """

    ufunc = "isnan"


isnan = IsNan()


class BitwiseAnd(Binary):
    """Bitwise and: the bits that are set in both x and y.

    Inputs: x and y, tensors of integers or Bool, or one of them a number; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.BitwiseAnd()(Tensor([12]), Tensor([10])))  # of 1100 and 1010: 1000
        [8]
    """

    ufunc = "bitwise_and"


bitwise_and = BitwiseAnd()


class BitwiseOr(Binary):
    """Bitwise or: the bits that are set in x, in y or in both.

    Inputs: x and y, tensors of integers or Bool, or one of them a number; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.BitwiseOr()(Tensor([12]), Tensor([10])))  # of 1100 and 1010: 1110
        [14]
    """

    ufunc = "bitwise_or"


bitwise_or = BitwiseOr()


class BitwiseXor(Binary):
    """Bitwise exclusive or: the bits that are set in exactly one of x and y.

    Inputs: x and y, tensors of integers or Bool, or one of them a number; their shapes broadcast.
    Output: a tensor of the broadcast shape, of the element type to which both are promoted.

    Example:
        >>> print(ops.BitwiseXor()(Tensor([12]), Tensor([10])))  # of 1100 and 1010: 0110
        [6]
    """

    ufunc = "bitwise_xor"


bitwise_xor = BitwiseXor()


def signbit(input: Tensor) -> Tensor:
    """True where the sign bit is set: for negative numbers and for -0.

    Args:
        input: a tensor of any shape.

    Returns:
        A Bool tensor of the same shape.

    Example:
        >>> print(ops.signbit(Tensor([3.0, -2.0])))
        [False  True]

    """
    return logical_or(less(input, 0), less(1 / input, 0))


def isposinf(input: Tensor) -> Tensor:
    """True where an element is positive infinity.

    Args:
        input: a tensor of any shape.

    Returns:
        A Bool tensor of the same shape.

    Example:
        >>> print(ops.isposinf(Tensor([float("-inf"), 0.0, float("inf")])))
        [False False  True]

    """
    return logical_and(isinf(input), equal(sign(input), 1))


def isneginf(input: Tensor) -> Tensor:
    """True where an element is negative infinity.

    Args:
        input: a tensor of any shape.

    Returns:
        A Bool tensor of the same shape.

    Example:
        >>> print(ops.isneginf(Tensor([float("-inf"), 0.0, float("inf")])))
        [ True False False]

    """
    return logical_and(isinf(input), equal(sign(input), -1))


def isclose(
    input: Tensor, other: Tensor | float, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """True where |input - other| <= atol + rtol |other| or both are equal; with `equal_nan` also where both are NaN.

    Args:
        input: a tensor of any shape.
        other: a tensor, or a number; the shapes broadcast.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        A Bool tensor of the broadcast shape.

    Example:
        >>> print(ops.isclose(Tensor([1.0, 2.0]), Tensor([1.000001, 2.1])))
        [ True False]

    """
    near = less_equal(abs(input - other), atol + rtol * abs(other))
    close = bitwise_or(equal(input, other), logical_and(near, isfinite(other)))
    if equal_nan:
        close = bitwise_or(close, logical_and(not_equal(input, input), not_equal(other, other)))
    return close


def isreal(input: Tensor) -> Tensor:
    """True where an element has no imaginary part: everywhere, unless the element type is complex.

    Args:
        input: a tensor of any shape.

    Returns:
        A Bool tensor of the same shape.

    Example:
        >>> print(ops.isreal(Tensor([1.0, 2.0])))
        [ True  True]
        >>> print(ops.isreal(Tensor([1 + 0j, 2 + 1j])))
        [ True False]

    """
    if input.dtype.kind == "complex":
        return equal(imag(input), 0)
    return cast(ones_like(input), mstype.bool_)


def is_nonzero(input: Tensor) -> Tensor:
    """Whether the only element of a tensor is not 0.

    Args:
        input: a tensor of one element.

    Returns:
        A Bool tensor of shape ().

    Example:
        >>> print(bool(ops.is_nonzero(Tensor([2.0]))))
        True

    """
    return reshape(not_equal(input, 0), ())
