"""The constants, types and operators of a program as messages of a model file. Used by `framework.ir.model_proto`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir import operators, python_ops
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractEnv,
    AbstractFunction,
    AbstractMonad,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import FuncGraph, Operator
from framework.ir.operators import EMPTY_ENVIRON, STATE, SymbolicKey
from framework.schema import model_pb2 as proto

__all__ = ["FAULTS", "ModelError", "Resolve", "ValueReader", "ValueWriter", "printable", "tensor_of", "write_tensor"]

Resolve = Callable[[str, str, str, dict[str, Any]], Any]
"""From the name of a primitive, the name and module of its class, and its attributes to the primitive."""

DTYPES: Final = {dtype.name: dtype for dtype in (mstype.bool_, *mstype.number_type)}
_NUMBERS: Final[dict[str, type]] = {"bool": bool, "int": int, "float": float, "str": str}

#: Operators on numbers that are known when the program runs. No other operator of Python is taken from a file.
_SYNTAX: Final = frozenset({
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "neg", "pos",
    "invert", "lt", "le", "gt", "ge", "eq", "ne", "not_", "bool", "in_", "not_in", "getitem", "item", "length", "join",
    "format", "print", "raise", "assert",
})  # fmt: skip
_OF_PRINT: Final = frozenset({"sep", "end", "flush"})


FAULTS: Final = (
    TypeError, ValueError, LookupError, ArithmeticError, MemoryError, NotImplementedError, AttributeError,
    StopIteration,
)  # fmt: skip
"""What kernels raise for inputs that do not fit."""


class ModelError(ValueError):
    """A program cannot be written to a model file, or a model file cannot be read; the message says what and why."""


class ValueWriter:
    """Writes the values of one program.

    Args:
        graphs: the graphs of the program with their numbers.

    Attributes:
        keys: the variables of environments so far, with their numbers.
    """

    def __init__(self, graphs: Mapping[FuncGraph, int]) -> None:
        self.graphs = graphs
        self.keys: dict[SymbolicKey, int] = {}

    def value(self, value: Any) -> proto.Value:
        """A constant.

        Raises:
            ModelError: it is an object of Python that cannot be stored in a file.
        """
        made = proto.Value()
        if value is None or value is STATE or value is EMPTY_ENVIRON or value is Ellipsis:
            name = {id(None): "none", id(STATE): "state", id(EMPTY_ENVIRON): "environment"}.get(id(value), "ellipsis")
            getattr(made, name).SetInParent()
        elif isinstance(value, bool | int | float | str) and type(value) in _NUMBERS.values():
            self._plain(made, value)
        elif type(value) in (tuple, list, slice) or isinstance(value, dict):
            self._container(made, value)
        else:
            self._object(made, value)
        return made

    def _container(self, made: proto.Value, value: tuple[Any, ...] | list[Any] | slice | dict[Any, Any]) -> None:
        if isinstance(value, dict):
            made.dictionary.SetInParent()
            made.dictionary.items.extend(self.items(value))
            return
        items = (value.start, value.stop, value.step) if isinstance(value, slice) else value
        target = getattr(made, type(value).__name__)
        target.SetInParent()
        target.values.extend(map(self.value, items))

    def _object(self, made: proto.Value, value: Any) -> None:
        if isinstance(value, mstype.DType):
            made.element_type = value.name
        elif isinstance(value, SymbolicKey):
            made.key = self.keys.setdefault(value, len(self.keys))
        elif isinstance(value, FuncGraph):
            made.graph = self.graphs[value]
        elif hasattr(value, "asnumpy") and not isinstance(value, type) and not hasattr(value, "requires_grad"):
            write_tensor(made.tensor, value)
        elif isinstance(value, type):
            made.type_name = _name_of(value)
        elif hasattr(value, "attrs") and hasattr(value, "name"):
            made.operator.CopyFrom(self._operator(value))
        else:
            raise ModelError(f"a {type(value).__name__} ({value!r}) cannot be written to a model file")

    @staticmethod
    def _plain(made: proto.Value, value: Any) -> None:
        if isinstance(value, bool):
            made.bool = value
        elif isinstance(value, float):
            made.float = value
        elif isinstance(value, str):
            made.text = value
        elif -(1 << 63) <= value < 1 << 63:
            made.int = value
        else:
            made.long = str(value)

    def items(self, mapping: Mapping[Any, Any]) -> list[proto.Item]:
        """The entries of a dictionary."""
        return [proto.Item(key=self.value(key), value=self.value(item)) for key, item in mapping.items()]

    def _operator(self, operator: Any) -> proto.Operator:
        name = operator.name
        if operators.ALL.get(name) is operator:
            return proto.Operator(kind=proto.Operator.STRUCTURE, name=name)
        if isinstance(operator, python_ops.PythonOp):
            if name not in _SYNTAX:
                raise ModelError(f"Python's operator {name} cannot be written to a model file")
            return proto.Operator(kind=proto.Operator.SYNTAX, name=name, attributes=self.items(operator.attrs))
        if isinstance(operator, Operator):
            raise ModelError(f"the operator {name} cannot be written to a model file")
        kind = type(operator)
        return proto.Operator(
            kind=proto.Operator.PRIMITIVE,
            name=name,
            attributes=self.items(operator.attrs),
            type_name=kind.__name__,
            module=kind.__module__,
        )

    def type(self, abstract: Abstract | None) -> proto.Type:
        """What is known of a value."""
        made = proto.Type()
        if isinstance(abstract, AbstractTensor):
            dims = [-1 if dim is None else dim for dim in abstract.shape]
            made.tensor.CopyFrom(proto.TensorType(element_type=abstract.dtype.name, dims=dims))
        elif isinstance(abstract, AbstractScalar):
            made.scalar.type_name = _name_of(abstract.type)
            if abstract.value is not UNKNOWN:
                made.scalar.value.CopyFrom(self.value(abstract.value))
        elif isinstance(abstract, AbstractTuple):
            target = made.list if abstract.is_list else made.tuple
            target.SetInParent()
            target.elements.extend(map(self.type, abstract.elements))
        elif isinstance(abstract, AbstractDict):
            made.dictionary.SetInParent()
            made.dictionary.keys.extend(map(self.value, abstract.keys))
            made.dictionary.elements.extend(map(self.type, abstract.elements))
        elif isinstance(abstract, AbstractConst):
            made.constant.CopyFrom(self.value(abstract.value))
        elif abstract is not None:
            name = {AbstractFunction: "function", AbstractEnv: "environment", AbstractMonad: "state"}[type(abstract)]
            getattr(made, name).SetInParent()
        return made


class ValueReader:
    """Reads the values of one program. Whatever a file contains, it creates no Python objects but values and operators.

    Args:
        graphs: the graphs of the program.
        keys: the names of the variables of environments.
        resolve: finds primitives.

    Raises:
        ModelError: by all methods: the file contains something that no program has.
    """

    def __init__(self, graphs: Sequence[FuncGraph], keys: Iterable[str], resolve: Resolve) -> None:
        self.graphs = graphs
        self.keys = [SymbolicKey(printable(key)) for key in keys]
        self.resolve = resolve

    def value(self, value: proto.Value) -> Any:
        """A constant."""
        what = value.WhichOneof("what")
        if what is None:
            raise ModelError("a constant has no value")
        if what in _SINGLE:
            return _SINGLE[what]
        if what in ("bool", "int", "float", "text"):
            return getattr(value, what)
        if what in ("tuple", "list"):
            items = [self.value(item) for item in getattr(value, what).values]
            return tuple(items) if what == "tuple" else items
        found: Any = getattr(self, f"_{what}")(getattr(value, what))
        return found

    def items(self, items: Iterable[proto.Item]) -> dict[Any, Any]:
        """The entries of a dictionary."""
        return {_hashable(self.value(item.key)): self.value(item.value) for item in items}

    def _dictionary(self, items: proto.Items) -> dict[Any, Any]:
        return self.items(items.items)

    @staticmethod
    def _long(digits: str) -> int:
        if len(digits) > 1000:
            raise ModelError("a number has more than 1000 digits")
        return int(digits)

    def _slice(self, parts: proto.Values) -> slice:
        if len(parts.values) != 3:
            raise ModelError("a slice has a begin, an end and a step")
        return slice(*map(self.value, parts.values))

    @staticmethod
    def _element_type(name: str) -> mstype.DType:
        if name not in DTYPES:
            raise ModelError(f"there is no element type {name!r}")
        return DTYPES[name]

    def _key(self, number: int) -> SymbolicKey:
        return self.keys[number]

    def _graph(self, number: int) -> FuncGraph:
        return self.graphs[number]

    @staticmethod
    def _tensor(tensor: proto.Tensor) -> Tensor:
        return tensor_of(tensor)

    @staticmethod
    def _type_name(name: str) -> type:
        return _class_of(name)

    def _operator(self, operator: proto.Operator) -> Any:
        name, attrs = printable(operator.name), self.items(operator.attributes)
        if operator.kind == proto.Operator.STRUCTURE and name in operators.ALL:
            return operators.ALL[name]
        if operator.kind == proto.Operator.SYNTAX and name in _SYNTAX:
            if not attrs:
                return python_ops.op(name)
            if name == "print" and attrs.keys() <= _OF_PRINT:
                return python_ops.printing(attrs)
        if operator.kind != proto.Operator.PRIMITIVE:
            raise ModelError(f"there is no operator {name!r} with the attributes {attrs}")
        return self.resolve(name, operator.type_name, operator.module, attrs)

    def type(self, type_: proto.Type) -> Abstract | None:
        """What is known of a value."""
        what = type_.WhichOneof("what")
        if what == "tensor":
            dims = tuple(None if dim < 0 else dim for dim in type_.tensor.dims)
            return AbstractTensor(dims, self._element_type(type_.tensor.element_type))
        if what == "scalar":
            known = self.value(type_.scalar.value) if type_.scalar.HasField("value") else UNKNOWN
            return AbstractScalar(known, _class_of(type_.scalar.type_name))
        if what in ("tuple", "list"):
            return AbstractTuple(self._types(getattr(type_, what).elements), what == "list")
        if what == "dictionary":
            keys = tuple(_hashable(self.value(key)) for key in type_.dictionary.keys)
            return AbstractDict(keys, self._types(type_.dictionary.elements))
        if what == "constant":
            return AbstractConst(self.value(type_.constant))
        return {"function": AbstractFunction(), "environment": AbstractEnv(), "state": AbstractMonad()}.get(what or "")

    def _types(self, types: Iterable[proto.Type]) -> tuple[Abstract, ...]:
        found = tuple(map(self.type, types))
        if None in found:
            raise ModelError("an element of a tuple has no type")
        return found  # type: ignore[return-value]


_SINGLE: Final = {"none": None, "state": STATE, "environment": EMPTY_ENVIRON, "ellipsis": Ellipsis}


def write_tensor(target: proto.Tensor, tensor: Any) -> None:
    """Write a tensor's elements into a message."""
    array = np.asarray(tensor.asnumpy())
    target.element_type = tensor.dtype.name
    target.dims.extend(array.shape)
    target.content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()


