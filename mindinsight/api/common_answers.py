"""What holds for every operation of the API: the token, answers that the gate and the parser give, entity tags.

Called by `config/description.py`, behind drf-spectacular: no view has to say it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Json = dict[str, Any]

_METHODS = ("get", "post", "put", "patch", "delete")
_MEANINGS = {
    "200": "The answer.",
    "201": "It was made.",
    "202": "It was begun.",
    "204": "It was removed.",
    "304": "The answer is the one whose entity tag the request has in `If-None-Match`.",
    "400": "A parameter or the body is not what is described here, or its parts do not fit together.",
    "401": "A token is needed: `Authorization: Bearer TOKEN`.",
    "403": "The request comes from a page of another origin, or names another host.",
    "404": "What the request names is not there.",
    "409": "The state of things does not allow it.",
    "413": "The body has more than 1 MiB.",
    "415": "The body is not `application/json`; or a picture is of no type that browsers show.",
    "422": "The data that it is about cannot be used.",
    "503": "A part of the dashboard cannot be asked at present.",
    "507": "Nothing was changed: a disk is full (`disk_full`), read-only (`disk_read_only`) or fails (`disk_failing`). "
    "`detail` has its `directory` and the bytes that are `free` there.",
}
_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
_TAG = {"schema": {"type": "string"}, "description": "Entity tag of the answer."}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "Entity tag of the answer that the client has: 304 says that it is still the answer.",
}


def complete(description: Json) -> Json:
    """Returns the description of the API with what holds for every operation."""
    for method, operation in _operations(description):
        _add_answers(method, operation)
        _add_entity_tag(operation)
        for status, answer in operation["responses"].items():
            answer["description"] = answer["description"] or _MEANINGS.get(status, "")
        _forget_null_defaults(parameter["schema"] for parameter in operation.get("parameters", ()))
        body = _body_of(description, operation)
        if "properties" in body:
            body["additionalProperties"] = False
            _forget_null_defaults(body["properties"].values())
    return description


def _operations(description: Json) -> Iterator[tuple[str, Json]]:
    for path in description["paths"].values():
        yield from ((method, path[method]) for method in _METHODS if method in path)


def _add_answers(method: str, operation: Json) -> None:
    """Adds what the gate, the parser of bodies and the reader of parameters answer."""
    statuses = ["401", "403"]
    if "requestBody" in operation:
        statuses += ["400", "413", "415"]
    if any(parameter["in"] == "query" for parameter in operation.get("parameters", ())):
        statuses.append("400")
    if method != "get":
        statuses.append("507")
    for status in statuses:
        operation["responses"].setdefault(status, {"content": _ERROR, "description": ""})
    operation["responses"] = dict(sorted(operation["responses"].items()))


def _add_entity_tag(operation: Json) -> None:
    """Says of an answer that may be unchanged how to ask for that."""
    responses = operation["responses"]
    if "304" in responses:
        operation.setdefault("parameters", []).append(dict(_IF_NONE_MATCH))
        for status in ("200", "304"):
            responses[status].setdefault("headers", {})["ETag"] = dict(_TAG)


def _body_of(description: Json, operation: Json) -> Json:
    """The schema of a request's body; an empty one where there is none, or any object will do."""
    content = operation.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    schema: Json = description["components"]["schemas"].get(reference.rpartition("/")[2], {})
    return schema


def _forget_null_defaults(schemas: Iterable[Json]) -> None:
    """A default of null says that the value may be left out, not that it may be null."""
    for schema in schemas:
        if "default" in schema and schema["default"] is None and not schema.get("nullable"):
            del schema["default"]
