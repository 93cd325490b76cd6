"""Evaluators of attributes: those of tensors, lists and dictionaries of the program, and of known Python objects."""

from __future__ import annotations

import functools
import math
import operator as python_operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Shape, Size, Tensor
from framework.infer.evaluators.casts import as_float
from framework.infer.evaluators.inference import Inference
from framework.infer.values import Choice, Closure, constant, is_known, value_of
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractDict,
    AbstractFunction,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import Node
from framework.ir.errors import MissingAttributeError, PythonOnlyError
from framework.ir.python_ops import PythonOp
from framework.ops import functional, operations
from framework.ops.tensor_operators import as_written
from framework.parse.names import CHANGING
from framework.parse.reads import same, snapshot

__all__ = [
    "BoundMethod",
    "DictMethod",
    "ElementOf",
    "Finder",
    "ListCopy",
    "ListMethod",
    "element_of",
    "get_attribute",
    "read",
    "set_attribute",
    "shape_of",
]

_OF_ELEMENTS: Final = frozenset({"asnumpy", "numpy", "tolist", "set_dtype", "assign_value"})
"""Methods of tensors that need elements, which do not exist at compile time."""
_READING: Final = frozenset({"asnumpy", "numpy", "tolist"})
"""Those of them that only read, so that they can run at compile time on a constant."""


