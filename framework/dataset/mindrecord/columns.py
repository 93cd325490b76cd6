"""The values of many MindRecord rows at once, column by column, for `MindRecordFiles.block`.

Rows whose bytes have the same plan, that is the same names, types and lengths at the same places, are read by numpy as
one table of bytes. Everything else is left to `Schema.decoded`, row by row, which also names what is damaged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.header import LENGTH
from framework.dataset.mindrecord.packing import NUMBERS, unpack_scalars
from framework.dataset.mindrecord.schema import Field, Schema
from framework.dataset.mindrecord.shards import Shard
from framework.dataset.runtime.rows import Array, Column

__all__ = ["block_of"]

#: A row of more bytes costs more than its way, and needs no others beside it.
_LARGE: Final = 1 << 14
#: Rows in so many plans are not worth it.
_MOST_PLANS: Final = 12
_WINDOW: Final = np.lib.stride_tricks.sliding_window_view
_SMALL: Final = 0x80


def block_of(shard: Shard, rows: Array, columns: Sequence[str]) -> tuple[Column, ...] | None:
    """The values of rows of a file.

    Args:
        shard: the file.
        rows: Int64 (rows,), their indices.
        columns: names of the fields.

    Returns:
        A column for each field; None if the rows have to be read one by one.

    Raises:
        ValueError: a row is damaged.
    """
    schema, spans = shard.header.schema, shard.spans[rows]
    needed = schema.parts_of(columns)
    if int(spans[0, 3] - spans[0, 2]) > _LARGE:
        return None
    found: dict[str, Column] = {}
    for wanted, read, span in ((needed[0], _scalars, spans[:, :2]), (needed[1], _blobs, spans[:, 2:])):
        values = read(shard, schema, span, columns) if wanted else {}
        if values is None:
            return None
        found.update(values)
    return tuple(found[name] for name in columns)


def _table(shard: Shard, begins: Array, size: int) -> Array | None:
    """The parts of rows: UInt8 (rows, size). None if one has another length before it than the index says."""
    lengths = _WINDOW(shard.as_array, LENGTH)[begins].view("<u8")
    if (lengths != size).any():
        return None
    # Each row is copied once, from the file to its place.
    table: Array = _WINDOW(shard.as_array[LENGTH:], size)[begins]
    return table


def _blobs(shard: Shard, schema: Schema, spans: Array, columns: Sequence[str]) -> dict[str, Column] | None:
    sizes = spans[:, 1] - spans[:, 0] - LENGTH
    size = int(sizes[0])
    if (sizes != size).any():
        return _uneven(shard, schema, spans)
    table = _table(shard, spans[:, 0], size)
    if table is None:
        return None
    found: dict[str, Column] = {}
    place = 0
    for field in schema.blobs:
        if len(schema.blobs) > 1:
            heads = table[:, place : place + LENGTH]
            length = int.from_bytes(heads[0].tobytes(), "big")
            if (heads != heads[0]).any():
                return None
            place += LENGTH
        else:
            length = size
        if place + length > size:
            return None
        if field.name in columns:
            column = _stacked(field, table[:, place : place + length])
            if column is None:
                return None
            found[field.name] = column
        place += length
    return found if place == size else None


def _uneven(shard: Shard, schema: Schema, spans: Array) -> dict[str, Column] | None:
    """Bytes of different lengths, which are the only blob."""
    if len(schema.blobs) != 1 or schema.blobs[0].type != "bytes":
        return None
    values: list[Array] = []
    for begin, end in spans.tolist():
        part = shard.as_array[begin:end]
        if int.from_bytes(part[:LENGTH].tobytes(), "little") != end - begin - LENGTH or end - begin <= LENGTH:
            return None
        values.append(part[LENGTH:].copy().view(f"S{end - begin - LENGTH}"))
    return {schema.blobs[0].name: values}


def _stacked(field: Field, table: Array) -> Array | None:
    """The values of a blob field from bytes of one length; None for integers, whose widths differ from row to row."""
    if field.type == "bytes":
        return np.ascontiguousarray(table).view(f"S{table.shape[1]}") if table.shape[1] else None
    if not field.type.startswith("float") or table.shape[1] % field.numpy.itemsize:
        return None
    values = np.ascontiguousarray(table).view(field.numpy.newbyteorder("<")).astype(field.numpy, copy=False)
    return values.reshape(len(table), *_lengths(field, values.shape[1]))


def _lengths(field: Field, size: int) -> tuple[int, ...]:
    """The shape of a field of a number of elements.

    Raises:
        ValueError: it has another number.
    """
    return np.empty((size, 0)).reshape(*(field.shape or ()), 0).shape[:-1]


def _scalars(shard: Shard, schema: Schema, spans: Array, columns: Sequence[str]) -> dict[str, Column] | None:
    """The raw fields, from groups of rows of one plan."""
    fields = [field for field in schema.raws if field.name in columns]
    if any(field.type == "string" for field in fields):
        return None
    out = {field.name: np.empty(len(spans), field.numpy) for field in fields}
    left = np.arange(len(spans))
    sizes = spans[:, 1] - spans[:, 0] - LENGTH
    for _ in range(_MOST_PLANS):
        size = int(sizes[left[0]])
        alike = left[sizes[left] == size]
        table = _table(shard, spans[alike, 0], size)
        if table is None:
            return None
        plan = _Plan(table[0], schema)
        same = plan.fits(table)
        chosen, taken = alike[same], table[same]
        for field in fields:
            values = plan.values(field, taken)
            if values is None:
                return None
            out[field.name][chosen] = values
        keep = np.ones(len(spans), bool)
        keep[chosen] = False
        left = left[keep[left]]
        if not len(left):
            return {**out}
    return None


class _Plan:
    """The places of the scalars in a row's MessagePack map.

    Args:
        row: UInt8 (size,), the raw part of a row.
        schema: its fields.

    Raises:
        ValueError: the row is damaged.
    """

    def __init__(self, row: Array, schema: Schema) -> None:
        data = row.tobytes()
        spans: dict[str, tuple[int, int]] = {}
        found = unpack_scalars(data, spans)
        if len(found) != len(schema.raws):
            raise ValueError("a row has other scalars than its schema")
        self._spans: Mapping[str, tuple[int, int]] = spans
        self._row = row
        #: Bytes that tell how the row is to be read, and the small numbers that are their own type.
        self._fixed = np.ones(len(row), bool)
        self._small = [begin for begin, _ in spans.values() if row[begin] < _SMALL]
        for begin, end in spans.values():
            self._fixed[begin + 1 : end] = False
        self._fixed[self._small] = False

    def fits(self, table: Array) -> Array:
        """Which rows can be read by this plan: Bool (rows,)."""
        same: Array = (table[:, self._fixed] == self._row[self._fixed]).all(1)
        return same & (table[:, self._small] < _SMALL).all(1)

    def values(self, field: Field, table: Array) -> Array | None:
        """The values of a field; None if they are none of its type, which is found row by row."""
        if field.name not in self._spans:
            return None
        begin, end = self._spans[field.name]
        lead = int(self._row[begin])
        if lead < _SMALL:
            return table[:, begin].astype(field.numpy)
        form = NUMBERS.get(lead)
        if form is None:
            return None
        values: Array = np.ascontiguousarray(table[:, begin + 1 : end]).view(np.dtype(form)).ravel()
        return _of_type(values, field)


def _of_type(values: Array, field: Field) -> Array | None:
    """Numbers as those of a field; None if some are none."""
    if field.numpy.kind == "f":
        return values.astype(field.numpy)
    limits: Any = np.iinfo(field.numpy)
    if values.dtype.kind == "f" or int(values.min()) < limits.min or int(values.max()) > limits.max:
        return None
    return values.astype(field.numpy)
