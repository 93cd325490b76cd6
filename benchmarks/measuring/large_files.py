"""Large event files with known content, written by arithmetic on whole columns: millions of records in a second.

The first record of each length is made by the protobuf library; the others are its bytes with another step, time and
values in them. The values are `value_of`, so that readers of the file can be checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring.checksums import Bytes, masked_crcs
from summaries.records import frame
from summaries.schema import summary_pb2, tensorboard_pb2

OPENED = 1_700_000_000
STEPS_AT_ONCE = 8192
# Where a record's payload begins, and in it the time and the step; both schemas number these fields alike.
_PAYLOAD, _WALL, _STEP = 12, 1, 10
_VALUE_BYTES = 4
_CRC_BYTES = 4


def tag_names(count: int) -> list[str]:
    """Names of one length, 14 bytes."""
    return (
        [f"train/metric_{tag:x}" for tag in range(count)]
        if count <= 16
        else [f"metric/{tag:07d}" for tag in range(count)]
    )


def value_of(tag: int, steps: NDArray[np.int64]) -> NDArray[np.float32]:
    """Returns what the tag of this number has at each step."""
    values: NDArray[np.float64] = np.sin(steps * 0.001 + tag) + np.cos(steps * 1.7 + tag) * 0.1
    return values.astype(np.float32)


def wall_of(steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns the wall time of each step, seconds since 1970."""
    return OPENED + steps.astype(np.float64) * 0.001


def write_tensorboard(directory: Path, tags: Sequence[str], steps: int) -> Path:
    """Writes a file of TensorBoard's form: one event for each value, steps 1 to `steps`; returns its path."""
    head = tensorboard_pb2.Event(wall_time=OPENED, file_version="brain.Event:2")
    path = directory / f"events.out.tfevents.{OPENED}.host.1.0"
    return _write(path, frame(head.SerializeToString()), _tensorboard_blocks(tags, steps))


def write_mindspore(directory: Path, tags: Sequence[str], steps: int) -> Path:
    """Writes a file of MindSpore's form: one event for each step, with the values of all tags; returns its path."""
    head = summary_pb2.Event(wall_time=OPENED, version="MindSpore.Event:1")
    path = directory / f"events.out.events.summary.{OPENED}.0.host_MS"
    return _write(path, frame(head.SerializeToString()), _mindspore_blocks(tags, steps))


def _write(path: Path, head: bytes, blocks: Iterator[Bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(head)
        for block in blocks:
            file.write(block.tobytes())
    return path


def _tensorboard_blocks(tags: Sequence[str], last: int) -> Iterator[Bytes]:
    """Records of several steps at a time, shape (steps, tags, bytes)."""
    for steps in _step_blocks(last):
        records = [
            _filled(_tensorboard_template(tag, int(steps[0])), steps, [value_of(number, steps)])
            for number, tag in enumerate(tags)
        ]
        yield np.stack(records, axis=1)


def _mindspore_blocks(tags: Sequence[str], last: int) -> Iterator[Bytes]:
    for steps in _step_blocks(last):
        template = _mindspore_template(tags, int(steps[0]))
        yield _filled(template, steps, [value_of(number, steps) for number in range(len(tags))])


def _tensorboard_template(tag: str, step: int) -> Bytes:
    event = tensorboard_pb2.Event(wall_time=OPENED, step=step)
    event.summary.value.add(tag=tag, simple_value=1.0)
    return np.frombuffer(frame(event.SerializeToString()), np.uint8)


def _mindspore_template(tags: Sequence[str], step: int) -> Bytes:
    event = summary_pb2.Event(wall_time=OPENED, step=step)
    for tag in tags:
        event.summary.value.add(tag=tag, scalar_value=1.0)
    return np.frombuffer(frame(event.SerializeToString()), np.uint8)


def _step_blocks(last: int) -> Iterator[NDArray[np.int64]]:
    """Steps 1 to `last` in blocks whose numbers take the same room in a record."""
    first = 1
    while first <= last:
        end = min(last + 1, first + STEPS_AT_ONCE, 1 << 7 * _varint_bytes(first))
        yield np.arange(first, end)
        first = end


def _varint_bytes(step: int) -> int:
    return -(-step.bit_length() // 7)


def _filled(template: Bytes, steps: NDArray[np.int64], values: Sequence[NDArray[np.float32]]) -> Bytes:
    """Returns one record per step, made from a template with the same number of values."""
    records = np.tile(template, (len(steps), 1))
    payloads = records[:, _PAYLOAD:-_CRC_BYTES]
    payloads[:, _WALL : _WALL + 8] = _as_bytes(wall_of(steps).astype("<f8"))
    size = _varint_bytes(int(steps[0]))
    for byte in range(size):
        more = 0x80 if byte < size - 1 else 0
        payloads[:, _STEP + byte] = steps >> 7 * byte & 0x7F | more
    # The values come last in an event, each at the end of its message, and all messages are of one length.
    stride = (payloads.shape[1] - _first_message(payloads[0], size)) // len(values)
    for number, column in enumerate(reversed(values)):
        end = payloads.shape[1] - number * stride
        payloads[:, end - _VALUE_BYTES : end] = _as_bytes(column.astype("<f4"))
    records[:, -_CRC_BYTES:] = _as_bytes(masked_crcs(payloads).astype("<u4"))
    return records


def _first_message(payload: Bytes, step_bytes: int) -> int:
    """Where the first value's message begins: behind the summary's field number and length."""
    at = _STEP + step_bytes + 1
    while payload[at] & 0x80:
        at += 1
    return at + 1


def _as_bytes(column: NDArray[np.generic]) -> Bytes:
    return column.view(np.uint8).reshape(len(column), column.itemsize)
