"""The first record of an event file: its flavour and, in our own files, its writer.

Called by the reader when it resumes in the middle of a file, and by the liveness check.
"""

from dataclasses import dataclass

from summaries.reading.classify import Flavour
from summaries.reading.decode import EventDecoder
from summaries.records import ReadAt, RecordScanner
from summaries.schema.summary_pb2 import Writer

# A version record has some tens of bytes, and in our files also host and program name.
_LARGEST_HEAD = 64 << 10


@dataclass(frozen=True, slots=True)
class Head:
    """Content of the first record of a file."""

    flavour: Flavour
    writer: Writer | None


def read_head(read_at: ReadAt, size: int) -> Head:
    """Return the content of the first record; unknown if it is broken or missing.

    Args:
        read_at: reads the file.
        size: the file's size.
    """
    decoder = EventDecoder()
    scanner = RecordScanner(max_record_bytes=_LARGEST_HEAD)
    for offset, payload in scanner.scan(read_at, min(size, _LARGEST_HEAD), _LARGEST_HEAD):
        if offset == 0:
            decoder.decode(offset, payload)
        break
    return Head(decoder.classifier.flavour, decoder.writer)
