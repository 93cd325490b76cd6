"""The views of `api.md`: traces are listed, read by the worker, drawn, added up and downloaded."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import IO, Any

import msgspec
import numpy as np
from django.conf import settings
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import entity_tag, not_modified, with_etag
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.api.streams import streamed
from mindinsight.profiles import serializers as shapes
from mindinsight.profiles.columns.details import details_of
from mindinsight.profiles.columns.export import chrome_trace, table
from mindinsight.profiles.columns.searching import find
from mindinsight.profiles.columns.stored import Stored, opened
from mindinsight.profiles.columns.sums import around, busy, own_time, sums
from mindinsight.profiles.columns.window import counter_points, drawn
from mindinsight.profiles.found import file_of, find_all, look_at
from mindinsight.profiles.models import Profile
from mindinsight.profiles.readings import columns_of, content_of, order_reading, profile_of
from mindinsight.runs.models import Run

_BINARY = "application/octet-stream"
_ERRORS = {304: None, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer}
Json = dict[str, Any]


class ProfileList(APIView):
    """Profiles."""

    @extend_schema(operation_id="list_profiles", responses={200: shapes.ProfileListSerializer})
    def get(self, request: Request) -> Response:
        """All traces below the watched directory, by path."""
        runs = _run_names()
        found = find_all(settings.ENVIRONMENT.base_directory)
        return Response({"profiles": [_row(profile_of(one), runs) for one in found]})


class ProfileDetail(APIView):
    """One profile."""

    @extend_schema(
        operation_id="show_profile",
        responses={200: shapes.ProfileDetailSerializer, 404: ErrorSerializer, 503: ErrorSerializer},
    )
    def get(self, request: Request, uid: str) -> Response:
        """A trace. Starts to read it if necessary; `state` and `progress` say how far that is."""
        profile = find_profile(uid)
        order_reading(profile)
        head = open_columns(profile).head if profile.state == Profile.State.DONE else None
        return Response({"profile": _row(profile, _run_names()), "head": head})


class Slices(APIView):
    """What a timeline draws."""

    @extend_schema(
        operation_id="profile_slices",
        parameters=[shapes.DrawnQuery],
        responses={(200, _BINARY): OpenApiTypes.BINARY, **_ERRORS},
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """The slices of a window as columns, merged where several share a pixel."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            frame = drawn(columns, asked["begin"], asked["end"], asked["pixels"], asked.get("track"))
            return HttpResponse(frame, content_type=_BINARY)

        return answer_from(request, uid, shapes.DrawnQuery, answer)


