"""Reads values from event files of MindSpore and our own writer. The other direction is in `to_mindspore`."""

from __future__ import annotations

import numpy as np
from google.protobuf.message import DecodeError

from mindinsight.transfer.errors import UnconvertibleError
from mindinsight.transfer.formats.contents import Content, Histogram, Image, Tensor, Text, plural
from summaries.kinds import Kind
from summaries.schema.anf_ir_pb2 import DataType
from summaries.schema.summary_pb2 import Summary
from summaries.tensor import read_tensor


def parse_value(kind: Kind, data: bytes) -> Summary.Value:
    """Returns the message in `data`.

    Raises:
        UnconvertibleError: the message is broken.
    """
    try:
        value = Summary.Value.FromString(data)
        if value.IsInitialized():
            return value
    except DecodeError:
        pass
    raise UnconvertibleError(plural(kind), "they are broken in the source")


def decode(kind: Kind, data: bytes) -> list[Content]:
    """Returns the content of a value; a list with one entry.

    Args:
        kind: one of `CONVERTIBLE`.
        data: a serialized `Value`.

    Raises:
        UnconvertibleError: the value is broken or cannot be converted.
    """
    value = parse_value(kind, data)
    if kind is Kind.HISTOGRAM:
        return [_histogram(value.histogram)]
    if kind is Kind.IMAGE:
        image = value.image
        return [Image(image.width, image.height, image.colorspace, image.encoded_image)]
    return [Text(value.text.content) if kind is Kind.TEXT else _tensor(value)]


def _histogram(message: Summary.Histogram) -> Histogram:
    buckets = [(bucket.left, bucket.width, bucket.count) for bucket in message.buckets]
    columns = np.array(buckets, np.float64).reshape(-1, 3).T
    known = bool(buckets)
    return Histogram(
        left=columns[0],
        width=columns[1],
        count=columns[2],
        low=message.min if known else None,
        high=message.max if known else None,
        total=message.sum if known else None,
        nan=message.nan_count,
        pos_inf=message.pos_inf_count,
        neg_inf=message.neg_inf_count,
    )


def _tensor(value: Summary.Value) -> Tensor:
    try:
        array = read_tensor(value)
    except ValueError as error:
        raise UnconvertibleError(plural(Kind.TENSOR), "they are broken in the source") from error
    narrow = not value.HasField("exact") and value.tensor.data_type == DataType.DT_BFLOAT16
    return Tensor(array, "bfloat16" if narrow else array.dtype.name)
