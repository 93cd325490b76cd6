"""Caches of rows: MindSpore's `ds.DatasetCache`, within the reading process, and the files of `data.cache(folder)`."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any

from framework.common.validator import check_bool, check_non_negative_int, check_positive_int, check_type
from framework.dataset.ir import Node, walk
from framework.dataset.ir.passes.traits import is_function, is_random
from framework.dataset.keeping.keys import key_of
from framework.dataset.keeping.row_file import RowFile, shared_file
from framework.dataset.runtime import Source
from framework.dataset.runtime.rows import Array

__all__ = ["DatasetCache", "cache_node", "cached"]


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


class _InMemory:
    """The rows of one front in a cache."""

    def __init__(self, cache: DatasetCache) -> None:
        self._cache, self._number = cache, cache.new_source()

    def kept(self, number: int) -> tuple[Array, ...] | None:
        """Copies of the values of a row, if they are cached."""
        return self._cache.kept(self._number, number)

    def keep(self, number: int, values: tuple[Array, ...], total: int) -> None:
        """Cache the values of a row if there is room."""
        self._cache.keep(self._number, number, values)


class _OnDisk:
    """The rows of a front in a file, and those that find room in memory.

    Args:
        folder: folder of the files, made where it is missing.
        memory: cache in front of the file; None for none.
    """

    def __init__(self, folder: Path, memory: DatasetCache | None) -> None:
        self._folder, self._memory = folder, memory
        self._opened: dict[str, tuple[RowFile, _InMemory | None]] = {}
        self._lock = threading.Lock()

    def open(self, root: Node) -> _Layers:
        """The rows of a front, by the state of its files now."""
        key = key_of(root, self._folder)
        with self._lock:
            if key not in self._opened:
                self._folder.mkdir(parents=True, exist_ok=True)
                memory = None if self._memory is None else _InMemory(self._memory)
                self._opened[key] = shared_file(self._folder / f"{key[:32]}.rows", key), memory
            return _Layers(*self._opened[key])


class _Layers:
    """A file of rows behind a cache in memory."""

    def __init__(self, file: RowFile, memory: _InMemory | None) -> None:
        self._file, self._memory = file, memory

    def kept(self, number: int) -> tuple[Array, ...] | None:
        """The values of a row, which the caller may change."""
        values = None if self._memory is None else self._memory.kept(number)
        if values is None:
            values = self._file.kept(number)
            if values is not None and self._memory is not None:
                self._memory.keep(number, values, 0)
        return values

    def keep(self, number: int, values: tuple[Array, ...], total: int) -> None:
        """Keep a row in both."""
        self._file.keep(number, values, total)
        if self._memory is not None:
            self._memory.keep(number, values, total)


def cache_node(node: Node, where: str, cache: DatasetCache | None, folder: str | Path | None, memory_mb: int) -> Node:
    """The node that keeps the rows of the nodes below.

    Args:
        node: last operator below.
        where: file and line of the user's program.
        cache: cache in memory that is shared with others; None for one of its own.
        folder: folder of files; None for memory alone.
        memory_mb: megabytes in memory; 0 for no limit, or with a folder for none.

    Raises:
        TypeError: an argument has another type.
        ValueError: rows below are not the same each time, or do not come from a source that is read by number.
    """
    _check_front(node)
    check_non_negative_int(memory_mb, "memory_mb")
    parameters = {"folder": "" if folder is None else str(folder), "memory_mb": memory_mb}
    if folder is None:
        shared = DatasetCache(1, memory_mb) if cache is None else check_type("cache", cache, DatasetCache)
        store = _InMemory(shared)
        python: dict[str, Any] = {"open": lambda: store}
    else:
        # A folder that cannot know the rows again is refused at once.
        key_of(node, Path(folder))
        # The pipeline as it was written has one key; passes may change what is below.
        python = {"open": partial(_OnDisk(Path(folder), DatasetCache(1, memory_mb) if memory_mb else None).open, node)}
    return Node("Cache", (node,), parameters, python=python, where=where)


def _check_front(root: Node) -> None:
    for node in walk(root):
        place = f"{node.op_type} at {node.where}"
        if node.children and node.op_type not in ("Map", "Project", "Rename"):
            raise ValueError(
                f"cache: {place} cannot be below a cache, only a source with map, project and rename;"
                " put the cache before it"
            )
        if not node.children and node.sampler is None:
            raise ValueError(
                f"cache: the rows of {place} come one after the other, and cannot be found by their number"
            )
        if "callbacks" in node.python:
            raise ValueError(f"cache: {place} has callbacks, which would not be called for rows that are kept")
        for operation in node.operations:
            if is_random(operation):
                name = getattr(operation, "__name__", type(operation).__name__)
                hint = "mark it by vision.not_random" if is_function(operation) else "put the cache before it"
                raise ValueError(f"cache: {name} of {place} may give something else each time; {hint}")
