"""A cache of decoded histograms: a view of thousands of steps reads only new ones from files.

Called by `views.py`. Unreadable histograms are not cached, because their file may return.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from threading import Lock

from mindinsight.distributions.decoding import Histogram, decode_histogram
from mindinsight.store import Rows
from summaries.beneath import FilePath
from summaries.records import read_records

MAX_BYTES = 96 << 20
"""Maximum bytes of all histograms in a process."""

Key = tuple[str, int]
"""Identity of the store and number of a series."""

_OVERHEAD_BYTES = 600


class Shelf:
    """Histograms by series and index. The least recently requested series is dropped first.

    Args:
        max_bytes: maximum bytes of all histograms.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._series: OrderedDict[Key, dict[int, Histogram]] = OrderedDict()
        self._bytes: dict[Key, int] = {}
        self._reading: dict[Key, Lock] = {}

    def histograms(self, key: Key, path: FilePath, places: Rows) -> list[Histogram | None]:
        """Returns the histograms of a series; None for unreadable ones.

        Args:
            key: identifies the series.
            path: path of its event file.
            places: all places of the series, starting with the first.
        """
        with self._lock:
            reading = self._reading.setdefault(key, Lock())
        with reading:  # Parallel requests for the same series wait instead of reading it again.
            return self._read_through(key, path, places)

    def _read_through(self, key: Key, path: FilePath, places: Rows) -> list[Histogram | None]:
        with self._lock:
            known = dict(self._series.get(key, {}))
        found = [known.get(index) for index in range(len(places))]
        missing = [index for index, histogram in enumerate(found) if histogram is None]
        added = {}
        for index, read in zip(missing, read_histograms(path, places[missing]), strict=True):
            if read is not None:
                added[index] = found[index] = read
        self._keep(key, added)
        return found

    def _keep(self, key: Key, added: dict[int, Histogram]) -> None:
        with self._lock:
            held = self._series.setdefault(key, {})
            new = {index: one for index, one in added.items() if index not in held}
            held.update(new)
            self._bytes[key] = self._bytes.get(key, 0) + sum(map(_size, new.values()))
            self._series.move_to_end(key)
            while self._series and sum(self._bytes.values()) > self._max_bytes:
                oldest, _ = self._series.popitem(last=False)
                del self._bytes[oldest]
                self._reading.pop(oldest, None)


def _size(histogram: Histogram) -> int:
    return 7 * histogram.left.nbytes + _OVERHEAD_BYTES


def read_histograms(path: FilePath, places: Rows) -> list[Histogram | None]:
    """Returns the histograms at some places of a file; None for unreadable ones."""
    spans = zip(places["start"].tolist(), places["size"].tolist(), strict=True)
    records = zip(places["offset"].tolist(), places["length"].tolist(), strict=True)
    found: list[Histogram | None] = []
    with suppress(OSError):
        for payload, (start, size) in zip(read_records(path, records), spans, strict=True):
            found.append(None if payload is None else _decoded(payload[start : start + size]))
    return found + [None] * (len(places) - len(found))


def _decoded(value: bytes) -> Histogram | None:
    try:
        return decode_histogram(value)
    except ValueError:
        return None
