"""Converts TensorBoard's tensors to numpy and back. Used by both directions of the conversion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summaries.records import MAX_RECORD_BYTES
from summaries.schema.tensorboard_pb2 import DataType, TensorProto

# A few bytes may declare very many equal elements.
_MOST_ELEMENTS = MAX_RECORD_BYTES // 4
_ELEMENTS = {
    "bool": DataType.DT_BOOL,
    "int8": DataType.DT_INT8,
    "int16": DataType.DT_INT16,
    "int32": DataType.DT_INT32,
    "int64": DataType.DT_INT64,
    "uint8": DataType.DT_UINT8,
    "uint16": DataType.DT_UINT16,
    "uint32": DataType.DT_UINT32,
    "uint64": DataType.DT_UINT64,
    "float16": DataType.DT_HALF,
    "bfloat16": DataType.DT_BFLOAT16,
    "float32": DataType.DT_FLOAT,
    "float64": DataType.DT_DOUBLE,
    "complex64": DataType.DT_COMPLEX64,
    "complex128": DataType.DT_COMPLEX128,
}
_NAMES = {number: name for name, number in _ELEMENTS.items()}
_LISTS = {
    "bool": "bool_val",
    "int64": "int64_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "float16": "half_val",
    "bfloat16": "half_val",
    "float32": "float_val",
    "float64": "double_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
}


def shape_of(tensor: TensorProto) -> tuple[int, ...]:
    """Returns the dimensions.

    Raises:
        ValueError: they are unknown, or too large for a record.
    """
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if tensor.tensor_shape.unknown_rank or any(size < 0 for size in shape) or math.prod(shape) > _MOST_ELEMENTS:
        raise ValueError(f"{shape} is not the shape of this tensor")
    return shape


def texts_of(tensor: TensorProto) -> list[bytes]:
    """Returns the byte strings of a string tensor.

    Raises:
        ValueError: the tensor has other elements.
    """
    if tensor.dtype != DataType.DT_STRING:
        raise ValueError("the tensor has no texts")
    return list(tensor.string_val)


def numbers_of(tensor: TensorProto) -> tuple[NDArray[Any], str]:
    """Returns the numbers of a tensor and the name of their type; bfloat16 as float32.

    Raises:
        ValueError: the tensor has other elements, or not as many as it declares.
    """
    shape = shape_of(tensor)
    element = _NAMES.get(tensor.dtype)
    if element is None:
        raise ValueError(f"{tensor.dtype} is not a type of numbers")
    stored = np.dtype("uint16" if element == "bfloat16" else element)
    if tensor.tensor_content:
        flat = np.frombuffer(tensor.tensor_content, stored.newbyteorder("<")).astype(stored)
    else:
        flat = _listed(tensor, element, stored, math.prod(shape))
    numbers = flat.reshape(shape)
    if element == "bfloat16":
        return (numbers.astype(np.uint32) << 16).view(np.float32), element
    return numbers, element


def _listed(tensor: TensorProto, element: str, stored: np.dtype[Any], size: int) -> NDArray[Any]:
    """The numbers in the list of their type. TensorFlow leaves out repeated numbers at the end, and zeros."""
    values = np.array(getattr(tensor, _LISTS.get(element, "int_val")))
    if element in ("float16", "bfloat16"):
        flat = values.astype(np.uint16).view(stored)
    elif element.startswith("complex"):
        flat = values.astype(np.float64).reshape(-1, 2) @ np.array([1, 1j])
    else:
        flat = values
    if len(flat) > size:
        raise ValueError(f"there are {len(flat)} elements where the shape has {size}")
    filler = flat[-1] if len(flat) else 0
    out = np.full(size, filler, stored)
    out[: len(flat)] = flat
    return out


def tensor_of(array: NDArray[Any], element: str) -> TensorProto:
    """Returns the message with these numbers."""
    message = TensorProto(dtype=_ELEMENTS[element])
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    if element == "bfloat16":
        array = (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    message.tensor_content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return message


def texts_tensor(*texts: bytes) -> TensorProto:
    """Returns a one-dimensional tensor of these byte strings."""
    message = TensorProto(dtype=DataType.DT_STRING, string_val=texts)
    message.tensor_shape.dim.add(size=len(texts))
    return message
