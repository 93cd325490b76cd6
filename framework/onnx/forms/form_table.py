"""The table of forms: what an operator of the framework is in ONNX. A form writes one application of its operator.

`framework.onnx.writer` looks a form up by the class of a primitive, or by the name of an operator of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.abstract import UNKNOWN, Abstract, AbstractScalar, AbstractTensor, AbstractTuple, Shape
from framework.ir.anf import Node, ValueNode
from framework.onnx.writer.nodes import AttributeValue, NodeWriter, UnwritableError, number_of

__all__ = ["Application", "Form", "Written", "form", "form_of", "names"]

Written: TypeAlias = "str | tuple[Written, ...] | Node | None"
"""What became of a node: the name of a tensor, a tuple of such, a constant of the program, None for a state."""


class Application:
    """One application of an operator that is being written.

    Args:
        writer: appends nodes.
        operator: the primitive or the operator of Python.
        inputs: the nodes that it is applied to.
        written: what became of them.
        abstract: the type of the result.
    """

    def __init__(
        self, writer: NodeWriter, operator: Any, inputs: Sequence[Node], written: Sequence[Written], abstract: Abstract
    ) -> None:
        self.writer, self.operator, self.abstract = writer, operator, abstract
        self.inputs, self.written = list(inputs), list(written)

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def opset(self) -> int:
        """The version of ONNX's operators."""
        return self.writer.opset

    @property
    def out(self) -> AbstractTensor:
        """The type of the result, of the first of several."""
        found = self.abstract.elements[0] if isinstance(self.abstract, AbstractTuple) else self.abstract
        if isinstance(found, AbstractScalar):
            return AbstractTensor((), scalar_type(found))
        if not isinstance(found, AbstractTensor):
            raise UnwritableError(f"its result is {found}")
        return found

    def dtype(self, place: int) -> DType:
        """The element type of an input."""
        return tensor_type(self.inputs[place].abstract).dtype  # type: ignore[no-any-return]

    def shape(self, place: int) -> Shape:
        """The dimensions of an input, None for open ones."""
        return tensor_type(self.inputs[place].abstract).shape

    def rank(self, place: int) -> int:
        """The number of dimensions of an input."""
        return len(self.shape(place))

    def known(self, place: int) -> tuple[int, ...]:
        """The dimensions of an input, which must all be known."""
        shape = self.shape(place)
        if None in shape:
            raise UnwritableError(f"it needs the open dimension of {tensor_type(self.inputs[place].abstract)}")
        return tuple(int(length or 0) for length in shape)

    def axis(self, place: int, axis: int) -> int:
        """An axis of an input, counted from the front."""
        return axis % max(1, self.rank(place))

    def value(self, place: int) -> Any:
        """The value of an input that is a constant."""
        node = self.inputs[place]
        if isinstance(node, ValueNode):
            return node.value
        value = _constant(self.written[place])
        if value is UNKNOWN:
            value = _value_of(node.abstract)
        if value is UNKNOWN:
            raise UnwritableError(f"its input {place + 1} is computed, and ONNX takes a constant there")
        return value

    def of(self, place: int, dtype: DType | None = None) -> str:
        """The name of an input as a tensor, converted if it has another element type than `dtype`."""
        return self.tensor(self.written[place], self.inputs[place].abstract, dtype)

    def items(self, place: int, dtype: DType | None = None) -> list[str]:
        """The names of the elements of an input that is a tuple of tensors."""
        written, abstract = self.written[place], self.inputs[place].abstract
        if isinstance(written, ValueNode):
            value = written.value
            return [self.constant(_array(item), dtype or mstype.of(_array(item).dtype)) for item in value]
        if not isinstance(written, tuple) or not isinstance(abstract, AbstractTuple):
            raise UnwritableError(f"its input {place + 1} is {abstract}, not a tuple of tensors")
        return [self.tensor(one, kind, dtype) for one, kind in zip(written, abstract.elements, strict=True)]

    def tensor(self, written: Written, abstract: Abstract | None, dtype: DType | None = None) -> str:
        """The name of a value as a tensor, converted if it has another element type than `dtype`."""
        if isinstance(written, ValueNode):
            array = _array(written.value)
            return self.constant(array, dtype or tensor_type(abstract or written.abstract).dtype)
        if not isinstance(written, str):
            raise UnwritableError(f"its input is {abstract}, not a tensor")
        has = tensor_type(abstract).dtype
        return written if dtype is None or dtype is has else self.cast(written, dtype)

    def ints(self, place: int) -> str:
        """The name of an input that is a tuple of ints, as a tensor (n,) Int64; some may be computed."""
        written = self.written[place]
        if isinstance(written, ValueNode):
            return self.constant(np.asarray(written.value, np.int64).reshape(-1), mstype.int64)
        if isinstance(written, str):
            return self.emit("Reshape", self.of(place, mstype.int64), self.numbers(-1))
        if not isinstance(written, tuple):
            raise UnwritableError(f"its input {place + 1} is not a tuple of ints")
        one = self.numbers(1)
        parts = [self.emit("Reshape", self.tensor(item, AbstractScalar(UNKNOWN, int)), one) for item in written]
        return self.emit("Concat", *parts, axis=0) if len(parts) != 1 else parts[0]

    def emit(self, kind: str, *inputs: str, **attributes: AttributeValue) -> str:
        """Write a node with one output, and return the output's name."""
        return self.writer.emit(kind, inputs, 1, **attributes)[0]

    def several(self, kind: str, *inputs: str, outputs: int, **attributes: AttributeValue) -> list[str]:
        """Write a node with several outputs, and return their names."""
        return self.writer.emit(kind, inputs, outputs, **attributes)

    def constant(self, value: object, dtype: DType) -> str:
        """The name of a constant."""
        number_of(dtype)
        return self.writer.constant(value, dtype)

    def number(self, value: float | bool, dtype: DType | None = None) -> str:
        """The name of a scalar, by default of the result's element type."""
        return self.constant(value, dtype or self.out.dtype)

    def numbers(self, *values: int) -> str:
        """The name of a list of ints: axes, a shape."""
        return self.constant(np.asarray(values, np.int64).reshape(-1), mstype.int64)

    def cast(self, name: str, dtype: DType) -> str:
        """A tensor with another element type."""
        return self.emit("Cast", name, to=number_of(dtype))

    def reduce(self, kind: str, name: str, axes: Sequence[int] | None, keep: bool) -> str:
        """A reduction over axes; over all if they are None."""
        flag = int(keep)
        if axes is None:
            return self.emit(kind, name, keepdims=flag)
        if not axes:
            return name
        if kind == "ReduceSum" or self.opset >= 18:
            return self.emit(kind, name, self.numbers(*axes), keepdims=flag)
        return self.emit(kind, name, keepdims=flag, axes=list(axes))

    def unsqueeze(self, name: str, *axes: int) -> str:
        """A tensor with further axes of length 1, at these places of the result."""
        return self.emit("Unsqueeze", name, self.numbers(*axes)) if axes else name

    def zeros(self, shape: str, dtype: DType, value: float = 0) -> str:
        """A tensor of one number.

        Args:
            shape: the name of its shape.
            dtype: its element type.
            value: the number.
        """
        return self.emit("ConstantOfShape", shape, value=np.asarray([value], dtype.numpy))


