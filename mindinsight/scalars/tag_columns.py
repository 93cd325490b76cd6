"""All scalar series of runs as columns: the index that pages load. It is many times smaller than rows with names.

The columns have the data that `queries` returns for each series. The view of `api.md` and the shape of its answer are
here too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any

import orjson
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.runs.models import Run, Series
from mindinsight.runs.standard import standard_runs
from mindinsight.scalars.serializers import TagColumnsQuery
from summaries.kinds import Kind

COLUMNS = (
    *("run_id", "pk", "segment", "count", "first_step", "last_step"),
    *("first_wall", "last_wall", "last_value", "min", "max", "not_finite"),
)
_NAMES = ("run", "series", *COLUMNS[2:])
# With more runs, all series are read: databases limit the number of parameters.
_MANY = 500


def tag_columns(runs: Collection[int] | None = None) -> dict[str, Any]:
    """Returns the sorted names of tags, and for every series the index of its tag and its numbers.

    Args:
        runs: only series of these runs; default: all runs that are not removed.
    """
    found = Series.objects.filter(kind=Kind.SCALAR)
    if runs is None:
        found = found.filter(run__removed=Run.Removed.NO)
    elif len(runs) <= _MANY:
        found = found.filter(run_id__in=runs)
    rows = list(found.values_list("tag", *COLUMNS))
    if runs is not None and len(runs) > _MANY:
        wanted = set(runs)
        rows = [row for row in rows if row[1] in wanted]
    tags, *columns = zip(*rows, strict=True) if rows else [() for _ in range(len(COLUMNS) + 1)]
    names = sorted(set(tags))
    place = {name: at for at, name in enumerate(names)}
    return {"names": names, "tag": [place[tag] for tag in tags], **dict(zip(_NAMES, columns, strict=True))}


def _whole_numbers(help_text: str = "", nullable: bool = False) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(allow_null=nullable), help_text=help_text)


def _floats(help_text: str = "") -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(allow_null=True), help_text=help_text)


class TagColumnsSerializer(serializers.Serializer[Any]):
    """Every series, one row across the columns."""

    names = serializers.ListField(child=serializers.CharField(), help_text="names of tags, in order")
    tag = _whole_numbers("index of the series' tag in `names`")
    run = _whole_numbers()
    series = _whole_numbers("number of the series in frames")
    segment = _whole_numbers()
    count = _whole_numbers()
    first_step = _whole_numbers(nullable=True)
    last_step = _whole_numbers(nullable=True)
    first_wall = _floats()
    last_wall = _floats()
    last_value = _floats("null means NaN if there are points")
    min = _floats("lowest finite value")
    max = _floats("highest finite value")
    not_finite = _whole_numbers("number of points that are NaN or infinite")


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
