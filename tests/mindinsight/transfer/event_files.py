"""Event files made and read without the code under test: framed with `struct`, encoded with descriptors of our own.

TensorBoard's messages are restated here from the format's field tables; MindSpore's stand in the tests of `summaries`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import google_crc32c
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from mindinsight.ingest.discovery import find_runs
from summaries import EventFileReader
from tests.summaries.test_schema import build as build_mindspore

# message: (number, name, type), with * for repeated; a capital letter begins a message's name.
_TENSORBOARD = {
    "Event": "1 wall_time double, 2 step int64, 3 file_version string, 4 graph_def bytes, 5 summary Summary,"
    " 7 session_log SessionLog, 8 tagged_run_metadata bytes, 9 meta_graph_def bytes, 10 source_metadata bytes",
    "SessionLog": "1 status int32, 2 checkpoint_path string, 3 msg string",
    "Summary": "1 value Value*",
    "Value": "1 tag string, 2 simple_value float, 4 image Image, 5 histo Histo, 7 node_name string, 8 tensor Tensor,"
    " 9 metadata Metadata",
    "Image": "1 height int32, 2 width int32, 3 colorspace int32, 4 encoded_image_string bytes",
    "Histo": "1 min double, 2 max double, 3 num double, 4 sum double, 5 sum_squares double,"
    " 6 bucket_limit double*, 7 bucket double*",
    "Metadata": "1 plugin_data Plugin, 2 display_name string, 3 summary_description string, 4 data_class int32",
    "Plugin": "1 plugin_name string, 2 content bytes",
    "Tensor": "1 dtype int32, 2 tensor_shape Shape, 4 tensor_content bytes, 5 float_val float*, 6 double_val double*,"
    " 8 string_val bytes*",
    "Shape": "2 dim Dim*",
    "Dim": "1 size int64",
}


def _masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload: bytes) -> bytes:
    """The payload as a record."""
    length = struct.pack("<Q", len(payload))
    return length + _masked(length) + payload + _masked(payload)


def payloads(path: Path) -> Iterator[bytes]:
    """The payloads of a sound file."""
    data, offset = path.read_bytes(), 0
    while offset < len(data):
        (length,) = struct.unpack_from("<Q", data, offset)
        payload = data[offset + 12 : offset + 12 + length]
        assert record(payload) == data[offset : offset + 16 + length]
        yield payload
        offset += length + 16


@cache
def tensorboard() -> Any:
    """The class of TensorBoard's events."""
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="tb.proto", package="tb", syntax="proto3")
    for message, fields in _TENSORBOARD.items():
        descriptor = file.message_type.add(name=message)
        for text in fields.split(","):
            number, name, kind = text.split()
            label = "LABEL_REPEATED" if kind.endswith("*") else "LABEL_OPTIONAL"
            kind = kind.rstrip("*")
            field = descriptor.field.add(name=name, number=int(number), label=label)
            if kind[0].isupper():
                field.type, field.type_name = kinds.TYPE_MESSAGE, f".tb.{kind}"
            else:
                field.type = getattr(kinds, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tb.Event"))


@cache
def mindspore() -> Any:
    """The class of MindSpore's events."""
    return message_factory.GetMessageClass(build_mindspore().FindMessageTypeByName("mindspore.irpb.Event"))


def write_tensorboard(directory: Path, *events: dict[str, Any], second: int = 1795229620) -> Path:
    """Writes a file of TensorBoard's kind."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"events.out.tfevents.{second}.host"
    messages = [{"wall_time": float(second), "file_version": "brain.Event:2"}, *events]
    path.write_bytes(b"".join(record(tensorboard()(**message).SerializeToString()) for message in messages))
    return path


def scalar_event(step: int, wall: float, **values: float) -> dict[str, Any]:
    """An event of TensorBoard's kind with 64-bit scalars; `__` in a name means a slash."""
    found = [
        {
            "tag": name.replace("__", "/"),
            "metadata": {"plugin_data": {"plugin_name": "scalars"}},
            "tensor": {"dtype": 2, "tensor_content": struct.pack("<d", number)},
        }
        for name, number in values.items()
    ]
    return {"wall_time": wall, "step": step, "summary": {"value": found}}


def points(base: Path) -> dict[str, list[tuple[str, int, str, str]]]:
    """All scalars below a directory, by run: tag, step, and wall time and value with all their digits."""
    return {
        name: [
            point for file in run.files if not file.path.name.endswith("_lineage") for point in file_points(file.path)
        ]
        for name, run in sorted(find_runs(base).items())
    }


def file_points(path: Path) -> Iterable[tuple[str, int, str, str]]:
    """The scalars of one file."""
    reader, found = EventFileReader(path), []
    while True:
        batch = reader.read()
        for tag, (step, wall, value) in zip(batch.tag.tolist(), batch.points.tolist(), strict=True):
            found.append((batch.tags[tag], step, repr(wall), repr(value)))
        if batch.complete:
            assert not batch.damages
            return found
