"""Batching: rows are stacked, after a function over each batch or padding to one shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, islice
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from framework.dataset.config import ErrorSamplesMode
from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.blocks import Block, Origins, rows_of
from framework.dataset.runtime.blocks.cutting import Cut, joined
from framework.dataset.runtime.blocks.slots import Pool, Slots
from framework.dataset.runtime.failures import Part, failure
from framework.dataset.runtime.flow.stacking import stacked
from framework.dataset.runtime.mapping import Map, places, replaced
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Array, Operator, Origin, Pass, Row, as_array, plain
from framework.dataset.runtime.sample_errors import SampleErrors
from framework.dataset.runtime.section import Section
from framework.dataset.runtime.task import OperationError, work_of

__all__ = ["Batch", "BatchInfo"]


class BatchInfo:
    """The position of a batch, passed to functions of batches.

    Args:
        epoch_num: index of the epoch, from 0.
        batch_num: index of the batch in the epoch, from 0.
    """

    def __init__(self, epoch_num: int, batch_num: int) -> None:
        self._epoch_num = epoch_num
        self._batch_num = batch_num

    def get_epoch_num(self) -> int:
        """The index of the epoch, from 0."""
        return self._epoch_num

    def get_batch_num(self) -> int:
        """The index of the batch in the epoch, from 0."""
        return self._batch_num


class BatchFunction:
    """The function over each batch: a task of its own. Without one, columns stay as they are.

    Args:
        number: position of the Batch in the pipeline.
        function: the user's function.
        outputs: names of the columns that it returns.
    """

    def __init__(self, number: int, function: Callable[..., Any] | None, outputs: tuple[str, ...]) -> None:
        self.number = number
        self.called = function
        self.outputs = outputs

    def function(self, this: Pass) -> Callable[[int, tuple[list[Any], BatchInfo]], list[Any]]:
        """The function of the values of each input column, and the batch's position."""
        return self._apply

    def _apply(self, _number: int, given: tuple[list[Any], BatchInfo]) -> list[Any]:
        columns, info = given
        if self.called is None:
            return columns
        try:
            out = self.called(*[[plain(value) for value in column] for column in columns], info)
            out = list(out) if isinstance(out, tuple) else [out]
            if len(out) != len(self.outputs):
                raise ValueError(f"it returned {len(out)} columns for {', '.join(self.outputs)}")
            return [_values(column) for column in out]
        except Exception as error:
            raise OperationError("per_batch_map", error) from error


#: What comes into a Batch at once: the rows, and the memory that their values of one column fill already.
_Rows = tuple[BatchInfo, list[Row], Array | None]


