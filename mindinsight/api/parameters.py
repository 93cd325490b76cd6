"""Reads query parameters and bodies through a serializer. An error names the parameter that is wrong.

Used by all views.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from mindinsight.api.problems import COMBINATION, LANGUAGE, Problem


def read_parameters(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """Returns the request's query parameters, validated by `shape`. Unknown parameters are ignored.

    Raises:
        Problem: `bad_parameter`, for the first parameter that is wrong or given more than once.
    """
    reader = _reader(shape)
    for known in map(str, reader.fields):
        if len(request.query_params.getlist(known)) > 1:
            raise _wrong(known, ErrorDetail("it is given more than once"))
    try:
        return dict(reader.run_validation(request.query_params.dict()))
    except serializers.ValidationError as refused:
        name, errors = next(iter(cast("dict[str, Any]", refused.detail).items()))
    raise _wrong(name, _first(errors))


@cache
def _reader(shape: type[Serializer[Any]]) -> Serializer[Any]:
    """One serializer of each class, made once: making its fields takes ten times as long as reading with them."""
    return shape(context={"address": True})


def read_body(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """Returns the request's body, validated by `shape`.

    An unknown name is an error, because a misspelt one would silently have no effect.

    Raises:
        Problem: `bad_parameter`, for the first value that is wrong.
    """
    serializer = shape(data=request.data)
    if isinstance(request.data, dict) and (unknown := sorted(request.data.keys() - serializer.fields.keys())):
        known = ", ".join(serializer.fields)
        raise _wrong(unknown[0], ErrorDetail(f"there is no such name; {known} are known"), in_body=True)
    if serializer.is_valid():
        return dict(serializer.validated_data)
    name, errors = next(iter(serializer.errors.items()))
    raise _wrong(str(name), _first(errors), in_body=True)


def _first(errors: Any) -> ErrorDetail:
    """Returns the first error, which may be nested in lists or under an index."""
    while isinstance(errors, (dict, list)):
        errors = next(iter(errors.values() if isinstance(errors, dict) else filter(None, errors)))
    return cast("ErrorDetail", errors)


def _wrong(name: str, reason: ErrorDetail, in_body: bool = False) -> Problem:
    subject = f"'{name}'" if in_body else f"The parameter '{name}'"
    detail: dict[str, Any] = {"parameter": name, "reason": str(reason)}
    if reason.code in (COMBINATION, LANGUAGE):
        detail["rule"] = reason.code
    return Problem("bad_parameter", f"{subject} is wrong: {reason}", **detail)
