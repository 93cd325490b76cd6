"""Reads query parameters and bodies through a serializer, so that a wrong one is an error that names it. Used by all
views.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from mindinsight.config.problems import Problem


def read_parameters(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """Returns the request's query parameters as `shape` understands them.

    Raises:
        Problem: `bad_parameter`, for the first that is wrong.
    """
    try:
        return dict(_reader(shape).run_validation(request.query_params.dict()))
    except serializers.ValidationError as refused:
        parameter, errors = next(iter(cast("dict[str, Any]", refused.detail).items()))
    reason = str(errors[0])
    raise Problem(
        "bad_parameter", f"The parameter '{parameter}' is wrong: {reason}", parameter=parameter, reason=reason
    )


@cache
def _reader(shape: type[Serializer[Any]]) -> Serializer[Any]:
    """One of each kind, made once: making its fields takes ten times as long as reading parameters with them."""
    return shape()


def read_body(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """Returns the request's body as `shape` understands it.

    Raises:
        Problem: `bad_parameter`, for the first value that is wrong.
    """
    serializer = shape(data=request.data)
    if serializer.is_valid():
        return dict(serializer.validated_data)
    name, errors = next(iter(serializer.errors.items()))
    while isinstance(errors, (dict, list)):  # They may lie in lists and by index.
        errors = next(iter(errors.values() if isinstance(errors, dict) else errors))
    reason = str(errors)
    raise Problem("bad_parameter", f"'{name}' is wrong: {reason}", parameter=str(name), reason=reason)


class NumberListField(serializers.CharField):
    """Numbers with commas between them."""

    def to_internal_value(self, data: Any) -> Any:
        """Returns the list of numbers, each once, in order."""
        parts = [part for part in super().to_internal_value(data).split(",") if part]
        if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts):
            raise serializers.ValidationError("numbers with commas between them are expected, such as 17,18")
        return list(dict.fromkeys(int(part) for part in parts))