class Batch(Operator):
    """Stacks rows along a new first axis."""

    def __init__(self, number: int, node: Node, child: Operator, resources: Resources | None) -> None:
        self.node = node
        self.pad: Mapping[str, Any] | None = node.parameters.get("pad_info")
        inputs = tuple(node.parameters.get("input_columns", ()))
        if "per_batch_map" in node.python and not inputs:
            inputs = tuple(child.columns)
        outputs = tuple(node.parameters.get("output_columns", ())) or inputs
        self.inputs = places(node, inputs, child.columns)
        self.outputs = outputs
        if self.pad:
            places(node, tuple(self.pad), child.columns)
        columns, self.order = replaced(node, child.columns, inputs, outputs)
        super().__init__(number, columns, (child,))
        function = node.python.get("per_batch_map")
        self.task = BatchFunction(number, function, outputs)
        # Stacking alone costs less than a hand-over gives. A batch is no sample that a mode could leave out.
        own = None if function is None else resources
        self.section = Section(node, self, own, errors=SampleErrors(ErrorSamplesMode.RETURN))
        self._pool = Pool()
        self._filled: int | None = None
        if isinstance(child, Map) and function is None and self.pad is None and "batch_size" in node.parameters:
            self._filled = child.filled

    def rows(self, this: Pass) -> Iterator[Row]:
        """The batches of the child's rows; the last one may be smaller."""
        blocks = None if self.task.called is not None or self.pad is not None else self.children[0].blocks(this)
        if blocks is not None:
            return self._of_blocks(blocks, this)
        slots = None if self._filled is None else Slots(self._pool, self._batch_size(BatchInfo(this.epoch, 0)))
        return self.section.rows(self._batches(this, slots), this)

    def _of_blocks(self, blocks: Iterator[Block], this: Pass) -> Iterator[Row]:
        """The batches of rows that come in blocks."""
        cut, work = Cut(blocks), work_of(self, this)
        for number in count():
            info = BatchInfo(this.epoch, number)
            size = self._batch_size(info)
            parts = cut.take(size)
            began, used, total = perf_counter(), thread_time(), sum(map(len, parts))
            if not total or (total < size and self.node.parameters["drop_remainder"]):
                return
            values = [joined([part.columns[place] for part in parts]) for place in range(len(parts[0].columns))]
            columns = [values[place] for place in self.order]
            whole = tuple(column for column in columns if column is not None)
            if len(whole) == len(columns):
                self.section.meter.note(1, perf_counter() - began, thread_time() - used)
                yield Row(whole, Origin(parts[0].source, int(parts[0].numbers[0]), Origins(parts)))
            else:
                # Values of different shapes are stacked, or refused, row by row.
                yield work(number, (info, list(rows_of(parts)), None))

    def _batches(self, this: Pass, slots: Slots | None) -> Iterator[_Rows]:
        """The rows of each batch."""
        child = self.children[0]
        rows = child.rows_into(this, slots) if slots is not None and isinstance(child, Map) else child.rows(this)
        number = 0
        while True:
            info = BatchInfo(this.epoch, number)
            size = self._batch_size(info)
            batch = list(islice(rows, size))
            if not batch or (len(batch) < size and self.node.parameters["drop_remainder"]):
                return
            filled = None
            if slots is not None and self._filled is not None:
                place = self._filled
                filled = slots.batch(number, [row.values[place] for row in batch])
            yield info, batch, filled
            number += 1

    def split(self, item: _Rows) -> tuple[list[list[Array]], BatchInfo]:
        """The values of each input column of the function."""
        info, batch, _ = item
        return [[row.values[place] for row in batch] for place in self.inputs], info

    def merge(self, item: _Rows, result: list[Any]) -> Row:
        """The batch.

        Raises:
            RuntimeError: values of a column cannot be stacked.
        """
        _, batch, filled = item
        columns: list[list[Array] | Array] = [
            filled if filled is not None and place == self._filled else [row.values[place] for row in batch]
            for place in range(len(self.children[0].columns))
        ]
        values = [*result, *columns]
        return Row(
            tuple(
                self._stacked(name, values[place], batch) for name, place in zip(self.columns, self.order, strict=True)
            ),
            batch[0].origin._replace(rows=tuple(row.origin for row in batch)),
        )

    @property
    def gives_memory(self) -> bool:
        """True: each batch is an array of its own, or a part of one that no other batch has."""
        return True

    def failure(self, item: _Rows | None, part: str | Part, error: Exception | str) -> RuntimeError:
        """The error for a batch, which names its first row."""
        return failure(self.node, part, None if item is None else item[1][0], error)

    def size(self) -> int | None:
        """The number of batches, with one for the remainder."""
        inner = self.children[0].size()
        if inner is None or inner == -1 or "batch_size" in self.node.python:
            return -1 if inner == -1 else None
        size = self.node.parameters["batch_size"]
        return int(inner // size if self.node.parameters["drop_remainder"] else -(-inner // size))

    def _batch_size(self, info: BatchInfo) -> int:
        function = self.node.python.get("batch_size")
        if function is None:
            return int(self.node.parameters["batch_size"])
        size = function(info)
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise failure(self.node, "", None, f"the function for the batch size returned {size!r}, not an int above 0")
        return size

    def _stacked(self, name: str, values: list[Array] | Array, batch: Sequence[Row]) -> Array:
        return (
            values if isinstance(values, np.ndarray) else stacked(self.node, self.pad, name, values, batch, self._pool)
        )


def _values(column: Any) -> list[Array] | Array:
    """The values of a column that a function of a batch returned; a dictionary stands for the whole batch."""
    return as_array(column) if isinstance(column, dict) else [as_array(value) for value in column]
