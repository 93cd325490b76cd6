"""The views of `api.md` about one slice of one tensor: statistics, tiles, search, difference, file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.etags import IMMUTABLE, REVALIDATE, entity_tag, not_modified, with_etag
from mindinsight.api.json_numbers import json_number
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import COMBINATION, Problem
from mindinsight.api.streams import streamed
from mindinsight.tensors.arrays import difference, downloads, search, tiles
from mindinsight.tensors.arrays.elements import Array
from mindinsight.tensors.arrays.slicing import (
    Item,
    SliceError,
    index_in_whole,
    parse_slice,
    resolve,
    slice_text,
    taken,
    unflat_index,
)
from mindinsight.tensors.arrays.statistics import Statistics, histogram, statistics
from mindinsight.tensors.cache import Cache
from mindinsight.tensors.queries import RecordedShelf, Shelf
from mindinsight.tensors.records import Tensor
from mindinsight.tensors.serializers import (
    DifferenceQuery,
    DifferenceSerializer,
    FileQuery,
    FindQuery,
    FoundSerializer,
    SliceQuery,
    StatisticsQuery,
    TensorStatisticsSerializer,
    TileQuery,
)

_ERRORS = {400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer, 422: ErrorSerializer}
_BINARY = "application/octet-stream"

_statistics: Cache[Statistics] = Cache(4096, lambda _: 1)
_pyramids: Cache[tiles.Pyramid] = Cache(256 << 20, lambda pyramid: pyramid.nbytes)


@dataclass(frozen=True)
class _Chosen:
    """One slice of one tensor.

    Attributes:
        key: a unique key that never changes.
    """

    tag: str
    run: int | None
    step: int
    wall: float
    tensor: Tensor
    items: tuple[Item, ...]
    view: Array
    key: tuple[object, ...]


class SliceView(APIView):
    """The common part of the views below: a slice of a tensor, and an answer that stays valid."""

    query: type[Serializer[Any]] = SliceQuery
    shelf: Shelf = RecordedShelf()

    def respond(self, request: Request) -> HttpResponseBase:
        """Answers, or answers 304 if nothing has changed."""
        asked = read_parameters(self.query, request)
        identity = self.shelf.identity(asked["series"])
        if asked["store"] not in ("", identity):
            message = "The dashboard has read all files again since this tensor was listed. Reload the page."
            raise Problem("store_changed", message, 409, store=identity)
        etag = entity_tag(type(self).__name__, identity, sorted(asked.items(), key=lambda item: item[0]))
        same = not_modified(request, etag)
        if same is not None:
            return same
        chosen = self.choose(asked["series"], asked["index"], asked["slice"])
        return with_etag(self.answer(asked, chosen), etag, IMMUTABLE if asked["store"] else REVALIDATE)

    def answer(self, asked: Mapping[str, Any], chosen: _Chosen) -> HttpResponseBase:
        """The answer about a slice."""
        raise NotImplementedError

    def choose(self, series: int, index: int, text: str) -> _Chosen:
        """Returns a slice of a tensor.

        Raises:
            Problem: there is no such tensor, it cannot be read, or the slice does not fit.
        """
        found = self.shelf.find(series, index)
        items = _items(text, found.tensor.array.shape)
        view = taken(found.tensor.array, items)
        return _Chosen(
            found.tag, found.run, found.step, found.wall, found.tensor, items, view, (*found.key, slice_text(items))
        )

    def other(self, asked: Mapping[str, Any], chosen: _Chosen) -> _Chosen:
        """Returns the same slice of the tensor to compare with.

        Raises:
            Problem: no tensor is given, it cannot be read, or it has another shape.
        """
        if asked["other_series"] is None:
            message = "'other_series' is wrong: it is needed here"
            raise Problem("bad_parameter", message, parameter="other_series", rule=COMBINATION)
        other = self.choose(asked["other_series"], asked["other_index"], asked["slice"])
        if other.view.shape != chosen.view.shape:
            one, two = list(chosen.view.shape), list(other.view.shape)
            message = f"The shapes differ: {one} and {two}; only tensors of one shape can be compared."
            raise Problem("shapes_differ", message, 422, one=str(one), other=str(two))
        return other


def _items(text: str, shape: tuple[int, ...], parameter: str = "slice") -> tuple[Item, ...]:
    try:
        return resolve(parse_slice(text), shape)
    except SliceError as error:
        detail = {
            "parameter": parameter,
            "slice": text,
            "position": error.position,
            "reason": error.reason,
            **error.named,
        }
        raise Problem("bad_slice", f"{error}.", 400, **detail) from None


def statistics_of(chosen: _Chosen) -> Statistics:
    """Returns the cached statistics of a slice."""
    return _statistics.get(chosen.key, lambda: statistics(chosen.view))


class StatisticsView(SliceView):
    """Statistics and histogram."""

    query = StatisticsQuery

    @extend_schema(
        operation_id="show_tensor_statistics",
        parameters=[StatisticsQuery],
        responses={200: TensorStatisticsSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Statistics of a tensor's slice: extremes, mean, deviation, counts of NaN and infinities, exact histogram."""
        return self.respond(request)

    def answer(self, asked: Mapping[str, Any], chosen: _Chosen) -> HttpResponseBase:
        """The answer about a slice."""
        found, array = statistics_of(chosen), chosen.tensor.array
        width = chosen.tensor.nbytes // array.size if array.size else 0
        numbers: dict[str, Any] = {name: _json(value) for name, value in asdict(found).items()}
        numbers["sparsity"] = found.zeros / found.count if found.count else None
        return Response(
            {
                "run": chosen.run,
                "tag": chosen.tag,
                "step": chosen.step,
                "wall_time": json_number(chosen.wall),
                "dtype": chosen.tensor.dtype,
                "shape": list(array.shape),
                "bytes": chosen.tensor.nbytes,
                "slice": slice_text(chosen.items),
                "slice_shape": list(chosen.view.shape),
                "slice_bytes": width * chosen.view.size,
                "of": "magnitude" if array.dtype.kind == "c" else "value",
                "statistics": numbers,
                "histogram": _histogram(chosen, found, asked["bins"]),
            }
        )


