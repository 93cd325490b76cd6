"""TensorBoard's plugins and their kinds, and scalars stored as tensors (TensorFlow 2's `tf.summary`).

Called by the event decoder for values in TensorBoard files.
"""

import struct
from collections.abc import Callable

from google.protobuf.message import DecodeError

from summaries.kinds import Kind
from summaries.schema.tensorboard_pb2 import DataType, SummaryMetadata, TensorProto

# A tensor of one number is far smaller, so larger ones need not be parsed.
_LARGEST_SCALAR_BYTES = 1024
_TEXT_TYPE = bytes([1 << 3, DataType.DT_STRING])

STRINGS = "strings"
"""Stands for the plugin of tags whose tensors hold texts and which name none."""

PLUGIN_KINDS = {
    "images": Kind.IMAGE,
    "histograms": Kind.HISTOGRAM,
    "audio": Kind.AUDIO,
    "text": Kind.TEXT,
    "pr_curves": Kind.PR_CURVE,
    "hparams": Kind.HPARAMS,
    "mesh": Kind.MESH,
    # A layout of charts, which is no tensor.
    "custom_scalars": Kind.OTHER,
    # Not TensorBoard's: texts that belong to no plugin.
    STRINGS: Kind.OTHER,
}
"""Kind of values by plugin."""

_KIND_PLUGINS = {kind: name for name, kind in PLUGIN_KINDS.items()} | {Kind.SCALAR: "scalars"}


def plugin_name(metadata: bytes) -> str:
    """Return the plugin in a value's metadata, or an empty string if it is broken or names none."""
    try:
        return SummaryMetadata.FromString(metadata).plugin_data.plugin_name
    except DecodeError:
        return ""


def plugin_of_kind(kind: Kind) -> str:
    """Return the plugin of a kind, or an empty string if it has none."""
    return _KIND_PLUGINS.get(kind, "")


def is_text(data: bytes) -> bool:
    """Return whether a serialized tensor holds texts. Writers put the type first."""
    return data.startswith(_TEXT_TYPE)


def scalar_of_tensor(data: bytes, plugin: str) -> float | None:
    """Return the number in a serialized tensor that is a scalar, or None for any other tensor.

    A scalar is a numeric tensor of one element that belongs to the plugin `scalars`, or one without dimensions that
    belongs to no plugin.
    """
    if len(data) > _LARGEST_SCALAR_BYTES or plugin not in ("", "scalars"):
        return None
    try:
        tensor = TensorProto.FromString(data)
    except DecodeError:
        return None
    dims = tensor.tensor_shape.dim
    if tensor.tensor_shape.unknown_rank or (dims and not plugin) or any(dim.size != 1 for dim in dims):
        return None
    if tensor.dtype not in _ELEMENTS:
        return None
    code, field, convert = _ELEMENTS[tensor.dtype]
    if tensor.tensor_content:
        size = struct.calcsize(code)
        return convert(*struct.unpack(code, tensor.tensor_content)) if len(tensor.tensor_content) == size else None
    values = getattr(tensor, field)
    if len(values) > 1:
        return None
    return convert(values[0]) if values else 0.0  # TensorFlow omits a zero.


def _bfloat16(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0])


def _half(bits: int) -> float:
    return float(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])


# For each type: struct code of an element, list field of the numbers, conversion to a float.
_ELEMENTS: dict[int, tuple[str, str, Callable[[int], float]]] = {
    DataType.DT_FLOAT: ("<f", "float_val", float),
    DataType.DT_DOUBLE: ("<d", "double_val", float),
    DataType.DT_HALF: ("<H", "half_val", _half),
    DataType.DT_BFLOAT16: ("<H", "half_val", _bfloat16),
    DataType.DT_INT8: ("<b", "int_val", float),
    DataType.DT_INT16: ("<h", "int_val", float),
    DataType.DT_INT32: ("<i", "int_val", float),
    DataType.DT_INT64: ("<q", "int64_val", float),
    DataType.DT_UINT8: ("<B", "int_val", float),
    DataType.DT_UINT16: ("<H", "int_val", float),
    DataType.DT_UINT32: ("<I", "uint32_val", float),
    DataType.DT_UINT64: ("<Q", "uint64_val", float),
    DataType.DT_BOOL: ("<?", "bool_val", float),
}
