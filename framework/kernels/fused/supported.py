"""What generated kernels can compute: operators, by the element types of their operands. Needs no compiler."""

from __future__ import annotations

from typing import Final

__all__ = ["APPROXIMATED", "FLOATS", "OF_ALL", "OF_FLOATS", "OF_NUMBERS", "TYPES", "supports"]

FLOATS: Final = ("float32", "float64")
TYPES: Final = ("bool", "int32", "int64", *FLOATS)
"""The element types that generated kernels know."""
OF_FLOATS: Final = frozenset(
    {
        "Ceil", "Div", "Erf", "ErfGeLU", "ErfGeLUGrad", "Exp", "Expm1", "Floor", "GeLU", "HSigmoid", "HSwish", "Inv",
        "IsFinite", "IsNan", "Log", "Log1p", "ReLU6", "RealDiv", "Reciprocal", "Rint", "Rsqrt", "SiLU", "Sigmoid",
        "Softplus", "Softsign", "Sqrt", "Tanh", "Trunc",
    }
)  # fmt: skip
OF_NUMBERS: Final = frozenset(
    {
        "Abs", "Add", "BiasAdd", "Maximum", "Minimum", "Mul", "Neg", "ReLU", "ReluGrad", "Sign", "Square",
        "SquaredDifference", "Sub",
    }
)  # fmt: skip
OF_ALL: Final = frozenset(
    {
        "Cast", "Equal", "Greater", "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalNot", "LogicalOr",
        "LogicalXor", "NotEqual", "Select",
    }
)  # fmt: skip

APPROXIMATED: Final = frozenset(
    {
        "Erf", "ErfGeLU", "ErfGeLUGrad", "Exp", "Expm1", "GeLU", "Log", "Log1p", "SiLU", "Sigmoid", "Softplus",
        "Tanh",
    }
)  # fmt: skip
"""Operators whose results differ from numpy's in the last bits; those of all others are the same."""


def supports(name: str, dtype: str) -> bool:
    """Whether kernels can compute an operator for operands of an element type."""
    if dtype not in TYPES:
        return False
    return name in OF_ALL or (name in OF_NUMBERS and dtype != "bool") or (name in OF_FLOATS and dtype in FLOATS)
