"""Evaluators of tuples, lists, dictionaries and iterables: items, lengths, and new containers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.infer.evaluators import purity
from framework.infer.evaluators.arithmetic import scalar
from framework.infer.evaluators.attributes import shape_of
from framework.infer.evaluators.inference import Inference
from framework.infer.values import (
    are_alike,
    as_variable,
    carried,
    constant,
    is_dynamic,
    is_known,
    is_variable,
    value_of,
)
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import Node, Parameter
from framework.ir.errors import GraphError, MissingKeyError, OutOfRangeError, PythonOnlyError, refusal_of
from framework.ir.operators import MAKE_TUPLE, TUPLE_GETITEM
from framework.ir.python_ops import PythonOp, op
from framework.ops.tensor_operators import getitem, setitem

__all__ = ["as_tuple", "get_item", "in_order", "item", "iterator", "length", "merge", "sequence", "set_item", "unpack"]


def get_item(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner[index]`."""
    owner, index = arguments
    abstract = owner.abstract
    if isinstance(abstract, AbstractTensor):
        return infer.call(constant(getitem), [owner, index], {})
    if isinstance(abstract, AbstractTuple):
        return _sequence_item(infer, owner, abstract, index)
    if isinstance(abstract, AbstractDict):
        entries = infer.build.entries(owner)
        key = value_of(index)
        if key not in entries:
            raise infer.program.error(f"the dictionary has no key {key!r}, but {list(entries)}", MissingKeyError)
        return entries[key]
    if not is_known(index):
        raise infer.program.error(
            f"{abstract} needs an index known at compile time, not {index.abstract}", PythonOnlyError
        )
    container = value_of(owner)
    try:
        if hasattr(container, "construct") or hasattr(container, "_cells"):
            item: Any = container[value_of(index)]
            return infer.build.of_value(item)
        return infer.evaluate(operator.run, arguments, {})
    except GraphError:
        raise
    except (IndexError, KeyError, TypeError) as error:
        raise infer.program.error(str(error), refusal_of(error)) from error


def _sequence_item(infer: Inference, owner: Node, abstract: AbstractTuple, index: Node) -> Node:
    if is_known(index):
        place = value_of(index)
        if isinstance(place, slice):
            items = infer.build.items(owner)[place]
            made = infer.build.make_list(items) if abstract.is_list else infer.build.make_tuple(items)
            return infer.build.dynamic(made) if abstract.is_dynamic or is_variable(index.abstract) else made
        places = range(len(abstract.elements))
        try:
            item = infer.build.get_item(owner, places[place.item() if isinstance(place, Tensor) else place])
            return carried([index], item)
        except (IndexError, TypeError) as error:
            trouble = "index out of range" if isinstance(error, IndexError) else "indices are integers or slices"
            kind = "list" if abstract.is_list else "tuple"
            raise infer.program.error(f"{kind} {trouble}: {abstract}[{place!r}]", refusal_of(error)) from None
    try:
        found = any_element(abstract)
    except TypeError as error:
        raise infer.program.error(
            f"an index that is known only at run time needs elements of one type: {error}", PythonOnlyError
        ) from None
    if infer.program.is_part:
        raise infer.program.error("there may be no item with this index, which Python finds out", PythonOnlyError)
    return infer.build.emit(op("getitem"), [owner, index], found)


def any_element(abstract: AbstractTuple) -> Abstract:
    """The join of all elements of a sequence."""
    return TUPLE_GETITEM.infer(abstract, AbstractScalar(UNKNOWN, int))


