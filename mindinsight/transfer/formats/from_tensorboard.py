"""Reads values from TensorBoard's event files. The other direction is in `to_tensorboard`."""

from __future__ import annotations

import math

import numpy as np
from google.protobuf.message import DecodeError

from mindinsight.transfer.errors import UnconvertibleError
from mindinsight.transfer.formats.contents import Content, Histogram, Image, Tensor, Text, plural, png_channels
from mindinsight.transfer.formats.tensorboard_tensors import numbers_of, shape_of, texts_of
from summaries.kinds import Kind
from summaries.schema.tensorboard_pb2 import HistogramProto, Summary


def parse_value(kind: Kind, data: bytes) -> Summary.Value:
    """Returns the message in `data`.

    Raises:
        UnconvertibleError: the message is broken.
    """
    try:
        return Summary.Value.FromString(data)
    except DecodeError as error:
        raise UnconvertibleError(plural(kind), "they are broken in the source") from error


def decode(kind: Kind, data: bytes) -> list[Content]:
    """Returns the contents of a value: mostly one entry, or one for each picture of a batch.

    Args:
        kind: one of `CONVERTIBLE`. TensorBoard's values do not always contain their kind.
        data: a serialized `Value`.

    Raises:
        UnconvertibleError: the value is broken or cannot be converted.
    """
    value = parse_value(kind, data)
    try:
        if kind is Kind.HISTOGRAM:
            return [_histogram(value)]
        if kind is Kind.IMAGE:
            return _images(value)
        if kind is Kind.TEXT:
            return [Text("\n\n".join(text.decode("utf-8", "replace") for text in texts_of(value.tensor)))]
        return [Tensor(*numbers_of(value.tensor))]
    except ValueError as error:
        raise UnconvertibleError(plural(kind), "they are broken or of a type that only TensorBoard has") from error


def _histogram(value: Summary.Value) -> Histogram:
    if value.HasField("histo"):
        return _old_histogram(value.histo)
    if math.prod(shape_of(value.tensor)) == 0:
        rows = np.zeros((0, 3), np.float64)
    else:
        rows = numbers_of(value.tensor)[0].astype(np.float64)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError("a histogram has three columns")
    left, right, count = rows.T
    filled = np.flatnonzero(count)
    low, high = (float(left[filled[0]]), float(right[filled[-1]])) if len(filled) else (None, None)
    return Histogram(left, right - left, count, low, high)


def _old_histogram(message: HistogramProto) -> Histogram:
    """A bucket begins where the previous one ends. Empty buckets at both ends extend to the range of numbers."""
    counts, limits = np.array(message.bucket, np.float64), np.array(message.bucket_limit, np.float64)
    if len(counts) != len(limits):
        raise ValueError("a histogram has as many limits as buckets")
    filled = np.flatnonzero(counts)
    if not len(filled):
        return Histogram(counts[:0], counts[:0], counts[:0])
    first, behind = int(filled[0]), int(filled[-1]) + 1
    edges = np.concatenate((limits[first - 1 : first] if first else [message.min], limits[first:behind]))
    if message.min < message.max:
        edges = np.clip(edges, message.min, message.max)
    return Histogram(edges[:-1], np.diff(edges), counts[first:behind], message.min, message.max, message.sum)


def _images(value: Summary.Value) -> list[Content]:
    if value.HasField("image"):
        image = value.image
        return [Image(image.width, image.height, image.colorspace, image.encoded_image_string)]
    width, height, *pictures = texts_of(value.tensor)
    size = int(width), int(height)
    return [Image(*size, png_channels(picture), picture) for picture in pictures]
