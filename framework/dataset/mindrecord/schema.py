"""The schema of MindRecord files: the fields of a row, and their bytes.

Scalars and texts are the *raw* part of a row, bytes and arrays its *blob* part.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.packing import pack_integers, pack_scalars, unpack_integers, unpack_scalars
from framework.dataset.mindrecord.refusals import MRMInvalidSchemaError, MRMValidateDataError
from framework.dataset.runtime.rows import Array

__all__ = ["Field", "Schema"]

_TYPES: Final = {"int32": np.int32, "int64": np.int64, "float32": np.float32, "float64": np.float64}
_NO_BLOB: Final = bytes(4)


def _is_shape(shape: Sequence[Any]) -> bool:
    """Whether all lengths are positive, but for one -1 at most."""
    whole = all(isinstance(size, int) and not isinstance(size, bool) for size in shape)
    return whole and all(size > 0 or size == -1 for size in shape) and list(shape).count(-1) <= 1


@dataclass(frozen=True)
class Field:
    """A field of a row.

    Attributes:
        name: of letters, digits and underscores.
        type: "int32", "int64", "float32", "float64", "string" or "bytes".
        shape: of an array, with -1 for a length that differs from row to row; None for a scalar.
    """

    name: str
    type: str
    shape: tuple[int, ...] | None = None

    @property
    def numpy(self) -> np.dtype[Any]:
        """The element type of numbers."""
        return np.dtype(_TYPES[self.type])

    @property
    def is_blob(self) -> bool:
        """Whether the field is in the blob part of a row."""
        return self.shape is not None or self.type == "bytes"

    @property
    def nbytes(self) -> int:
        """The bytes of a value in memory; 0 where they differ from row to row."""
        if self.type not in _TYPES or -1 in (self.shape or ()):
            return 0
        return np.dtype(_TYPES[self.type]).itemsize * math.prod(self.shape or ())

    def scalar(self, value: Any) -> int | float | str:
        """Convert a user's value of a raw field.

        Raises:
            MRMValidateDataError: it does not fit.
        """
        kind = str if self.type == "string" else float if self.type.startswith("float") else int
        value = value.item() if isinstance(value, np.generic) else value
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or isinstance(value, bool):
            raise MRMValidateDataError(f"field {self.name!r} is {self.type}; a row has {value!r} there")
        return kind(value)

    def blob(self, value: Any) -> tuple[bytes, int]:
        """The bytes of a user's value of a blob field, and the number of bytes that packing saved.

        Raises:
            MRMValidateDataError: it does not fit.
        """
        if self.type == "bytes":
            if not isinstance(value, bytes | bytearray | memoryview):
                raise MRMValidateDataError(f"field {self.name!r} is bytes; a row has a {type(value).__name__} there")
            return bytes(value), 0
        wanted = np.dtype(_TYPES[self.type])
        if not isinstance(value, np.ndarray) or value.dtype != wanted:
            have = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise MRMValidateDataError(f"field {self.name!r} is an array of {self.type}; a row has {have} there")
        assert self.shape is not None  # noqa: S101 - only bytes have none
        try:
            value.reshape(self.shape)
        except ValueError as error:
            raise MRMValidateDataError(
                f"field {self.name!r} has shape {self.shape}; a row has {value.shape}"
            ) from error
        if wanted.kind == "f":
            return np.ascontiguousarray(value, wanted.newbyteorder("<")).tobytes(), 0
        packed = pack_integers(value)
        return packed, value.nbytes - len(packed)

    def array(self, data: bytes | memoryview) -> Array:
        """The array of a blob field from its bytes; bytes are one element of numpy's type S."""
        if self.type == "bytes":
            return np.frombuffer(data, f"S{len(data)}").copy() if len(data) else np.zeros(1, "S1")
        wanted = np.dtype(_TYPES[self.type])
        try:
            if wanted.kind == "f":
                values: Array = np.frombuffer(data, wanted.newbyteorder("<")).astype(wanted)
            else:
                whole = unpack_integers(data)
                values = whole.astype(wanted)
                if not np.array_equal(values, whole):
                    raise ValueError(f"a number is outside of {self.type}")
            return values.reshape(self.shape or ())
        except ValueError as error:
            raise ValueError(f"field {self.name!r} of a row is damaged: {error}") from error

    def number_or_text(self, value: Any) -> Array:
        """The value of a raw field as an array ().

        Raises:
            ValueError: it is of another type, or outside of the type's numbers.
        """
        kind = str if self.type == "string" else int | float if self.type.startswith("float") else int
        try:
            if isinstance(value, kind) and not isinstance(value, bool):
                return np.asarray(value, _TYPES.get(self.type))
        except OverflowError:
            pass
        raise ValueError(f"field {self.name!r} of a row is damaged: {str(value)[:40]!r} is no {self.type}")


