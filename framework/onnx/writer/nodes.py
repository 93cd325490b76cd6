"""The nodes of a model while it is written: names, attributes, constants, tensors. Forms and writers use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from framework.common.dtype import DType
from framework.ir.abstract import Shape
from framework.onnx.reader.tensors import ELEMENT_TYPES
from framework.schema.onnx_pb2 import Attribute, Graph, Node, TensorData, ValueInfo

__all__ = ["Block", "NodeWriter", "UnwritableError", "declare", "number_of", "set_attribute", "tensor_message"]

AttributeValue: TypeAlias = "int | float | str | Graph | Sequence[int] | Sequence[float] | npt.NDArray[np.generic]"

_NUMBERS: Final = {dtype: number for number, dtype in ELEMENT_TYPES.items()}
_SINCE: Final = {
    "Trilu": 14, "HardSwish": 14, "GridSample": 16, "LayerNormalization": 17, "BitwiseAnd": 18, "BitwiseOr": 18,
    "BitwiseXor": 18, "BitwiseNot": 18, "Mish": 18, "Gelu": 20,
}  # fmt: skip
"""The operators that came after the oldest opset that is written, with the opset that brought each."""


class UnwritableError(Exception):
    """Something has no form in ONNX; the message says why."""


class Block:
    """The nodes of a graph that is being written, in order."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []


class NodeWriter:
    """Appends nodes to the current block.

    Args:
        opset: the version of ONNX's operators.

    Attributes:
        constants: the nodes of the constants, which all graphs see.
        block: where nodes go.
        label: the name that the next nodes get.
    """

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.constants = Block()
        self.block = Block()
        self.label = ""
        self._taken: set[str] = set()
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def name(self, wanted: str) -> str:
        """A name that nothing else has."""
        found, number = wanted, 0
        while found in self._taken:
            number += 1
            found = f"{wanted}_{number}"
        self._taken.add(found)
        return found

    def emit(self, kind: str, inputs: Iterable[str], outputs: int = 1, **attributes: AttributeValue) -> list[str]:
        """Append a node.

        Args:
            kind: the operator.
            inputs: the names of its inputs; empty for one that is left out.
            outputs: the number of outputs.
            attributes: the operator's attributes.

        Returns:
            The names of the outputs.

        Raises:
            UnwritableError: the opset has no such operator.
        """
        if self.opset < _SINCE.get(kind, 0):
            raise UnwritableError(f"it needs ONNX's {kind}, which is there since opset {_SINCE[kind]}")
        name = self.name(self.label or kind)
        made = Node(op_type=kind, input=inputs, name=name)
        made.output.extend(self.name(f"{name}:{place}" if outputs > 1 else f"{name}:out") for place in range(outputs))
        for key, value in attributes.items():
            set_attribute(made, key, value)
        self.block.nodes.append(made)
        return list(made.output)

    def constant(self, value: object, dtype: DType) -> str:
        """The name of a constant; equal ones are written once."""
        array = np.asarray(value).astype(dtype.numpy)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            made = Node(op_type="Constant", name=self.name("constant"))
            made.output.append(self.name(f"{made.name}:out"))
            set_attribute(made, "value", array)
            self.constants.nodes.append(made)
            self._known[key] = made.output[0]
        return self._known[key]


def number_of(dtype: DType) -> int:
    """The number of an element type in the format.

    Raises:
        UnwritableError: the format has none, or it is not written.
    """
    if dtype not in _NUMBERS:
        raise UnwritableError(f"elements of type {dtype} are not written")
    return _NUMBERS[dtype]


def tensor_message(array: npt.NDArray[np.generic], name: str = "") -> TensorData:
    """A tensor of the file."""
    number = next((number for number, dtype in ELEMENT_TYPES.items() if dtype.numpy == array.dtype), None)
    if number is None:
        raise UnwritableError(f"elements of type {array.dtype} are not written")
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return TensorData(name=name, dims=array.shape, data_type=number, raw_data=little.tobytes())


def declare(info: ValueInfo, name: str, dtype: DType, shape: Shape | None, open_names: Sequence[str] = ()) -> None:
    """Set an input or output of a graph.

    Args:
        info: the message.
        name: its name.
        dtype: the element type.
        shape: the dimensions, None for open ones; None if they are not told.
        open_names: the names of the open dimensions, in order; those without one stay nameless.
    """
    info.name = name
    tensor = info.type.tensor_type
    tensor.elem_type = number_of(dtype)
    if shape is None:
        return
    tensor.shape.SetInParent()
    names = iter(open_names)
    for length in shape:
        dim = tensor.shape.dim.add()
        if length is not None:
            dim.dim_value = length
        elif named := next(names, ""):
            dim.dim_param = named


def set_attribute(node: Node, name: str, value: AttributeValue) -> None:
    """Add an attribute to a node."""
    made = node.attribute.add(name=name)
    if isinstance(value, int):
        made.type, made.i = Attribute.INT, value
    elif isinstance(value, float):
        made.type, made.f = Attribute.FLOAT, value
    elif isinstance(value, str):
        made.type, made.s = Attribute.STRING, value.encode()
    elif isinstance(value, Graph):
        made.type = Attribute.GRAPH
        made.g.CopyFrom(value)
    elif isinstance(value, np.ndarray):
        made.type = Attribute.TENSOR
        made.t.CopyFrom(tensor_message(value))
    elif any(isinstance(item, float) for item in value):
        made.type = Attribute.FLOATS
        made.floats.extend(float(item) for item in value)
    else:
        made.type = Attribute.INTS
        made.ints.extend(int(item) for item in value)
