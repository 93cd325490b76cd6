"""Files of TensorFlow's records to MindRecord files, without TensorFlow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.formats.tfrecord import features_of
from framework.dataset.mindrecord.converters.writing import checked_path, write_rows
from framework.dataset.mindrecord.writer import FileWriter

__all__ = ["TFRecordToMR"]

_HEAD: Final = 12
_FOOT: Final = 4
_TYPES: Final = {
    **dict.fromkeys(("bool", "int8", "int16", "int32", "uint8", "uint16"), "int32"),
    **dict.fromkeys(("int64", "uint32", "uint64"), "int64"),
    **dict.fromkeys(("float16", "float32"), "float32"),
    "float64": "float64",
    "string": "string",
}


class TFRecordToMR:
    """Converts a file of `tf.train.Example` records.

    Args:
        source: path of the file.
        destination: path of the MindRecord file.
        feature_dict: the features by name: TensorFlow's `FixedLenFeature`, or any object with a `dtype`, which may be a
            name, a `shape` and perhaps a `default_value`. Fields have their names with `_` for other characters.
        bytes_fields: names of features that are bytes, not texts.

    Raises:
        ValueError: an argument has a wrong type, or a feature cannot be a field.

    """

    def __init__(
        self, source: str, destination: str, feature_dict: Mapping[str, Any], bytes_fields: Sequence[str] | None = None
    ) -> None:
        self.source = checked_path("source", source)
        self.destination = checked_path("destination", destination)
        if not isinstance(feature_dict, Mapping) or not feature_dict:
            raise ValueError(f"feature_dict must be a dictionary of features, not {feature_dict!r}")
        if bytes_fields is not None and not isinstance(bytes_fields, list):
            raise ValueError(f"bytes_fields must be a list of names or None, not {bytes_fields!r}")
        for name in bytes_fields or ():
            if name not in feature_dict:
                raise ValueError(f"bytes_fields has {name!r}, which is not in feature_dict")
        self.feature_dict = dict(feature_dict)
        self._fields = {name: _field(name, feature_dict[name], name in (bytes_fields or ())) for name in feature_dict}
        self._names = {name: re.sub(r"\W", "_", name, flags=re.ASCII) for name in feature_dict}
        if len(set(self._names.values())) < len(self._names):
            raise ValueError("two features of feature_dict have one name as fields")

    def run(self) -> int:
        """Write the file.

        Returns:
            SUCCESS.

        Raises:
            OSError: the source cannot be read.
            ValueError: it is damaged, or a record does not have the features.
        """
        fields = {self._names[name]: field for name, field in self._fields.items()}
        return write_rows(
            FileWriter(self.destination), fields, "TFRecord to MindRecord", None, self.tfrecord_iterator()
        )

    def transform(self) -> int:
        """Write the file, as `run` does."""
        return self.run()

    def tfrecord_iterator(self) -> Iterator[dict[str, Any]]:
        """Yield the records as rows of the MindRecord file."""
        for number, record in enumerate(_records(self.source)):
            try:
                features = features_of(record)
                yield {self._names[name]: self._value(name, features.get(name)) for name in self._fields}
            except ValueError as error:
                raise ValueError(f"record {number} of {self.source}: {error}") from error

    def _value(self, name: str, values: Any) -> Any:
        field = self._fields[name]
        if values is None or not len(values):
            default = getattr(self.feature_dict[name], "default_value", None)
            if default is None:
                raise ValueError(f"it has no feature {name!r}")
            values = [default] if "shape" not in field else default
            values = [value.encode() if isinstance(value, str) else value for value in values]
        wants_text, has_text = field["type"] in ("string", "bytes"), isinstance(values[0], bytes)
        wanted = field["shape"][0] if "shape" in field else 1
        if wants_text != has_text or len(values) != wanted:
            kind = "texts" if has_text else "numbers"
            raise ValueError(f"feature {name!r} has {len(values)} {kind} instead of {wanted} of type {field['type']}")
        if "shape" in field:
            return np.asarray(values, field["type"])
        if wants_text:
            return values[0] if field["type"] == "bytes" else values[0].decode()
        return int(values[0]) if field["type"].startswith("int") else float(values[0])


def _field(name: str, feature: Any, is_bytes: bool) -> dict[str, Any]:
    if not hasattr(feature, "dtype") or not hasattr(feature, "shape"):
        raise ValueError(f"feature {name!r} must be a FixedLenFeature, or have a dtype and a shape, not {feature!r}")
    given = feature.dtype
    kind = _TYPES.get(str(getattr(given, "name", given) if not isinstance(given, type) else np.dtype(given).name))
    shape = list(feature.shape)
    if kind is None or (is_bytes and kind != "string"):
        raise ValueError(f"feature {name!r} of {given} cannot be {'bytes' if is_bytes else 'a field'}")
    if not shape:
        return {"type": "bytes" if is_bytes else kind}
    if kind == "string" or len(shape) != 1 or not isinstance(shape[0], int) or shape[0] < 1:
        raise ValueError(f"feature {name!r} of shape {shape} and {kind} cannot be a field: give numbers of shape [n]")
    return {"type": kind, "shape": shape}


def _records(source: str) -> Iterator[bytes]:
    """The records of a file: each has its length (64 bits, little-endian) and checksums before and after it."""
    rest = Path(source).stat().st_size
    with Path(source).open("rb") as file:
        while rest:
            size = int.from_bytes(file.read(_HEAD)[:8], "little")
            rest -= _HEAD + size + _FOOT
            if rest < 0:
                raise ValueError(f"{source} is not a TFRecord file, or ends too early")
            yield file.read(size)
            file.seek(_FOOT, 1)
