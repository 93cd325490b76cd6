"""Assignment to Parameters, plain, with addition and with subtraction."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from framework.common.dtype import DType, of, promote
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "Assign",
    "AssignAdd",
    "AssignSub",
    "assign",
    "assign_add",
    "assign_cast",
    "assign_sub",
]


class Assign(PrimitiveWithInfer):
    """Assigns a value to a Parameter: variable = value. Returns the new value.

    Inputs: variable, a Parameter; value, a tensor or a number that broadcasts to its shape.

    Output: the new value, of the shape and element type of the Parameter.

    Example:
        >>> p = ms.Parameter(Tensor([1.0, 2.0], ms.float32), name="p")
        >>> out = ops.Assign()(p, Tensor([5.0, 7.0], ms.float32))
        >>> print(p.asnumpy(), out)
        [5. 7.] [5. 7.]
    """

    side_effect = True
    fresh = True
    writes = MappingProxyType({0: 0})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["variable", "value"], outputs=["output"])

    def infer_shape(self, variable: Dims, value: Dims) -> Dims:
        if broadcast(variable, value) != variable:
            raise ValueError(f"{self.name}: cannot assign a value of shape {value} to a Parameter of shape {variable}")
        return variable

    def infer_dtype(self, variable: DType, value: DType) -> DType:
        if isinstance(value, DType) and value is not variable:
            self._refuse_loss(variable, value)
        return variable

    def _refuse_loss(self, variable: DType, value: DType) -> None:
        """Refuse a value whose element type does not fit into the Parameter's.

        Raises:
            TypeError: both together would be of another type than the Parameter.
        """
        if promote(variable, value) is not variable:
            raise TypeError(f"{self.name}: a {value} value does not fit a {variable} Parameter: cast it")

    def compute(self, xp: Any, variable: Any, value: Any, *, out: Any = (None,)) -> Any:
        if out[0] is not None and type(value) in (int, float):
            return self.into(xp, out[0], value)
        self.infer_shape(variable.shape, getattr(value, "shape", ()))
        if not isinstance(value, int | float | np.generic) and value.dtype != variable.dtype:
            self._refuse_loss(of(variable.dtype), of(value.dtype))
        if out[0] is not None:
            return self.into(xp, out[0], value)
        return xp.broadcast_to(self.new(variable, value), variable.shape).astype(variable.dtype)

    def new(self, variable: Array, value: Array) -> Array:
        """The new value, as a new array."""
        return value

    def into(self, xp: ArrayModule, variable: Array, value: Array) -> Any:
        """The variable itself, changed in place."""
        xp.copyto(variable, value)
        return variable


assign = Assign()


class AssignAdd(Assign):
    """Adds a value to a Parameter: variable += value. Returns the sum.

    Inputs: variable, a Parameter; value, a tensor or a number that broadcasts to its shape.

    Output: the sum, of the shape and element type of the Parameter.

    Example:
        >>> p = ms.Parameter(Tensor([1.0, 2.0], ms.float32), name="p")
        >>> out = ops.AssignAdd()(p, Tensor([10.0, 20.0], ms.float32))
        >>> print(p.asnumpy())
        [11. 22.]
    """

    def new(self, variable: Array, value: Array) -> Array:
        return variable + value

    def into(self, xp: ArrayModule, variable: Any, value: Any) -> Any:
        return xp.add(variable, value, out=variable)


assign_add = AssignAdd()


class AssignSub(Assign):
    """Subtracts a value from a Parameter: variable -= value. Returns the difference.

    Inputs: variable, a Parameter; value, a tensor or a number that broadcasts to its shape.

    Output: the difference, of the shape and element type of the Parameter.

    Example:
        >>> p = ms.Parameter(Tensor([10.0, 20.0], ms.float32), name="p")
        >>> out = ops.AssignSub()(p, Tensor([1.0, 2.0], ms.float32))
        >>> print(p.asnumpy())
        [ 9. 18.]
    """

    def new(self, variable: Array, value: Array) -> Array:
        return variable - value

    def into(self, xp: ArrayModule, variable: Any, value: Any) -> Any:
        return xp.subtract(variable, value, out=variable)


assign_sub = AssignSub()


def assign_cast(variable: Tensor, value: Tensor) -> Tensor:
    """As `assign`, for a value of any element type, which is cast: optimizers compute in more digits than they keep."""
    return assign(variable, cast(value, variable.dtype))
