"""The work of an operator: its floating-point operations, and the bytes that it reads and writes.

Operations are counted by the definition of the operator, as in papers: a multiplication and an addition are two, a
function such as `exp` is one, and moving elements is none. A kernel may do fewer (Winograd's convolutions) or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812

__all__ = ["PlannedTensor", "bytes_of", "flops_of"]


@dataclass(frozen=True)
class PlannedTensor:
    """What is known of a tensor before a program runs, in place of the tensor.

    Attributes:
        shape: its shape.
        nbytes: its size.
    """

    shape: tuple[int, ...]
    nbytes: int


_MOVES = frozenset(
    {
        "Assign", "BroadcastLike", "BroadcastTo", "Cast", "Concat", "Depend", "ExpandDims", "Eye", "Fill", "Flatten",
        "Gather", "GatherD", "GatherNd", "GetItem", "Identity", "OneHot", "Ones", "OnesLike", "Range", "Reshape",
        "Select", "SetItem", "Slice", "Split", "Squeeze", "Stack", "StopGradient", "StridedSlice", "StridedSliceGrad",
        "Tile", "Transpose", "Unstack", "Zeros", "ZerosLike",
    }
)  # fmt: skip
_REDUCTIONS = (P.ReduceSum, P.ReduceMean, P.ReduceMax, P.ReduceMin, P.ReduceProd, P.SumLike, P.BiasAddGrad)
_PRODUCTS = ("MatMul", "BatchMatMul")
_CONVOLUTIONS = ("Conv2D", "Conv3D", "DepthwiseConv2dNative")
_OF_IMAGES = ("Conv2DBackpropInput", "Conv3DBackpropInput", "Conv2DTranspose", "Conv3DTranspose")
_OF_WEIGHTS = ("Conv2DBackpropFilter", "Conv3DBackpropFilter")


def flops_of(primitive: Any, inputs: Sequence[Any], outputs: Any) -> int:
    """Floating-point operations of one execution.

    Args:
        primitive: the operator.
        inputs, outputs: its inputs and outputs.
    """
    name = primitive.name
    made = [tuple(x.shape) for x in _tensors(outputs)]
    given = [tuple(x.shape) for x in _tensors(inputs)]
    if name in _MOVES or not made or not given:
        return 0
    if name in _PRODUCTS:
        inner = given[0][-2] if primitive.transpose_a else given[0][-1]
        return 2 * prod(made[0]) * inner
    if name in _CONVOLUTIONS:
        return 2 * prod(made[0]) * prod(given[1][1:])
    if name in _OF_IMAGES:
        return 2 * prod(given[0]) * prod(given[1][1:])
    if name in _OF_WEIGHTS:
        # Each element of the gradient takes as many operations as an output has summands.
        return 2 * prod(given[0]) * prod(made[0][1:])
    if isinstance(primitive, _REDUCTIONS):
        return prod(given[0])
    return max(map(prod, [*made, *given]))


def bytes_of(inputs: Sequence[Any], outputs: Any) -> tuple[int, int]:
    """The bytes of all tensors among the inputs, and among the outputs."""
    return sum(x.nbytes for x in _tensors(inputs)), sum(x.nbytes for x in _tensors(outputs))


def _tensors(value: object) -> list[Tensor | PlannedTensor]:
    if isinstance(value, Tensor | PlannedTensor):
        return [value]
    if isinstance(value, tuple | list):
        return [x for item in value for x in _tensors(item)]
    return []
