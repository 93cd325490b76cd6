"""The views of `api.md`: exports are requested, listed, downloaded and removed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db.models import Sum
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_body
from mindinsight.api.problems import Problem
from mindinsight.api.streams import streamed
from mindinsight.exports.archives import Archives
from mindinsight.exports.models import Export
from mindinsight.exports.serializers import ExportListSerializer, ExportSerializer, NewExportSerializer
from mindinsight.runs.models import EventFile, Run
from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.export import Format
from mindinsight.transfer.tables import import_arrow

# Use the command for more; nobody waits in a browser for it.
MOST_BYTES = 4 << 30
MOST_EXPORTS = 50
KEPT_S = 86_400.0
_PIECE = 1 << 20
_ZIP = "application/zip"


class ExportList(APIView):
    """Exports."""

    @extend_schema(operation_id="list_exports", responses={200: ExportListSerializer})
    def get(self, request: Request) -> Response:
        """All exports, newest first. Each is kept for a day."""
        with contextlib.suppress(DatabaseError):  # They are removed when space is needed.
            _remove_old()
        return Response({"exports": [_row(export) for export in Export.objects.order_by("-created", "-pk")]})

    @extend_schema(
        operation_id="export_runs",
        request=NewExportSerializer,
        responses={
            202: ExportSerializer,
            400: ErrorSerializer,
            404: ErrorSerializer,
            409: ErrorSerializer,
            503: ErrorSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Starts to write runs into an archive."""
        asked = read_body(NewExportSerializer, request)
        _remove_old()
        if Export.objects.count() >= MOST_EXPORTS:
            message = f"There are {MOST_EXPORTS} exports, which is the maximum. Remove some first."
            raise Problem("too_many_exports", message, 409, limit=MOST_EXPORTS)
        names = _names(asked["runs"])
        _check_format(Format(asked["format"]))
        now = time.time()
        export = Export.objects.create(target=asked["format"], runs=names, created=now, changed=now)
        _begin(export)
        return Response(_row(export), status=202)


class ExportDetail(APIView):
    """One export."""

    @extend_schema(operation_id="show_export", responses={200: ExportSerializer, 404: ErrorSerializer})
    def get(self, request: Request, uid: str) -> Response:
        """The progress of an export."""
        return Response(_row(_find(uid)))

    @extend_schema(operation_id="remove_export", responses={204: None, 404: ErrorSerializer})
    def delete(self, request: Request, uid: str) -> Response:
        """Removes an export. An export in progress stops after its current run."""
        _remove(_find(uid))
        return Response(status=204)


class ExportFile(APIView):
    """The archive of an export."""

    @extend_schema(
        operation_id="download_export",
        responses={(200, _ZIP): OpenApiTypes.BINARY, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """The archive, with a folder for each run."""
        export = _find(uid)
        if export.state != Export.State.DONE:
            raise Problem("export_not_ready", "The export is not done yet. Try again later.", 409, state=export.state)
        path = _archives().path(uid)
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            raise Problem("export_not_found", "The archive was removed; export the runs again.", 404, id=uid) from None
        answer = StreamingHttpResponse(streamed(_pieces(path)), content_type=_ZIP)
        answer["Content-Length"] = str(size)
        answer["Content-Disposition"] = f'attachment; filename="runs-{export.target}-{uid[:8]}.zip"'
        return answer


def _names(numbers: Sequence[int]) -> list[str]:
    """The names of runs.

    Raises:
        Problem: a run does not exist, or the runs are too large together.
    """
    found = dict(Run.objects.filter(pk__in=numbers, removed=Run.Removed.NO).values_list("pk", "name"))
    for number in numbers:
        if number not in found:
            raise Problem("run_not_found", f"There is no run {number}; it may have been removed.", 404, id=str(number))
    size = EventFile.objects.filter(run__in=found).aggregate(total=Sum("size"))["total"] or 0
    if size > MOST_BYTES:
        message = (
            f"These runs have {size / (1 << 30):.1f} GiB of event files, "
            f"and a page exports up to {MOST_BYTES >> 30} GiB at once. "
            "Choose fewer, or use the command: mindinsight export --help"
        )
        raise Problem("export_too_large", message, 400, bytes=size, limit=MOST_BYTES)
    return [found[number] for number in dict.fromkeys(numbers)]


def _check_format(target: Format) -> None:
    if target is Format.PARQUET:
        try:
            import_arrow()
        except TransferError as error:
            raise Problem("parquet_missing", str(error), 400) from None


def _begin(export: Export) -> None:
    """Starts the worker's task.

    Raises:
        Problem: `broker_down`.
    """
    # Most web servers never need Celery.
    from mindinsight.api.task_queue import order_or_refuse

    refusal = "The export cannot start: the connection to Redis is lost. Try again in a moment."
    order_or_refuse("exports.write_run", export.uid, undo=export.delete, refusal=refusal)


def _find(uid: str) -> Export:
    found = Export.objects.filter(uid=uid).first()
    if found is None:
        raise Problem("export_not_found", "There is no such export. Exports are kept for a day.", 404, id=uid)
    return found


def _remove_old() -> None:
    for export in Export.objects.filter(created__lt=time.time() - KEPT_S):
        _remove(export)


def _remove(export: Export) -> None:
    # First, so that the change of the database has space. Again afterwards, for files written in the meantime.
    _archives().remove(export.uid)
    uid = export.uid
    export.delete()
    _archives().remove(uid)


def _archives() -> Archives:
    return Archives(settings.ENVIRONMENT.data_directory / "exports")


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _row(export: Export) -> dict[str, Any]:
    return dict(ExportSerializer(export).data)
