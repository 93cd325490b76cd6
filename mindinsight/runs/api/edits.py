"""The view of `api.md` for settings that were changed during training, and the shapes of its answer."""

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
    """One change of one setting. If `error` is set, all fields but run, segment, step and wall time are empty."""

    run = serializers.IntegerField()
    segment = serializers.IntegerField(help_text="number of the run's segment")
    step = serializers.IntegerField(help_text="last step with the old value")
    wall_time = NumberField(allow_null=True)
    name = serializers.CharField(allow_blank=True, help_text="name of the setting, such as `learning_rate`")
    before = ColumnValueField(
        allow_null=True, help_text="old value: number, boolean or text; null if it was not recorded"
    )
    after = ColumnValueField(allow_null=True, help_text="new value, in the same form")
    author = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    error = ErrorSerializer(allow_null=True, help_text="why it could not be read, with file and offset")


class LiveEditListSerializer(serializers.Serializer[Any]):
    """Changes, by run and step."""

    edits = LiveEditSerializer(many=True)


class LiveEditListQuery(serializers.Serializer[Any]):
    """The parameters of `GET /api/runs/edits`."""

    runs = NumberListField(required=False, default=None, help_text="numbers of runs; default: all")


class LiveEditList(APIView):
    """Settings that were changed during training."""

    @extend_schema(
        operation_id="list_live_edits",
        parameters=[LiveEditListQuery],
        responses={200: LiveEditListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Changes of settings during the training of the named runs. At most the newest 1000 of each file."""
        asked = read_parameters(LiveEditListQuery, request)
        body = {"edits": live_edits(asked["runs"])}
        etag = entity_tag(body)
        return not_modified(request, etag) or with_etag(Response(body), etag)
