"""Reads the texts at places. Called by `rows.py` and `search.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mindinsight.runs.recorded_values import named_problems, read_value
from mindinsight.text.decoding import RecordedText, decode_text
from summaries.beneath import FilePath


def read_text(path: FilePath, file: str, place: Mapping[str, Any]) -> RecordedText:
    """Reads one text from its event file.

    Args:
        path: path of the event file.
        file: the event file relative to the base directory, for errors.
        place: a row of places.

    Raises:
        Problem: `record_damaged`, `file_gone` or `file_unreadable`.
    """
    with named_problems(file, place["offset"]):
        return decode_text(read_value(path, place))
