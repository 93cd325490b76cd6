"""The types of the arrays and array modules that kernels compute with."""

from framework.common.device import Array, ArrayModule

__all__ = ["Array", "ArrayModule"]
