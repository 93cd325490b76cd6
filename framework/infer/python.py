"""What Python's operators mean for the types at hand: Python's own results for known values, primitives for tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.infer.values import Choice, Closure, constant, is_known, value_of
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
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

__all__ = ["apply", "scalar"]

Rule = Callable[["Calls", PythonOp, Sequence[Node]], Node]

_REFLECTED: Final = {
    "lt": "__gt__", "le": "__ge__", "gt": "__lt__", "ge": "__le__", "eq": "__eq__", "ne": "__ne__",
}  # fmt: skip
_METHODS: Final = {"and_": "and", "or_": "or"}


def apply(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The result of an operator of Python."""
    rule = _RULES.get(operator.name)
    if rule is not None:
        return rule(calls, operator, arguments)
    if any(isinstance(argument.abstract, AbstractTensor) for argument in arguments):
        return _tensor_operator(calls, operator, arguments)
    if all(map(is_known, arguments)):
        return calls.evaluate(operator.run, arguments, {})
    if all(isinstance(argument.abstract, AbstractScalar) for argument in arguments):
        return scalar(calls, operator, arguments)
    if all(isinstance(argument.abstract, AbstractTuple) for argument in arguments) and operator.name == "add":
        return _add_sequences(calls, arguments)
    if isinstance(arguments[0].abstract, AbstractTuple) and operator.name == "mul" and is_known(arguments[1]):
        items = calls.items(arguments[0]) * value_of(arguments[1])
        return calls.make_list(items) if arguments[0].abstract.is_list else calls.make_tuple(items)
    given = " and ".join(str(argument.abstract) for argument in arguments)
    raise calls.program.error(f"'{operator.symbol}' is not defined for {given}")


