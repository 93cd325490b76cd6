"""Evaluators of Python's builtin functions for values of the program. Other functions run at compile time."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.dtype import bool_, int64
from framework.common.tensor import Tensor
from framework.infer.evaluators import containers, python_operators
from framework.infer.evaluators.arithmetic import in_python, text
from framework.infer.evaluators.attributes import (
    BoundMethod,
    DictMethod,
    ElementOf,
    Finder,
    ListCopy,
    ListMethod,
    element_of,
)
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import HANDLERS, Handler, register, register_kind
from framework.infer.values import carried, constant, is_dynamic, is_known, on_python_values, value_of
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
from framework.ir.errors import DynamicLengthError, PythonOnlyError
from framework.ir.python_ops import ALL as OPERATORS
from framework.ir.python_ops import PythonOp, op, printing
from framework.ops import operations
from framework.ops.needed import is_needed

__all__ = ["python_type"]


@register_kind(BoundMethod)
def _method(infer: Inference, callee: BoundMethod, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.call(constant(callee.function), [callee.owner, *arguments], named)


@register_kind(DictMethod, ElementOf, ListCopy, ListMethod)
def _container_method(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    found: Node = callee.infer(infer, arguments)
    return found


def _through(name: str, count: int) -> Handler:
    """A builtin that is an operator of Python with this number of operands. Other numbers run at compile time."""

    def evaluate(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
        if len(arguments) == count:
            return python_operators.apply(infer, op(name), arguments)
        return infer.evaluate(callee, arguments, named)

    return evaluate


for _builtin, _name, _count_of in ((len, "length", 1), (bool, "bool", 1), (tuple, "as_tuple", 1), (pow, "pow", 2)):
    HANDLERS[_builtin] = _through(_name, _count_of)


@register(list)
def _list(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if not arguments:
        return infer.build.make_list([])
    items = python_operators.apply(infer, op("as_tuple"), arguments)
    made = infer.build.make_list(infer.build.items(items))
    return infer.build.dynamic(made) if is_dynamic(items.abstract) else made


@register(dict)
def _dict(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    first: dict[Any, Node] = {}
    if arguments and isinstance(arguments[0].abstract, AbstractDict):
        first = infer.build.entries(arguments[0])
    elif arguments:
        pairs = [python_operators.elements(infer, pair) for pair in python_operators.elements(infer, arguments[0])]
        if any(len(pair) != 2 for pair in pairs):
            raise infer.program.error("dict() needs pairs of a key and a value")
        first = {value_of(key): value for key, value in pairs}
    return infer.build.make_dict({**first, **named})


@register(any, all)
def _any_or_all(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    (given,) = arguments
    if isinstance(given.abstract, AbstractTensor) and len(given.abstract.shape) == 1 and not is_known(given):
        nonzero = python_operators.apply(infer, op("ne"), [given, constant(0)])
        found = python_operators.call_method(infer, nonzero, callee.__name__)
        return python_operators.apply(infer, op("bool"), [found])
    test, truths = op("bool" if callee is any else "not_"), python_operators.elements(infer, given)
    found = python_operators.any_of(infer, [python_operators.apply(infer, test, [item]) for item in truths])
    return found if callee is any else python_operators.apply(infer, op("not_"), [found])


@register_kind(Finder)
def _found(infer: Inference, callee: Finder, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    infer.not_stale(callee.owner)
    if is_known(callee.owner) and all(map(is_known, arguments)):
        found = infer.evaluate(getattr(value_of(callee.owner), callee.name), arguments, named)
        return carried([callee.owner], found)
    if len(arguments) != 1:
        raise infer.program.error(f"{callee.name}() of a part is unknown at compile time", PythonOnlyError)
    items = infer.build.items(callee.owner)
    if callee.name == "count":
        function, truths = _count, [python_operators.equals(infer, arguments[0], item) for item in items]
    else:
        function, truths = _index, python_operators.comparisons(infer, arguments[0], items)
    if all(map(is_known, truths)):
        return infer.evaluate(function, truths, {})
    return in_python(infer, callee.name, function, truths, AbstractScalar(UNKNOWN, int))


def _count(*truths: bool) -> int:
    return sum(truths)


def _index(*truths: bool) -> int:
    """The place of the first that is true.

    Raises:
        ValueError: none is.
    """
    return truths.index(True)


@register(isinstance)
def _isinstance(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    kinds = value_of(arguments[1])
    try:
        isinstance(None, kinds)
    except TypeError:
        raise infer.program.error(f"isinstance() arg 2 must be a type or tuple of types, not {kinds!r}") from None
    if _is_range(arguments[0]) and tuple in (kinds if isinstance(kinds, tuple) else (kinds,)):
        return constant(True)  # In MindSpore's compiled functions a range is a tuple.
    weight = next((w.default for w in infer.program.weights.values() if w is arguments[0]), None)
    return constant(issubclass(python_type(arguments[0]) if weight is None else type(weight), kinds))


def _is_range(node: Node) -> bool:
    return isinstance(node.abstract, AbstractConst) and isinstance(node.abstract.value, range)


@register(range)
def _range(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    for argument in arguments:
        if isinstance(argument.abstract, AbstractTensor):
            raise infer.program.error(f"range() takes integers, not {argument.abstract}: pass int(tensor)")
    return infer.evaluate(range, arguments, named)


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
    if not is_known(owner):
        return constant(hasattr(python_type(owner), name))
    return constant(hasattr(value_of(owner), name))


@register(getattr)
def _getattr(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if len(arguments) == 3 and not value_of(_hasattr(infer, hasattr, arguments[:2], {})):
        return arguments[2]
    return python_operators.apply(infer, op("getattr"), arguments[:2])


@register(zip)
def _zip(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    _of_constant_length(infer, callee, arguments)
    columns = [python_operators.elements(infer, argument) for argument in arguments]
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


def _of_constant_length(infer: Inference, callee: type, arguments: Sequence[Node]) -> None:
    for argument in arguments:
        if is_dynamic(argument.abstract):
            raise infer.program.error(
                f"{callee.__name__}() in a compiled function takes no {argument.abstract} whose length may change: "
                "leave out dynamic_len=True, or index it",
                DynamicLengthError,
            )


@register(enumerate)
def _enumerate(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    _of_constant_length(infer, callee, arguments)
    given = [*arguments[1:], *named.values()]
    start = value_of(given[0]) if given else 0
    items = python_operators.elements(infer, arguments[0])
    counted = [infer.build.make_tuple([constant(place), item]) for place, item in enumerate(items, start)]
    return _one_time(infer, counted, arguments[:1])


@register(reversed)
def _reversed(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return _one_time(infer, python_operators.elements(infer, arguments[0])[::-1], arguments)


@register(map)
def _map(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    _of_constant_length(infer, callee, arguments)
    columns = [python_operators.elements(infer, argument) for argument in arguments[1:]]
    made = _one_time(infer, [infer.call(arguments[0], row, {}) for row in zip(*columns, strict=False)], arguments[1:])
    infer.mutations.uses(made, arguments[0])
    return made


@register(filter)
def _filter(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    kept = []
    for item in python_operators.elements(infer, arguments[1]):
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


@register(sum)
def _sum(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    start = [*arguments[1:], *named.values(), None][0]
    first = arguments[0].abstract
    if isinstance(first, AbstractTensor) and (found := _sum_of_rows(infer, arguments[0], first, start)) is not None:
        return found
    total = constant(0) if start is None else start
    for item in python_operators.elements(infer, arguments[0]):
        total = python_operators.apply(infer, op("add"), [total, item])
    return total


def _sum_of_rows(infer: Inference, rows: Node, abstract: AbstractTensor, start: Node | None) -> Node | None:
    """The sum of a tensor's rows by one operator. None if that would have another element type than `start + row`."""
    python_operators.apply(infer, op("length"), [rows])  # It is an error for a tensor without dimensions.
    is_number = start is None or not isinstance(start.abstract, AbstractTensor)
    is_wide = abstract.dtype.is_floating_point or abstract.dtype is int64 or (abstract.dtype is bool_ and is_number)
    if not is_wide and not (start is None or (is_number and isinstance(value_of(start), int))):
        return None
    total = python_operators.call_method(infer, rows, "sum", constant(0))
    if not is_wide:
        total = python_operators.call_method(infer, total, "astype", constant(abstract.dtype))
    return total if start is None else python_operators.apply(infer, op("add"), [start, total])


