"""The views of `api.md`: which runs have a data pipeline, the files of MindSpore's profiler, and one pipeline."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.pipelines import serializers as shapes
from mindinsight.pipelines.files import PipelineFile, find_files, identity, read_file
from mindinsight.pipelines.recorded import DATA_BOUND, last_record, newest_series, pipeline_of, waiting_share
from mindinsight.runs.models import Run, Series
from mindinsight.runs.recorded import open_store
from mindinsight.stored_names import beneath

Json = dict[str, Any]

_ERRORS = {304: None, 400: ErrorSerializer, 404: ErrorSerializer}
_NOTHING: Json = {
    "records": 0,
    "wall_time": None,
    "processors": 0,
    "processor": None,
    "finding_share": 1.0,
    "waiting": None,
    "data_bound": False,
    "epochs": [],
    "steps": {"step": [], "waiting": [], "duration": []},
    "skipped": None,
}
"""What files of MindSpore's profiler do not have."""


class PipelineList(APIView):
    """Runs with data pipelines."""

    @extend_schema(
        operation_id="list_pipelines",
        parameters=[shapes.PipelineListQuery],
        responses={200: shapes.PipelineSummaryListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The runs whose training recorded its data pipeline, each with the share of time that it waits for data."""
        asked = read_parameters(shapes.PipelineListQuery, request)
        series = newest_series(asked["runs"])
        rows = [_summary(run, series[run]) for run in sorted(series)]
        return _tagged(request, {"pipelines": rows})


class PipelineFiles(APIView):
    """Files of MindSpore's profiler."""

    @extend_schema(
        operation_id="list_pipeline_files",
        responses={200: shapes.PipelineSummaryListSerializer, 304: None, 400: ErrorSerializer},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The files about data pipelines that MindSpore's profiler wrote into the directories of runs."""
        numbers = _numbers()
        rows = [
            {**_UNKNOWN, "run": numbers[one.run], "file": one.path}
            for one in find_files(settings.ENVIRONMENT.base_directory, frozenset(numbers))
        ]
        return _tagged(request, {"pipelines": rows})


class PipelineDetail(APIView):
    """One data pipeline."""

    @extend_schema(
        operation_id="show_pipeline",
        parameters=[shapes.PipelineQuery],
        responses={200: shapes.DataPipelineSerializer, 422: ErrorSerializer, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The operators of a run's data pipeline with their rates and queues, the bottleneck, and the waiting."""
        asked = read_parameters(shapes.PipelineQuery, request)
        run = Run.objects.filter(pk=asked["run"], removed=Run.Removed.NO).first()
        if run is None:
            raise Problem(
                "unknown_run", f"There is no run {asked['run']}; it may have been removed.", 404, run=asked["run"]
            )
        around = find_files(settings.ENVIRONMENT.base_directory, frozenset(_numbers()), within=run.name)
        files = [one for one in around if one.run == run.name]
        series = newest_series([run.pk]).get(run.pk)
        if asked["file"] or series is None:
            return _of_file(request, run, asked["file"], files)
        names = [one.path for one in files]
        etag = entity_tag("pipeline", open_store().identity, series.pk, series.count, asked["span"], names)
        same = not_modified(request, etag)
        if same is not None:
            return same
        body = pipeline_of(series, whole=asked["span"] == "whole")
        return with_etag(Response({"run": run.pk, "file": "", "files": names, **body}), etag)


_UNKNOWN: Json = {"waiting": None, "data_bound": False, "bottleneck": "", "error": None}


def _summary(run: int, series: Series) -> Json:
    try:
        content = last_record(series).content
    except Problem as problem:
        return {**_UNKNOWN, "run": run, "file": "", "error": problem.body}
    share = waiting_share(content)
    return {
        "run": run,
        "file": "",
        "waiting": share,
        "data_bound": share is not None and share > DATA_BOUND,
        "bottleneck": content.operators[content.finding.operator].op_type if content.HasField("finding") else "",
        "error": None,
    }


def _of_file(request: Request, run: Run, wanted: str, files: list[PipelineFile]) -> HttpResponseBase:
    """The pipeline in a file of MindSpore's profiler: the wanted one, or the first one."""
    names = [one.path for one in files]
    if not names and not wanted:
        raise Problem("no_pipeline", f"{run.name} has no data pipeline.", 404, run=run.name)
    if wanted and wanted not in names:
        raise Problem("file_gone", f"{wanted} is no file of a data pipeline of {run.name}.", 404, file=wanted)
    chosen = wanted or names[0]
    file = beneath(settings.ENVIRONMENT.base_directory, chosen)
    etag = entity_tag("pipeline file", run.pk, chosen, identity(file), names)
    same = not_modified(request, etag)
    if same is not None:
        return same
    body = {**_NOTHING, **read_file(file), "run": run.pk, "file": chosen, "files": names}
    return with_etag(Response(body), etag)


def _numbers() -> dict[str, int]:
    """The numbers of all runs by name."""
    return dict(Run.objects.filter(removed=Run.Removed.NO).values_list("name", "pk"))


def _tagged(request: Request, body: Json) -> HttpResponseBase:
    etag = entity_tag(body)
    return not_modified(request, etag) or with_etag(Response(body), etag)
