"""Evaluators of Python's builtin functions for values of the program. Other functions run at compile time."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.dtype import bool_, int64
from framework.common.tensor import Tensor
from framework.infer.evaluators import containers, python_operators
from framework.infer.evaluators.attributes import BoundMethod, DictMethod, ElementOf, ListCopy, ListMethod, element_of
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import HANDLERS, Handler, register, register_kind
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
from framework.ir.errors import PythonOnlyError
from framework.ir.python_ops import ALL as OPERATORS
from framework.ir.python_ops import op, printing
from framework.ops import operations
from framework.ops.needed import is_needed

__all__ = ["elements", "python_type"]


@register_kind(BoundMethod)
def _method(infer: Inference, callee: BoundMethod, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.call(constant(callee.function), [callee.owner, *arguments], named)


@register_kind(DictMethod, ElementOf, ListCopy, ListMethod)
def _container_method(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    found: Node = callee.infer(infer, arguments)
    return found


def _through(name: str) -> Handler:
    """A builtin that is an operator of Python."""

    def evaluate(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        return python_operators.apply(infer, op(name), arguments)

    return evaluate


for _builtin, _name in ((len, "length"), (bool, "bool"), (tuple, "as_tuple")):
    HANDLERS[_builtin] = _through(_name)


@register(list)
def _list(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if not arguments:
        return infer.build.make_list([])
    return infer.build.make_list(infer.build.items(python_operators.apply(infer, op("as_tuple"), arguments)))


@register(dict)
def _dict(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    first = infer.build.entries(arguments[0]) if arguments else {}
    return infer.build.make_dict({**first, **named})


@register(isinstance)
def _isinstance(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    kinds = value_of(arguments[1])
    weight = next((w.default for w in infer.program.weights.values() if w is arguments[0]), None)
    return constant(issubclass(python_type(arguments[0]) if weight is None else type(weight), kinds))


@register(type)
def _type(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return constant(python_type(arguments[0]))


def python_type(node: Node) -> type:
    """The class of the value of a node."""
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
def _hasattr(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    owner, name = arguments[0], value_of(arguments[1])
    if isinstance(owner.abstract, AbstractTensor):
        return constant(hasattr(Tensor, name))
    return constant(hasattr(value_of(owner), name))


@register(getattr)
def _getattr(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if len(arguments) == 3 and not value_of(_hasattr(infer, hasattr, arguments[:2], {})):
        return arguments[2]
    return python_operators.apply(infer, op("getattr"), arguments[:2])


@register(zip)
def _zip(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    columns = [elements(infer, argument) for argument in arguments]
    strict = "strict" in named and value_of(named["strict"])
    if strict and len({len(column) for column in columns}) > 1:
        raise infer.program.error("zip() arguments differ in length")
    return _one_time(infer, [infer.build.make_tuple(row) for row in zip(*columns, strict=False)], arguments)


def _one_time(infer: Inference, items: Sequence[Node], of: Sequence[Node]) -> Node:
    """Items of an iterator, which can be read once. Python would look at its sources only then."""
    made = python_operators.apply(infer, op("iterator"), [infer.build.make_tuple(items)])
    for source in of:
        infer.mutations.uses(made, source)
    return made


@register(enumerate)
def _enumerate(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    given = [*arguments[1:], *named.values()]
    start = value_of(given[0]) if given else 0
    items = elements(infer, arguments[0])
    counted = [infer.build.make_tuple([constant(place), item]) for place, item in enumerate(items, start)]
    return _one_time(infer, counted, arguments[:1])


@register(reversed)
def _reversed(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return _one_time(infer, elements(infer, arguments[0])[::-1], arguments)


@register(map)
def _map(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    columns = [elements(infer, argument) for argument in arguments[1:]]
    made = _one_time(infer, [infer.call(arguments[0], row, {}) for row in zip(*columns, strict=False)], arguments[1:])
    infer.mutations.uses(made, arguments[0])
    return made


@register(filter)
def _filter(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    kept = []
    for item in elements(infer, arguments[1]):
        tested = item if _is_none(arguments[0]) else infer.call(arguments[0], [item], {})
        truth = python_operators.apply(infer, op("bool"), [tested])
        if not is_known(truth):
            raise infer.program.error(
                "filter() needs conditions known at compile time: use ops.select", PythonOnlyError
            )
        if value_of(truth):
            kept.append(item)
    made = _one_time(infer, kept, arguments[1:])
    infer.mutations.uses(made, arguments[0])
    return made


def _is_none(node: Node) -> bool:
    return is_known(node) and value_of(node) is None


@register(callable)
def _callable(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    abstract = arguments[0].abstract
    return constant(
        isinstance(abstract, AbstractFunction) or (is_known(arguments[0]) and callable(value_of(arguments[0])))
    )


def elements(infer: Inference, node: Node) -> list[Node]:
    """The items of an iterable; those of a tensor are its rows."""
    if isinstance(node.abstract, AbstractTensor):
        length = value_of(python_operators.apply(infer, op("length"), [node]))
        return [python_operators.apply(infer, op("getitem"), [node, constant(place)]) for place in range(length)]
    return infer.build.items(python_operators.apply(infer, op("as_tuple"), [node]))


@register(sum)
def _sum(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    start = [*arguments[1:], *named.values(), None][0]
    first = arguments[0].abstract
    if isinstance(first, AbstractTensor) and (found := _sum_of_rows(infer, arguments[0], first, start)) is not None:
        return found
    total = constant(0) if start is None else start
    for item in elements(infer, arguments[0]):
        total = python_operators.apply(infer, op("add"), [total, item])
    return total


def _sum_of_rows(infer: Inference, rows: Node, abstract: AbstractTensor, start: Node | None) -> Node | None:
    """The sum of a tensor's rows by one operator. None if that would have another element type than `start + row`."""
    python_operators.apply(infer, op("length"), [rows])  # It is an error for a tensor without dimensions.
    is_number = start is None or not isinstance(start.abstract, AbstractTensor)
    is_wide = abstract.dtype.is_floating_point or abstract.dtype is int64 or (abstract.dtype is bool_ and is_number)
    if not is_wide and not (start is None or (is_number and isinstance(value_of(start), int))):
        return None
    total = infer.call(constant(Tensor.sum), [rows, constant(0)], {})
    if not is_wide:
        total = infer.call(constant(Tensor.astype), [total, constant(abstract.dtype)], {})
    return total if start is None else python_operators.apply(infer, op("add"), [start, total])


