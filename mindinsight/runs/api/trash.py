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
    removed_at = serializers.FloatField(allow_null=True, help_text="seconds since 1970; null where nobody noted it")
    deleted_at = serializers.FloatField(allow_null=True, help_text="when its event files are deleted; null is never")
    files = serializers.IntegerField(help_text="event files")
    bytes = serializers.IntegerField(help_text="their size")
    deleting = serializers.BooleanField(help_text="its event files are about to be deleted")
    problem = ErrorSerializer(allow_null=True, help_text="why its event files could not be deleted; null unless tried")


class TrashSerializer(serializers.Serializer[Any]):
    """What lies in the trash."""

    keep_days = serializers.FloatField(help_text="event files stay so many days; 0 is for ever")
    bytes = serializers.IntegerField(help_text="size of the event files of all")
    runs = TrashRowSerializer(many=True)


class RunIdsSerializer(serializers.Serializer[Any]):
    """Some runs."""

    runs = serializers.ListField(child=IdField(32), min_length=1, max_length=MAX_RUNS, help_text="ids")


def _asked(request: Request) -> list[Run]:
    ids = list(dict.fromkeys(read_body(RunIdsSerializer, request)["runs"]))
    return runs_of(ids, in_trash=True)


def purge(runs: list[Run]) -> None:
    """Has event files deleted.

    Raises:
        Problem: `run_is_running`.
    """
    try:
        trash.purge(runs)
    except trash.StillWritten as error:
        message = f"{error} is still being written. Its event files can be deleted once its training has ended."
        raise Problem("run_is_running", message, 409, run=str(error)) from None


def take_back(runs: list[Run]) -> None:
    """Takes runs out of the trash.

    Raises:
        Problem: `files_deleted`.
    """
    try:
        trash.take_back(runs)
    except trash.FilesDeleted as error:
        message = f"The event files of {error} were deleted with it; it cannot come back."
        raise Problem("files_deleted", message, 409, run=str(error)) from None


class Trash(APIView):
    """Runs that were taken away and can come back."""

    @extend_schema(operation_id="list_trash", responses={200: TrashSerializer})
    def get(self, request: Request) -> Response:
        """What lies in the trash, the newest first."""
        rows = trash.contents()
        keep_days = settings.ENVIRONMENT.trash_days
        return Response({"keep_days": keep_days, "bytes": sum(row["bytes"] for row in rows), "runs": rows})

    @extend_schema(
        operation_id="put_into_trash",
        request=RunIdsSerializer,
        responses={202: None, 400: ErrorSerializer, 404: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Puts runs into the trash, all or none; done within a second."""
        trash.put(_asked(request))
        return Response(status=202)


class TrashRestore(APIView):
    """Runs on their way out of the trash."""

    @extend_schema(
        operation_id="restore_runs",
        request=RunIdsSerializer,
        responses={202: None, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Takes runs back, all or none: they are read again from their event files."""
        take_back(_asked(request))
        return Response(status=202)


class TrashPurge(APIView):
    """Runs that go for good."""

    @extend_schema(
        operation_id="purge_runs",
        request=RunIdsSerializer,
        responses={202: None, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Has the event files of runs deleted, all or none; never those of a run that is still written."""
        purge(_asked(request))
        return Response(status=202)
