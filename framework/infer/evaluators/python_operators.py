"""Evaluators of Python's operators: Python's own results for known values, primitives for tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

from framework.infer.evaluators import attributes, containers, mutating_methods
from framework.infer.evaluators.arithmetic import apply_to_values, scalar, text
from framework.infer.evaluators.inference import Inference
from framework.infer.values import constant, is_known, value_of
from framework.ir.abstract import (
    UNKNOWN,
    AbstractConst,
    AbstractDict,
    AbstractFunction,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import Node
from framework.ir.errors import GraphError, PythonOnlyError
from framework.ir.python_ops import PythonOp, op

__all__ = ["any_of", "apply", "call_method", "comparisons", "elements", "equals"]

Rule = Callable[[Inference, PythonOp, Sequence[Node]], Node]


def apply(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The result of an operator of Python."""
    rule = _RULES.get(operator.name)
    if rule is not None:
        return rule(infer, operator, arguments)
    return apply_to_values(infer, operator, arguments)


def _bool(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    abstract = arguments[0].abstract
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return constant(bool(abstract.elements))
    if isinstance(abstract, AbstractTensor):
        if any(dim not in (1, None) for dim in abstract.shape):
            raise infer.program.error(
                "The truth value of an array with more than one element is ambiguous: "
                f"reduce {abstract} by .any() or .all()"
            )
        if is_known(arguments[0]):
            return constant(bool(value_of(arguments[0])))
        return infer.build.emit(operator, arguments, AbstractScalar(UNKNOWN, bool))
    if isinstance(abstract, AbstractScalar) and abstract.value is UNKNOWN:
        return infer.build.emit(operator, arguments, AbstractScalar(UNKNOWN, bool))
    if isinstance(abstract, AbstractFunction):
        return constant(True)
    return constant(bool(_object(arguments[0])))


def _not(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    tested = _bool(infer, op("bool"), arguments)
    if is_known(tested):
        return constant(not value_of(tested))
    return infer.build.emit(operator, [tested], AbstractScalar(UNKNOWN, bool))


def _object(node: Node) -> Any:
    """The Python object of a node, for comparison by identity. Other values are identical only to themselves."""
    if isinstance(node.abstract, AbstractConst | AbstractFunction | AbstractScalar):
        return node.abstract.value
    return node


def _is(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    if infer.program.is_part and not any(map(is_known, arguments)):
        raise infer.program.error("only Python knows whether two arguments are one object", PythonOnlyError)
    first, second = map(_object, arguments)
    return constant((first is second) == (operator.name == "is_"))


def _in(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    item, within = arguments
    if isinstance(within.abstract, AbstractDict) and (is_known(item) or isinstance(item.abstract, AbstractTensor)):
        # A tensor is equal to no key, as it is found by its identity.
        found = is_known(item) and value_of(item) in within.abstract.keys
    elif is_known(item) and is_known(within):
        found = value_of(item) in value_of(within)
    elif isinstance(within.abstract, AbstractTuple | AbstractTensor):
        among = _among(infer, item, within)
        return among if operator.name == "in_" else _not(infer, op("not_"), [among])
    else:
        raise infer.program.error(
            f"'in' needs values known at compile time, not {item.abstract} and {within.abstract}: compare by ==",
            PythonOnlyError,
        )
    return constant(found == (operator.name == "in_"))


def _among(infer: Inference, item: Node, within: Node) -> Node:
    """Whether a value is among the items of a sequence or the rows of a tensor."""
    is_vector = isinstance(within.abstract, AbstractTensor) and len(within.abstract.shape) == 1
    if is_vector and (isinstance(item.abstract, AbstractScalar) or getattr(item.abstract, "shape", None) == ()):
        equal = apply(infer, op("eq"), [within, item])
        return _bool(infer, op("bool"), [call_method(infer, equal, "any")])
    return any_of(infer, comparisons(infer, item, elements(infer, within)))


def call_method(infer: Inference, owner: Node, name: str, *arguments: Node) -> Node:
    """`owner.name(*arguments)`."""
    return infer.call(apply(infer, op("getattr"), [owner, constant(name)]), arguments, {})


def elements(infer: Inference, node: Node) -> list[Node]:
    """The items of an iterable; those of a tensor are its rows."""
    if isinstance(node.abstract, AbstractTensor):
        length = value_of(containers.length(infer, op("length"), [node]))
        return [containers.get_item(infer, op("getitem"), [node, constant(place)]) for place in range(length)]
    return infer.build.items(containers.as_tuple(infer, op("as_tuple"), [node]))


def equals(infer: Inference, item: Node, other: Node) -> Node:
    """Whether two values are the same object or equal, as `in` compares them."""
    if _object(item) is _object(other):
        return constant(True)
    if any(isinstance(node.abstract, AbstractDict) for node in (item, other)) and not _are_dicts(item, other):
        return constant(False)
    return _bool(infer, op("bool"), [apply(infer, op("eq"), [item, other])])


def _are_dicts(*nodes: Node) -> bool:
    return all(isinstance(node.abstract, AbstractDict) for node in nodes)


def comparisons(infer: Inference, item: Node, others: Sequence[Node]) -> list[Node]:
    """Whether a value equals each of others, up to one that certainly does: Python looks no further."""
    truths: list[Node] = []
    for other in others:
        truths.append(equals(infer, item, other))
        if is_known(truths[-1]) and value_of(truths[-1]):
            break
    return truths


def any_of(infer: Inference, truths: Sequence[Node]) -> Node:
    """Whether any of several truth values is true."""
    open_ones = [truth for truth in truths if not is_known(truth)]
    if not open_ones or any(is_known(truth) and value_of(truth) for truth in truths):
        return constant(len(open_ones) < len(truths) and any(value_of(t) for t in truths if is_known(t)))
    return functools.reduce(lambda one, other: scalar(infer, op("or_"), [one, other]), open_ones)


def _raise(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    if is_known(arguments[0]) and _is_certain(infer):
        error = value_of(arguments[0])
        made = error() if isinstance(error, type) else error
        raise made if isinstance(made, GraphError) else _placed(infer, made)
    return _effect(infer, operator, arguments)


def _placed(infer: Inference, error: BaseException) -> BaseException:
    """An error that the user raises, with a note of the line, like errors at run time."""
    if infer.program.location is not None:
        error.add_note(infer.program.location.pointed())
    return error.with_traceback(None)


def _is_certain(infer: Inference) -> bool:
    """Whether the program reaches this point for all arguments, and has no visible effect before it."""
    return infer.build.emitter.depth == 0 and not infer.build.emitter.effects


def _assert(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    tested = _bool(infer, op("bool"), arguments[:1])
    if is_known(tested) and value_of(tested):
        return constant(None)
    if is_known(tested) and _is_certain(infer):
        message = value_of(arguments[1])
        raise _placed(infer, AssertionError(*(() if message is None else (message,))))
    return _effect(infer, operator, [tested, arguments[1]])


def _effect(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    if infer.program.is_part:
        raise infer.program.error("the user's error is raised by Python, at its line", PythonOnlyError)
    emitter = infer.build.emitter
    node = infer.build.emit(operator, [*arguments, emitter.state], AbstractConst(None))
    infer.build.effect(node)
    return node


def _slice(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`start:stop:step`. A constant tensor with one element counts as its number."""
    parts = []
    for part in arguments:
        if isinstance(part.abstract, AbstractTensor):
            part = attributes.element_of(infer, part)
        if not is_known(part):
            raise infer.program.error("a part of a slice is unknown at compile time", PythonOnlyError)
        parts.append(part)
    return infer.evaluate(slice, parts, {})


_RULES: Final[dict[str, Rule]] = {
    "bool": _bool,
    "not_": _not,
    "is_": _is,
    "is_not": _is,
    "in_": _in,
    "not_in": _in,
    "getattr": attributes.get_attribute,
    "setattr": attributes.set_attribute,
    "getitem": containers.get_item,
    "setitem": containers.set_item,
    "sequence": containers.sequence,
    "slice": _slice,
    "length": containers.length,
    "item": containers.item,
    "unpack": containers.unpack,
    "iterator": containers.iterator,
    "put_back": containers.set_item,
    "change": mutating_methods.change,
    "add_to": mutating_methods.add_to,
    "multiply_by": mutating_methods.add_to,
    "as_tuple": containers.as_tuple,
    "merge": containers.merge,
    "delete": lambda infer, operator, arguments: constant(None),
    "raise": _raise,
    "assert": _assert,
    "join": text,
    "format": text,
}
