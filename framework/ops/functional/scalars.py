"""Numbers and shapes as tensors and the other way, under MindSpore's older names."""

from __future__ import annotations

from typing import Any

from framework.common.dtype import DType
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.measuring import in_top_k

__all__ = ["dyn_shape", "intopk", "range", "scalar_cast"]

_range = P.Range()
_tensor_shape = P.TensorShape()


def dyn_shape(input_x: Any) -> Any:
    """The shape of a tensor as a vector, Int64.

    Example:
        >>> print(ops.dyn_shape(ops.ones((2, 3))))
        [2 3]

    """
    return _tensor_shape(input_x)


def intopk(x1: Any, x2: Any, k: int) -> Any:
    """`in_top_k` under its other name.

    Example:
        >>> print(ops.intopk(Tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]]), Tensor([2, 2], ms.int32), 2))
        [ True False]

    """
    return in_top_k(x1, x2, k)


def range(start: Any, end: Any, step: Any, maxlen: int = 1000000) -> Any:
    """From `start` in steps up to, but without, `end`.

    Args:
        start, end, step: numbers.
        maxlen: recorded; the length is known from the numbers.

    Example:
        >>> print(ops.range(0, 10, 4))
        [0 4 8]

    """
    return _range(start, end, step)


@constexpr
def scalar_cast(input_x: Any, input_y: DType) -> Any:
    """A Python number as it is in an element type.

    Args:
        input_x: a number that is known when a graph is compiled.
        input_y: the element type.

    Example:
        >>> print(ops.scalar_cast(255.7, ms.int64), ops.scalar_cast(3, ms.float32))
        255 3.0

    """
    return input_y.numpy.type(input_x).item()
