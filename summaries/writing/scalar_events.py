"""Makes records of scalars: consecutive values of the same step and time become one event.

Called by the summary writer's thread. The C code releases the GIL, which the training needs. Without the compiled
library, protobuf makes the records.
"""

from array import array
from collections.abc import Iterable, Sequence
from ctypes import create_string_buffer
from itertools import accumulate, pairwise
from math import isnan
from struct import Struct

from summaries.kernel import library
from summaries.records import frame
from summaries.schema.summary_pb2 import Event

Values = tuple[tuple[str, float], ...]
"""Numbers by tag, all of one step."""

Point = tuple[int, float, Values]
"""Step, wall time and values."""

# `struct scalar` of scalars.h, and what a record takes beside the names.
_SCALAR = Struct("<qddq").pack
_ROOM = 64


def scalar_records(points: Iterable[Point]) -> list[bytes]:
    """Return the records of some points, ready to be appended to a file."""
    if library.LIBRARY is None:
        return _by_protobuf(points)
    numbers: dict[str, int] = {}
    number = numbers.setdefault
    packed = [
        _SCALAR(step, wall, value, number(tag, len(numbers))) for step, wall, values in points for tag, value in values
    ]
    return _encode(packed, [tag.encode() for tag in numbers]) if packed else []


def _encode(scalars: Sequence[bytes], names: Sequence[bytes]) -> list[bytes]:
    assert library.LIBRARY is not None  # noqa: S101  (the caller has looked)
    name_ends = array("Q", accumulate(map(len, names)))
    records = create_string_buffer(len(scalars) * (_ROOM + max(map(len, names))))
    ends = array("Q", bytes(8 * len(scalars)))
    addresses = name_ends.buffer_info()[0], records, ends.buffer_info()[0]
    count = library.LIBRARY.encode_scalars(b"".join(scalars), len(scalars), b"".join(names), *addresses)
    data = records.raw
    return [data[begin:end] for begin, end in pairwise([0, *ends[:count]])]


def _by_protobuf(points: Iterable[Point]) -> list[bytes]:
    events: list[Event] = []
    for step, wall, values in points:
        if not events or events[-1].step != step or not _is_same_time(events[-1].wall_time, wall):
            events.append(Event(wall_time=wall, step=step))
        for tag, value in values:
            events[-1].summary.value.add(tag=tag, scalar_value=value)
    return [frame(event.SerializeToString()) for event in events]


def _is_same_time(first: float, second: float) -> bool:
    """Whether two wall times are equal, where no time (NaN) is the same as none."""
    return first == second or (isnan(first) and isnan(second))
