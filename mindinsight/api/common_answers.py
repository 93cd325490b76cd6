"""The parts that all operations of the API share: the token, the gate's and the parser's answers, ETags.

Called by `config/description.py` after drf-spectacular, so that no view has to repeat them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Json = dict[str, Any]

_METHODS = ("get", "post", "put", "patch", "delete")
_MEANINGS = {
    "200": "The answer.",
    "201": "Created.",
    "202": "Started.",
    "204": "Removed.",
    "304": "The answer has not changed: its ETag is the one in the request's `If-None-Match`.",
    "400": "A parameter or the body does not match this description, or its parts contradict each other.",
    "401": "A token is needed: `Authorization: Bearer TOKEN`.",
    "403": "The request comes from a page of another origin, or names another host.",
    "404": "What the request names does not exist.",
    "409": "The current state does not allow the request.",
    "413": "The body is larger than 1 MiB.",
    "415": "The body is not `application/json`, or browsers cannot show a picture of this type.",
    "422": "The requested data cannot be used.",
    "503": "A part of the dashboard is not available at present.",
    "507": "Nothing was changed: a disk is full (`disk_full`), read-only (`disk_read_only`) or failing "
    "(`disk_failing`). "
    "`detail` has its `directory` and the bytes that are `free` there.",
}
_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
_TAG = {"schema": {"type": "string"}, "description": "ETag of the answer."}
_IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "ETag of the answer that the client has. Status 304 says that it is still current.",
}


def complete(description: Json) -> Json:
    """Returns the description of the API with the parts that all operations share."""
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
    """Adds the answers of the gate, of the body parser and of the parameter reader."""
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
    """Documents the ETag of an answer and its `If-None-Match` request header."""
    responses = operation["responses"]
    if "304" in responses:
        operation.setdefault("parameters", []).append(dict(_IF_NONE_MATCH))
        for status in ("200", "304"):
            responses[status].setdefault("headers", {})["ETag"] = dict(_TAG)


def _body_of(description: Json, operation: Json) -> Json:
    """The schema of a request's body. Empty if there is no body or any object is accepted."""
    content = operation.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    schema: Json = description["components"]["schemas"].get(reference.rpartition("/")[2], {})
    return schema


def _forget_null_defaults(schemas: Iterable[Json]) -> None:
    """A default of null means that the value may be left out, not that it may be null."""
    for schema in schemas:
        if "default" in schema and schema["default"] is None and not schema.get("nullable"):
            del schema["default"]
