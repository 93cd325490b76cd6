"""Answers of the API, held against the schema that the code publishes."""

from __future__ import annotations

import functools
from typing import Any

import orjson
from django.test import Client
from drf_spectacular.renderers import OpenApiJsonRenderer
from jsonschema import Draft202012Validator

from mindinsight.config.description import Description


def answer(client: Client, path: str, status: int = 200, template: str = "") -> Any:
    """GETs `path` and returns the JSON of the answer, which has to be as the schema says of it (or of `template`)."""
    response = client.get(path)
    assert response.status_code == status, response.content
    body = response.json()
    operation = _schema()["paths"][template or path.partition("?")[0]]["get"]
    shape = operation["responses"][str(status)]["content"]["application/json"]["schema"]
    Draft202012Validator(plain({**shape, "components": _schema()["components"]})).validate(body)
    return body


@functools.cache
def _schema() -> dict[str, Any]:
    published = Description().get_schema(request=None, public=True)
    return dict(orjson.loads(OpenApiJsonRenderer().render(published, renderer_context={})))


def plain(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: plain(value) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [kept, {"type": "null"}]} if node.get("nullable") else kept
