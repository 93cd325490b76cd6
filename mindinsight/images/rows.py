"""The rows of `api.md`: details of one recorded image, with an error if its picture cannot be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from mindinsight.api.json_numbers import json_number
from mindinsight.api.problems import Problem
from mindinsight.images.records import checked_header, read_pictures
from summaries.beneath import FilePath


class ImageRow(TypedDict):
    """One recorded image. If `error` is set, unknown values are 0 or null."""

    index: int
    step: int
    wall_time: float | str | None
    pictures: int
    width: int | None
    height: int | None
    type: str | None
    error: dict[str, object] | None


def image_row(path: FilePath, file: str, place: Mapping[str, Any], index: int) -> ImageRow:
    """Reads the details of a record's first picture.

    Args:
        path: path of the event file.
        file: the event file relative to the base directory, for errors.
        place: a row of places.
        index: the row's index in its series.
    """
    pictures: Sequence[bytes] = ()
    row: ImageRow = {
        "index": index,
        "step": place["step"],
        "wall_time": json_number(place["wall"]),
        "pictures": 0,
        "width": None,
        "height": None,
        "type": None,
        "error": None,
    }
    try:
        pictures = read_pictures(path, file, place)
        row["pictures"] = len(pictures)
        if pictures:
            row["type"], row["width"], row["height"] = checked_header(pictures[0])
    except Problem as problem:
        detail = {"file": file, "offset": place["offset"], **dict(problem.body["detail"])}  # type: ignore[call-overload]
        row["error"] = {**problem.body, "detail": detail}
    return row
