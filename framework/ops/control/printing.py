"""Printing from a running program."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Print",
    "print_",
]


class Print(PrimitiveWithInfer):
    """Prints its inputs when it runs, in both modes: `Print()("loss", loss)`; returns 0.

    A compiled program prints in every run, in program order.

    Inputs: any number of tensors, numbers and texts.

    Output: an Int32 tensor of shape (), 0.

    Example:
        >>> done = ops.Print()("loss", Tensor([0.5, 0.25], ms.float32))
        loss [0.5  0.25]
    """

    side_effect = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, *inputs: object) -> Any:
        return ()

    def infer_dtype(self, *inputs: object) -> Any:
        return mstype.int32

    def compute(self, xp: ArrayModule, *inputs: Array | str) -> Array:
        print(*inputs, flush=True)  # noqa: T201 - that is what it is for
        return xp.zeros((), xp.int32)


print_ = Print()
