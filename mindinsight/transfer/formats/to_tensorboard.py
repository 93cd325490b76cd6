"""Makes events in TensorBoard's format, like TensorFlow 2. The other direction is in `from_tensorboard`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from google.protobuf.message import DecodeError

from mindinsight.transfer.errors import UnconvertibleError
from mindinsight.transfer.formats.contents import Content, Histogram, Image, Text, plural
from mindinsight.transfer.formats.tensorboard_tensors import tensor_of, texts_tensor
from mindinsight.transfer.report import Report
from summaries.kinds import Kind
from summaries.schema.tensorboard_pb2 import Event, SessionLog, Summary, SummaryMetadata

VERSION = "brain.Event:2"
_SCALAR, _TENSOR, _PICTURES = 1, 2, 3  # TensorBoard's data classes.


def head(wall: float) -> bytes:
    """Returns a file's first record."""
    return Event(wall_time=wall, file_version=VERSION).SerializeToString()


def restart(step: int, wall: float) -> bytes:
    """Returns the record that marks earlier records of `step` and later steps as superseded."""
    log = SessionLog(status=SessionLog.START)
    return Event(wall_time=wall, step=step, session_log=log).SerializeToString()


def scalars(step: int, wall: float, values: Iterable[tuple[str, float, float]]) -> bytes:
    """Returns the event with the scalars of one step.

    Args:
        step, wall: step and wall time of the event.
        values: tag, 64-bit value and 32-bit value. If they differ, 64 bits are written.
    """
    event = Event(wall_time=wall, step=step)
    add = event.summary.value.add
    for tag, number, single in values:
        if single == number or number != number:
            add(tag=tag, simple_value=single)
        else:
            metadata = _metadata("scalars", _SCALAR)
            add(tag=tag, metadata=metadata, tensor=tensor_of(np.array(number), "float64"))
    return event.SerializeToString()


def event(step: int, wall: float, value: Summary.Value) -> bytes:
    """Returns the event with one value."""
    return Event(wall_time=wall, step=step, summary=Summary(value=[value])).SerializeToString()


def field(kind: Kind, payload: bytes) -> bytes:
    """Returns the event with only the graph or profile from the event in `payload`.

    Raises:
        UnconvertibleError: the event is broken, or has content that TensorBoard does not know.
    """
    try:
        source = Event.FromString(payload)
    except DecodeError as error:
        raise UnconvertibleError(plural(kind), "they are broken in the source") from error
    name = source.WhichOneof("what")
    if name not in ("graph_def", "meta_graph_def", "tagged_run_metadata"):
        raise UnconvertibleError(plural(kind), "TensorBoard cannot store them")
    made = Event(wall_time=source.wall_time, step=source.step, **{name: getattr(source, name)})
    return made.SerializeToString()


def encode(tag: str, content: Content, report: Report) -> Summary.Value:
    """Returns the value with `content`, and reports the parts that TensorBoard does not know."""
    if isinstance(content, Histogram):
        return _histogram(tag, content, report)
    if isinstance(content, Image):
        sizes = (str(content.width).encode(), str(content.height).encode())
        tensor, metadata = texts_tensor(*sizes, content.encoded), _metadata("images", _PICTURES)
    elif isinstance(content, Text):
        tensor, metadata = texts_tensor(content.content.encode()), _metadata("text", _TENSOR)
    else:
        # Without a plugin, a single number would be taken for a scalar.
        tensor, metadata = tensor_of(content.array, content.element), _metadata("tensors", _TENSOR)
    return Summary.Value(tag=tag, metadata=metadata, tensor=tensor)


def _histogram(tag: str, content: Histogram, report: Report) -> Summary.Value:
    if content.nan or content.pos_inf or content.neg_inf:
        how = "lost their counts of NaN and infinite elements, which TensorBoard cannot store"
        report.change(plural(Kind.HISTOGRAM), how)
    rows = np.stack((content.left, content.left + content.width, content.count), axis=1)
    metadata = _metadata("histograms", _TENSOR)
    return Summary.Value(tag=tag, metadata=metadata, tensor=tensor_of(rows, "float64"))


def _metadata(plugin: str, data_class: int) -> SummaryMetadata:
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin), data_class=data_class)
