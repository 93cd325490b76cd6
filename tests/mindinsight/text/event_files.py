"""Event files with texts as TensorBoard's writers make them, and as nobody should."""

from __future__ import annotations

from collections.abc import Sequence

from summaries.schema.tensorboard_pb2 import DataType, Event


def table(
    tag: str,
    step: int,
    shape: Sequence[int],
    *strings: bytes,
    dtype: DataType.ValueType = DataType.DT_STRING,
) -> Event:
    """A tensor of strings for the text plugin."""
    event = Event(wall_time=100.0 + step, step=step)
    value = event.summary.value.add(tag=tag)
    value.metadata.plugin_data.plugin_name = "text"
    value.tensor.dtype = dtype
    value.tensor.string_val.extend(strings)
    for size in shape:
        value.tensor.tensor_shape.dim.add(size=size)
    return event
