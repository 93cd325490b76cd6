"""The views of `api.md` that only images have: the details of each, and the pictures themselves."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import IMMUTABLE, REVALIDATE, entity_tag, not_modified, with_etag
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.images.records import checked_header, read_pictures
from mindinsight.images.rows import image_row
from mindinsight.images.serializers import (
    MAX_ROWS,
    ImageFileQuery,
    ImageListQuery,
    ImageListSerializer,
)
from mindinsight.runs.api.recorded import answer_values
from mindinsight.runs.models import Series
from mindinsight.runs.recorded import (
    as_dicts,
    event_file,
    known_series,
    open_store,
    places_of,
)
from mindinsight.store import ColumnStore
from summaries.kinds import Kind

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}


class ImageList(APIView):
    """Images of one series."""

    @extend_schema(
        operation_id="list_images",
        parameters=[ImageListQuery],
        responses={200: ImageListSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Details of the images of a series: number of pictures, sizes, types."""
        asked = read_parameters(ImageListQuery, request)
        return answer_values(request, Kind.IMAGE, asked, MAX_ROWS, "images", image_row)


class ImageFile(APIView):
    """One picture."""

    @extend_schema(
        operation_id="read_image_file",
        parameters=[ImageFileQuery],
        responses={
            (200, "image/*"): OpenApiTypes.BINARY,
            304: None,
            **_ERRORS,
            409: ErrorSerializer,
            415: ErrorSerializer,
            422: ErrorSerializer,
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The bytes of a picture as they were written."""
        asked = read_parameters(ImageFileQuery, request)
        series, store = known_series(Kind.IMAGE, asked["series"]), open_store()
        if asked["store"] not in ("", store.identity):
            message = "The dashboard has read all files again since this picture was listed. Reload the page."
            raise Problem("store_changed", message, 409, store=store.identity)
        etag = entity_tag("file", store.identity, series.pk, asked["index"], asked["number"])
        same = not_modified(request, etag)
        if same is not None:
            return same
        picture = _read_picture(store, series, asked["index"], asked["number"])
        return with_etag(_picture_answer(picture), etag, IMMUTABLE if asked["store"] else REVALIDATE)


def _picture_answer(picture: bytes) -> HttpResponse:
    answer = HttpResponse(picture, content_type=checked_header(picture).media_type)
    # Opened directly, the picture is a document of this address, so it must not run anything.
    answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer


def _read_picture(store: ColumnStore, series: Series, index: int, number: int) -> bytes:
    _, places = places_of(store, series, index, None, 1)
    pictures = read_pictures(*event_file(series), as_dicts(places)[0]) if len(places) else ()
    if number >= len(pictures):
        message = f"The series {series.pk} has no picture {number} at index {index}."
        raise Problem("unknown_picture", message, 404, series=series.pk, index=index, number=number)
    return pictures[number]
