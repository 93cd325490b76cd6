"""The views of `scene_api.md`: what a box shows, where a node is drawn, and the tree of all boxes."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.config.answers import ErrorSerializer, Problem
from mindinsight.config.described import extend_schema
from mindinsight.graphs.drawn import Drawn, answer
from mindinsight.graphs.scene_serializers import BoxQuery, InsideSerializer, WaitingSerializer

ERRORS = {400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer, 503: ErrorSerializer}
Answer = Response | HttpResponseBase


def responses(shape: Any) -> dict[int, Any]:
    """Returns the answers that a question about a drawn graph has."""
    return {200: shape, 202: WaitingSerializer, 304: None, **ERRORS}


class Inside(APIView):
    """Boxes and edges."""

    @extend_schema(operation_id="get_graph_inside", parameters=[BoxQuery], responses=responses(InsideSerializer))
    def get(self, request: Request) -> Answer:
        """What opening a box shows."""
        return answer(request, BoxQuery, _inside)


def _inside(drawn: Drawn, asked: dict[str, Any]) -> dict[str, Any]:
    from mindinsight.graphs.scene import inside

    view = drawn.view(asked["box"])
    if view.container < 0:
        raise Problem("not_a_container", f"Box {asked['box']} is a node; there is nothing inside of it.", 400)
    return {"graph": drawn.analysis.graph, **inside(drawn.graph, drawn.scene, view)}
