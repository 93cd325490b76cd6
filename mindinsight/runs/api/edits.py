"""The view of `api.md` for settings that were changed live, and the shapes of its answer."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.fields import NumberListField
from mindinsight.api.parameters import read_parameters
from mindinsight.runs.api.serializers import ColumnValueField, NumberField
from mindinsight.runs.edits import live_edits


class LiveEditSerializer(serializers.Serializer[Any]):
    """One change of one setting; with `error` set, all else but run, segment, step and wall time is empty."""

    run = serializers.IntegerField()
    segment = serializers.IntegerField(help_text="which of the run's stretches between restarts it belongs to")
    step = serializers.IntegerField(help_text="the last one that ran with what was before")
    wall_time = NumberField(allow_null=True)
    name = serializers.CharField(allow_blank=True, help_text="of the setting, such as `learning_rate`")
    before = ColumnValueField(allow_null=True, help_text="number, truth value or text; null where it was not recorded")
    after = ColumnValueField(allow_null=True, help_text="the same, from then on")
    author = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read; names file and offset")


class LiveEditListSerializer(serializers.Serializer[Any]):
    """Changes, by run and step."""

    edits = LiveEditSerializer(many=True)


class LiveEditListQuery(serializers.Serializer[Any]):
    """What `GET /api/runs/edits` takes."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs, all by default")


class LiveEditList(APIView):
    """Settings that were changed live."""

    @extend_schema(
        operation_id="list_live_edits",
        parameters=[LiveEditListQuery],
        responses={200: LiveEditListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Settings that somebody changed while the named runs were made; of each file the newest 1000."""
        asked = read_parameters(LiveEditListQuery, request)
        body = {"edits": live_edits(asked["runs"])}
        etag = entity_tag(body)
        return not_modified(request, etag) or with_etag(Response(body), etag)