def tensor_of(message: proto.Tensor) -> Tensor:
    """Read a tensor from a message.

    Raises:
        ModelError: the number of elements does not fit the shape.
    """
    dtype = DTYPES.get(message.element_type)
    if dtype is None or prod(message.dims) * dtype.itemsize != len(message.content):
        raise ModelError(
            f"a tensor of shape {tuple(message.dims)} and element type {message.element_type!r} does not have "
            f"{len(message.content)} bytes"
        )
    array = np.frombuffer(message.content, dtype.numpy.newbyteorder("<")).astype(dtype.numpy)
    return Tensor(array.reshape(tuple(message.dims)))


def printable(text: str) -> str:
    """Check a name from a file, because the engine writes it into generated code.

    Raises:
        ModelError: it contains characters that cannot be printed, such as the end of a line.
    """
    if not text.isprintable():
        raise ModelError(f"{text!r} is not a name")
    return text


def _hashable(key: Any) -> Any:
    if not isinstance(key, bool | int | float | str | tuple):
        raise ModelError(f"{key!r} cannot be a key of a dictionary")
    return key


def _name_of(kind: type) -> str:
    name: str = kind.__name__
    if _NUMBERS.get(name) is kind or (issubclass(kind, Exception) and getattr(builtins, name, None) is kind):
        return name
    raise ModelError(f"the class {kind.__qualname__} cannot be written to a model file: only exceptions of Python can")


def _class_of(name: str) -> type:
    found = _NUMBERS.get(name, getattr(builtins, name, None))
    if not isinstance(found, type) or not (name in _NUMBERS or issubclass(found, Exception)):
        raise ModelError(f"there is no class {name!r} in a program")
    return found
