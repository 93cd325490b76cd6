"""The views of `api.md`: runs and the state of the dashboard."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import mindinsight
from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.database_notice import read_notice
from mindinsight.mirror.progress import Progress, first_progress, read_progress
from mindinsight.runs import queries, search, trash
from mindinsight.runs.api.search import understood
from mindinsight.runs.api.serializers import (
    RemoveQuery,
    RunListQuery,
    RunListSerializer,
    RunSerializer,
    StatusSerializer,
)
from mindinsight.runs.api.trash import purge, take_back
from mindinsight.runs.models import Run


class RunList(APIView):
    """All runs."""

    @extend_schema(
        operation_id="list_runs",
        parameters=[RunListQuery],
        responses={200: RunListSerializer, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Runs below the base directory, newest first unless `sort` says otherwise."""
        asked = read_parameters(RunListQuery, request)
        wanted = queries.Wanted(
            condition=understood("query", search.parse_condition, asked),
            order=understood("sort", search.parse_order, asked),
            columns=understood("columns", search.parse_columns, asked),
        )
        rows = queries.rows(search=asked["search"], limit=asked["limit"], offset=asked["offset"], wanted=wanted)
        return Response({"count": queries.matching(asked["search"], wanted).count(), "results": rows})


class RunDetail(APIView):
    """One run."""

    @extend_schema(operation_id="show_run", responses={200: RunSerializer, 404: ErrorSerializer})
    def get(self, request: Request, uid: str) -> Response:
        """One run by its id."""
        rows = queries.rows(numbers=[_run(uid).pk])
        if not rows:
            raise _not_found(uid)
        return Response(rows[0])

    @extend_schema(
        operation_id="remove_run",
        parameters=[RemoveQuery],
        responses={202: None, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def delete(self, request: Request, uid: str) -> Response:
        """Moves a run to the trash, or deletes its event files too with `files`. Done within a second."""
        files = read_parameters(RemoveQuery, request)["files"]
        run = _run(uid)
        if files and run.removed != Run.Removed.FILES:
            purge([run])
        elif not files:
            trash.put([run])
        return Response(status=202)


class RunRestore(APIView):
    """A run that was removed."""

    @extend_schema(
        operation_id="restore_run", request=None, responses={202: None, 404: ErrorSerializer, 409: ErrorSerializer}
    )
    def post(self, request: Request, uid: str) -> Response:
        """Restores a removed run: its event files are read again."""
        take_back([_run(uid)])
        return Response(status=202)


def _run(uid: str) -> Run:
    run = Run.objects.filter(uid=uid).first()
    if run is None:
        raise _not_found(uid)
    return run


def _not_found(uid: str) -> Problem:
    return Problem("run_not_found", f"There is no run {uid}; it may have been removed.", 404, id=uid)


class Status(APIView):
    """The dashboard itself."""

    @extend_schema(operation_id="show_status", responses={200: StatusSerializer})
    def get(self, request: Request) -> Response:
        """The watched directory, and the states of the reader, the broker and the disks."""
        base = settings.ENVIRONMENT.base_directory
        address = settings.ENVIRONMENT.summary_address
        hub: Any = request._request.scope["mindinsight.hub"]  # type: ignore[attr-defined]
        return Response(
            {
                "version": mindinsight.__version__,
                "store": hub.identity,
                "now": time.time(),
                "base_directory": address or str(base),
                "base_directory_short": address or _short(base),
                "readable": os.access(base, os.R_OK | os.X_OK),
                "runs": queries.matching().count(),
                "watching": hub.health.watching,
                "checked": hub.health.checked,
                "reader": hub.health.reader,
                "broker": hub.health.broker,
                "disk": hub.health.disk_as_json,
                "started": hub.started,
                "damaged_database": read_notice(settings.ENVIRONMENT.data_directory),
                "mirror": None if address is None else _mirror(address),
            }
        )


def _mirror(address: str) -> Progress:
    return read_progress(settings.ENVIRONMENT.data_directory) or first_progress(address)


def _short(path: Path) -> str:
    home = Path.home()
    if path != home and path.is_relative_to(home) and home != Path("/"):
        return f"~/{path.relative_to(home)}"
    return str(path)
