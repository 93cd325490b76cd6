"""The logarithm of the gamma function and its derivatives, and the inverse of the error function."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import special
from framework.ops.operations.elementwise import FloatUnary, as_float
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["Digamma", "Erfinv", "Lgamma", "Polygamma"]


class Lgamma(FloatUnary):
    """log |gamma(x)|."""

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.lgamma(xp, x)


class Digamma(FloatUnary):
    """The derivative of log gamma(x)."""

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.polygamma(xp, 0, x)


class Polygamma(PrimitiveWithInfer):
    """The derivative of order a + 1 of log gamma(x): `(a, x)`, a an int."""

    value_inputs = (0,)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["a", "x"], outputs=["y"])

    def infer_shape(self, a: Any, x: Dims) -> Dims:
        return x

    def infer_dtype(self, a: Any, x: DType) -> DType:
        return x if x.is_floating_point else mstype.float32

    def compute(self, xp: Any, a: Any, x: Any) -> Any:
        return special.polygamma(xp, int(a), as_float(xp, x))


class Erfinv(FloatUnary):
    """The number whose error function is x, for x between -1 and 1."""

    def of_float(self, xp: Any, x: Any) -> Any:
        return special.erfinv(xp, x)
