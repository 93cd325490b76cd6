"""Arithmetic and comparison on values of the program: of tensors by their methods, of numbers when the program runs."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Final

import numpy as np

from framework.common.tensor import Tensor
from framework.infer.values import constant, is_known, value_of
from framework.ir.abstract import UNKNOWN, AbstractScalar, AbstractTensor
from framework.ir.anf import Node
from framework.ir.python_ops import PythonOp
from framework.ops.tensor_operators import as_written

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__ = ["scalar", "tensor_operator"]

_REFLECTED: Final = {
    "lt": "__gt__", "le": "__ge__", "gt": "__lt__", "ge": "__le__", "eq": "__eq__", "ne": "__ne__",
}  # fmt: skip
_METHODS: Final = {"and_": "and", "or_": "or"}


def scalar(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """Arithmetic on numbers that are known only when the program runs."""
    samples = [
        argument.abstract.type(1) if isinstance(argument.abstract, AbstractScalar) else None for argument in arguments
    ]
    kind = type(operator.run(*samples))
    return calls.emit(operator, arguments, AbstractScalar(UNKNOWN, kind))


def tensor_operator(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """What the method of tensors for an operator gives; reflected where only the second operand is a tensor."""
    name = _METHODS.get(operator.name, operator.name)
    first, *rest = map(_of_numpy, arguments)
    own = getattr(type(getattr(first.abstract, "value", None)), f"__{name}__", None)
    if isinstance(own, FunctionType) and not isinstance(first.abstract, AbstractTensor):
        return calls.call(constant(own), arguments, {})
    if isinstance(first.abstract, AbstractTensor):
        method = getattr(Tensor, f"__{name}__", None)
        given = [first, *rest]
    else:
        method = getattr(Tensor, _REFLECTED.get(operator.name, f"__r{name}__"), None)
        given = [*rest, first]
    if method is None:
        raise calls.program.error(f"'{operator.symbol}' is not defined for tensors")
    return calls.call(constant(as_written(method)), given, {})


def _of_numpy(node: Node) -> Node:
    """An array or number of numpy as the tensor that PyNative mode makes of it."""
    value = value_of(node) if is_known(node) else None
    return constant(Tensor(value)) if isinstance(value, np.ndarray | np.generic) else node
