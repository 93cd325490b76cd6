"""The view of `api.md` for the index of tags, and the shape of its answer."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from mindinsight.config.answers import ErrorSerializer
from mindinsight.config.described import extend_schema
from mindinsight.config.parameters import read_parameters
from mindinsight.runs.standard import standard_runs
from mindinsight.scalars.serializers import TagColumnsQuery
from mindinsight.scalars.tag_columns import tag_columns


def _whole_numbers(help_text: str = "", nullable: bool = False) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(allow_null=nullable), help_text=help_text)


def _floats(help_text: str = "") -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(allow_null=True), help_text=help_text)


class TagColumnsSerializer(serializers.Serializer[Any]):
    """Every series, a row across the columns."""

    names = serializers.ListField(child=serializers.CharField(), help_text="of tags, in order")
    tag = _whole_numbers("place of the series' tag in `names`")
    run = _whole_numbers()
    series = _whole_numbers("what frames call it")
    segment = _whole_numbers()
    count = _whole_numbers()
    first_step = _whole_numbers(nullable=True)
    last_step = _whole_numbers(nullable=True)
    first_wall = _floats()
    last_wall = _floats()
    last_value = _floats("null is NaN where there are points")
    min = _floats("lowest finite value")
    max = _floats("highest finite value")
    not_finite = _whole_numbers("points that are NaN or infinite")


class TagColumns(APIView):
    """The index of scalar tags."""

    @extend_schema(
        operation_id="list_scalar_series",
        parameters=[TagColumnsQuery],
        responses={200: TagColumnsSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Every scalar series of the named runs, as columns."""
        asked = read_parameters(TagColumnsQuery, request)
        body = orjson.dumps(tag_columns(standard_runs() if asked["standard"] else asked["runs"]))
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        response = get_conditional_response(request, etag) or HttpResponse(body, content_type="application/json")
        response["ETag"] = etag
        response["Cache-Control"] = "private, no-cache"
        return response
