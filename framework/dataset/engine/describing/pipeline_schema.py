"""The JSON Schema of pipelines, made from the tables of operators, samplers and transforms.

`deserialize` checks JSON by it, editors build forms from it, and `make operators` writes it to
`docs/pipeline.schema.json`. Types of a transform's arguments come from its constructor; bounds from a table by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Final

from framework.dataset import text, transforms, vision
from framework.dataset.engine.describing.tables import OPERATORS, SAMPLERS, SOURCES
from framework.dataset.transforms.operation import TensorOperation
from framework.dataset.vision.utils import border_of, inter_of

__all__ = ["BOUNDS", "VERSION", "operations", "pipeline_schema"]

#: Rises with each change after which JSON that was right is wrong.
VERSION: Final = 1

Schema = dict[str, Any]

_TYPES: Final[Mapping[str, tuple[str, str | None]]] = {
    "bool": ("boolean", None),
    "float": ("number", None),
    "int": ("integer", None),
    "None": ("null", None),
    "Place": ("string", None),
    "str": ("string", None),
    "Sequence[float]": ("array", "number"),
    "Sequence[int]": ("array", "integer"),
    "tuple[str, int]": ("array", None),
}
_ABOVE_0: Final = {"exclusiveMinimum": 0}
_FROM_0: Final = {"minimum": 0}
_SHARE: Final = {"minimum": 0, "maximum": 1}
_BYTE: Final = {"minimum": 0, "maximum": 255}
#: Bounds of arguments by their name, wherever a transform has one of this name; for lists those of each item.
BOUNDS: Final[Mapping[str, Mapping[str, float]]] = {
    "coordinates": _FROM_0,
    "height": _ABOVE_0,
    "length": _ABOVE_0,
    "left": _FROM_0,
    "max_attempts": _ABOVE_0,
    "max_seq_len": _FROM_0,
    "num_classes": _ABOVE_0,
    "num_patches": _ABOVE_0,
    "padding": _FROM_0,
    "prob": _SHARE,
    "size": _ABOVE_0,
    "smoothing_rate": _SHARE,
    "std": {"exclusiveMinimum": 0, "maximum": 255},
    "mean": _BYTE,
    "top": _FROM_0,
    "width": _ABOVE_0,
}
#: Numbers of the kinds of interpolation and of borders.
_NUMBERS: Final[Mapping[Callable[[Any], Any], Sequence[int]]] = {inter_of: range(6), border_of: range(4)}


def operations() -> dict[str, type[TensorOperation]]:
    """The public transforms by their names in JSON."""
    found: dict[str, type[TensorOperation]] = {}
    for home in (transforms, vision, text):
        for name in home.__all__:
            kind = getattr(home, name)
            if isinstance(kind, type) and issubclass(kind, TensorOperation) and not inspect.isabstract(kind):
                found.setdefault(kind.tensor_op_name or kind.__name__, kind)
    # These stand for a function of the user, which JSON names by itself.
    return {name: found[name] for name in sorted(found) if name not in ("Lambda", "PythonTokenizer")}


@cache
def pipeline_schema() -> Schema:
    """The schema of a pipeline, in the form of JSON Schema 2020-12."""
    names = sorted({*OPERATORS, *SOURCES})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A data pipeline",
        "description": f"Version {VERSION}. Written by ds.serialize, read by ds.deserialize.",
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "required": ["op_type"],
                "properties": {
                    "op_type": {"enum": names},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    "operations": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/operation"}},
                    "sampler": {"$ref": "#/$defs/sampler"},
                    "num_parallel_workers": {"type": "integer", **_ABOVE_0},
                    "connector_queue_size": {"type": "integer", **_ABOVE_0},
                },
                "allOf": [_if("op_type", name, _node_schema(name)) for name in names],
            },
            "operation": _operation_schema(),
            "function": {
                "type": ["object", "string"],
                "properties": {"python": {"type": "string", "pattern": "^[^:]+:[^:]+$"}},
            },
            "sampler": {
                "type": "object",
                "required": ["sampler_name"],
                "properties": {
                    "sampler_name": {"type": "string"},
                    "child_sampler": {"type": "array", "maxItems": 1, "items": {"$ref": "#/$defs/sampler"}},
                },
                "allOf": [_if("sampler_name", name, {"properties": dict(kind)}) for name, kind in SAMPLERS.items()],
            },
        },
    }


def _operation_schema() -> Schema:
    return {
        "type": "object",
        "properties": {
            "tensor_op_name": {"type": "string"},
            "tensor_op_params": {"type": ["object", "null"]},
            "is_python_front_end_op": {"type": "boolean"},
            "python": {"type": "string", "pattern": "^[^:]+:[^:]+$"},
        },
        "if": {"not": {"anyOf": [{"required": ["python"]}, {"required": ["is_python_front_end_op"]}]}},
        "then": {
            "required": ["tensor_op_name"],
            "properties": {"tensor_op_name": {"enum": list(operations())}},
            "allOf": [_if("tensor_op_name", name, _arguments(kind)) for name, kind in operations().items()],
        },
    }


def _if(key: str, name: str, then: Schema) -> Schema:
    return {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": then}


def _node_schema(name: str) -> Schema:
    if name in SOURCES:
        return {"properties": {"children": {"maxItems": 0}}}
    operator = OPERATORS[name]
    children: Schema = {"minItems": operator.children}
    if operator.children == 1:
        children["maxItems"] = 1
    return {
        "required": ["children", *operator.required],
        "properties": {"children": children, **operator.properties},
    }


def _arguments(kind: type[TensorOperation]) -> Schema:
    """What the JSON of a transform has beside its name."""
    properties: Schema = {}
    required = []
    for argument in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        name = kind.json_names.get(argument.name, argument.name)
        properties[name] = _argument(kind, argument)
        # Vectors of words are too large for JSON.
        named = argument.kind is not argument.VAR_POSITIONAL and argument.annotation != "Vectors"
        if argument.default is argument.empty and named:
            required.append(name)
    if kind.has_device:
        properties["device_target"] = {"const": "CPU"}
    own: Schema = {"type": "object" if required else ["object", "null"], "properties": properties, "required": required}
    # Transforms that make their JSON themselves may have other arguments there.
    own_form = "to_json" in vars(kind) or "from_json" in vars(kind)
    if not own_form:
        own["additionalProperties"] = False
    else:
        own["required"] = []
    needed = bool(required) and not own_form
    return {"properties": {"tensor_op_params": own}, **({"required": ["tensor_op_params"]} if needed else {})}


def _argument(kind: type[TensorOperation], argument: inspect.Parameter) -> Schema:
    if argument.annotation == "Sequence[Callable[..., Any]]":
        return {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/operation"}}
    reader = kind.json_readers.get(argument.name)
    if reader is not None:
        return _read_by(reader)
    known = [_TYPES[part] for part in str(argument.annotation).split(" | ") if part in _TYPES]
    own_form = "from_json" in vars(kind) and argument.annotation not in _TYPES
    if own_form or len(known) <= str(argument.annotation).count(" | "):
        return {}
    bounds = dict(BOUNDS.get(argument.name, {}))
    schema: Schema = {"type": [name for name, _ in known] if len(known) > 1 else known[0][0], **bounds}
    for name, item in known:
        if name == "array" and item is not None:
            schema["items"] = {"type": item, **bounds}
    return schema


def _read_by(reader: Callable[[Any], Any]) -> Schema:
    """The schema of an argument that a function or an enumeration makes of its form in JSON."""
    if reader in _NUMBERS:
        return {"enum": list(_NUMBERS[reader])}
    is_enumeration = isinstance(reader, type) and issubclass(reader, Enum)
    return {"enum": [item.value for item in reader]} if is_enumeration else {}  # type: ignore[attr-defined]
