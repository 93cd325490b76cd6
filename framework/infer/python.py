"""What Python's operators mean for the types at hand: Python's own results for known values, primitives for tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from framework.infer import attributes, changing, sequences
from framework.infer.arithmetic import scalar, tensor_operator
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
from framework.ir.errors import GraphError
from framework.ir.python_ops import PythonOp, op

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__ = ["apply"]

Rule = Callable[["Calls", PythonOp, Sequence[Node]], Node]


def apply(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The result of an operator of Python."""
    rule = _RULES.get(operator.name)
    if rule is not None:
        return rule(calls, operator, arguments)
    if any(isinstance(argument.abstract, AbstractTensor) for argument in arguments):
        return tensor_operator(calls, operator, arguments)
    if all(map(is_known, arguments)):
        return calls.evaluate(operator.run, arguments, {})
    if operator.name == "add" and any(_is_text(argument) for argument in arguments):
        return _text(calls, op("join"), arguments)
    if all(isinstance(argument.abstract, AbstractScalar) for argument in arguments):
        return scalar(calls, operator, arguments)
    if all(isinstance(argument.abstract, AbstractTuple) for argument in arguments) and operator.name == "add":
        return _add_sequences(calls, arguments)
    if isinstance(arguments[0].abstract, AbstractTuple) and operator.name == "mul" and is_known(arguments[1]):
        items = calls.items(arguments[0]) * value_of(arguments[1])
        return calls.make_list(items) if arguments[0].abstract.is_list else calls.make_tuple(items)
    given = " and ".join(str(argument.abstract) for argument in arguments)
    raise calls.program.error(f"'{operator.symbol}' is not defined for {given}")


def _add_sequences(calls: Calls, arguments: Sequence[Node]) -> Node:
    items = [item for argument in arguments for item in calls.items(argument)]
    is_list = isinstance(arguments[0].abstract, AbstractTuple) and arguments[0].abstract.is_list
    return calls.make_list(items) if is_list else calls.make_tuple(items)


def _bool(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    abstract = arguments[0].abstract
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return constant(bool(abstract.elements))
    if isinstance(abstract, AbstractTensor):
        if any(dim not in (1, None) for dim in abstract.shape):
            raise calls.program.error(
                f"{abstract} is neither true nor false: use .any() or .all() to reduce it to one element"
            )
        if is_known(arguments[0]):
            return constant(bool(value_of(arguments[0])))
        return calls.emit(operator, arguments, AbstractScalar(UNKNOWN, bool))
    if isinstance(abstract, AbstractScalar) and abstract.value is UNKNOWN:
        return calls.emit(operator, arguments, AbstractScalar(UNKNOWN, bool))
    if isinstance(abstract, AbstractFunction):
        return constant(True)
    return constant(bool(_object(arguments[0])))


def _not(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    tested = _bool(calls, op("bool"), arguments)
    if is_known(tested):
        return constant(not value_of(tested))
    return calls.emit(operator, [tested], AbstractScalar(UNKNOWN, bool))


def _object(node: Node) -> Any:
    """The Python object that a node is, for questions of identity: only those that are one are told apart."""
    if isinstance(node.abstract, AbstractConst | AbstractFunction | AbstractScalar):
        return node.abstract.value
    return node


def _is(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    first, second = map(_object, arguments)
    return constant((first is second) == (operator.name == "is_"))


def _in(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    item, within = arguments
    if isinstance(within.abstract, AbstractDict) and is_known(item):
        found = value_of(item) in within.abstract.keys
    elif is_known(item) and is_known(within):
        found = value_of(item) in value_of(within)
    else:
        raise calls.program.error(
            f"'in' needs values that are known when compiling, not {item.abstract} and {within.abstract}: compare by =="
        )
    return constant(found == (operator.name == "in_"))


def _raise(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    if is_known(arguments[0]) and _is_certain(calls):
        error = value_of(arguments[0])
        made = error() if isinstance(error, type) else error
        raise made if isinstance(made, GraphError) else _placed(calls, made)
    return _effect(calls, operator, arguments)


def _placed(calls: Calls, error: BaseException) -> BaseException:
    """An error that the user raises, with a note of the line, as of those that come when the program runs."""
    if calls.program.location is not None:
        error.add_note(calls.program.location.pointed())
    return error.with_traceback(None)


def _is_certain(calls: Calls) -> bool:
    """Whether the program comes here whatever its arguments are, and has done nothing that shows before."""
    return calls.specializer.emitter.depth == 0 and not calls.specializer.emitter.effects


def _assert(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    tested = _bool(calls, op("bool"), arguments[:1])
    if is_known(tested) and value_of(tested):
        return constant(None)
    if is_known(tested) and _is_certain(calls):
        message = value_of(arguments[1])
        raise _placed(calls, AssertionError(*(() if message is None else (message,))))
    return _effect(calls, operator, [tested, arguments[1]])


def _effect(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    emitter = calls.specializer.emitter
    node = calls.emit(operator, [*arguments, emitter.state], AbstractConst(None))
    calls.specializer.effect(node)
    return node


def _text(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    if all(map(is_known, arguments)):
        return calls.evaluate(operator.run, arguments, {})
    return calls.emit(operator, arguments, AbstractText())


def _is_text(node: Node) -> bool:
    return isinstance(node.abstract, AbstractScalar) and node.abstract.type is str


class AbstractText(AbstractScalar):
    """A text that is known only when the program runs."""

    def __init__(self) -> None:
        super().__init__(UNKNOWN, str)


_RULES: Final[dict[str, Rule]] = {
    "bool": _bool,
    "not_": _not,
    "is_": _is,
    "is_not": _is,
    "in_": _in,
    "not_in": _in,
    "getattr": attributes.get_attribute,
    "setattr": attributes.set_attribute,
    "getitem": sequences.get_item,
    "setitem": sequences.set_item,
    "sequence": sequences.sequence,
    "length": sequences.length,
    "item": sequences.item,
    "unpack": sequences.unpack,
    "iterator": sequences.iterator,
    "put_back": sequences.set_item,
    "change": changing.change,
    "add_to": changing.add_to,
    "multiply_by": changing.add_to,
    "as_tuple": sequences.as_tuple,
    "merge": sequences.merge,
    "raise": _raise,
    "assert": _assert,
    "join": _text,
    "format": _text,
}
