"""Sources at run time: one that is read in a sampler's order, and one that only yields row after row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

from framework.dataset.ir.nodes import Node
from framework.dataset.monitor.meters import Meter
from framework.dataset.runtime.blocks import Block, in_blocks, rows_of
from framework.dataset.runtime.failures import Part, failure
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Array, Operator, Origin, Pass, Row, Source, as_array
from framework.dataset.runtime.sampling import chosen, is_users, number_chosen
from framework.dataset.runtime.section import Section
from framework.dataset.runtime.task import OperationError

__all__ = ["Sampled", "Streamed", "values_of"]


class Reading:
    """The reading of a source: a task of its own.

    Args:
        number: position of the source in the pipeline.
        source: the source.
    """

    def __init__(self, number: int, source: Source) -> None:
        self.number = number
        self.source = source

    def function(self, this: Pass) -> Callable[[int, int], tuple[Array, ...]]:
        """The function of the index of a row in the source."""
        return self._read

    def _read(self, _number: int, index: int) -> tuple[Array, ...]:
        try:
            return self.source.row(index)
        except Exception as error:
            raise OperationError("", error) from error


class Sampled(Operator):
    """The rows of a source that a sampler chooses."""

    def __init__(self, number: int, node: Node, resources: Resources | None) -> None:
        self.node = node
        self.source: Source = node.python["source"]
        self.task = Reading(number, self.source)
        self.section = Section(node, self, resources, concurrent=getattr(self.source, "concurrent", False))
        super().__init__(number, tuple(self.source.columns))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows in the sampler's order."""
        blocks = self.blocks(this)
        return self.section.rows(self._places(this), this) if blocks is None else rows_of(blocks)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The rows in the sampler's order, if the source can read many at once."""
        read = getattr(self.source, "block", None)
        if read is None or not self.section.plain or is_users(self.node.sampler):
            return None

        def compute(places: Array) -> Block | None:
            try:
                columns = read(places)
            except Exception:
                # Row by row the error finds its place.
                return None
            return None if columns is None else Block(columns, self.source, places)

        return in_blocks(self._all_places(this), compute, lambda places: iter(places.tolist()), self.section, this)

    def _all_places(self, this: Pass) -> Iterator[Array]:
        yield np.fromiter(self._places(this), np.int64)

    def split(self, item: int) -> int:
        """The index of the row."""
        return item

    def merge(self, item: int, result: tuple[Array, ...]) -> Row:
        """The row with its origin."""
        return Row(result, Origin(self.source, item))

    def failure(self, item: int | None, part: str | Part, error: Exception | str) -> RuntimeError:
        """The error for a row, which names its file or its index."""
        if getattr(self.source, "tells", False) and isinstance(error, RuntimeError):
            return error
        return failure(self.node, part, None if item is None else Row((), Origin(self.source, item)), error)

    def _places(self, this: Pass) -> Iterator[int]:
        assert self.node.sampler is not None  # noqa: S101 - every source that can be sampled is given one
        try:
            places = chosen(self.node.sampler, self.source, this, self.number)
            yield from islice(places, self.node.plan.start, self.node.plan.stop)
        except ValueError as error:
            raise failure(self.node, "", None, error) from error

    def size(self) -> int | None:
        """The number of rows that the sampler chooses."""
        assert self.node.sampler is not None  # noqa: S101
        try:
            count = number_chosen(self.node.sampler, self.source)
        except ValueError as error:
            raise failure(self.node, "", None, error) from error
        start, stop = self.node.plan.start, self.node.plan.stop
        return count if count is None else max((count if stop is None else min(stop, count)) - start, 0)


class Streamed(Operator):
    """The rows of a generator function or an iterable, from its start in every pass."""

    def __init__(self, number: int, node: Node) -> None:
        self.node = node
        self.meter = Meter(f"{node.op_type}-{number}")
        super().__init__(number, tuple(node.python["columns"]))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows in their order."""
        python = self.node.python
        source, columns, types = python["source"], self.columns, python.get("types")
        origin = Origin(None, 0)
        try:
            stream = islice(_opened(source), python.get("num_samples"))
        except Exception as error:
            raise failure(self.node, "", Row((), origin), error) from error

        def following(_number: int, rows: Iterator[Any]) -> Any:
            return next(rows, _END)

        read = self.meter.sampling(following)
        for index in count():
            origin = Origin(None, index)
            try:
                item = read(index, stream)
                if item is _END:
                    self.meter.rows -= 1
                    return
                values = values_of(item, columns, types)
            except Exception as error:
                raise failure(self.node, "", Row((), origin), error) from error
            yield Row(values, origin)

    def size(self) -> int | None:
        """The length of the source, if it has one."""
        source, limit = self.node.python["source"], self.node.python.get("num_samples")
        length = len(source) if hasattr(source, "__len__") else None
        return length if length is None or limit is None else min(length, limit)


_END: Any = object()


def _opened(source: Callable[[], Iterable[Any]] | Iterable[Any]) -> Iterable[Any]:
    return source() if callable(source) else source


def values_of(row: Any, columns: Sequence[str], types: Sequence[Any] | None) -> tuple[Array, ...]:
    """The row of a user's source as one array per column. Python's numbers and lists of them get the column's type.

    Raises:
        TypeError: a value is not an array of numbers or texts, or is one of another type than the column's.
        ValueError: there are more or fewer values than columns.
    """
    items = tuple(row) if isinstance(row, tuple | list) else (row,)
    if len(items) != len(columns):
        raise ValueError(f"a row of {len(items)} values for the {len(columns)} columns {', '.join(columns)}")
    # A copy, so that later changes of a row do not change the user's data.
    arrays = tuple(as_array(item).copy() for item in items)
    if types is None:
        return arrays
    for name, item, array, dtype in zip(columns, items, arrays, types, strict=True):
        if array.dtype != dtype and not isinstance(item, bool | int | float | complex | str | bytes | list | tuple):
            raise TypeError(f"column {name!r} holds {array.dtype}, but column_types says {np.dtype(dtype)}")
    return tuple(np.asarray(array, dtype) for array, dtype in zip(arrays, types, strict=True))
