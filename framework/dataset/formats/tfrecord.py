"""Files of TensorFlow: records of `tf.train.Example`, https://www.tensorflow.org/tutorials/load_data/tfrecord.

A record is its length (64 bits, little-endian), a checksum of that (32 bits), its bytes and a checksum of these. The
bytes are a protocol buffer: a map from names to lists of bytes, of 32-bit floats or of 64-bit integers.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.runtime.rows import Array
from summaries.records import masked_crc

__all__ = ["TFRecordFiles", "features_of"]

_HEAD: Final = 12
_FOOT: Final = 4
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


def _fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """The number, wire type and value of each field of a protocol buffer message."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(data, place)
            yield number, kind, value
            continue
        size = 8 if kind == _EIGHT else 4 if kind == _FOUR else -1
        if kind == _BYTES:
            size, place = _varint(data, place)
        if size < 0 or place + size > len(data):
            raise ValueError("the record is not a tf.train.Example, or is damaged")
        yield number, kind, data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if place >= len(data):
            raise ValueError("the record is not a tf.train.Example, or is damaged")
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def features_of(record: bytes) -> dict[str, list[bytes] | Array]:
    """The features of a record by name: a list of bytes, an array Float32 (n,) or an array Int64 (n,).

    Raises:
        ValueError: the record is no `tf.train.Example`.
    """
    found: dict[str, list[bytes] | Array] = {}
    for number, _, features in _fields(record):
        if number != 1:
            continue
        for _, _, entry in _fields(features):
            parts = {number: value for number, _, value in _fields(entry)}
            found[parts.get(1, b"").decode()] = _values(parts.get(2, b""))
    return found


def _values(feature: bytes) -> list[bytes] | Array:
    for number, _, content in _fields(feature):
        items = list(_fields(content))
        if number == 1:
            return [value for _, _, value in items]
        if number == 2:
            return np.frombuffer(b"".join(value for _, _, value in items), "<f4").astype(np.float32)
        return np.asarray([_signed(value) for item in items for value in _integers(item)], np.int64)
    return []


def _integers(item: tuple[int, int, Any]) -> Iterator[int]:
    """Integers of one field, which may be packed."""
    _, kind, value = item
    if kind == _VARINT:
        yield value
        return
    place = 0
    while place < len(value):
        number, place = _varint(value, place)
        yield number


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


class TFRecordFiles:
    """The records of files, one file after another. Texts are UInt8; if there are several, shorter ones are padded with
    spaces.

    Args:
        files: paths of the files.
        columns: element type and shape of each column by name, None for those of the values; an empty dictionary for
            all features of the first record.
        compression: "", "GZIP" or "ZLIB".
    """

    def __init__(
        self,
        files: Sequence[str],
        columns: Mapping[str, tuple[np.dtype[Any] | None, Sequence[int] | None]],
        compression: str,
    ) -> None:
        self.files = list(files)
        self._known = dict(columns)
        self._compression = compression

    @cached_property
    def _data(self) -> list[Any]:
        if not self._compression:
            return [np.memmap(path, np.uint8, "r") if Path(path).stat().st_size else b"" for path in self.files]
        unpack = gzip.decompress if self._compression == "GZIP" else zlib.decompress
        return [unpack(Path(path).read_bytes()) for path in self.files]

    @cached_property
    def _places(self) -> list[Array]:
        return [self._of_file(number) for number in range(len(self.files))]

    def _of_file(self, number: int) -> Array:
        data, place = self._data[number], 0
        found: list[tuple[int, int]] = []
        while place < len(data):
            head = bytes(data[place : place + _HEAD])
            size = int.from_bytes(head[:8], "little")
            if len(head) == _HEAD and int.from_bytes(head[8:], "little") != masked_crc(head[:8]):
                raise RuntimeError(
                    f"{self.files[number]} is not a TFRecord file, or is damaged: the length of record {len(found)} at"
                    f" byte {place} fails its checksum"
                )
            if place + _HEAD + size + _FOOT > len(data):
                raise RuntimeError(
                    f"{self.files[number]} ends too early: record {len(found)} at byte {place} is cut off"
                )
            found.append((place + _HEAD, size))
            place += _HEAD + size + _FOOT
        return np.asarray(found, np.int64).reshape(-1, 2)

    @cached_property
    def counts(self) -> list[int]:
        """The number of records of each file."""
        return [len(places) for places in self._places]

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._known) or tuple(sorted(self._features(0)) if len(self) else ())

    def __len__(self) -> int:
        return sum(self.counts)

    def _at(self, index: int) -> tuple[int, int]:
        number = int(np.searchsorted(self._starts, index, "right")) - 1
        return number, index - int(self._starts[number])

    def _features(self, index: int) -> dict[str, list[bytes] | Array]:
        number, row = self._at(index)
        start, size = (int(value) for value in self._places[number][row])
        record = bytes(self._data[number][start : start + size + _FOOT])
        if int.from_bytes(record[size:], "little") != masked_crc(record[:size]):
            raise ValueError(f"the record is damaged: its data at byte {start} fails its checksum")
        return features_of(record[:size])

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a record.

        Raises:
            ValueError: a column is missing, or its values do not have its shape.
        """
        features = self._features(index)
        return tuple(self._column(name, features) for name in self.columns)

    def _column(self, name: str, features: Mapping[str, list[bytes] | Array]) -> Array:
        if name not in features:
            raise ValueError(f"the record has no feature {name!r}, only {', '.join(sorted(features))}")
        values, (dtype, shape) = features[name], self._known.get(name, (None, None))
        array = _texts(values, dtype) if isinstance(values, list) else _numbers(name, values, dtype)
        if shape is None:
            return array
        try:
            return array.reshape(shape)
        except ValueError as error:
            raise ValueError(f"feature {name!r} has {array.size} values, which do not fit the shape {shape}") from error

    def describe(self, index: int) -> str:
        """The file, and the record's index in it."""
        number, row = self._at(index)
        return f"record {row} of {self.files[number]}"

    def labels(self) -> Array | None:
        """None: records have no class."""
        return None


def _texts(values: list[bytes], dtype: np.dtype[Any] | None) -> Array:
    if dtype is not None and dtype.kind == "S":
        return np.array(values, "S" if values else "S1")
    longest = max(map(len, values), default=0)
    return np.frombuffer(b"".join(value.ljust(longest) for value in values), dtype or np.uint8).copy()


def _numbers(name: str, values: Array, dtype: np.dtype[Any] | None) -> Array:
    if dtype is None or dtype == values.dtype:
        return values
    if (values.dtype.kind == "f") != (dtype.kind == "f"):
        raise ValueError(f"feature {name!r} holds {values.dtype.name}, but the schema says {dtype.name}")
    made = values.astype(dtype)
    wrong = values[made != values] if dtype.kind in "iu" else values[:0]
    if wrong.size:
        raise ValueError(f"feature {name!r} holds {wrong[0]}, which is no {dtype.name}")
    return made
