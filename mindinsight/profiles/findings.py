"""The views of `api.md` that say what a profile means: overview with advice, flame graph, memory, ranks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.profiles import findings_serializers as shapes
from mindinsight.profiles.analysis.advice import advise
from mindinsight.profiles.analysis.flame import MOST_SLICES, TooManySlicesError, flame
from mindinsight.profiles.analysis.memory import peaks
from mindinsight.profiles.analysis.ranks import rank_steps, stragglers
from mindinsight.profiles.analysis.steps import steps_of
from mindinsight.profiles.api import answer_from, find_profile, open_columns
from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.serializers import WindowQuery

_ERRORS = {304: None, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer}
Json = dict[str, Any]


class Overview(APIView):
    """Steps and advice."""

    @extend_schema(operation_id="profile_overview", responses={200: shapes.OverviewSerializer, **_ERRORS})
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """What each step consists of, and what would make the training faster."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            steps = steps_of(columns)
            rows = zip(*(column.tolist() for column in steps), strict=True)
            return Response(
                {
                    "steps": [dict(zip(steps._fields, row, strict=True)) for row in rows],
                    "marked": bool(columns.head["steps"]),
                    "advice": [asdict(one) for one in advise(columns, steps)],
                }
            )

        return answer_from(request, uid, shapes.NothingQuery, answer)


class Flame(APIView):
    """Flame graph."""

    @extend_schema(
        operation_id="profile_flame", parameters=[WindowQuery], responses={200: shapes.FlameSerializer, **_ERRORS}
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """The slices of a window with equal stacks as one node."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            try:
                nodes = flame(columns, asked["begin"], asked["end"], asked.get("track"))
            except TooManySlicesError:
                message = f"The window has more than {MOST_SLICES:,} slices. Choose a shorter span on the timeline."
                raise Problem("too_many_slices", message, 400, most=MOST_SLICES) from None
            return Response({"nodes": nodes})

        return answer_from(request, uid, WindowQuery, answer)


class Memory(APIView):
    """Memory at the peak."""

    @extend_schema(operation_id="profile_memory", responses={200: shapes.MemorySerializer, **_ERRORS})
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """For each device what was alive at the peak; empty if no allocations were recorded."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            found = peaks(columns)
            rows = {one["row"] for peak in found for one in peak["alive"] if one["row"] is not None}
            names = {str(row): int(columns.kind_name[columns.kind[row]]) for row in rows}
            return Response({"peaks": found, "names": names})

        return answer_from(request, uid, shapes.NothingQuery, answer)


class Ranks(APIView):
    """Ranks of one training."""

    @extend_schema(
        operation_id="profile_ranks", parameters=[shapes.RanksQuery], responses={200: shapes.RanksSerializer, **_ERRORS}
    )
    def get(self, request: Request) -> Response:
        """Several read profiles as the ranks of one training: their steps, and which rank the others wait for."""
        profiles = [find_profile(uid) for uid in read_parameters(shapes.RanksQuery, request)["profiles"].split(",")]
        opened = [open_columns(profile) for profile in profiles]
        steps = [rank_steps(columns) for columns in opened]
        return Response(
            {
                "ranks": [
                    {"id": profile.uid, "path": profile.path, "rank": columns.head["rank"], "steps": of_one}
                    for profile, columns, of_one in zip(profiles, opened, steps, strict=True)
                ],
                "stragglers": stragglers(steps),
            }
        )
