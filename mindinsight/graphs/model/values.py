"""Types and values of MindSpore's graphs as texts: `Float32[2,3]` and JSON. Used by the MindSpore adapter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from summaries.schema.anf_ir_pb2 import DataType, TensorProto, TypeProto, ValueProto

MOST_ELEMENTS = 64
"""Number of elements that are kept of longer lists and tensors."""

_FIELDS = ("bool_val", "int_val", "uint_val", "float_val", "double_val", "str_val")
_LISTS = ("bool_vals", "int_vals", "uint_vals", "float_vals", "double_vals", "str_vals")
_ELEMENTS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def type_text(found: TypeProto) -> str:
    """Returns a type as text."""
    if found.HasField("tensor_type"):
        shape = ",".join(str(dimension.size) for dimension in found.tensor_type.shape.dim)
        return f"{dtype_name(found.tensor_type.elem_type)}[{shape}]"
    if found.HasField("sequence_type"):
        return f"({','.join(map(type_text, found.sequence_type.elem_types))})"
    return dtype_name(found.data_type) if found.HasField("data_type") else ""


def dtype_name(number: int) -> str:
    """Returns the name of a data type."""
    if number == DataType.DT_SLICE:  # This number marks edges that only order side effects.
        return "Monad"
    try:
        name = DataType.Name(number)  # type: ignore[arg-type]
    except ValueError:
        return f"Type{number}"
    return name.removeprefix("DT_").capitalize().replace("Bfloat", "BFloat").replace("Uint", "UInt")


def value_text(value: ValueProto) -> str:
    """Returns a value as JSON."""
    return to_json(plain_value(value))


def to_json(value: Any) -> str:
    """Returns JSON. Integers of any size and broken texts are allowed."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:
        return orjson.dumps(repr(value).encode("utf-8", "replace").decode()).decode()


def plain_value(value: ValueProto, depth: int = 0) -> Any:
    """Returns a value as Python types. Long values are cut."""
    if depth > 20:
        return "…"
    for field in _FIELDS:
        if value.HasField(field):  # type: ignore[arg-type]
            return getattr(value, field)
    if value.HasField("tensor_val"):
        return _tensor(value.tensor_val)
    if value.HasField("type_val"):
        return type_text(value.type_val)
    return _listed(value, depth)


def _listed(value: ValueProto, depth: int) -> Any:
    for field in _LISTS:
        items = getattr(value, field)
        if items:
            return _cut(items, lambda item: item)
    if value.values:
        return _cut(value.values, lambda item: plain_value(item, depth + 1))
    if value.dict_val:
        return {item.key: plain_value(item.value, depth + 1) for item in value.dict_val[:MOST_ELEMENTS]}
    if value.tensor_vals:
        return _cut(value.tensor_vals, _tensor)
    if value.HasField("graph") or value.graphs:
        return "graph"
    if value.dtype in (DataType.DT_TUPLE, DataType.DT_LIST):
        return []
    return dtype_name(value.dtype) if value.HasField("dtype") else None


def _tensor(tensor: TensorProto) -> dict[str, Any]:
    described: dict[str, Any] = {"dtype": dtype_name(tensor.data_type), "shape": list(tensor.dims)}
    for field in _ELEMENTS:
        elements = getattr(tensor, field)
        if elements:
            described["elements"] = _cut(elements, lambda item: item)
            break
    return described


def _cut(items: Any, convert: Callable[[Any], Any]) -> list[Any]:
    kept = [convert(item) for item in items[:MOST_ELEMENTS]]
    return kept if len(items) <= MOST_ELEMENTS else [*kept, "…"]
