"""Files of named arrays in MindSpore's checkpoint format, written whole or not at all and read one array at a time.

`framework.train.serialization` uses it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from framework.common.replacing import replacing
from framework.schema.checkpoint_pb2 import CheckpointTensor
from framework.train.checkpoints.elements import Array, from_messages, to_messages
from framework.train.checkpoints.encryption import DecryptingSource, EncryptingSink, Key, mode_of
from framework.train.checkpoints.errors import CheckpointError, damaged
from framework.train.checkpoints.plain import PlainSource, SummingSink
from framework.train.checkpoints.records import RecordReader, RecordWriter, Sink, Source, has_checksums

__all__ = ["read_values", "write_values"]

_log = logging.getLogger("framework")


def write_values(
    path: Path, values: Iterable[tuple[str, Array | str]], *, crc_check: bool = False, key: Key | None = None
) -> None:
    """Write a file: first under a temporary name, then renamed once it is complete and on the disk.

    Args:
        path: the file; an existing one is replaced.
        values: pairs of a name and an array or a text; names are unique.
        crc_check: append MindSpore's checksum too.
        key: key to encrypt the file with; None for no encryption.

    Raises:
        CheckpointError: an array's type cannot be written.
        OSError: the file cannot be written; an existing file is unchanged.
    """
    with replacing(path) as file, _sink(file, crc_check, key) as sink:
        writer = RecordWriter(sink)
        for tag, value in values:
            for head, content in to_messages(tag, value):
                writer.add(head, content)
        writer.close()


@contextmanager
def _sink(file: BinaryIO, crc_check: bool, key: Key | None) -> Iterator[Sink]:
    if key is None and not crc_check:
        yield file
        return
    sink = EncryptingSink(file, key) if key is not None else SummingSink(file)
    yield sink
    sink.close()


def read_values(path: Path, *, crc_check: bool = False, key: Key | None = None) -> Iterator[tuple[str, Array | str]]:
    """The values of a file, in order. The file is verified completely only after the last value.

    Args:
        path: the file.
        crc_check: verify MindSpore's checksum too, and warn if the file has no checksum at all.
        key: key that the file was encrypted with; None for no encryption.

    Returns:
        Pairs of a name and an array or a text.

    Raises:
        CheckpointError: the file is not a checkpoint, ends too early, is damaged, or is encrypted with another key. The
            message names the place.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(4)
        file.seek(0)
        _check_key(path, mode_of(head), key)
        if key is not None:
            yield from _values(path, DecryptingSource(file, size, key, path))
            return
        source = PlainSource(file, size)
        if source.crc_num is not None and (crc_check or not has_checksums(head)):
            source.sum_up()
        elif crc_check and not has_checksums(head):
            _log.warning("%s has no checksum, so damage cannot be detected", path)
        yield from _values(path, source)
        source.verify(path)


def _check_key(path: Path, mode: str | None, key: Key | None) -> None:
    """Raise CheckpointError unless the key fits the encryption of the file."""
    if key is None and mode is not None:
        raise CheckpointError(f"{path} is encrypted with {mode}: give its key as dec_key, and dec_mode={mode!r}")
    if key is not None and mode is None:
        raise CheckpointError(f"{path} is not encrypted, or its beginning is damaged: leave dec_key out")
    if key is not None and key.mode != mode:
        raise CheckpointError(f"{path} is encrypted with {mode}, not with {key.mode}: give dec_mode={mode!r}")


def _values(path: Path, source: Source) -> Iterator[tuple[str, Array | str]]:
    parts: list[CheckpointTensor] = []
    tags: set[str] = set()
    tag = ""
    for value in RecordReader(source, path).values():
        if parts and value.tag != tag:
            yield tag, from_messages(path, tag, parts)
            parts = []
        if not parts and value.tag in tags:
            raise damaged(path, f"it has {value.tag!r} twice")
        tag = value.tag
        tags.add(tag)
        parts.append(value.tensor)
    if parts:
        yield tag, from_messages(path, tag, parts)