Form = Callable[[Application], Written]
_TABLE: Final[dict[str, Form]] = {}


def form(*operators: str) -> Callable[[Form], Form]:
    """Decorate the function that writes applications of operators: primitives by class, others as `python NAME`."""

    def keep(function: Form) -> Form:
        for name in operators:
            if name in _TABLE:
                raise ValueError(f"{name} has two forms")
            _TABLE[name] = function
        return function

    return keep


def form_of(name: str) -> Form | None:
    """The form of an operator; None if it has none."""
    return _TABLE.get(name)


def names() -> list[str]:
    """The operators that have a form, sorted."""
    return sorted(_TABLE)


def scalar_type(abstract: AbstractScalar) -> DType:
    """The element type of a number of Python as a tensor."""
    return {bool: mstype.bool_, int: mstype.int64, float: mstype.float64}[abstract.type or type(abstract.value)]


def tensor_type(abstract: Abstract | None) -> AbstractTensor:
    """The type of a value as a tensor; a number is one without dimensions."""
    if isinstance(abstract, AbstractTensor):
        return abstract
    if isinstance(abstract, AbstractScalar):
        return AbstractTensor((), scalar_type(abstract))
    raise UnwritableError(f"{abstract} is no tensor")


def _constant(written: Written) -> Any:
    """The value of what was written if all of it is constant, else UNKNOWN."""
    if isinstance(written, ValueNode):
        return written.value
    if isinstance(written, tuple):
        items = tuple(_constant(item) for item in written)
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    return UNKNOWN


def _value_of(abstract: Abstract | None) -> Any:
    if isinstance(abstract, AbstractTuple):
        items = tuple(_value_of(item) for item in abstract.elements)
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    return getattr(abstract, "value", UNKNOWN)


def _array(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