class Schema:
    """The fields of a set of files.

    Args:
        fields: the fields.
        description: a text for people.
    """

    def __init__(self, fields: Iterable[Field], description: str = "") -> None:
        self.fields = {field.name: field for field in sorted(fields, key=lambda field: field.name)}
        self.description = description
        self.blobs = [field for field in self.fields.values() if field.is_blob]
        self.raws = [field for field in self.fields.values() if not field.is_blob]

    @classmethod
    def from_user(cls, content: Any, description: str = "") -> Schema:
        """The schema of a dictionary from names to types: `{"label": {"type": "int32"}}`.

        Raises:
            MRMInvalidSchemaError: it is none.
        """
        if not isinstance(content, Mapping) or not content:
            raise MRMInvalidSchemaError(f"a schema must be a dictionary of fields, not {content!r}")
        return cls((cls._field(name, given) for name, given in content.items()), description)

    @staticmethod
    def _field(name: Any, given: Any) -> Field:
        if not isinstance(name, str) or not name.replace("_", "a").isalnum():
            raise MRMInvalidSchemaError(f"the name of a field has letters, digits and underscores only, not {name!r}")
        if not isinstance(given, Mapping) or "type" not in given or set(given) - {"type", "shape"}:
            raise MRMInvalidSchemaError(
                f"field {name!r}: give its 'type' and, for an array, its 'shape', not {given!r}"
            )
        kind, shape = given["type"], given.get("shape")
        if kind not in (*_TYPES, "string", "bytes"):
            raise MRMInvalidSchemaError(f"field {name!r}: there is no type {kind!r}")
        if shape is not None and (not isinstance(shape, list | tuple) or not _is_shape(shape) or kind == "string"):
            raise MRMInvalidSchemaError(f"field {name!r}: {kind} cannot have shape {shape!r}")
        return Field(name, kind, None if shape is None or kind == "bytes" else tuple(shape))

    def to_json(self) -> dict[str, Any]:
        """The schema in the form of a file's header."""
        known = {
            field.name: {"type": field.type} | ({} if field.shape is None else {"shape": list(field.shape)})
            for field in self.fields.values()
        }
        return {"blob_fields": [field.name for field in self.blobs], "desc": self.description, "schema": known}

    def encoded(self, row: Mapping[str, Any]) -> tuple[bytes, bytes, int]:
        """The raw and the blob part of a row, and the number of bytes that packing saved.

        Raises:
            MRMValidateDataError: a field is missing or does not fit.
        """
        for name in self.fields:
            if name not in row:
                raise MRMValidateDataError(f"a row has no field {name!r}, only {', '.join(map(str, row))}")
        raw = pack_scalars({field.name: field.scalar(row[field.name]) for field in self.raws})
        parts = [field.blob(row[field.name]) for field in self.blobs]
        saved = sum(less for _, less in parts)
        if len(parts) == 1:
            return raw, parts[0][0], saved
        blob = b"".join(struct.pack(">Q", len(data)) + data for data, _ in parts)
        return raw, blob or _NO_BLOB, saved

    def decoded(self, raw: bytes | None, blob: bytes | memoryview | None, columns: Iterable[str]) -> tuple[Array, ...]:
        """The values of some fields of a row; a part in which none of them is may be None.

        Raises:
            ValueError: the row is damaged.
        """
        scalars = {} if raw is None else self._scalars(raw)
        blobs = {} if blob is None else self._split(blob)
        return tuple(self._value(self.fields[name], scalars, blobs) for name in columns)

    def parts_of(self, columns: Iterable[str]) -> tuple[bool, bool]:
        """Whether some of these fields are in the raw and in the blob part of a row."""
        kinds = {self.fields[name].is_blob for name in columns}
        return False in kinds, True in kinds

    def scalars(self, raw: bytes, names: Iterable[str]) -> tuple[int | float | str, ...]:
        """The values of some scalars and texts of a row, as Python's.

        Raises:
            ValueError: the row is damaged.
        """
        scalars = self._scalars(raw)
        return tuple(self._value(self.fields[name], scalars, {}).item() for name in names)

    def _scalars(self, raw: bytes) -> dict[str, Any]:
        found = unpack_scalars(raw)
        # Without scalars MindSpore writes an entry that no field has.
        if self.raws and len(found) != len(self.raws):
            raise ValueError(f"a row has {len(found)} scalars instead of {len(self.raws)}")
        return found

    def _value(self, field: Field, scalars: Mapping[str, Any], blobs: Mapping[str, bytes | memoryview]) -> Array:
        if field.is_blob:
            return field.array(blobs[field.name])
        if field.name not in scalars:
            raise ValueError(f"a row has no field {field.name!r}")
        return field.number_or_text(scalars[field.name])

    def _split(self, blob: bytes | memoryview) -> dict[str, bytes | memoryview]:
        if len(self.blobs) == 1:
            return {self.blobs[0].name: blob}
        found: dict[str, bytes | memoryview] = {}
        place = 0
        for field in self.blobs:
            size = int.from_bytes(blob[place : place + 8], "big")
            found[field.name] = blob[place + 8 : place + 8 + size]
            if len(found[field.name]) < size:
                raise ValueError(f"field {field.name!r} of a row ends too early")
            place += 8 + size
        if self.blobs and place != len(blob):
            raise ValueError(f"the blob part of a row has {len(blob) - place} bytes more than its fields")
        return found
