"""The types of what kernels compute with."""

from framework.common.device import Array, ArrayModule

__all__ = ["Array", "ArrayModule"]
