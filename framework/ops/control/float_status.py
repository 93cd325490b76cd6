"""Whether a computation has overflowed: asked of a tensor, or, in programs for an NPU, of its registers."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NoReturn

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = ["FloatStatus", "NPUAllocFloatStatus", "NPUClearFloatStatus", "NPUGetFloatStatus"]


class FloatStatus(PrimitiveWithInfer):
    """1 where a tensor has an element that is infinite or NaN, else 0.

    Inputs: x, a tensor of floats of any shape.
    Output: a Float32 tensor of shape (1,).

    Example:
        >>> print(ops.FloatStatus()(Tensor([1.0, float("inf")])))
        [1.]
    """

    takes = MappingProxyType({0: mstype.float_type})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        return (1,)

    def infer_dtype(self, x: DType) -> DType:
        return mstype.float32

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.logical_not(xp.isfinite(x).all()).astype(xp.float32).reshape(1)


class _OfRegisters(PrimitiveWithInfer):
    """An operator on the registers in which an NPU notes overflows; there are none here."""

    def infer_shape(self, *inputs: Any) -> NoReturn:
        self.refuse()

    def compute(self, xp: ArrayModule, *inputs: Any) -> NoReturn:
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raise an error: without such registers any answer could be wrong."""
        raise RuntimeError(
            f"{self.name}: only an Ascend NPU records overflows in registers; check the gradients with "
            "ops.FloatStatus, as programs do with device_target='GPU'"
        )


class NPUAllocFloatStatus(_OfRegisters):
    """A place for the state of an NPU's registers of overflows. It can be made, but not called.

    Raises:
        RuntimeError: it is called.

    Example:
        >>> print(ops.NPUAllocFloatStatus().name)
        NPUAllocFloatStatus
    """


class NPUGetFloatStatus(_OfRegisters):
    """Reads an NPU's registers of overflows. It can be made, but not called.

    Raises:
        RuntimeError: it is called.

    Example:
        >>> print(ops.NPUGetFloatStatus().name)
        NPUGetFloatStatus
    """


class NPUClearFloatStatus(_OfRegisters):
    """Clears an NPU's registers of overflows. It can be made, but not called.

    Raises:
        RuntimeError: it is called.

    Example:
        >>> print(ops.NPUClearFloatStatus().name)
        NPUClearFloatStatus
    """
