"""What Python's builtin functions mean for values of the program; all others run while compiling, on known values."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from framework.common.tensor import Tensor
from framework.infer import python, sequences
from framework.infer.attributes import BoundMethod, DictMethod, ListCopy, ListMethod
from framework.infer.meanings import HANDLERS, Handler, handler, register, register_kind
from framework.infer.values import constant, is_known, value_of
from framework.ir.abstract import (
    UNKNOWN,
    AbstractConst,
    AbstractDict,
    AbstractFunction,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
    known,
)
from framework.ir.anf import Node
from framework.ir.python_ops import ALL as OPERATORS
from framework.ir.python_ops import op, printing
from framework.ops.needed import is_needed

if TYPE_CHECKING:
    from framework.infer.calls import Calls

__all__ = ["elements", "handler", "register", "register_kind"]


@register_kind(BoundMethod)
def _method(calls: Calls, callee: BoundMethod, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return calls.call(constant(callee.function), [callee.owner, *arguments], named)


@register_kind(DictMethod, ListCopy, ListMethod)
def _container_method(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    found: Node = callee.infer(calls, arguments)
    return found


def _through(name: str) -> Handler:
    """A builtin that is an operator of Python."""

    def infer(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        return python.apply(calls, op(name), arguments)

    return infer


for _builtin, _name in ((len, "length"), (bool, "bool"), (tuple, "as_tuple")):
    HANDLERS[_builtin] = _through(_name)


@register(list)
def _list(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if not arguments:
        return calls.make_list([])
    return calls.make_list(calls.items(python.apply(calls, op("as_tuple"), arguments)))


@register(dict)
def _dict(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    first = calls.entries(arguments[0]) if arguments else {}
    return calls.make_dict({**first, **named})


@register(isinstance)
def _isinstance(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    kinds = value_of(arguments[1])
    weight = next((w.default for w in calls.program.weights.values() if w is arguments[0]), None)
    return constant(issubclass(python_type(arguments[0]) if weight is None else type(weight), kinds))


@register(type)
def _type(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return constant(python_type(arguments[0]))


def python_type(node: Node) -> type:
    """The class of what a node stands for."""
    abstract = node.abstract
    if isinstance(abstract, AbstractTensor):
        return Tensor
    if isinstance(abstract, AbstractScalar):
        return abstract.type
    if isinstance(abstract, AbstractTuple):
        return abstract.kind or (list if abstract.is_list else tuple)
    if isinstance(abstract, AbstractDict):
        return dict
    return type(abstract.value) if isinstance(abstract, AbstractConst) else type(lambda: None)


@register(hasattr)
def _hasattr(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    owner, name = arguments[0], value_of(arguments[1])
    if isinstance(owner.abstract, AbstractTensor):
        return constant(hasattr(Tensor, name))
    return constant(hasattr(value_of(owner), name))


@register(getattr)
def _getattr(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if len(arguments) == 3 and not value_of(_hasattr(calls, hasattr, arguments[:2], {})):
        return arguments[2]
    return python.apply(calls, op("getattr"), arguments[:2])


@register(zip)
def _zip(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    columns = [elements(calls, argument) for argument in arguments]
    strict = "strict" in named and value_of(named["strict"])
    if strict and len({len(column) for column in columns}) > 1:
        raise calls.program.error("zip() arguments differ in length")
    return _one_time(calls, [calls.make_tuple(row) for row in zip(*columns, strict=False)], arguments)


def _one_time(calls: Calls, items: Sequence[Node], of: Sequence[Node]) -> Node:
    """Items that can be gone through once, of values that Python would look at only then."""
    made = python.apply(calls, op("iterator"), [calls.make_tuple(items)])
    for source in of:
        calls.specializer.changes.uses(made, source)
    return made


@register(enumerate)
def _enumerate(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    given = [*arguments[1:], *named.values()]
    start = value_of(given[0]) if given else 0
    items = elements(calls, arguments[0])
    counted = [calls.make_tuple([constant(place), item]) for place, item in enumerate(items, start)]
    return _one_time(calls, counted, arguments[:1])


@register(reversed)
def _reversed(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return _one_time(calls, elements(calls, arguments[0])[::-1], arguments)


@register(map)
def _map(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    columns = [elements(calls, argument) for argument in arguments[1:]]
    made = _one_time(calls, [calls.call(arguments[0], row, {}) for row in zip(*columns, strict=False)], arguments[1:])
    calls.specializer.changes.uses(made, arguments[0])
    return made


@register(filter)
def _filter(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    kept = []
    for item in elements(calls, arguments[1]):
        tested = item if is_known(arguments[0]) else calls.call(arguments[0], [item], {})
        if not is_known(tested):
            raise calls.program.error("filter() needs conditions that are known when compiling: use ops.select")
        if value_of(tested):
            kept.append(item)
    made = _one_time(calls, kept, arguments[1:])
    calls.specializer.changes.uses(made, arguments[0])
    return made


@register(callable)
def _callable(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    abstract = arguments[0].abstract
    return constant(
        isinstance(abstract, AbstractFunction) or (is_known(arguments[0]) and callable(value_of(arguments[0])))
    )


def elements(calls: Calls, node: Node) -> list[Node]:
    """The items of what can be gone through: of a tensor its rows."""
    if isinstance(node.abstract, AbstractTensor):
        length = value_of(python.apply(calls, op("length"), [node]))
        return [python.apply(calls, op("getitem"), [node, constant(place)]) for place in range(length)]
    return calls.items(python.apply(calls, op("as_tuple"), [node]))


@register(sum)
def _sum(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if isinstance(arguments[0].abstract, AbstractTensor):
        return calls.call(python.apply(calls, op("getattr"), [arguments[0], constant("sum")]), [constant(0)], {})
    total = [*arguments[1:], *named.values(), constant(0)][0]
    for item in elements(calls, arguments[0]):
        total = python.apply(calls, op("add"), [total, item])
    return total


@register(sorted)
def _sorted(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return calls.make_list(sequences.in_order(calls, "sorted", elements(calls, arguments[0]), named))


@register(min, max)
def _extreme(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, [*arguments, *named.values()])):
        return calls.evaluate(callee, arguments, named)
    from framework.ops import operations

    items = elements(calls, arguments[0]) if len(arguments) == 1 else list(arguments)
    if not items and "default" in named:
        return named["default"]
    if not items:
        raise calls.program.error(f"{callee.__name__}() of nothing")
    if "key" in named:
        order = sequences.in_order(
            calls, callee.__name__, items, {"key": named["key"], "reverse": constant(callee is max)}
        )
        return order[0]
    primitive = operations.Minimum() if callee is min else operations.Maximum()
    best = items[0]
    for item in items[1:]:
        best = calls.call(constant(primitive), [best, item], {})
    return best


@register(abs)
def _abs(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if isinstance(arguments[0].abstract, AbstractTensor):
        return calls.call(constant(Tensor.__abs__), arguments, {})
    return calls.evaluate(abs, arguments, named)


@register(int, float)
def _number(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, arguments)):
        return calls.evaluate(callee, arguments, named)
    if isinstance(arguments[0].abstract, AbstractScalar):
        return calls.emit(callee, arguments, AbstractScalar(UNKNOWN, callee))
    raise calls.program.error(
        f"{callee.__name__}() of {arguments[0].abstract}, whose elements are not known when compiling: use .astype()"
    )


@register(print)
def _print(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    emitter = calls.specializer.emitter
    if named.keys() - {"sep", "end", "flush"}:
        raise calls.program.error("print() in a compiled program takes sep and end only, and prints to standard output")
    operator_ = op("print")
    if named:
        options = {name: value_of(value) for name, value in named.items()}
        operator_ = printing(options)
    node = calls.emit(operator_, [*arguments, emitter.state], AbstractConst(None))
    calls.specializer.effect(node)
    return node


@register(is_needed)
def _is_needed(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    abstract = arguments[0].abstract
    is_read = arguments[0] not in calls.program.unneeded
    return constant(is_read and abstract is not None and not known(abstract))


@register(str)
def _str(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, arguments)):
        return calls.evaluate(str, arguments, named)
    return python.apply(calls, op("format"), [arguments[0], constant(-1), constant("")])


@register(super)
def _super(calls: Calls, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if len(arguments) != 2 or not all(map(is_known, arguments)):
        raise calls.program.error("super() needs a class and a Cell here: call the class's method by its name")
    return constant(super(*map(value_of, arguments)))


for _function in vars(operator).values():
    _named = getattr(_function, "__name__", "").rstrip("_")
    for _name in (_named, f"{_named}_"):
        if getattr(_function, "__module__", "") == "_operator" and _name in OPERATORS:
            HANDLERS[_function] = _through(_name)
