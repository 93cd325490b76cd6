"""The views of `api.md` for the trash, for many runs at once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import IdField
from mindinsight.api.parameters import read_body
from mindinsight.api.problems import Problem
from mindinsight.runs import trash
from mindinsight.runs.api.marks import MAX_RUNS, runs_of
from mindinsight.runs.models import Run


class TrashRowSerializer(serializers.Serializer[Any]):
    """A run in the trash."""

    number = serializers.IntegerField()
    id = serializers.CharField()
    name = serializers.CharField()
    removed_at = serializers.FloatField(allow_null=True, help_text="seconds since 1970; null if unknown")
    deleted_at = serializers.FloatField(
        allow_null=True, help_text="when its event files will be deleted; null for never"
    )
    files = serializers.IntegerField(help_text="event files")
    bytes = serializers.IntegerField(help_text="their size")
    deleting = serializers.BooleanField(help_text="whether its event files are about to be deleted")
    problem = ErrorSerializer(allow_null=True, help_text="why its event files could not be deleted; null unless tried")


class TrashSerializer(serializers.Serializer[Any]):
    """The contents of the trash."""

    keep_days = serializers.FloatField(help_text="number of days that event files stay; 0 for ever")
    bytes = serializers.IntegerField(help_text="size of the event files of all runs")
    runs = TrashRowSerializer(many=True)


class RunIdsSerializer(serializers.Serializer[Any]):
    """Some runs."""

    runs = serializers.ListField(child=IdField(32), min_length=1, max_length=MAX_RUNS, help_text="ids")


def _asked(request: Request) -> list[Run]:
    ids = list(dict.fromkeys(read_body(RunIdsSerializer, request)["runs"]))
    return runs_of(ids, in_trash=True)


def purge(runs: list[Run]) -> None:
    """Requests the deletion of event files.

    Raises:
        Problem: `run_is_running`.
    """
    try:
        trash.purge(runs)
    except trash.StillWritten as error:
        message = f"{error} is still being written. Its event files can be deleted after its training has ended."
        raise Problem("run_is_running", message, 409, run=str(error)) from None


def take_back(runs: list[Run]) -> None:
    """Restores runs from the trash.

    Raises:
        Problem: `files_deleted`.
    """
    try:
        trash.take_back(runs)
    except trash.FilesDeleted as error:
        message = f"The event files of {error} were deleted with it; it cannot be restored."
        raise Problem("files_deleted", message, 409, run=str(error)) from None


class Trash(APIView):
    """Removed runs that can be restored."""

    @extend_schema(operation_id="list_trash", responses={200: TrashSerializer})
    def get(self, request: Request) -> Response:
        """The contents of the trash, newest first."""
        rows = trash.contents()
        keep_days = settings.ENVIRONMENT.trash_days
        return Response({"keep_days": keep_days, "bytes": sum(row["bytes"] for row in rows), "runs": rows})

    @extend_schema(
        operation_id="put_into_trash",
        request=RunIdsSerializer,
        responses={202: None, 400: ErrorSerializer, 404: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Moves runs to the trash, all or none. Done within a second."""
        trash.put(_asked(request))
        return Response(status=202)


class TrashRestore(APIView):
    """Restoring runs."""

    @extend_schema(
        operation_id="restore_runs",
        request=RunIdsSerializer,
        responses={202: None, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Restores runs, all or none: their event files are read again."""
        take_back(_asked(request))
        return Response(status=202)


class TrashPurge(APIView):
    """Deleting runs for good."""

    @extend_schema(
        operation_id="purge_runs",
        request=RunIdsSerializer,
        responses={202: None, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Requests the deletion of runs' event files, all or none. Refused for a run that is still being written."""
        purge(_asked(request))
        return Response(status=202)
