"""The views of `api.md` for "what mattered": importance of parameters, and the gap between the best run and another."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.fields import TextField, WholeField
from mindinsight.api.parameters import read_parameters
from mindinsight.lineage.api.importance_serializers import GapAnswerSerializer, ImportanceAnswerSerializer
from mindinsight.lineage.api.table import LineageQuery
from mindinsight.lineage.models import Study
from mindinsight.lineage.scalars import Scalar
from mindinsight.lineage.studies import Answer, answer_of, order_of
from mindinsight.lineage.table import FoundRuns
from mindinsight.runs import search
from mindinsight.runs.api.search import understood
from mindinsight.runs.order import on_shelf
from mindinsight.runs.search import QueryError
from mindinsight.runs.search.tree import Call

_ERRORS = {304: None, 400: ErrorSerializer, 404: ErrorSerializer, 503: ErrorSerializer}


class ImportanceQuery(LineageQuery):
    """The parameters of `GET /api/lineage/importance`."""

    target = TextField(
        min_length=1,
        max_length=1024,
        help_text="a column of the table: metrics.NAME, or a figure of a scalar tag, last(loss)",
    )


class GapQuery(ImportanceQuery):
    """The parameters of `GET /api/lineage/gap`."""

    run = WholeField(help_text="number of the run to compare with the best one")


class ImportanceView(APIView):
    """Importance of parameters."""

    @extend_schema(
        operation_id="read_importance",
        parameters=[ImportanceQuery],
        responses={200: ImportanceAnswerSerializer, 202: ImportanceAnswerSerializer, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """The importance of parameters for a target. Starts the study if necessary, and returns its progress."""
        return _answer(request, "importance", read_parameters(ImportanceQuery, request))


class GapView(APIView):
    """The gap between the best run and another."""

    @extend_schema(
        operation_id="read_gap",
        parameters=[GapQuery],
        responses={200: GapAnswerSerializer, 202: GapAnswerSerializer, 409: ErrorSerializer, **_ERRORS},
    )
    def get(self, request: Request) -> Response | HttpResponseBase:
        """The predicted effect on a run of each parameter that differs from the best run."""
        return _answer(request, "gap", read_parameters(GapQuery, request))


def _answer(request: Request, kind: str, asked: dict[str, Any]) -> Response | HttpResponseBase:
    query = understood("query", search.parse, asked)
    runs = FoundRuns(query, on_shelf(asked["shelf"]), _figures(asked["target"]))
    found = answer_of(
        kind,
        sorted(asked.items()),
        runs.digest(),
        lambda: order_of(kind, runs.table(), asked["target"], asked.get("run")),
    )
    study = found.study
    if study is None or study.state != Study.State.DONE:
        failed = study is not None and study.state == Study.State.FAILED
        return Response(_body(found), status=200 if failed else 202, headers={"Cache-Control": "no-store"})
    etag = entity_tag("study", study.key)
    return not_modified(request, etag) or with_etag(Response(_body(found)), etag)


def _body(found: Answer) -> dict[str, Any]:
    study, before = found.study, found.before
    outdated = study is None or study.state != Study.State.DONE
    shown = before if outdated else study
    return {
        "state": study.state if study else Study.State.WAITING,
        "progress": study.progress if study else 0.0,
        "problem": study.problem if study else None,
        "outdated": outdated and before is not None,
        "result": shown.result if shown else None,
    }


def _figures(target: str) -> list[Scalar]:
    """The target as a figure of a scalar tag, if it is one. Names of parameters may look like anything."""
    try:
        columns = search.parse_columns(target)
    except QueryError:
        return []
    return [Scalar(target, column.operand) for column in columns if isinstance(column.operand, Call)][:1]