@register(sorted)
def _sorted(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.build.make_list(
        containers.in_order(infer, "sorted", python_operators.elements(infer, arguments[0]), named)
    )


@register(min, max)
def _extreme(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, [*arguments, *named.values()])):
        return infer.evaluate(callee, arguments, named)
    items = python_operators.elements(infer, arguments[0]) if len(arguments) == 1 else list(arguments)
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
    if not arguments or all(map(is_known, arguments)):
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
    options = {name: value_of(value) for name, value in named.items()}
    printed = op("print") if not named else printing(options)
    operator_ = on_python_values("print", printed.run, [argument.abstract for argument in arguments], printed.attrs)
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
    if not arguments or all(map(is_known, arguments)):
        return infer.evaluate(str, arguments, named)
    return python_operators.apply(infer, op("format"), [arguments[0], constant(-1), constant("")])


@register(repr, ascii, format)
def _described(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return text(infer, PythonOp("format", callee), arguments)


@register_kind(operator.itemgetter, operator.attrgetter, operator.methodcaller)
def _getter(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    made, given = callee.__reduce__()[:2]
    if isinstance(callee, operator.methodcaller):
        # Its name and arguments by position are arguments of the class, or of a partial one with those by name.
        values: list[Any] = list(getattr(made, "args", ())) + list(given)
        method = python_operators.apply(infer, op("getattr"), [arguments[0], constant(values[0])])
        by_name = {key: constant(value) for key, value in getattr(made, "keywords", {}).items()}
        return infer.call(method, list(map(constant, values[1:])), by_name)
    found = []
    for wanted in given:
        steps = wanted.split(".") if isinstance(callee, operator.attrgetter) else [wanted]
        step = op("getattr" if isinstance(callee, operator.attrgetter) else "getitem")
        value = arguments[0]
        for name in steps:
            value = python_operators.apply(infer, step, [value, constant(name)])
        found.append(value)
    return found[0] if len(found) == 1 else infer.build.make_tuple(found)


@register(operator.contains)
def _contains(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return python_operators.apply(infer, op("in_"), arguments[::-1])


@register(operator.countOf, operator.indexOf)
def _found_in(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    items = infer.build.make_tuple(python_operators.elements(infer, arguments[0]))
    return _found(infer, Finder(items, "count" if callee is operator.countOf else "index"), arguments[1:], named)


@register(super)
def _super(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if len(arguments) != 2 or not all(map(is_known, arguments)):
        raise infer.program.error("super() needs a class and a Cell here: call the class's method by its name")
    return constant(super(*map(value_of, arguments)))


_IN_PLACE = {"iadd": "add_to", "iconcat": "add_to", "imul": "multiply_by"}
_OTHERS = {"truth": "bool", "inv": "invert", "concat": "add", **_IN_PLACE}
for _function in vars(operator).values():
    if getattr(_function, "__module__", "") == "_operator" and _function not in HANDLERS:
        _named = _function.__name__.rstrip("_")
        _names = (_named, f"{_named}_", _OTHERS.get(_named), _named[1:], f"{_named[1:]}_")
        _known = next((name for name in _names if name in OPERATORS), None)
        if _known is not None:
            HANDLERS[_function] = _through(_known, len(inspect.signature(_function).parameters))
HANDLERS[operator.abs] = _abs
