"""Converts texts of all writers to one form. Called by `records.py` with the bytes of one value.

Our own writer records one text with its format. TensorBoard's writers record a tensor of strings of any rank: one text,
or a table of texts. Invalid UTF-8 is replaced, and the answer says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError
from google.protobuf.wrappers_pb2 import BytesValue

from summaries.schema.scan_pb2 import Value
from summaries.schema.summary_pb2 import Text
from summaries.schema.tensorboard_pb2 import DataType, TensorProto

MAX_CELLS = 10_000
"""Maximum number of cells in a table. Of larger tables only the first rows are returned."""


@dataclass(frozen=True)
class RecordedText:
    """One recorded text or table of texts.

    Attributes:
        shape: shape of the tensor; empty for a single text.
        cells: the texts, row by row; fewer than the shape declares if there are very many.
        markdown: whether the writer declares Markdown.
        sound: whether all bytes were valid UTF-8.
    """

    shape: tuple[int, ...]
    cells: Sequence[str]
    markdown: bool = True
    sound: bool = True


NOTHING = RecordedText((), ())
"""The content of an unreadable text."""


def decode_text(data: bytes) -> RecordedText:
    """Returns the text in a serialized `Summary.Value`.

    Raises:
        ValueError: the value is not a text or is broken. The message completes "the value ...".
    """
    try:
        value = Value.FromString(data)
        if value.HasField("text"):
            # Parsed as bytes, because a text with invalid UTF-8 is still worth reading.
            content = BytesValue.FromString(value.text).value
            return _decoded((), [content], markdown=_says_markdown(value.text))
        if value.HasField("tensor"):
            return _of_tensor(TensorProto.FromString(value.tensor))
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None
    raise ValueError("is not a text")


def _says_markdown(text: bytes) -> bool:
    try:
        return Text.FromString(text).form == Text.Form.MARKDOWN
    except DecodeError:
        return False


def _of_tensor(tensor: TensorProto) -> RecordedText:
    if tensor.dtype != DataType.DT_STRING:
        raise ValueError("is a tensor, but not one of strings")
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if any(size < 0 for size in shape):
        raise ValueError("is a tensor whose shape has a negative size")
    wanted = min(math.prod(shape), MAX_CELLS)
    given = list(tensor.string_val[:wanted])
    if wanted and not given:
        raise ValueError("is a tensor of strings without any")
    # The format leaves out strings at the end that repeat the last one.
    return _decoded(shape, given + given[-1:] * (wanted - len(given)))


def _decoded(shape: tuple[int, ...], cells: Sequence[bytes], *, markdown: bool = True) -> RecordedText:
    texts = [cell.decode("utf-8", "replace") for cell in cells]
    sound = all("�" not in text or _is_utf8(cell) for text, cell in zip(texts, cells, strict=True))
    return RecordedText(shape, texts, markdown, sound)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
