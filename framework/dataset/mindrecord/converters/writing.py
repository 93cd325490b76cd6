"""What all converters do: check their arguments, and write rows a block at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from framework.dataset.mindrecord.writer import FileWriter

__all__ = ["LARGE_PAGE", "checked_count", "checked_path", "write_rows"]

#: The page size of converters of images.
LARGE_PAGE: Final = 1 << 26
_ROWS_AT_ONCE: Final = 256


def checked_path(name: str, path: Any) -> str:
    """A path that a user gives.

    Raises:
        ValueError: it is no text, or empty.
    """
    if not isinstance(path, str) or not path:
        raise ValueError(f"{name} must be a path, not {path!r}")
    return path


def checked_count(partition_number: Any) -> int:
    """The number of files that a user gives.

    Raises:
        ValueError: it is no int.
    """
    if not isinstance(partition_number, int) or isinstance(partition_number, bool):
        raise ValueError(f"partition_number must be an int, not {partition_number!r}")
    return partition_number


def write_rows(
    writer: FileWriter,
    schema: Mapping[str, Any],
    description: str,
    index: Sequence[str] | None,
    rows: Iterable[Mapping[str, Any]],
) -> int:
    """Write rows, and complete the files. If it fails, nothing is left on the disk.

    Args:
        writer: a new writer.
        schema: the fields.
        description: a text for people.
        index: names of the fields in the index; None for the first scalar.
        rows: the rows.

    Returns:
        SUCCESS.
    """
    try:
        writer.add_schema(schema, description)
        if index:
            writer.add_index(index)
        stream = iter(rows)
        while block := list(islice(stream, _ROWS_AT_ONCE)):
            writer.write_raw_data(block)
        return writer.commit()
    except BaseException:
        writer.discard()
        raise
