"""Checks the JSON of a pipeline by its schema, and names the path of the mistake. Called by `deserialize`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from framework.dataset.engine.describing.pipeline_schema import pipeline_schema

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

__all__ = ["check_pipeline", "path_of"]

_KINDS = {"array": "a list", "boolean": "true or false", "integer": "an integer", "null": "null", "number": "a number"}
_KINDS |= {"object": "an object", "string": "a text"}


def check_pipeline(description: object) -> None:
    """Check a pipeline's JSON.

    Raises:
        ValueError: it has a mistake. The message begins with its path, such as
            `children[0].operations[2].tensor_op_params.size: must be above 0, not -1`.
    """
    error = next(iter(_validator().iter_errors(description)), None)
    if error is not None:
        path = path_of(error.absolute_path)
        raise ValueError(f"{path}: {_reason(error)}" if path else f"the pipeline {_reason(error)}")


@cache
def _validator() -> Validator:
    # It takes a while to import, and only reading JSON needs it.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(pipeline_schema())


def path_of(keys: Iterable[str | int]) -> str:
    """The path of a place in JSON: names with dots, positions in brackets."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def _reason(error: ValidationError) -> str:
    """What is wrong in a place, as the end of a sentence."""
    kind, wanted, found = str(error.validator), error.validator_value, error.instance
    shown = f"{found!r:.80}"
    if kind == "enum" and error.absolute_path:
        named = {"op_type": "operator", "tensor_op_name": "transform"}.get(str(error.absolute_path[-1]))
        if named is not None:
            return f"there is no {named} {shown}, only {', '.join(wanted)}"
    if kind == "type":
        return f"must be {_kinds(wanted)}, not {shown}"
    if kind == "required":
        return f"needs {', '.join(repr(name) for name in wanted if name not in found)}"
    if kind == "additionalProperties":
        known = error.schema["properties"]
        unknown = ", ".join(repr(name) for name in found if name not in known)
        return f"there is no argument {unknown}, only {', '.join(known) or 'none'}"
    return _bound(kind, wanted, found, shown) or str(error.message)


def _kinds(wanted: str | Sequence[str]) -> str:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(_KINDS[kind] for kind in kinds)


def _bound(kind: str, wanted: object, found: object, shown: str) -> str | None:
    """What is wrong with a value of the right type; None for what has no words here."""
    count = len(found) if isinstance(found, list) else shown
    return {
        "const": f"must be {wanted!r}, not {shown}",
        "enum": f"must be one of {wanted}, not {shown}",
        "exclusiveMinimum": f"must be above {wanted}, not {shown}",
        "maximum": f"must be at most {wanted}, not {shown}",
        "maxItems": f"must have at most {wanted} items, not {count}",
        "minimum": f"must be at least {wanted}, not {shown}",
        "minItems": f"must have at least {wanted} items, not {count}",
        "not": "must not be 0",
        "pattern": f"must be the path of a function, 'package.module:name', not {shown}",
        "uniqueItems": f"must not name a column twice, as {shown} does",
    }.get(kind)