@register(sorted)
def _sorted(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.build.make_list(containers.in_order(infer, "sorted", elements(infer, arguments[0]), named))


@register(min, max)
def _extreme(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, [*arguments, *named.values()])):
        return infer.evaluate(callee, arguments, named)
    items = elements(infer, arguments[0]) if len(arguments) == 1 else list(arguments)
    if not items and "default" in named:
        return named["default"]
    if not items:
        raise infer.program.error(f"{callee.__name__}() of an empty sequence")
    if "key" in named:
        order = containers.in_order(
            infer, callee.__name__, items, {"key": named["key"], "reverse": constant(callee is max)}
        )
        return order[0]
    primitive = operations.Minimum() if callee is min else operations.Maximum()
    best = items[0]
    for item in items[1:]:
        best = infer.call(constant(primitive), [best, item], {})
    return best


@register(abs)
def _abs(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if isinstance(arguments[0].abstract, AbstractTensor):
        return infer.call(constant(Tensor.__abs__), arguments, {})
    return infer.evaluate(abs, arguments, named)


@register(int, float)
def _number(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, arguments)):
        return infer.evaluate(callee, arguments, named)
    if isinstance(arguments[0].abstract, AbstractScalar) and len(arguments) == 1:
        return infer.build.emit(callee, arguments, AbstractScalar(UNKNOWN, callee))
    if isinstance(arguments[0].abstract, AbstractTensor):
        return infer.build.emit(callee, [element_of(infer, arguments[0])], AbstractScalar(UNKNOWN, callee))
    raise infer.program.error(
        f"{callee.__name__}() of {arguments[0].abstract}, whose value is not known at compile time", PythonOnlyError
    )


@register(print)
def _print(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    emitter = infer.build.emitter
    if named.keys() - {"sep", "end", "flush"}:
        raise infer.program.error("print() in a compiled program takes sep and end only, and prints to standard output")
    operator_ = op("print")
    if named:
        options = {name: value_of(value) for name, value in named.items()}
        operator_ = printing(options)
    node = infer.build.emit(operator_, [*arguments, emitter.state], AbstractConst(None))
    infer.build.effect(node)
    return node


@register(is_needed)
def _is_needed(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    abstract = arguments[0].abstract
    is_read = arguments[0] not in infer.program.unneeded
    return constant(is_read and abstract is not None and not known(abstract))


@register(str)
def _str(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, arguments)):
        return infer.evaluate(str, arguments, named)
    return python_operators.apply(infer, op("format"), [arguments[0], constant(-1), constant("")])


@register(super)
def _super(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if len(arguments) != 2 or not all(map(is_known, arguments)):
        raise infer.program.error("super() needs a class and a Cell here: call the class's method by its name")
    return constant(super(*map(value_of, arguments)))


for _function in vars(operator).values():
    _named = getattr(_function, "__name__", "").rstrip("_")
    for _name in (_named, f"{_named}_"):
        if getattr(_function, "__module__", "") == "_operator" and _name in OPERATORS:
            HANDLERS[_function] = _through(_name)