def _json(value: Any) -> Any:
    return json_number(value) if isinstance(value, float) else value


def _histogram(chosen: _Chosen, found: Statistics, bins: int) -> dict[str, Any] | None:
    if found.min is None or found.max is None:
        return None
    edges, counts = histogram(chosen.view, float(found.min), float(found.max), bins)
    return {"edges": edges, "counts": counts}


class TileView(SliceView):
    """Tiles of the grid and of the heat map."""

    query = TileQuery

    @extend_schema(
        operation_id="read_tensor_tile",
        parameters=[TileQuery],
        responses={(200, _BINARY): OpenApiTypes.BINARY, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """128 x 128 values of a plane, or as many blocks of them, as binary; with another tensor, of the difference."""
        return self.respond(request)

    def answer(self, asked: Mapping[str, Any], chosen: _Chosen) -> HttpResponseBase:
        """The answer about a slice."""
        key: tuple[object, ...] = (chosen.key, asked["plane"], asked["swap"])
        own = _plane(asked, chosen)
        plane: tiles.Plane = own
        if asked["other_series"] is not None:
            other = self.other(asked, chosen)
            plane = tiles.DifferencePlane(own, _plane(asked, other))
            key = (*key, other.key)
        level, row, column = asked["level"], asked["row"], asked["column"]
        size = tiles.TILE << level
        if (row and row * size >= plane.rows) or (column and column * size >= plane.columns):
            size_text = f"{plane.rows} rows and {plane.columns} columns"
            message = f"The plane has {size_text}; there is no tile {row}, {column} of level {level}."
            raise Problem("unknown_tile", message, 404, row=row, column=column, level=level)
        if level == 0:
            body = tiles.encode_values(plane, row, column)
        else:
            body = tiles.encode_blocks(
                plane, lambda: _pyramids.get(key, lambda: tiles.Pyramid(plane)), level, row, column
            )
        return HttpResponse(body, content_type=_BINARY)


def _plane(asked: Mapping[str, Any], chosen: _Chosen) -> tiles.ArrayPlane:
    view = taken(chosen.view, _items(asked["plane"], chosen.view.shape, "plane"))
    if view.ndim > 2:
        message = f"A plane has up to two axes, and this slice leaves {view.ndim}; name an index for the others."
        raise Problem("too_many_axes", message, 400, axes=view.ndim)
    return tiles.ArrayPlane(view, asked["swap"])


class FindView(SliceView):
    """Search for elements."""

    query = FindQuery

    @extend_schema(
        operation_id="find_tensor_element",
        parameters=[FindQuery],
        responses={200: FoundSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The next element that is NaN, infinite, the lowest, the highest, 0, or different from another tensor's."""
        return self.respond(request)

    def answer(self, asked: Mapping[str, Any], chosen: _Chosen) -> HttpResponseBase:
        """The answer about a slice."""
        target, views = search.Target(asked["target"]), [chosen.view]
        if target is search.Target.DIFFERENCE:
            views.append(self.other(asked, chosen).view)
            test = difference.outside(asked["rtol"], asked["atol"])
        else:
            found = statistics_of(chosen) if target in (search.Target.MIN, search.Target.MAX) else None
            extreme = found and (found.min if target is search.Target.MIN else found.max)
            if found is not None and extreme is None:
                return Response(_found(chosen, None))
            test = search.matcher(target, extreme)
        number = search.find(views, test, asked["start"], asked["backwards"], asked["around"])
        return Response(_found(chosen, number))


def _found(chosen: _Chosen, number: int | None) -> dict[str, Any]:
    if number is None:
        return {"found": False, "number": None, "index": [], "whole_index": [], "value": None}
    index = unflat_index(number, chosen.view.shape)
    return {"found": True, "number": number, **_where(chosen, index), "value": _text(chosen.view[tuple(index)].item())}


def _where(chosen: _Chosen, index: list[int]) -> dict[str, list[int]]:
    return {"index": index, "whole_index": index_in_whole(chosen.items, chosen.tensor.array.shape, index)}


def _text(value: Any) -> str:
    """A value in a form that JavaScript reads; complex numbers in Python's notation."""
    return str(json_number(value)) if isinstance(value, float) else str(value)


class DifferenceView(SliceView):
    """Comparison of two tensors."""

    query = DifferenceQuery

    @extend_schema(
        operation_id="compare_tensors",
        parameters=[DifferenceQuery],
        responses={200: DifferenceSerializer, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The difference between a slice and the same slice of another tensor: counts, extremes, and the largest
        differences.
        """
        return self.respond(request)

    def answer(self, asked: Mapping[str, Any], chosen: _Chosen) -> HttpResponseBase:
        """The answer about a slice."""
        other = self.other(asked, chosen)
        half = chosen.tensor.dtype == other.tensor.dtype == "bfloat16"
        found = difference.difference(chosen.view, other.view, asked["rtol"], asked["atol"], half)
        body: dict[str, Any] = {name: _json(value) for name, value in vars(found).items() if name != "worst"}
        body["worst"] = [_pair(chosen, pair) for pair in found.worst]
        body |= {"step": chosen.step, "other_step": other.step, "allclose": found.outside == 0}
        return Response(body | _histograms(chosen, other, asked["bins"]))


def _pair(chosen: _Chosen, pair: difference.Pair) -> dict[str, Any]:
    numbers = {name: _json(getattr(pair, name)) for name in ("absolute", "relative", "ulp")}
    where = _where(chosen, unflat_index(pair.number, chosen.view.shape))
    return {**where, "one": _text(pair.one), "other": _text(pair.other), **numbers}


def _histograms(chosen: _Chosen, other: _Chosen, bins: int) -> dict[str, Any]:
    both = [statistics_of(chosen), statistics_of(other)]
    lows = [float(each.min) for each in both if each.min is not None]
    highs = [float(each.max) for each in both if each.max is not None]
    if not lows:
        return {"edges": [], "counts": [], "other_counts": []}
    low, high = min(lows), max(highs)
    edges, counts = histogram(chosen.view, low, high, bins)
    return {"edges": edges, "counts": counts, "other_counts": histogram(other.view, low, high, bins)[1]}


class FileView(SliceView):
    """Downloads."""

    query = FileQuery

    @extend_schema(
        operation_id="download_tensor",
        parameters=[FileQuery],
        responses={(200, _BINARY): OpenApiTypes.BINARY, (200, "text/csv"): OpenApiTypes.STR, 304: None, **_ERRORS},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """A slice of a tensor as a NumPy file or as CSV, sent piece by piece."""
        return self.respond(request)

    def answer(self, asked: Mapping[str, Any], chosen: _Chosen) -> HttpResponseBase:
        """The answer about a slice."""
        csv = asked["format"] == "csv"
        pieces = downloads.csv_pieces(chosen.view) if csv else downloads.npy_pieces(chosen.view)
        answer = StreamingHttpResponse(streamed(pieces), content_type="text/csv; charset=utf-8" if csv else _BINARY)
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", chosen.tag).strip("._") or "tensor"
        answer["Content-Disposition"] = f'attachment; filename="{name[:100]}-{chosen.step}.{asked["format"]}"'
        if not csv:
            answer["Content-Length"] = str(len(downloads.npy_header(chosen.view)) + chosen.view.nbytes)
        return answer
