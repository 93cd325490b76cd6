"""Addresses of the debugger, below `/api/debugger/`. Its sockets are `/ws/debug` and `/ws/train`."""

from django.urls import path

from mindinsight.debugger import tensors_api
from mindinsight.debugger.api import (
    SessionDetail,
    SessionGraph,
    SessionList,
    SessionProgram,
    SessionTensor,
    SessionTensors,
    StepFinder,
)

_SESSION = "sessions/<session:key>"

urlpatterns = [
    path("sessions", SessionList.as_view()),
    path(_SESSION, SessionDetail.as_view()),
    path(f"{_SESSION}/program", SessionProgram.as_view()),
    path(f"{_SESSION}/graph", SessionGraph.as_view()),
    path(f"{_SESSION}/tensors", SessionTensors.as_view()),
    path(f"{_SESSION}/tensors/<short_number:number>", SessionTensor.as_view()),
    path("steps", StepFinder.as_view()),
    path("tensors/statistics", tensors_api.DebugStatistics.as_view()),
    path("tensors/tile", tensors_api.DebugTile.as_view()),
    path("tensors/find", tensors_api.DebugFind.as_view()),
    path("tensors/difference", tensors_api.DebugDifference.as_view()),
    path("tensors/file", tensors_api.DebugFile.as_view()),
]
