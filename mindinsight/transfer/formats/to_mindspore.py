"""Makes events in MindSpore's format, which MindInsight reads too. The other direction is in `from_mindspore`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

import numpy as np
from google.protobuf.message import DecodeError, EncodeError

from mindinsight.transfer.errors import UnconvertibleError
from mindinsight.transfer.formats.contents import Content, Histogram, Image, Tensor, Text, plural
from mindinsight.transfer.report import Report
from summaries.kinds import Kind
from summaries.schema.summary_pb2 import Event, Segment, Summary
from summaries.tensor import check_size, fill_tensor
from summaries.text import fill_text

VERSION = "MindSpore.Event:1"
_FIELDS = {
    Kind.GRAPH: "graph_def",
    Kind.ENVIRONMENT: "environment",
    Kind.PROFILE: "profile",
    Kind.PASS_GRAPH: "pass_graph",
    Kind.LIVE_EDIT: "live_edit",
    Kind.DATA_PIPELINE: "data_pipeline",
}
_LARGEST_COUNT = float(1 << 62)
_PIXELS = range(1 << 31)


def head(wall: float) -> bytes:
    """Returns a file's first record."""
    return Event(wall_time=wall, version=VERSION).SerializeToString()


def restart(step: int, wall: float) -> bytes:
    """Returns the record that marks earlier records of `step` and later steps as superseded."""
    return Event(wall_time=wall, segment=Segment(id=uuid.uuid4().hex, from_step=step)).SerializeToString()


def scalars(step: int, wall: float, values: Iterable[tuple[str, float, float]], report: Report) -> bytes:
    """Returns the event with the scalars of one step, and reports those that are rounded.

    Args:
        step, wall: step and wall time of the event.
        values: tag, 64-bit value and 32-bit value.
        report: collects the notes.
    """
    event = Event(wall_time=wall, step=step)
    add = event.summary.value.add
    rounded = 0
    for tag, number, single in values:
        rounded += single != number and number == number
        add(tag=tag, scalar_value=single)
    report.change(plural(Kind.SCALAR), "were rounded to the 32 bits that a scalar has in MindSpore's files", rounded)
    return event.SerializeToString()


def event(step: int, wall: float, value: Summary.Value) -> bytes:
    """Returns the event with one value."""
    made = Event(wall_time=wall, step=step)
    made.summary.value.append(value)
    return made.SerializeToString()


def field(kind: Kind, payload: bytes) -> bytes:
    """Returns the event with only the field of this kind from the event in `payload`.

    Raises:
        UnconvertibleError: the event is broken.
    """
    name = _FIELDS.get(kind, "")
    try:
        source = Event.FromString(payload)
        made = Event(wall_time=source.wall_time, **{name: getattr(source, name)})
        if source.HasField("step"):
            made.step = source.step
        return made.SerializeToString()
    except (DecodeError, EncodeError, AttributeError) as error:
        raise UnconvertibleError(plural(kind), "they are broken in the source") from error


def encode(tag: str, content: Content, report: Report) -> Summary.Value:
    """Returns the value with `content`.

    Raises:
        UnconvertibleError: MindSpore's files cannot store it.
    """
    value = Summary.Value(tag=tag)
    if isinstance(content, Histogram):
        _fill_histogram(value.histogram, content, report)
    elif isinstance(content, Image):
        _fill_image(value.image, content)
    elif isinstance(content, Text):
        fill_text(value, content.content)
    else:
        _fill_tensor(tag, value, content)
    return value


def _fill_histogram(message: Summary.Histogram, content: Histogram, report: Report) -> None:
    columns = (content.left, content.width, content.count)
    sound = all(np.isfinite(column).all() for column in columns)
    if not sound or (content.count < 0).any() or content.count.sum() > _LARGEST_COUNT:
        raise UnconvertibleError(plural(Kind.HISTOGRAM), "their buckets are not finite")
    counts = np.rint(content.count)
    if (counts != content.count).any():
        report.change(plural(Kind.HISTOGRAM), "got integer counts, because MindSpore's files have no others")
    add = message.buckets.add
    for left, width, count in zip(content.left.tolist(), content.width.tolist(), counts.tolist(), strict=True):
        add(left=left, width=width, count=int(count))
    message.nan_count, message.pos_inf_count = content.nan, content.pos_inf
    message.neg_inf_count = content.neg_inf
    message.count = int(counts.sum()) + content.nan + content.pos_inf + content.neg_inf
    for name, number in (("min", content.low), ("max", content.high), ("sum", content.total)):
        if number is not None:
            setattr(message, name, number)


def _fill_image(message: Summary.Image, content: Image) -> None:
    if content.height not in _PIXELS or content.width not in _PIXELS or content.channels not in _PIXELS:
        raise UnconvertibleError(plural(Kind.IMAGE), "their size is none")
    message.height, message.width = content.height, content.width
    message.colorspace, message.encoded_image = content.channels, content.encoded


def _fill_tensor(tag: str, value: Summary.Value, content: Tensor) -> None:
    try:
        check_size(tag, content.array, content.element)
    except (TypeError, ValueError) as error:
        raise UnconvertibleError(
            plural(Kind.TENSOR), "they are too large, or their type does not exist in MindSpore"
        ) from error
    fill_tensor(value, content.array, content.element)
