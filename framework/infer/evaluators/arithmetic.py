"""Arithmetic and comparison on values of the program: tensors by their methods, numbers at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from framework.common.tensor import Tensor
from framework.infer.evaluators.inference import Inference
from framework.infer.values import are_alike, constant, is_dynamic, is_known, is_variable, on_python_values, value_of
from framework.ir.abstract import UNKNOWN, Abstract, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ir.anf import Node
from framework.ir.python_ops import PythonOp, op
from framework.ops.tensor_operators import as_tensor, as_written

__all__ = ["AbstractText", "apply_to_values", "in_python", "scalar", "text"]

_REFLECTED: Final = {
    "lt": "__gt__", "le": "__ge__", "gt": "__lt__", "ge": "__le__", "eq": "__eq__", "ne": "__ne__",
}  # fmt: skip
_METHODS: Final = {"and_": "and", "or_": "or"}
_OF_SEQUENCES: Final = frozenset({"add", "sub", "mul", "truediv", "floordiv", "mod"})


def apply_to_values(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The result of an operator of Python that only computes."""
    if any(isinstance(argument.abstract, AbstractTensor) for argument in arguments):
        return tensor_operator(infer, operator, arguments)
    if any(is_variable(argument.abstract) for argument in arguments):
        found = _of_sequences(infer, operator, arguments)
        if found is not None:
            return found
    if all(map(is_known, arguments)):
        return infer.evaluate(operator.run, arguments, {})
    if operator.name == "mod" and isinstance(getattr(arguments[0].abstract, "value", None), str):
        return text(infer, operator, arguments)
    if operator.name == "add" and any(map(_is_text, arguments)):
        return text(infer, op("join"), arguments)
    if all(isinstance(argument.abstract, AbstractScalar) for argument in arguments):
        return scalar(infer, operator, arguments)
    found = _of_sequences(infer, operator, arguments)
    if found is not None:
        return found
    given = " and ".join(str(argument.abstract) for argument in arguments)
    raise infer.program.refusal(f"'{operator.symbol}' is not defined for {given}", arguments)


def _of_sequences(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node | None:
    """Concatenate or repeat tuples or lists. None for anything else."""
    abstracts: list[Any] = [argument.abstract for argument in arguments]
    first = abstracts[0]
    if not isinstance(first, AbstractTuple):
        return None
    if operator.name == "add" and all(isinstance(argument.abstract, AbstractTuple) for argument in arguments):
        items = [item for argument in arguments for item in infer.build.items(argument)]
    elif operator.name == "mul" and is_known(arguments[1]):
        items = infer.build.items(arguments[0]) * value_of(arguments[1])
    else:
        return None
    made = infer.build.make_list(items) if first.is_list else infer.build.make_tuple(items)
    if not any(map(is_dynamic, abstracts)) and not (operator.name == "mul" and is_variable(abstracts[1])):
        return made
    if operator.name == "add":
        _of_one_type(infer, abstracts)
    return infer.build.dynamic(made)


def _of_one_type(infer: Inference, abstracts: Sequence[Any]) -> None:
    parts = [abstract.elements for abstract in abstracts if abstract.elements]
    if len(parts) > 1 and not are_alike(*parts[0], *parts[1]):
        raise infer.program.error(
            f"{abstracts[0]} and {abstracts[1]} have elements of different types, and the length of one may change"
        )


def text(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """A text that is made from others: now if they are known, else at run time."""
    if all(map(is_known, arguments)):
        return infer.evaluate(operator.run, arguments, {})
    return in_python(infer, operator.name, operator.run, arguments, AbstractText())


def in_python(
    infer: Inference, name: str, function: Callable[..., Any], arguments: Sequence[Node], abstract: Abstract
) -> Node:
    """The result of a function of Python that runs within the program; no gradient goes through it."""
    operator = on_python_values(name, function, [argument.abstract for argument in arguments])
    return infer.build.emit(operator, [infer.build.materialized(argument) for argument in arguments], abstract)


def _is_text(node: Node) -> bool:
    return isinstance(node.abstract, AbstractScalar) and node.abstract.type is str


class AbstractText(AbstractScalar):
    """A text that is known only at run time."""

    def __init__(self) -> None:
        super().__init__(UNKNOWN, str)


def scalar(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """Arithmetic on numbers that are known only at run time."""
    samples = [
        argument.abstract.type(1) if isinstance(argument.abstract, AbstractScalar) else None for argument in arguments
    ]
    kind = type(operator.run(*samples))
    return infer.build.emit(operator, arguments, AbstractScalar(UNKNOWN, kind))


def tensor_operator(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """Apply an operator by the method of tensors; by the reflected one if only the second operand is a tensor."""
    name = _METHODS.get(operator.name, operator.name)
    if operator.name in _OF_SEQUENCES:
        arguments = [_of_sequence(infer, argument, arguments) for argument in arguments]
    first, *rest = map(_of_numpy, arguments)
    own = getattr(type(getattr(first.abstract, "value", None)), f"__{name}__", None)
    if isinstance(own, FunctionType) and not isinstance(first.abstract, AbstractTensor):
        return infer.call(constant(own), arguments, {})
    if isinstance(first.abstract, AbstractTensor):
        method = getattr(Tensor, f"__{name}__", None)
        given = [first, *rest]
    else:
        method = getattr(Tensor, _REFLECTED.get(operator.name, f"__r{name}__"), None)
        given = [*rest, first]
    if method is None:
        raise infer.program.error(f"'{operator.symbol}' is not defined for tensors")
    return infer.call(constant(as_written(method)), given, {})


def _of_sequence(infer: Inference, node: Node, operands: Sequence[Node]) -> Node:
    """A list or tuple beside a tensor as a tensor of the same element type."""
    if not isinstance(node.abstract, AbstractTuple):
        return node
    dtype = next(item.abstract.dtype for item in operands if isinstance(item.abstract, AbstractTensor))
    return infer.call(constant(as_tensor), [node, constant(dtype)], {})


def _of_numpy(node: Node) -> Node:
    """An array or number of numpy as a tensor, as in PyNative mode."""
    value = value_of(node) if is_known(node) else None
    return constant(Tensor(value)) if isinstance(value, np.ndarray | np.generic) else node