class Sums(APIView):
    """Sums by name."""

    @extend_schema(
        operation_id="profile_sums",
        parameters=[shapes.SumsQuery],
        responses={200: shapes.SumListSerializer, **_ERRORS},
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """Count, time and own time of each name in a window."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            begin, end = asked["begin"], asked["end"]
            found = sums(columns, begin, end, asked.get("track"), asked["by"] == "shape")
            return Response({"sums": found, "busy": busy(columns, begin, end)})

        return answer_from(request, uid, shapes.SumsQuery, answer)


class SliceDetail(APIView):
    """One slice."""

    @extend_schema(
        operation_id="profile_slice",
        parameters=[shapes.SliceQuery],
        responses={200: shapes.SliceDetailSerializer, **_ERRORS},
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """A slice with its arguments and the slices around it."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            row, path = asked["row"], find_profile(uid).path
            if row >= columns.head["slices"]:
                raise Problem("slice_not_found", f"The profile has no slice {row}.", 404, row=row)
            return Response(
                {
                    "around": [_slice(columns, one) for one in around(columns, row)],
                    "own": own_time(columns, row),
                    "arguments": _arguments(columns, row, path),
                }
            )

        return answer_from(request, uid, shapes.SliceQuery, answer)


class Find(APIView):
    """Search."""

    @extend_schema(
        operation_id="profile_find",
        parameters=[shapes.FindQuery],
        responses={200: shapes.FindSerializer, **_ERRORS},
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """The next slice with a text in its name."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            row, count = find(columns, asked["text"], asked["after"], asked["back"])
            return Response({"slice": None if row is None else _slice(columns, row), "count": count})

        return answer_from(request, uid, shapes.FindQuery, answer)


class CounterPoints(APIView):
    """A value over time."""

    @extend_schema(
        operation_id="profile_counter",
        parameters=[shapes.CounterQuery],
        responses={200: shapes.CounterPointsSerializer, **_ERRORS},
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """The course of a counter in a window."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            if asked["counter"] >= len(columns.head["counters"]):
                message = f"The profile has no counter {asked['counter']}."
                raise Problem("counter_not_found", message, 404, counter=asked["counter"])
            window = asked["begin"], asked["end"], asked["pixels"]
            return Response({"points": counter_points(columns, asked["counter"], *window)})

        return answer_from(request, uid, shapes.CounterQuery, answer)


class ProfileFile(APIView):
    """Downloads."""

    @extend_schema(
        operation_id="download_profile",
        parameters=[shapes.FileQuery],
        responses={
            (200, "application/json"): OpenApiTypes.BINARY,
            (200, "text/csv"): OpenApiTypes.BINARY,
            **_ERRORS,
        },
    )
    def get(self, request: Request, uid: str) -> HttpResponseBase:
        """The slices of a window as Chrome trace, which Perfetto opens, or as CSV."""

        def answer(columns: Stored, asked: Json) -> HttpResponseBase:
            kind = asked["format"]
            source = _source(find_profile(uid).path)
            write = chrome_trace if kind == "chrome" else table
            pieces = _closing(source, write(columns, asked["begin"], asked["end"], asked.get("track"), source))
            media, ending = ("application/json", "json") if kind == "chrome" else ("text/csv", "csv")
            response = StreamingHttpResponse(streamed(pieces), content_type=media)
            response["Content-Disposition"] = f'attachment; filename="profile-{uid[:8]}.{ending}"'
            return response

        return answer_from(request, uid, shapes.FileQuery, answer)


def answer_from(
    request: Request, uid: str, query: type[Any], make: Callable[[Stored, Json], HttpResponseBase]
) -> HttpResponseBase:
    """Reads the parameters, compares ETags, and makes the answer from the columns.

    Raises:
        Problem: `profile_not_found`, `profile_not_ready`, `track_not_found`, `bad_parameter`.
    """
    asked = read_parameters(query, request)
    profile = find_profile(uid)
    etag = entity_tag(uid, content_of(profile), query.__name__, sorted(asked.items()))
    unchanged = not_modified(request, etag)
    if unchanged is not None:
        return unchanged
    columns = open_columns(profile)
    if "begin" in asked:
        asked.setdefault("end", max(columns.head["length"], asked["begin"] + 1))
        if asked["end"] <= asked["begin"]:
            message = "The parameter 'end' is wrong: the window ends before it begins."
            raise Problem("bad_parameter", message, parameter="end", reason=message, rule="combination")
        if asked.get("track") is not None and asked["track"] >= len(columns.head["tracks"]):
            raise Problem("track_not_found", f"The profile has no track {asked['track']}.", 404, track=asked["track"])
    return with_etag(make(columns, asked), etag)


def find_profile(uid: str) -> Profile:
    """Returns the profile with an id, with the present state of its file.

    Raises:
        Problem: `profile_not_found`.
    """
    base = settings.ENVIRONMENT.base_directory
    known = Profile.objects.filter(uid=uid).first()
    found = look_at(base, known.path) if known else next((one for one in find_all(base) if one.uid == uid), None)
    if found is None:
        raise Problem("profile_not_found", "There is no such trace; it may have been moved or removed.", 404, id=uid)
    return profile_of(found)


def open_columns(profile: Profile) -> Stored:
    """Returns the columns of a profile.

    Raises:
        Problem: `profile_not_ready`.
    """
    if profile.state != Profile.State.DONE:
        raise Problem("profile_not_ready", "The trace has not been read yet.", 409, state=profile.state)
    try:
        return opened(columns_of(profile), content_of(profile))
    except (OSError, ValueError) as error:
        Profile.objects.filter(pk=profile.pk).update(state=Profile.State.FOUND)
        message = "The columns of this trace are missing or damaged; it is read again."
        raise Problem("profile_not_ready", message, 409, state=Profile.State.FOUND) from error


def _slice(columns: Stored, row: int) -> Json:
    return {
        "row": row,
        "name": int(columns.kind_name[columns.kind[row]]),
        "track": int(columns.track_of(np.array([row]))[0]),
        "depth": int(columns.depth[row]),
        "start": int(columns.start[row]),
        "duration": int(columns.duration[row]),
    }


def _source(path: str) -> IO[bytes]:
    return os.fdopen(file_of(settings.ENVIRONMENT.base_directory, path).open(), "rb")


def _closing(source: IO[bytes], pieces: Iterator[bytes]) -> Iterator[bytes]:
    with source:
        yield from pieces


def _arguments(columns: Stored, row: int, path: str) -> Json:
    """The arguments of a slice. Those that cannot be read are shown as they are."""
    try:
        with _source(path) as source:
            text = details_of(columns.directory, int(columns.detail[row]), source)
    except (OSError, ValueError, IndexError, zlib.error) as error:
        return {"damaged": str(error)}
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text else {}
    except msgspec.MsgspecError:
        return {"arguments": text.decode("utf-8", "replace")}


def _run_names() -> frozenset[str]:
    return frozenset(Run.objects.filter(removed=Run.Removed.NO).values_list("name", flat=True))


def _row(profile: Profile, runs: frozenset[str]) -> Json:
    above = (str(folder) for folder in PurePosixPath(profile.path).parents)
    return {
        "id": profile.uid,
        "path": profile.path,
        "run": next((name for name in above if name in runs), ""),
        "size": profile.size,
        "modified": profile.modified / 1e9,
        "state": profile.state,
        "progress": profile.progress,
        "problem": profile.problem,
    }
