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
    """x == y."""

    ufunc = "equal"


class NotEqual(_Comparison):
    """x != y."""

    ufunc = "not_equal"


class Less(_Comparison):
    """x < y."""

    ufunc = "less"


class LessEqual(_Comparison):
    """x <= y."""

    ufunc = "less_equal"


class Greater(_Comparison):
    """x > y."""

    ufunc = "greater"


class GreaterEqual(_Comparison):
    """x >= y."""

    ufunc = "greater_equal"


class LogicalAnd(_Comparison):
    """Whether both hold."""

    ufunc = "logical_and"


class LogicalOr(_Comparison):
    """Whether one of them holds."""

    ufunc = "logical_or"


class LogicalXor(_Comparison):
    """Whether exactly one of them holds."""

    ufunc = "logical_xor"


class _Question(Unary):
    def infer_dtype(self, x: DType) -> DType:
        return mstype.bool_


class LogicalNot(_Question):
    """Whether it does not hold."""

    ufunc = "logical_not"


class IsFinite(_Question):
    """Whether an element is neither infinite nor NaN."""

    ufunc = "isfinite"


class IsInf(_Question):
    """Whether an element is infinite."""

    ufunc = "isinf"


class IsNan(_Question):
    """Whether an element is NaN."""

    ufunc = "isnan"


class BitwiseAnd(Binary):
    """The bits that are set in both."""

    ufunc = "bitwise_and"


class BitwiseOr(Binary):
    """The bits that are set in one of them."""

    ufunc = "bitwise_or"


class BitwiseXor(Binary):
    """The bits that are set in exactly one of them."""

    ufunc = "bitwise_xor"
