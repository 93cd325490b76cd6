"""Reads recorded values from event files, and turns errors into API errors.

Used by the apps that show such values. `recorded.py` finds their places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mindinsight.api.problems import Problem
from summaries.beneath import FilePath
from summaries.records import DamagedRecordError, read_record


def read_value(path: FilePath, place: Mapping[str, Any]) -> bytes:
    """Returns a serialized `Summary.Value`, after checking its record.

    Args:
        path: path of the event file.
        place: a row of places.

    Raises:
        DamagedRecordError: the record is damaged.
        OSError: the file cannot be read.
    """
    payload = read_record(path, place["offset"], place["length"])
    return payload[place["start"] : place["start"] + place["size"]]


@contextmanager
def named_problems(file: str, offset: int, misunderstood: tuple[str, int] = ("record_damaged", 404)) -> Iterator[None]:
    """Turns errors of reading and parsing a record into a problem that names the record.

    Args:
        file: the event file relative to the base directory.
        offset: offset of the record in bytes.
        misunderstood: code and HTTP status for a `ValueError`, whose message completes "a value that ...".

    Raises:
        Problem: `record_damaged`, `file_gone`, `file_unreadable`, or what `misunderstood` says.
    """
    status, more = 404, dict[str, str]()
    try:
        yield
        return
    except DamagedRecordError:
        code, what = "record_damaged", "is damaged or was replaced"
    except FileNotFoundError:
        code, what = "file_gone", "no longer exists: its file was deleted or moved"
    except OSError as error:
        code, what = "file_unreadable", f"cannot be read: {error.strerror}"
    except ValueError as error:
        reason = str(error) or "cannot be understood"
        (code, status), what = misunderstood, f"holds a value that {reason}"
        more = {"reason": reason}
    raise Problem(code, f"The record at byte {offset} of {file} {what}.", status, file=file, offset=offset, **more)