def set_item(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The owner after `owner[index] = value`."""
    owner = arguments[0]
    is_weight = isinstance(owner, Parameter) and owner.default is not None
    if infer.program.is_part and operator.name != "setitem" and not is_weight:
        raise infer.program.error("a part of a part is changed in place", PythonOnlyError)
    changed = _with_item(infer, *arguments)
    if operator.name == "setitem":
        infer.changed(arguments[0])
    return changed


def _with_item(infer: Inference, owner: Node, index: Node, value: Node) -> Node:
    abstract = owner.abstract
    if isinstance(abstract, AbstractTensor):
        return infer.call(constant(setitem), [owner, index, value], {})
    if isinstance(abstract, AbstractDict):
        return infer.build.make_dict({**infer.build.entries(owner), value_of(index): value})
    if not isinstance(abstract, AbstractTuple) or not abstract.is_list or not is_known(index):
        raise infer.program.error(f"an item of {abstract} cannot be set at {index.abstract}")
    items, place = list(infer.build.items(owner)), value_of(index)
    try:
        if isinstance(place, slice):
            items[place] = infer.build.items(as_tuple(infer, op("as_tuple"), [value]))
        else:
            items[place] = value
    except IndexError as error:
        raise infer.program.error(str(error), OutOfRangeError) from None
    made = infer.build.make_list(items)
    if isinstance(place, slice):
        is_changing = abstract.is_dynamic or is_dynamic(value.abstract) or is_variable(index.abstract)
        return infer.build.dynamic(made) if is_changing else made
    if abstract.is_dynamic or is_variable(index.abstract):
        _one_type(infer, abstract, value)
    return infer.build.dynamic(made) if abstract.is_dynamic else carried([index], made)


def _one_type(infer: Inference, abstract: AbstractTuple, value: Node) -> None:
    """Refuse a value for a place that may change if it has another type than the elements."""
    length = "dynamic" if abstract.is_dynamic else "constant"
    if not are_alike(*abstract.elements):
        raise infer.program.error(
            "an index that may change needs elements of one type: "
            f"sequence[0] item is {abstract.elements[0]} in {abstract}"
        )
    if value.abstract is not None and not are_alike(*abstract.elements[:1], value.abstract):
        raise infer.program.error(
            f"{value.abstract} has another type than the element within {length} length sequence {abstract}"
        )


def sequence(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The iterable of a loop as a value with items and a length."""
    abstract = arguments[0].abstract
    if isinstance(abstract, AbstractTuple | AbstractTensor):
        return _gone_through(infer, arguments[0])
    if isinstance(abstract, AbstractDict):
        return constant(abstract.keys)
    if not is_known(arguments[0]):
        raise infer.program.error(f"a loop cannot run over {abstract}")
    found = value_of(arguments[0])
    if isinstance(found, range):
        return arguments[0]
    if infer.program.is_part and not purity.is_steady(found):
        raise infer.program.error("this iterable may give other items in every call", PythonOnlyError)
    try:
        return infer.build.of_value(tuple(found))
    except TypeError as error:
        raise infer.program.error(str(error)) from None


def _gone_through(infer: Inference, node: Node) -> Node:
    """The items that are read now. An iterator, such as that of `zip`, cannot be read again."""
    changes = infer.mutations
    if changes.is_view(node):
        # The loop may assign to the keys while it runs.
        return infer.build.make_tuple(infer.build.items(node))
    if not changes.is_one_time(node):
        return node
    items = infer.build.items(node)
    changes.change(node, infer.program.location)
    return infer.build.emit(MAKE_TUPLE, items, node.abstract)


def iterator(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The result of a generator, `zip` and the like: items that can be read once."""
    items = infer.build.items(arguments[0])
    made = infer.build.emit(MAKE_TUPLE, items, MAKE_TUPLE.infer(*(item.abstract for item in items)))
    return infer.mutations.one_time(made)


def length(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`len(value)`."""
    abstract = arguments[0].abstract
    if isinstance(abstract, AbstractTuple | AbstractDict):
        count = constant(len(abstract.elements))
        return as_variable(count) if is_dynamic(abstract) else count
    if isinstance(abstract, AbstractTensor):
        if not abstract.shape:
            raise infer.program.error(f"{abstract} has no length")
        return get_item(infer, op("getitem"), [shape_of(infer, arguments[0], abstract), constant(0)])
    return infer.evaluate(len, arguments, {})


def item(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The item for one iteration of a loop."""
    owner, index = arguments
    if isinstance(owner.abstract, AbstractTensor | AbstractTuple):
        return get_item(infer, op("getitem"), arguments)
    found = value_of(owner)
    if isinstance(found, range) and not is_known(index):
        scaled = scalar(infer, op("mul"), [index, constant(found.step)])
        return scalar(infer, op("add"), [constant(found.start), scaled])
    return infer.evaluate(operator.run, arguments, {})


def unpack(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """The values of `a, *b, c = value`, as a tuple."""
    value, before, star, after = arguments[0], *(value_of(argument) for argument in arguments[1:])
    if isinstance(value.abstract, AbstractTensor):
        count = value_of(length(infer, op("length"), [value]))
        items = [get_item(infer, op("getitem"), [value, constant(place)]) for place in range(count)]
    else:
        items = infer.build.items(
            sequence(infer, operator, [value]) if not _is_range(value) else infer.evaluate(tuple, [value], {})
        )
    if len(items) < before + after or (not star and len(items) > before):
        raise infer.program.error(f"cannot unpack {len(items)} values into {before + after} variables")
    if star:
        behind = len(items) - after
        items = [*items[:before], infer.build.make_list(items[before:behind]), *items[behind:]]
    return infer.build.make_tuple(items)


def _is_range(node: Node) -> bool:
    return isinstance(node.abstract, AbstractConst) and isinstance(node.abstract.value, range)


def as_tuple(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`tuple(value)`."""
    value = _gone_through(infer, arguments[0])
    if is_dynamic(value.abstract):
        return infer.build.dynamic(infer.build.make_tuple(infer.build.items(value)))
    count = len(value.abstract.elements) if isinstance(value.abstract, AbstractTuple) else None
    if isinstance(value.abstract, AbstractTensor):
        count = value_of(length(infer, op("length"), [value]))
    return (
        unpack(infer, operator, [value, constant(count), constant(False), constant(0)])
        if count is not None
        else (infer.evaluate(tuple, [sequence(infer, operator, arguments)], {}))
    )


def merge(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """Merge several dictionaries; later ones override earlier ones."""
    merged: dict[Any, Node] = {}
    for argument in arguments:
        merged.update(infer.build.entries(argument))
    return infer.build.make_dict(merged)


def in_order(infer: Inference, name: str, items: Sequence[Node], named: Mapping[str, Node]) -> list[Node]:
    """Items sorted by known keys.

    Args:
        infer: the inference.
        name: the name of the calling function, for messages.
        items: the items, which may be tensors if there is a key.
        named: `key` and `reverse`, as for `sorted`.

    Raises:
        InferenceError: the keys are not known at compile time.
    """
    keys = _keys(infer, items, named)
    if not all(map(is_known, keys)):
        raise infer.program.error(
            f"{name}() needs keys known at compile time: use ops.sort on a tensor, or key=", PythonOnlyError
        )
    reverse = "reverse" in named and bool(value_of(named["reverse"]))
    try:
        places = sorted(range(len(items)), key=lambda place: value_of(keys[place]), reverse=reverse)
    except TypeError as error:
        raise infer.program.error(str(error)) from None
    return [items[place] for place in places]


def _keys(infer: Inference, items: Sequence[Node], named: Mapping[str, Node]) -> list[Node]:
    key = named.get("key")
    if key is None or (is_known(key) and value_of(key) is None):
        return list(items)
    return [infer.call(key, [item], {}) for item in items]