def scalar(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """Arithmetic on numbers that are known only when the program runs."""
    samples = [
        argument.abstract.type(1) if isinstance(argument.abstract, AbstractScalar) else None for argument in arguments
    ]
    kind = type(operator.run(*samples))
    return calls.emit(operator, arguments, AbstractScalar(UNKNOWN, kind))


def _tensor_operator(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    name = _METHODS.get(operator.name, operator.name)
    first, *rest = arguments
    if isinstance(first.abstract, AbstractTensor):
        method = getattr(Tensor, f"__{name}__", None)
        given = [first, *rest]
    else:
        method = getattr(Tensor, _REFLECTED.get(operator.name, f"__r{name}__"), None)
        given = [*rest, first]
    if method is None:
        raise calls.program.error(f"'{operator.symbol}' is not defined for tensors")
    return calls.call(constant(method), given, {})


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


def _getattr(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    owner, name = arguments[0], value_of(arguments[1])
    abstract = owner.abstract
    if isinstance(abstract, AbstractTensor):
        return _tensor_attribute(calls, owner, abstract, name)
    if isinstance(abstract, AbstractFunction) and isinstance(abstract.value, Closure | Choice):
        raise calls.program.error(f"functions of a compiled program have no attribute '{name}'")
    if isinstance(abstract, AbstractDict) and name in ("keys", "values", "items", "get"):
        return constant(_DictMethod(owner, name))
    if isinstance(abstract, AbstractTuple) and not is_known(owner):
        raise calls.program.error(
            f"{abstract} has no attribute '{name}' in a compiled program: index it or loop over it"
        )
    return calls.read(name, value_of(owner), name)


class _DictMethod:
    """A method of a dictionary of the program."""

    def __init__(self, owner: Node, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self) -> None:
        """Called by inference only."""

    def infer(self, calls: Calls, arguments: Sequence[Node]) -> Node:
        """What a call gives."""
        entries = calls.entries(self.owner)
        if self.name == "get":
            key, default = value_of(arguments[0]), (arguments[1] if len(arguments) > 1 else constant(None))
            return entries.get(key, default)
        keys = [constant(key) for key in entries]
        if self.name == "keys":
            return calls.make_tuple(keys)
        if self.name == "values":
            return calls.make_tuple(list(entries.values()))
        return calls.make_tuple([calls.make_tuple(pair) for pair in zip(keys, entries.values(), strict=True)])


class CallableShape(tuple[int, ...]):
    """A shape, which the older spelling `x.shape()` calls."""

    __slots__ = ()

    def __call__(self) -> tuple[int, ...]:
        """The shape itself."""
        return tuple(self)


def _tensor_attribute(calls: Calls, owner: Node, abstract: AbstractTensor, name: str) -> Node:
    if isinstance(owner.abstract, AbstractTensor) and name == "shape":
        return _shape(calls, owner, abstract)
    known: dict[str, Callable[[], Any]] = {
        "dtype": lambda: abstract.dtype,
        "ndim": lambda: len(abstract.shape),
        "itemsize": lambda: abstract.dtype.itemsize,
    }
    if name in known:
        return constant(known[name]())
    if name == "size" and None not in abstract.shape:
        total = 1
        for dim in abstract.shape:
            total *= dim or 0
        return constant(total)
    weight = next((w.default for w in calls.program.weights.values() if w is owner), None)
    if weight is not None and name in ("name", "requires_grad", "key"):
        return calls.read(name, weight, name)
    found = getattr(Tensor, name, None)
    if isinstance(found, property) and found.fget is not None:
        return calls.call(constant(found.fget), [owner], {})
    if found is None or name in ("asnumpy", "numpy", "item", "tolist", "set_dtype", "assign_value"):
        raise calls.program.error(
            f"a tensor has no '{name}' in a compiled program: its elements are not known before it runs"
            if found is not None
            else f"a tensor has no attribute '{name}'"
        )
    return constant(BoundMethod(found, owner))


class BoundMethod:
    """A method of a tensor of the program."""

    def __init__(self, function: Any, owner: Node) -> None:
        self.function = function
        self.owner = owner

    def __call__(self) -> None:
        """Called by inference only."""


def _shape(calls: Calls, owner: Node, abstract: AbstractTensor) -> Node:
    if None not in abstract.shape:
        return constant(abstract.shape)
    from framework.ops import operations

    whole = calls.emit(operations.Shape(), [owner], AbstractTuple(tuple(map(_dim, abstract.shape))))
    return calls.make_tuple([calls.get_item(whole, place) for place in range(len(abstract.shape))])


def _dim(dim: int | None) -> Abstract:
    return AbstractScalar(UNKNOWN, int) if dim is None else AbstractScalar(dim)


def _setattr(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    owner, name, value = arguments[0], value_of(arguments[1]), arguments[2]
    target = getattr(value_of(owner), name, None) if is_known(owner) else None
    if not isinstance(target, Weight):
        raise calls.program.error(
            f"only a Parameter can be assigned in a compiled program, and '{name}' is none: return the value instead"
        )
    from framework.ops import operations

    return calls.call(constant(operations.Assign()), [calls.weight(target), value], {})


def _getitem(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    owner, index = arguments
    abstract = owner.abstract
    if isinstance(abstract, AbstractTensor):
        return _tensor_operator(calls, operator, arguments)
    if isinstance(abstract, AbstractTuple):
        return _sequence_item(calls, owner, abstract, index)
    if isinstance(abstract, AbstractDict):
        entries = calls.entries(owner)
        key = value_of(index)
        if key not in entries:
            raise calls.program.error(f"the dictionary has no key {key!r}, but {list(entries)}")
        return entries[key]
    if not is_known(index):
        raise calls.program.error(f"{abstract} needs an index that is known when compiling, not {index.abstract}")
    container = value_of(owner)
    try:
        if hasattr(container, "construct") or hasattr(container, "_cells"):
            item: Any = container[value_of(index)]
            return calls.of_value(item)
        return calls.evaluate(operator.run, arguments, {})
    except (IndexError, KeyError, TypeError) as error:
        raise calls.program.error(str(error)) from error


def _sequence_item(calls: Calls, owner: Node, abstract: AbstractTuple, index: Node) -> Node:
    items = calls.items(owner)
    if is_known(index):
        place = value_of(index)
        if isinstance(place, slice):
            return calls.make_list(items[place]) if abstract.is_list else calls.make_tuple(items[place])
        try:
            element: Node = items[place.item() if isinstance(place, Tensor) else place]
            return element
        except (IndexError, TypeError) as error:
            raise calls.program.error(f"{error}: {abstract}[{place!r}]") from None
    try:
        found = op_infer(abstract)
    except TypeError as error:
        raise calls.program.error(
            f"an index that is known only at run time needs elements of one type: {error}"
        ) from None
    return calls.emit(op("getitem"), [owner, index], found)


def op_infer(abstract: AbstractTuple) -> Abstract:
    """What any element of a sequence is."""
    from framework.ir.operators import TUPLE_GETITEM

    return TUPLE_GETITEM.infer(abstract, AbstractScalar(UNKNOWN, int))


def _setitem(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    owner, index, value = arguments
    abstract = owner.abstract
    if isinstance(abstract, AbstractTensor):
        from framework.ops.tensor_methods import setitem

        return calls.call(constant(setitem), arguments, {})
    if isinstance(abstract, AbstractDict):
        return calls.make_dict({**calls.entries(owner), value_of(index): value})
    if not isinstance(abstract, AbstractTuple) or not abstract.is_list or not is_known(index):
        raise calls.program.error(f"an item of {abstract} cannot be set at {index.abstract}")
    items = list(calls.items(owner))
    try:
        items[value_of(index)] = value
    except IndexError as error:
        raise calls.program.error(str(error)) from None
    return calls.make_list(items)


def _sequence(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    abstract = arguments[0].abstract
    if isinstance(abstract, AbstractTuple | AbstractTensor):
        return arguments[0]
    if isinstance(abstract, AbstractDict):
        return constant(abstract.keys)
    if not is_known(arguments[0]):
        raise calls.program.error(f"a loop cannot run over {abstract}")
    found = value_of(arguments[0])
    if isinstance(found, range):
        return arguments[0]
    try:
        return calls.of_value(tuple(found))
    except TypeError as error:
        raise calls.program.error(str(error)) from None


def _length(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    abstract = arguments[0].abstract
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return constant(len(abstract.elements))
    if isinstance(abstract, AbstractTensor):
        if not abstract.shape:
            raise calls.program.error(f"{abstract} has no length")
        return _sequence_item(calls, _shape(calls, arguments[0], abstract), AbstractTuple(()), constant(0))
    return calls.evaluate(len, arguments, {})


def _item(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    owner, index = arguments
    if isinstance(owner.abstract, AbstractTensor | AbstractTuple):
        return _getitem(calls, op("getitem"), arguments)
    found = value_of(owner)
    if isinstance(found, range) and not is_known(index):
        scaled = scalar(calls, op("mul"), [index, constant(found.step)])
        return scalar(calls, op("add"), [constant(found.start), scaled])
    return calls.evaluate(operator.run, arguments, {})


def _unpack(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    value, before, star, after = arguments[0], *(value_of(argument) for argument in arguments[1:])
    if isinstance(value.abstract, AbstractTensor):
        length = value_of(_length(calls, op("length"), [value]))
        items = [_getitem(calls, op("getitem"), [value, constant(place)]) for place in range(length)]
    else:
        items = calls.items(
            _sequence(calls, operator, [value]) if not _is_range(value) else calls.evaluate(tuple, [value], {})
        )
    if len(items) < before + after or (not star and len(items) > before):
        raise calls.program.error(f"cannot unpack {len(items)} values into {before + after} variables")
    if star:
        behind = len(items) - after
        items = [*items[:before], calls.make_list(items[before:behind]), *items[behind:]]
    return calls.make_tuple(items)


def _is_range(node: Node) -> bool:
    return isinstance(node.abstract, AbstractConst) and isinstance(node.abstract.value, range)


def _append(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    owner, more = arguments
    if not isinstance(owner.abstract, AbstractTuple) or not owner.abstract.is_list:
        raise calls.program.error(f".{operator.name}() changes lists only, not {owner.abstract}")
    added = [more] if operator.name == "append" else calls.items(_as_tuple(calls, operator, [more]))
    return calls.make_list([*calls.items(owner), *added])


def _as_tuple(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    value = arguments[0]
    count = len(value.abstract.elements) if isinstance(value.abstract, AbstractTuple) else None
    return (
        _unpack(calls, operator, [value, constant(count), constant(False), constant(0)])
        if count is not None
        else (calls.evaluate(tuple, [_sequence(calls, operator, arguments)], {}))
    )


def _merge(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    merged: dict[Any, Node] = {}
    for argument in arguments:
        merged.update(calls.entries(argument))
    return calls.make_dict(merged)


def _raise(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    error = value_of(arguments[0])
    if calls.specializer.emitter.depth == 0:
        made = error() if isinstance(error, type) else error
        if isinstance(made, GraphError) or not made.args:
            raise made
        place = "" if calls.program.location is None else "\n" + calls.program.location.pointed()
        raise type(made)(f"{made.args[0]}{place}", *made.args[1:]) from None
    return _effect(calls, operator, arguments)


def _assert(calls: Calls, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    tested = _bool(calls, op("bool"), arguments[:1])
    if is_known(tested) and value_of(tested):
        return constant(None)
    if is_known(tested) and calls.specializer.emitter.depth == 0:
        message = value_of(arguments[1])
        raise AssertionError(*(() if message is None else (message,)))
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
    "getattr": _getattr,
    "setattr": _setattr,
    "getitem": _getitem,
    "setitem": _setitem,
    "sequence": _sequence,
    "length": _length,
    "item": _item,
    "unpack": _unpack,
    "append": _append,
    "extend": _append,
    "as_tuple": _as_tuple,
    "merge": _merge,
    "raise": _raise,
    "assert": _assert,
    "join": _text,
    "format": _text,
}
