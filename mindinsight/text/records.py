"""From the places of texts to what was recorded there. Called by `rows.py` and `search.py`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindinsight.config.problems import Problem
from mindinsight.text.decoding import RecordedText, decode_text
from summaries.records import DamagedRecordError, read_record


def read_text(path: Path, file: str, place: Mapping[str, Any]) -> RecordedText:
    """Reads one text from its event file.

    Args:
        path: where the file can be read.
        file: the event file relative to the base directory; errors name it.
        place: a row of places.

    Raises:
        Problem: `record_damaged`, `file_gone` or `file_unreadable`.
    """
    try:
        payload = read_record(path, place["offset"], place["length"])
        return decode_text(payload[place["start"] : place["start"] + place["size"]])
    except DamagedRecordError:
        code, what = "record_damaged", "is damaged or was replaced"
    except FileNotFoundError:
        code, what = "file_gone", "is gone: its file was deleted or moved"
    except OSError as error:
        code, what = "file_unreadable", f"cannot be read: {error.strerror}"
    except ValueError as error:
        code, what = "record_damaged", f"holds a value that {error}"
    offset = place["offset"]
    raise Problem(code, f"The record at byte {offset} of {file} {what}.", 404, file=file, offset=offset)
