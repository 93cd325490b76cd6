"""Texts of records: `check_text` runs in the training's thread, `fill_text` in the writer's."""

from summaries.checks import type_name
from summaries.records import MAX_RECORD_BYTES
from summaries.schema.summary_pb2 import Summary

_MAX_BYTES = MAX_RECORD_BYTES - 4096


def check_text(tag: str, text: object) -> str:
    """Return `text` if it can be written.

    Raises:
        TypeError: it is not a string.
        ValueError: it is too long or not valid Unicode.
    """
    if not isinstance(text, str):
        raise TypeError(f"The text of {tag!r} must be a str, but it is of type {type_name(text)}.")
    try:
        length = len(text.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"The text of {tag!r} is not valid text: {error.reason}.") from None
    if length > _MAX_BYTES:
        raise ValueError(f"The text of {tag!r} has {length} bytes; a record has room for {_MAX_BYTES}.")
    return text


def fill_text(value: Summary.Value, text: str) -> None:
    """Set the text of `value`, which may be Markdown."""
    value.text.content = text
