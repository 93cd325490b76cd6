"""Reads videos by OpenCV's FFmpeg: the pictures and their times. Sound is not read, so its array is empty.

Times in `pts` are counted in frames of the video's rate, which is what OpenCV tells; MindSpore counts in the units of
the file's stream.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from framework.dataset.transforms.checks import check_interval, check_type
from framework.dataset.transforms.operation import TensorOperation
from framework.dataset.vision.codecs.coding import encoded_bytes
from framework.dataset.vision.opencv import cv

if TYPE_CHECKING:
    from cv2 import VideoCapture

__all__ = ["DecodeVideo", "read_video", "read_video_timestamps"]

Place = str | PathLike[str]
Pictures = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]


def _opened(filename: Place) -> VideoCapture:
    path = Path(filename)
    if not path.is_file():
        raise RuntimeError(f"Invalid file path, {path} does not exist.")
    capture = cv.VideoCapture(str(path), cv.CAP_FFMPEG)
    if not capture.isOpened():
        raise RuntimeError(f"{path} is not a video that can be read.")
    return capture


def _pictures(capture: VideoCapture) -> Iterator[tuple[float, float, Any]]:
    """The time in frames, the time in seconds and the picture, in their order."""
    while True:
        done, picture = capture.read()
        if not done:
            return
        yield capture.get(cv.CAP_PROP_PTS), capture.get(cv.CAP_PROP_POS_MSEC) / 1000, picture


def _unit(pts_unit: str) -> int:
    check_type(pts_unit, (str,), "pts_unit")
    if pts_unit not in ("pts", "sec"):
        raise ValueError(f"Input pts_unit is not within the valid set of ['pts', 'sec'], but got {pts_unit!r}.")
    return 0 if pts_unit == "pts" else 1


def _stacked(pictures: list[Any]) -> Pictures:
    return np.stack(pictures).astype(np.uint8, copy=False) if pictures else np.empty((0, 0, 0, 3), np.uint8)


def read_video(
    filename: Place, start_pts: float = 0, end_pts: float | None = None, pts_unit: str = "pts"
) -> tuple[Pictures, Sound, dict[str, float]]:
    """Read the pictures of a video.

    Args:
        filename: the path of the file.
        start_pts: time of the first picture.
        end_pts: time of the last picture; None for the end.
        pts_unit: unit of these times: "pts" or "sec".

    Returns:
        The pictures (count, height, width, 3), an empty array for the sound, and the rate as `video_fps`.

    Raises:
        TypeError: an argument has another type.
        ValueError: a time is below 0, or the end before the start.
        RuntimeError: the file is missing or no video.
    """
    unit = _unit(pts_unit)
    check_type(start_pts, (float, int), "start_pts")
    check_interval(start_pts, (0, math.inf), "start_pts")
    end = math.inf if end_pts is None else end_pts
    check_type(end, (float, int), "end_pts")
    if end < start_pts:
        raise ValueError(f"Input end_pts is not within the required interval of [{start_pts}, inf].")
    capture = _opened(filename)
    try:
        found = []
        for *times, picture in _pictures(capture):
            if times[unit] > end:
                break
            if times[unit] >= start_pts:
                found.append(cv.cvtColor(picture, cv.COLOR_BGR2RGB))
        return _stacked(found), np.empty((0, 0), np.float32), {"video_fps": capture.get(cv.CAP_PROP_FPS)}
    finally:
        capture.release()


def read_video_timestamps(filename: Place, pts_unit: str = "pts") -> tuple[list[float], float]:
    """Read the times of the pictures of a video.

    Args:
        filename: the path of the file.
        pts_unit: unit of the times: "pts" or "sec".

    Returns:
        The times, and the number of pictures per second.

    Raises:
        TypeError: the unit is no text.
        ValueError: it is another one.
        RuntimeError: the file is missing or no video.
    """
    unit = _unit(pts_unit)
    capture = _opened(filename)
    try:
        times = [found[unit] for found in _pictures(capture)]
        return ([int(time) for time in times] if unit == 0 else times), capture.get(cv.CAP_PROP_FPS)
    finally:
        capture.release()


class DecodeVideo(TensorOperation):
    """Decodes the bytes of a video: its pictures (count, height, width, 3), and an empty array for the sound."""

    takes_all = True

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Decode an array of bytes."""
        data = encoded_bytes(values[0])
        source: Any = io.BytesIO(data.tobytes())
        capture = cv.VideoCapture(source, cv.CAP_FFMPEG, [])
        if not capture.isOpened():
            raise RuntimeError(f"DecodeVideo: these {data.size} bytes are not a video that can be read")
        try:
            pictures = [cv.cvtColor(picture, cv.COLOR_BGR2RGB) for *_, picture in _pictures(capture)]
        finally:
            capture.release()
        return _stacked(pictures), np.empty((0, 0), np.float32)