def get_attribute(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner.name`."""
    owner, name = arguments[0], value_of(arguments[1])
    abstract = owner.abstract
    if isinstance(abstract, AbstractTensor):
        return _tensor_attribute(infer, owner, abstract, name)
    if isinstance(abstract, AbstractFunction) and isinstance(abstract.value, Closure | Choice):
        raise infer.program.error(f"functions of a compiled program have no attribute '{name}'")
    if isinstance(abstract, AbstractDict | AbstractTuple) and name in CHANGING:
        raise infer.program.error(
            f".{name}() changes a value that is not a variable of this function, or the call may not be reached: "
            "assign the value to a variable, and call the method in a separate statement"
        )
    if isinstance(abstract, AbstractDict) and name in ("keys", "values", "items", "get", "copy", "has_key"):
        return constant(DictMethod(owner, name))
    if isinstance(abstract, AbstractTuple):
        return _sequence_attribute(infer, owner, abstract, name)
    if not is_known(owner):
        raise infer.program.error(
            f"{abstract} has no '{name}' in a compiled program: its value is not known before it runs", PythonOnlyError
        )
    return read(infer, value_of(owner), name)


def _sequence_attribute(infer: Inference, owner: Node, abstract: AbstractTuple, name: str) -> Node:
    if abstract.is_list and name == "copy":
        return constant(ListCopy(owner))
    if name in getattr(abstract.kind, "_fields", ()):
        return infer.build.get_item(owner, abstract.kind._fields.index(name))  # type: ignore[union-attr]
    if name in ("index", "count"):
        return constant(Finder(owner, name))
    if not is_known(owner):
        exists = hasattr(abstract.kind or (list if abstract.is_list else tuple), name)
        raise infer.program.error(
            f"{abstract} has no attribute '{name}' in a compiled program: index it or loop over it",
            PythonOnlyError if exists else MissingAttributeError,
        )
    found = read(infer, value_of(owner), name)
    return constant(ListMethod(owner, found)) if abstract.is_list else found


def read(infer: Inference, owner: object, name: str) -> Node:
    """Read an attribute of a Python object, and note that it was read."""
    try:
        value = getattr(owner, name)
    except AttributeError as error:
        itself = getattr(owner, "__self__", None) if isinstance(owner, super) else None
        if hasattr(itself, name):
            # MindSpore's compiled functions find attributes of the object itself so, too.
            return read(infer, itself, name)
        raise infer.program.error(str(error), MissingAttributeError) from None
    where = getattr(owner, "__name__" if isinstance(owner, types.ModuleType) else "__module__", None)
    is_own = isinstance(owner, types.ModuleType | type) and str(where).partition(".")[0] == "framework"
    getter = getattr(getattr(type(owner), name, None), "fget", None)
    if not is_own and isinstance(getter, types.FunctionType) and not same(getattr(owner, name), snapshot(value)):
        # A property that makes another object in every call: what it reads is noted, not what it returns.
        return infer.call(constant(getter), [infer.build.of_value(owner)], {})
    if not is_own and not _is_fixed(owner, value):
        infer.program.note(owner, name, value)
    node = infer.build.of_value(value)
    if infer.compute_type is not None and isinstance(value, Weight) and value.requires_grad:
        return as_float(infer, node, infer.compute_type)
    return node


def _is_fixed(owner: object, found: object) -> bool:
    """Whether an attribute is a method of Python's or numpy's own types, such as `"{}".format`: nobody can set it."""
    is_method = isinstance(found, types.BuiltinMethodType | types.MethodWrapperType) and found.__self__ is owner
    return is_method and type(owner).__module__ in ("builtins", "numpy") and not hasattr(owner, "__dict__")


class ListMethod:
    """A method, such as `index`, of a known list of the program."""

    def __init__(self, owner: Node, found: Node) -> None:
        self.owner = owner
        self.found = found

    def __call__(self) -> None:
        """Called by inference only."""

    def infer(self, infer: Inference, arguments: Sequence[Node]) -> Node:
        """What a call gives."""
        infer.not_stale(self.owner)
        return infer.call(self.found, arguments, {})


class Finder:
    """The method `index` or `count` of a list or tuple."""

    def __init__(self, owner: Node, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self) -> None:
        """Called by inference only."""


class DictMethod:
    """A method of a dictionary of the program."""

    def __init__(self, owner: Node, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self) -> None:
        """Called by inference only."""

    def infer(self, infer: Inference, arguments: Sequence[Node]) -> Node:
        """What a call gives."""
        infer.not_stale(self.owner)
        entries = infer.build.entries(self.owner)
        if self.name == "get":
            key, default = value_of(arguments[0]), (arguments[1] if len(arguments) > 1 else constant(None))
            return entries.get(key, default)
        if self.name == "has_key":  # MindSpore's compiled functions have it.
            return constant(value_of(arguments[0]) in entries)
        if self.name == "copy":
            return infer.build.make_dict(entries)
        keys: list[Node] = [constant(key) for key in entries]
        if self.name == "keys":
            items = keys
        elif self.name == "values":
            items = list(entries.values())
        else:
            items = [infer.build.make_tuple(pair) for pair in zip(keys, entries.values(), strict=True)]
        return infer.mutations.view(infer.build.make_tuple(items), self.owner)


class ListCopy:
    """The method `copy` of a list of the program."""

    def __init__(self, owner: Node) -> None:
        self.owner = owner

    def __call__(self) -> None:
        """Called by inference only."""

    def infer(self, infer: Inference, arguments: Sequence[Node]) -> Node:
        """What a call gives."""
        infer.not_stale(self.owner)
        return infer.build.make_list(infer.build.items(self.owner))


def _tensor_attribute(infer: Inference, owner: Node, abstract: AbstractTensor, name: str) -> Node:
    if name == "shape":
        return shape_of(infer, owner, abstract)
    known: dict[str, Callable[[], object]] = {
        "dtype": lambda: abstract.dtype,
        "ndim": lambda: len(abstract.shape),
        "itemsize": lambda: abstract.dtype.itemsize,
    }
    if name in known:
        return constant(known[name]())
    if name == "size" or (name == "nbytes" and None not in abstract.shape):
        return _size(infer, owner, abstract, name)
    weight = next((w.default for w in infer.program.weights.values() if w is owner), None)
    if weight is not None and name in ("name", "requires_grad", "key"):
        return read(infer, weight, name)
    if name in ("copy", "value"):
        # A separate value: a change of one leaves the other as it is.
        return constant(BoundMethod(functional.identity, owner))
    found = getattr(Tensor, name, None)
    if isinstance(found, property) and found.fget is not None:
        return infer.call(constant(found.fget), [owner], {})
    if found is None:
        raise infer.program.error(f"'Tensor' object has no attribute '{name}'", MissingAttributeError)
    return _tensor_method(infer, owner, name, found)


def _tensor_method(infer: Inference, owner: Node, name: str, found: Any) -> Node:
    if name == "item" or (name in _READING and is_known(owner)):
        return constant(ElementOf(owner, name))
    if name in _OF_ELEMENTS:
        raise infer.program.error(
            f"a tensor has no '{name}' in a compiled program: its elements are not known before it runs",
            PythonOnlyError,
        )
    return constant(BoundMethod(as_written(found), owner))


def _size(infer: Inference, owner: Node, abstract: AbstractTensor, name: str) -> Node:
    """The number of elements or bytes of a tensor. With an unknown leading dimension, only elements are supported."""
    if None in abstract.shape:
        return functools.reduce(
            lambda total, length: infer.call(constant(python_operator.mul), [total, length], {}),
            infer.build.items(shape_of(infer, owner, abstract)),
        )
    total = math.prod(dim or 0 for dim in abstract.shape)
    return constant(Size(total) if name == "size" else total * abstract.dtype.itemsize)


class ElementOf:
    """The method `item` of a tensor of the program: its element as a number of Python. Or a method of a constant."""

    def __init__(self, owner: Node, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self) -> None:
        """Called by inference only."""

    def infer(self, infer: Inference, arguments: Sequence[Node]) -> Node:
        """What a call gives."""
        if is_known(self.owner):
            infer.not_stale(self.owner)
            return infer.evaluate(getattr(value_of(self.owner).copy(), self.name), arguments, {})
        if arguments:
            raise infer.program.error("item() of an index is unknown at compile time", PythonOnlyError)
        return element_of(infer, self.owner)


def element_of(infer: Inference, owner: Node) -> Node:
    """The only element of a tensor, as a number that is known when the program runs. No gradient goes through it."""
    abstract = owner.abstract
    assert isinstance(abstract, AbstractTensor)  # noqa: S101
    if any(dim != 1 for dim in abstract.shape):
        raise infer.program.error(f"{abstract} is not a number: it must have one element", PythonOnlyError)
    if is_known(owner):
        return infer.evaluate(Tensor.item, [owner], {})
    return infer.build.emit(_item, [owner], AbstractScalar(UNKNOWN, type(abstract.dtype.numpy.type().item())))


def _item(array: Any) -> Any:
    return array.item()


class BoundMethod:
    """A method of a tensor of the program."""

    def __init__(self, function: Any, owner: Node) -> None:
        self.function = function
        self.owner = owner

    def __call__(self) -> None:
        """Called by inference only."""


def shape_of(infer: Inference, owner: Node, abstract: AbstractTensor) -> Node:
    """The shape of a tensor. An unknown leading dimension is a number of the running program."""
    if None not in abstract.shape:
        return constant(Shape(dim or 0 for dim in abstract.shape))
    whole = infer.build.emit(operations.Shape(), [owner], AbstractTuple(tuple(map(_dim, abstract.shape))))
    return infer.build.make_tuple([infer.build.get_item(whole, place) for place in range(len(abstract.shape))])


def _dim(dim: int | None) -> Abstract:
    return AbstractScalar(UNKNOWN, int) if dim is None else AbstractScalar(dim)


def set_attribute(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner.name = value`, for Parameters."""
    owner, name, value = arguments[0], value_of(arguments[1]), arguments[2]
    target = getattr(value_of(owner), name, None) if is_known(owner) else None
    if not isinstance(target, Weight):
        raise infer.program.error(
            f"only a Parameter can be assigned in a compiled program, and '{name}' is not one: return the value instead"
        )
    return infer.call(constant(operations.Assign()), [infer.build.weight(target), value], {})
