"""Which operators generated kernels can compute, and how a node becomes one step of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.infer.values import is_known, value_of
from framework.ir.abstract import UNKNOWN, AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, Node, ValueNode
from framework.kernels.fused import supports
from framework.ops import operations as P  # noqa: N812
from framework.ops.elementwise import FloatUnary, Unary
from framework.ops.shapes import axes_of

__all__ = ["Reduction", "number_of", "operands_of", "reduction_of", "seen_through", "step_type", "worth_alone"]

_LOOKED_THROUGH: Final = (P.BroadcastTo, P.BroadcastLike)
MOST_IN_A_ROW: Final = 8192
"""The longest row that a kernel adds up: the loop keeps a whole row until it is summed."""
_REDUCTIONS: Final = {P.ReduceSum: "sum", P.ReduceMean: "mean"}
MOST_EQUAL: Final = 4096
"""The largest constant that is checked for equal elements."""
#: Operators whose numpy kernels go over memory several times.
_COMPOSED: Final = (
    "Div", "Erf", "ErfGeLU", "ErfGeLUGrad", "GeLU", "HSigmoid", "HSwish", "ReLU6", "RealDiv", "ReluGrad", "Rsqrt",
    "Select", "SiLU", "Sigmoid", "Softplus", "Softsign", "SquaredDifference",
)  # fmt: skip


def step_type(node: CNode) -> str | None:
    """The element type in which the operands of an operator meet, by numpy's name; None if no kernel can compute it."""
    kind, output = type(node.operator), node.abstract
    if getattr(P, kind.__name__, None) is not kind or not _is_fixed(output) or issubclass(kind, _LOOKED_THROUGH):
        return None
    operands = operands_of(node)
    if not all(_is_fixed(item.abstract) or number_of(item) is not None for item in operands):
        return None
    if not any(isinstance(item.abstract, AbstractTensor) for item in operands):
        return None
    meets = _meets(kind, output, operands)
    if meets is None or not supports(kind.__name__, meets.numpy.name):
        return None
    return meets.numpy.name


@dataclass(frozen=True, slots=True)
class Reduction:
    """A sum or mean of a cluster's elements.

    Attributes:
        kind: "sum" or "mean".
        axes: the axes that are summed, the last ones of the input.
        keeps: whether the output keeps them with length 1.
    """

    kind: str
    axes: tuple[int, ...]
    keeps: bool


def reduction_of(node: CNode) -> Reduction | None:
    """The reduction over the input's last axes that an operator computes; None if a kernel cannot compute it."""
    kind = _REDUCTIONS.get(type(node.operator))
    if kind is None or not _is_fixed(node.abstract):
        return None
    x, *others = node.arguments
    if not isinstance(x.abstract, AbstractTensor) or not _is_fixed(x.abstract) or not all(map(is_known, others)):
        return None
    if x.abstract.dtype.numpy.kind != "f" or node.abstract.dtype is not x.abstract.dtype:  # type: ignore[union-attr]
        return None
    dims = [dim or 0 for dim in x.abstract.shape]
    axes = axes_of(value_of(others[0]) if others else (), len(dims))
    length = prod(dims[axis] for axis in axes)
    if not 1 < length <= MOST_IN_A_ROW or axes != tuple(range(len(dims) - len(axes), len(dims))):
        return None
    operator: Any = node.operator
    return Reduction(kind, axes, operator.keep_dims)


def _meets(kind: type, output: Any, operands: list[Node]) -> DType | None:
    if issubclass(kind, P.Cast | P.Div | FloatUnary):
        return output.dtype  # type: ignore[no-any-return]
    if issubclass(kind, P.Select):
        condition, *operands = operands
        if not isinstance(condition.abstract, AbstractTensor) or condition.abstract.dtype is not mstype.bool_:
            return None
    types = [_type_of(item) for item in operands]
    if issubclass(kind, Unary):
        return types[0]  # type: ignore[no-any-return]
    met: Any = types[0]
    for other in types[1:]:
        met = mstype.result_type(met, other)
    if issubclass(kind, P.ReluGrad | P.ErfGeLUGrad) and any(one is not met for one in types):
        return None
    return met if isinstance(met, DType) else None


def _type_of(item: Node) -> Any:
    number = number_of(item)
    return number if number is not None and not isinstance(item.abstract, AbstractTensor) else item.abstract.dtype  # type: ignore[union-attr]


def _is_fixed(abstract: Any) -> bool:
    """Whether a value is a tensor of known shape and of an element type that kernels support."""
    return (
        isinstance(abstract, AbstractTensor)
        and None not in abstract.shape
        and 0 not in abstract.shape
        and supports("Cast", abstract.dtype.numpy.name)
    )


def operands_of(node: CNode) -> list[Node]:
    """The operands of an operator; a cast has one."""
    return node.arguments[:1] if isinstance(node.operator, P.Cast) else node.arguments


def number_of(item: Node) -> Any:
    """The number of a constant: a Python number, or a small tensor whose elements are all equal. Else None."""
    if isinstance(item.abstract, AbstractScalar) and item.abstract.value is not UNKNOWN:
        return item.abstract.value if item.abstract.type in (bool, int, float) else None
    if not isinstance(item, ValueNode) or not isinstance(item.value, Tensor) or not 0 < item.value.size <= MOST_EQUAL:
        return None
    elements = item.value.asnumpy().reshape(-1)
    # Compared by their bits, because 0.0 equals -0.0, and NaN does not equal NaN.
    bits = np.ascontiguousarray(elements).view(np.uint8).reshape(elements.size, -1)
    return elements[0].item() if bool((bits == bits[0]).all()) else None


def seen_through(item: Node) -> Node:
    """The value that is read instead of one that only repeats it."""
    while (
        isinstance(item, CNode)
        and type(item.operator) in _LOOKED_THROUGH
        and _is_fixed(item.abstract)
        and _is_fixed(item.arguments[0].abstract)
        and item.arguments[0].abstract.dtype is item.abstract.dtype  # type: ignore[union-attr]
    ):
        item = item.arguments[0]
    return item


def worth_alone(node: CNode) -> bool:
    """Whether a generated kernel for this single operator is faster than numpy's."""
    return type(node.operator).__name__ in _COMPOSED
