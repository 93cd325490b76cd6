"""The views of `api.md` about sessions, their programs, graphs and steps."""

from __future__ import annotations

import gzip
from typing import Any

import orjson
from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import not_modified, with_etag
from mindinsight.api.parameters import read_body, read_parameters
from mindinsight.api.problems import Problem
from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.models import DebugSession
from mindinsight.debugger.serializers import (
    DebugGraphSerializer,
    DebugProgramSerializer,
    DebugSessionListSerializer,
    DebugSessionSerializer,
    DebugTensorListSerializer,
    DebugTensorSerializer,
    StepQuery,
    StepSerializer,
    WantedTensorSerializer,
)
from mindinsight.debugger.sessions import records
from mindinsight.debugger.sessions.files import program_file
from mindinsight.debugger.sessions.rows import everything_of, row_of, uids_of
from mindinsight.debugger.sessions.steps import find_step
from mindinsight.debugger.sessions.thread_bridge import ask_registry
from mindinsight.runs.models import Run
from summaries.schema.debugger_pb2 import TensorName

_MISSING = {404: ErrorSerializer, 503: ErrorSerializer}


class SessionList(APIView):
    """All sessions."""

    @extend_schema(operation_id="list_debug_sessions", responses={200: DebugSessionListSerializer})
    def get(self, request: Request) -> Response:
        """Trainings with a debugger, connected now or earlier, newest first."""
        live = ask_registry(request, lambda registry: registry.all_rows())
        return Response({"sessions": records.all_rows() if live is None else live})


class SessionDetail(APIView):
    """One session."""

    @extend_schema(operation_id="show_debug_session", responses={200: DebugSessionSerializer, **_MISSING})
    def get(self, request: Request, key: str) -> Response:
        """The full state of a session, as its training last reported it."""
        return Response(_everything(request, key))

    @extend_schema(operation_id="remove_debug_session", responses={204: None, 409: ErrorSerializer, **_MISSING})
    def delete(self, request: Request, key: str) -> Response:
        """Removes a session that has ended or was lost, with its tensors."""
        stored = _stored(key)
        removed = ask_registry(request, lambda registry: registry.remove(key))
        if removed is False:
            message = f"The training of {stored.run_name or stored.name} is connected; end it or detach it first."
            raise Problem("session_connected", message, 409, session=key)
        if removed is None:
            records.remove(key)
        return Response(status=204)


class SessionProgram(APIView):
    """The program of a session."""

    @extend_schema(operation_id="show_debug_program", responses={200: DebugProgramSerializer, 304: None, **_MISSING})
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """The nodes of the training's step in execution order, compressed."""
        _stored(key)
        try:
            packed = program_file(key).read_bytes()
        except FileNotFoundError:
            message = "The training has not reported the nodes of its step yet."
            raise Problem("no_program", message, 404, session=key) from None
        etag = records.program_tag(packed)
        same = not_modified(request, etag)
        if same is not None:
            return same
        small = "gzip" in request.headers.get("Accept-Encoding", "")
        answer = HttpResponse(packed if small else gzip.decompress(packed), content_type="application/json")
        if small:
            answer["Content-Encoding"] = "gzip"
        answer["Vary"] = "Accept-Encoding"
        return with_etag(answer, etag)


class SessionGraph(APIView):
    """The graph of a session."""

    @extend_schema(operation_id="show_debug_graph", responses={200: DebugGraphSerializer, **_MISSING})
    def get(self, request: Request, key: str) -> Response:
        """The name of the session's graph in requests about graphs."""
        graph: Json | None = _everything(request, key)["graph"]
        if graph is None:
            raise Problem("no_graph", "The training has not sent its graph yet.", 404, session=key)
        return Response(graph)


class SessionTensors(APIView):
    """Tensors of a session."""

    @extend_schema(operation_id="list_debug_tensors", responses={200: DebugTensorListSerializer, **_MISSING})
    def get(self, request: Request, key: str) -> Response:
        """The requested tensors, newest first."""
        return Response({"tensors": _everything(request, key)["tensors"]})

    @extend_schema(
        operation_id="want_debug_tensor",
        request=WantedTensorSerializer,
        responses={200: DebugTensorSerializer, 202: DebugTensorSerializer, 409: ErrorSerializer, **_MISSING},
    )
    def post(self, request: Request, key: str) -> Response:
        """Requests the values of a tensor, unless they are here or on their way."""
        asked = read_body(WantedTensorSerializer, request)
        _stored(key)
        previous = asked.pop("previous")
        row = ask_registry(request, lambda registry: registry.want(key, TensorName(**asked), previous))
        if row is None:
            message = "The training is not connected, so its tensors cannot be requested."
            raise Problem("not_connected", message, 409, session=key)
        return Response(row, status=200 if row["state"] == "ready" else 202)


class SessionTensor(APIView):
    """One tensor of a session."""

    @extend_schema(operation_id="show_debug_tensor", responses={200: DebugTensorSerializer, **_MISSING})
    def get(self, request: Request, key: str, number: str) -> Response:
        """How much of a tensor's values has arrived."""
        for row in _everything(request, key)["tensors"]:
            if str(row["number"]) == number:
                return Response(row)
        message = f"Tensor {number} of this session was never requested."
        raise Problem("unknown_tensor", message, 404, session=key, number=int(number))


class StepFinder(APIView):
    """From a chart to the debugger."""

    @extend_schema(
        operation_id="find_debug_step",
        parameters=[StepQuery],
        responses={200: StepSerializer, 400: ErrorSerializer, 404: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Finds the session with a step of a run, or says what would be needed."""
        asked = read_parameters(StepQuery, request)
        run = Run.objects.filter(uid=asked["run"]).first()
        if run is None:
            message = f"There is no run {asked['run']}; it may have been removed."
            raise Problem("run_not_found", message, 404, id=asked["run"])
        live = ask_registry(request, lambda registry: registry.all_rows()) or []
        rows: dict[str, Json] = {row["id"]: row for row in live}
        known = []
        for stored in DebugSession.objects.filter(run_name=run.name).order_by("-pk"):
            row = rows.get(stored.key) or row_of(stored, {run.name: run.uid.hex})
            known.append((row, _state(request, stored, row)))
        found = find_step(known, run.name, asked["step"])
        body: dict[str, Any] = {"run": asked["run"], "step": asked["step"], "session": found.row}
        return Response(body | {"answer": found.answer, "message": found.message})


def _state(request: Request, stored: DebugSession, row: Json) -> Json | None:
    """The newest state of a connected training."""
    live = ask_registry(request, lambda registry: registry.look(stored.key)) if row["connected"] else None
    state: Json | None = live["state"] if live else orjson.loads(stored.state)
    return state


def _stored(key: str) -> DebugSession:
    stored = records.find_session(key)
    if stored is None:
        raise Problem("unknown_session", f"There is no session {key}; it may have been removed.", 404, session=key)
    return stored


def _everything(request: Request, key: str) -> Json:
    """Returns the state from the web server with the session's connection, or else the stored state."""
    live: Json | None = ask_registry(request, lambda registry: registry.look(key))
    if live is not None:
        return live
    stored = _stored(key)
    row = row_of(stored, uids_of([stored.run_name]))
    return {**everything_of(stored, row), "tensors": records.tensor_rows(stored)}
