"""From the attributes and tensors of a MindIR file to Python values and arrays. `translating` calls it.

Sizes are compared with the bytes that are there before an array is made, by the same code as for ONNX.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from framework.onnx.reader.tensors import ELEMENT_TYPES, array_of
from framework.schema import onnx_pb2
from summaries.beneath import Beneath
from summaries.schema.mind_ir_pb2 import Attribute, TensorData

__all__ = ["Contents", "Value", "element_type", "kind_of"]

Value: TypeAlias = "bool | int | float | str | Tensor | tuple[Value, ...] | list[Value] | None"
"""A constant of a program."""

_BFLOAT16: Final = 16
_UINT16: Final = 4
_EXTERNAL: Final = 1
_FLOAT64: Final = {17: 11}
"""MindSpore has two numbers for Float64; the second is none of ONNX's."""
_WHOLE: Final = frozenset({
    Attribute.UINT8, Attribute.INT8, Attribute.UINT16, Attribute.INT16, Attribute.INT32, Attribute.INT64,
    Attribute.UINT32, Attribute.UINT64,
})  # fmt: skip
_NOTHING: Final = frozenset({Attribute.NONE, Attribute.UMONAD, Attribute.IOMONAD})


def element_type(number: int) -> DType:
    """The element type with a number of the format (`TensorProto.DataType`).

    Raises:
        ModelError: there is none, or the framework has none like it.
    """
    number = _FLOAT64.get(number, number)
    if number == _BFLOAT16:
        return mstype.bfloat16
    if number not in ELEMENT_TYPES:
        raise ModelError(f"elements of type number {number} are not supported")
    return ELEMENT_TYPES[number]


def kind_of(attribute: Attribute) -> str:
    """The name of an attribute's kind for messages, such as `csr_tensor`."""
    names = Attribute.Type.DESCRIPTOR.values_by_number
    return names[attribute.type].name.lower() if attribute.type in names else f"number {attribute.type}"


class Contents:
    """Makes values of one file.

    Args:
        folder: the folder of the file, below which weights in other files must lie.
        limits: what the file may ask for.
    """

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._checked: set[str] = set()

    def value(self, attribute: Attribute) -> Value:
        """The value of an attribute or a constant; None for monads too.

        Raises:
            ModelError: it is of a kind that is not supported, or a damaged tensor.
        """
        kind = attribute.type
        if kind in _NOTHING:
            return None
        if kind in (Attribute.TUPLE, Attribute.LIST):
            items = [self.value(item) for item in attribute.values]
            return items if kind == Attribute.LIST else tuple(items)
        if kind in (Attribute.TENSOR, Attribute.TENSORS):
            tensors = [attribute.t] if attribute.HasField("t") else list(attribute.tensors)
            if len(tensors) != 1:
                raise ModelError(f"a constant has {len(tensors)} tensors instead of one")
            return Tensor(self.array(tensors[0]))
        return _scalar(attribute)

    def array(self, tensor: TensorData) -> NDArray[np.generic]:
        """The elements of a tensor, from the file or from one beside it.

        Raises:
            ModelError: they do not fit the tensor's shape, are compressed, or cannot be read.
        """
        if tensor.compression_type:
            raise ModelError("its elements are compressed, which is not supported: export it without compression")
        kind = element_type(tensor.data_type)
        number = _FLOAT64.get(tensor.data_type, tensor.data_type)
        is_bfloat16 = number == _BFLOAT16
        copy = onnx_pb2.TensorData(
            dims=tensor.dims, data_type=_UINT16 if is_bfloat16 else number, name=tensor.name, raw_data=tensor.raw_data,
            float_data=tensor.float_data, int32_data=tensor.int32_data, int64_data=tensor.int64_data,
            double_data=tensor.double_data, uint64_data=tensor.uint64_data,
        )  # fmt: skip
        if tensor.HasField("external_data"):
            self._beside(tensor, copy)
        array = array_of(copy, self._folder, self._limits)
        return array.view(kind.numpy) if is_bfloat16 else array

    def _beside(self, tensor: TensorData, copy: onnx_pb2.TensorData) -> None:
        """Note where the elements are. The file with them begins with 64 bytes, whose first tells the byte order."""
        external = tensor.external_data
        copy.data_location = _EXTERNAL
        for key, entry in (("location", external.location), ("offset", external.offset), ("length", external.length)):
            copy.external_data.add(key=key, value=str(entry))
        if external.location in self._checked:
            return
        try:
            descriptor = Beneath(self._folder.resolve(), external.location).open()
        except (ValueError, OSError):
            return  # `array_of` says what is wrong.
        try:
            if os.pread(descriptor, 1, 0) == b"\0":
                raise ModelError(
                    f"the weights in {external.location!r} are encrypted, incomplete or of a big-endian machine"
                )
        except OSError as error:
            raise ModelError(f"{external.location!r} cannot be read: {error.strerror}") from None
        finally:
            os.close(descriptor)
        self._checked.add(external.location)


def _scalar(attribute: Attribute) -> Value:
    """A number or a text. A named one is in the singular field, an item of a tuple in the repeated one."""
    kind = attribute.type
    if kind in _WHOLE:
        return attribute.ints[0] if attribute.ints else attribute.i
    if kind == Attribute.BOOL:
        return bool(attribute.ints[0] if attribute.ints else attribute.i)
    if kind in (Attribute.FLOAT, Attribute.FLOAT16, Attribute.BFLOAT16):
        return _shortest(attribute.floats[0] if attribute.floats else attribute.f)
    if kind == Attribute.DOUBLE:
        return attribute.doubles[0] if attribute.doubles else attribute.d
    if kind == Attribute.STRING:
        try:
            return (attribute.strings[0] if attribute.strings else attribute.s).decode()
        except UnicodeDecodeError:
            raise ModelError(f"its attribute {attribute.name!r} is no UTF-8 text") from None
    raise ModelError(f"a constant of the kind {kind_of(attribute)} is not supported")


def _shortest(number: float) -> float:
    """The shortest decimal number that is the same as float32: the file has 0.699999988 for 0.7."""
    return float(str(np.float32(number)))
