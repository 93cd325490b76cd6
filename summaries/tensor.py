"""Tensors in records: MindSpore's form, and an exact form beside it. Used by the summary writer and by readers.

MindSpore stores every element type in `float_data`, and so do we. Where 32-bit floats would round the numbers,
`Summary.Value.exact` holds them bit for bit.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from summaries.records import MAX_RECORD_BYTES, varint
from summaries.schema.anf_ir_pb2 import DataType, TensorProto
from summaries.schema.summary_pb2 import Summary

_TYPES: "dict[str, DataType.ValueType]" = {
    "bool": DataType.DT_BOOL,
    "int8": DataType.DT_INT8,
    "int16": DataType.DT_INT16,
    "int32": DataType.DT_INT32,
    "int64": DataType.DT_INT64,
    "uint8": DataType.DT_UINT8,
    "uint16": DataType.DT_UINT16,
    "uint32": DataType.DT_UINT32,
    "uint64": DataType.DT_UINT64,
    "float16": DataType.DT_FLOAT16,
    "bfloat16": DataType.DT_BFLOAT16,
    "float32": DataType.DT_FLOAT32,
    "float64": DataType.DT_FLOAT64,
    "complex64": DataType.DT_COMPLEX64,
    "complex128": DataType.DT_COMPLEX128,
}
# The rest of the record is tag, step and time.
_MAX_BYTES = MAX_RECORD_BYTES - 4096
_ROUNDED = {"int32", "int64", "uint32", "uint64", "float64", "complex64", "complex128"}
_FLOAT_DATA = bytes([TensorProto.FLOAT_DATA_FIELD_NUMBER << 3 | 2])
_NAMES: "dict[DataType.ValueType, str]" = {number: name for name, number in _TYPES.items()}


def check_size(tag: str, array: NDArray[Any], element: str) -> None:
    """Check that a tensor fits into one record.

    Raises:
        TypeError: the format has no such element type.
        ValueError: it is too large.
    """
    if element not in _TYPES:
        raise TypeError(f"The tensor {tag!r} has elements of type {element}, which summary files do not have.")
    floats = 0 if array.dtype.kind == "c" else 4 * array.size
    size = floats + (array.nbytes if element in _ROUNDED else 0)
    if size > _MAX_BYTES:
        shape = f"of shape {array.shape} and type {element}"
        raise ValueError(f"The tensor {tag!r} {shape} takes {size} bytes; a record has room for {_MAX_BYTES}.")


def fill_tensor(value: Summary.Value, array: NDArray[Any], element: str) -> None:
    """Set the tensor of `value`, and its exact form if `float_data` rounds.

    Complex tensors have the exact form only, because `float_data` cannot hold them.

    Args:
        value: the message to fill.
        array: the elements.
        element: name of their type, as in `Taken.element`.
    """
    kind = _TYPES[element]
    if array.dtype.kind != "c":
        value.tensor.dims.extend(array.shape)
        value.tensor.data_type = kind
        _add_floats(value.tensor, array)
    if element in _ROUNDED:
        value.exact.dims.extend(array.shape)
        value.exact.data_type = kind
        value.exact.content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def read_tensor(value: Summary.Value) -> NDArray[Any]:
    """Return the tensor of `value` in its own element type; bfloat16 as float32.

    Raises:
        ValueError: the value has no tensor, or it is broken.
    """
    if value.HasField("exact"):
        name = _element(value.exact.data_type)
        numbers = np.frombuffer(value.exact.content, np.dtype(name).newbyteorder("<")).astype(name)
        return numbers.reshape(tuple(value.exact.dims))
    if not value.HasField("tensor"):
        raise ValueError(f"The value {value.tag!r} has no tensor.")
    return _numbers(value.tensor).reshape(tuple(value.tensor.dims))


def _add_floats(tensor: TensorProto, array: NDArray[Any]) -> None:
    """Append all elements to `float_data` as one packed field; one Python object per element would be slow."""
    with np.errstate(over="ignore"):
        content = array.astype("<f4").tobytes()
    tensor.MergeFromString(_FLOAT_DATA + varint(len(content)) + content)


def _numbers(tensor: TensorProto) -> NDArray[Any]:
    name = _element(tensor.data_type)
    if name in ("bfloat16", "complex64", "complex128"):
        name = "float32"
    with np.errstate(invalid="ignore"):
        return np.array(tensor.float_data, np.float32).astype(name)


def _element(number: "DataType.ValueType") -> str:
    try:
        return _NAMES[number]
    except KeyError:
        raise ValueError(f"{number} is not an element type of tensors.") from None
