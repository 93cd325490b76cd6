"""Caches the rows of sources in memory: MindSpore's `ds.DatasetCache`, within the reading process."""

from __future__ import annotations

import threading
from typing import Any

from framework.common.validator import check_bool, check_non_negative_int, check_positive_int, check_type
from framework.dataset.runtime import Source
from framework.dataset.runtime.rows import Array

__all__ = ["DatasetCache", "cached"]


class DatasetCache:
    """A cache for the rows of a source, so that later epochs do not read and decode them again.

    The cache lives in this process, not in a server, and ends with it: sessions are not shared.

    Args:
        session_id: a number above 0, which names the cache.
        size: megabytes that the rows may take; 0 for no limit. Rows that find no room are read again.
        spilling: accepted for compatibility; rows are never written to a disk.
        hostname: accepted for compatibility; has no effect.
        port: accepted for compatibility; has no effect.
        num_connections: accepted for compatibility; has no effect.
        prefetch_size: accepted for compatibility; has no effect.
    """

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname: str | None = None,
        port: int | None = None,
        num_connections: int | None = None,
        prefetch_size: int | None = None,
    ) -> None:
        self.session_id = check_positive_int(session_id, "session_id")
        self.size = check_non_negative_int(size, "size")
        check_bool(spilling, "spilling")
        for name, value in (("port", port), ("num_connections", num_connections), ("prefetch_size", prefetch_size)):
            if value is not None:
                check_positive_int(value, name)
        self._rows: dict[tuple[int, int], tuple[Array, ...]] = {}
        self._bytes = 0
        self._lock = threading.Lock()
        self._sources = 0

    def new_source(self) -> int:
        """The id of a source in the cache."""
        self._sources += 1
        return self._sources

    def kept(self, source: int, index: int) -> tuple[Array, ...] | None:
        """Copies of the values of a row, if they are cached; the caller may change them."""
        values = self._rows.get((source, index))
        return None if values is None else tuple(value.copy() for value in values)

    def keep(self, source: int, index: int, values: tuple[Array, ...]) -> None:
        """Cache the values of a row if there is room."""
        needed = sum(value.nbytes for value in values)
        with self._lock:
            has_room = not self.size or self._bytes + needed <= self.size * 1_000_000
            if has_room and (source, index) not in self._rows:
                self._bytes += needed
                self._rows[source, index] = tuple(value.copy() for value in values)

    def get_stat(self) -> dict[str, int]:
        """The number of cached rows, and their bytes."""
        return {"num_mem_cached": len(self._rows), "mem_cached_bytes": self._bytes}


class _Cached:
    """A source with cached rows."""

    def __init__(self, source: Source, cache: DatasetCache) -> None:
        self._source, self._cache, self._number = source, cache, cache.new_source()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._source.columns

    @property
    def concurrent(self) -> bool:
        """Whether several threads may read rows at once."""
        return bool(getattr(self._source, "concurrent", False))

    @property
    def counts(self) -> list[int]:
        """The number of rows of each file; of all, if the source does not tell."""
        return list(getattr(self._source, "counts", [len(self)]))

    def __len__(self) -> int:
        return len(self._source)

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""
        values = self._cache.kept(self._number, index)
        if values is None:
            values = self._source.row(index)
            self._cache.keep(self._number, index, values)
        return values

    def describe(self, index: int) -> str:
        """The origin of a row, for messages."""
        return self._source.describe(index)

    def labels(self) -> Array | None:
        """The class of each row; None without classes."""
        return self._source.labels()


def cached(source: Source, cache: Any) -> Source:
    """The source with a cache; the source itself if there is no cache.

    Raises:
        TypeError: the cache is no `DatasetCache`.
    """
    if cache is None:
        return source
    check_type("cache", cache, DatasetCache)
    return _Cached(source, cache)
