"""Operators that change or choose columns of a row: Map, Project, Rename and Filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from framework.dataset.ir.nodes import Node, Place
from framework.dataset.monitor.meters import FIRST_ROWS, SAMPLED, SAMPLED_LATER, Costs, Meter
from framework.dataset.monitor.states import Cost
from framework.dataset.runtime.blocks import Block, in_blocks, rows_of
from framework.dataset.runtime.blocks.slots import Slots
from framework.dataset.runtime.failures import Part, failure
from framework.dataset.runtime.flow.callbacks import Progress
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Array, Column, Operator, Pass, Row, RowStreams, as_array, plain
from framework.dataset.runtime.section import Section
from framework.dataset.runtime.task import OperationError
from framework.dataset.transforms.operation import Joined

__all__ = ["Filter", "Map", "Operations", "Project", "Rename", "joined_parts", "places", "replaced"]


def places(node: Node, names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...]:
    """The positions of columns.

    Raises:
        RuntimeError: there is no such column; the message names the existing ones.
    """
    for name in names:
        if name not in columns:
            raise failure(node, "", None, f"there is no column {name!r}, only {', '.join(columns)}")
    return tuple(columns.index(name) for name in names)


def replaced(
    node: Node, columns: tuple[str, ...], inputs: Sequence[str], outputs: Sequence[str]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The columns after some were replaced, and for each the position of its value in outputs + the input row.

    If the number of columns stays the same, so do their positions. Otherwise new columns come first.
    """
    remaining = [name for name in columns if name not in inputs]
    if len(inputs) == len(outputs):
        renamed = dict(zip(inputs, outputs, strict=True))
        after = tuple(renamed.get(name, name) for name in columns)
        new = {name: place for place, name in enumerate(inputs)}
    else:
        after = (*outputs, *remaining)
        new = {}
    doubled = {name for name in after if after.count(name) > 1}
    if doubled:
        raise failure(node, "", None, f"two columns would be named {sorted(doubled)[0]!r}")
    if len(inputs) == len(outputs):
        order = [new[name] if name in new else len(outputs) + place for place, name in enumerate(columns)]
    else:
        order = [*range(len(outputs)), *(len(outputs) + columns.index(name) for name in remaining)]
    return after, tuple(order)


class Operations:
    """The operations of a Map, one after the other: a task of its own.

    Rows are independent, and random operations draw from a stream of their row. So any number of workers makes the
    same rows.

    Args:
        number: position of the Map in the pipeline.
        operations: transforms and functions.
        places: where each of them stood before passes moved it; empty for where they are.
    """

    def __init__(self, number: int, operations: Sequence[Callable[..., Any]], places: Sequence[Place] = ()) -> None:
        self.number = number
        self.operations = tuple(operations)
        self.places = tuple(places)
        self._parts = tuple(joined_parts(self.operations))
        self.costs = Costs([self._name(first, count) for first, count, _ in self._parts])

    @property
    def fills(self) -> bool:
        """Whether the last part can write its result into given memory."""
        return self._parts[-1][2] is not None

    def function(self, this: Pass, slots: Slots | None = None) -> Callable[[int, tuple[Any, ...]], tuple[Array, ...]]:
        """The function of the input columns, with random streams of its own.

        Args:
            this: the pass.
            slots: where the results of the only column go, if they fit; None for new memory.
        """
        streams = [
            self._streams(this, place) if getattr(operation, "random", False) else None
            for place, operation in enumerate(self.operations)
        ]

        def apply(index: int, values: tuple[Any, ...]) -> tuple[Array, ...]:
            place, out = 0, None
            sampled = not index % SAMPLED and (index <= FIRST_ROWS or not index % SAMPLED_LATER)
            try:
                for part, (first, count, joined) in enumerate(self._parts):
                    began, used = (perf_counter(), thread_time()) if sampled else (0.0, 0.0)
                    out = slots.slot(index) if slots is not None and first == last else None
                    done = _joined(joined, streams[first : first + count], index, values, out)
                    if done is not None:
                        values = done
                    else:
                        for place in range(first, first + count):
                            values = _applied(self.operations[place], streams[place], index, values)
                    if sampled:
                        self.costs.note(part, perf_counter() - began, thread_time() - used)
                arrays = tuple(as_array(value) for value in values)
            except Exception as error:
                raise OperationError(self.named(place), error) from error
            if slots is not None and out is None and len(arrays) == 1:
                slots.learn(arrays[0])
            return arrays

        last = self._parts[-1][0]
        return apply

    @cached_property
    def on_blocks(self) -> Sequence[Callable[[Array], Array]]:
        """What transforms the values of many rows at once; empty if an operation cannot."""
        if not all(getattr(operation, "batchable", False) for operation in self.operations):
            return []
        parts = [self.operations[first] if joined is None else joined for first, _, joined in self._parts]
        return [part.apply_batch for part in parts]  # type: ignore[union-attr]

    def states(self) -> tuple[Cost, ...]:
        """What each part costs, measured so far."""
        return tuple(
            Cost(
                self.costs.names[part],
                *means,
                python=not hasattr(self.operations[first], "apply"),
                random=any(getattr(one, "random", False) for one in self.operations[first : first + count]),
            )
            for part, ((first, count, _), means) in enumerate(zip(self._parts, self.costs.means(), strict=True))
        )

    def _streams(self, this: Pass, place: int) -> RowStreams:
        """The random numbers of an operation, which are those of the place where it stood."""
        if not self.places:
            return this.row_streams(self.number, place)
        stood = self.places[place]
        return this.row_streams(stood.number, stood.place, stood.first_row)

    def named(self, place: int, row: int = -1) -> str | Part:
        """An operation for messages; of a batch's row, or of a row that is no batch."""
        name = self._name(place, 1)
        if not self.places:
            return f"operation {place + 1} of {len(self.operations)} ({name})"
        stood = self.places[place]
        return Part(f"operation {stood.place + 1} of {stood.count} ({name})", stood.where, row)

    def _name(self, first: int, count: int) -> str:
        chosen = self.operations[first : first + count]
        return ", ".join(getattr(one, "__name__", type(one).__name__) for one in chosen)


def joined_parts(operations: Sequence[Callable[..., Any]]) -> Iterator[tuple[int, int, Joined | None]]:
    """The operations in parts: the first place, the number of operations, and these as one, if they can be joined."""
    place = 0
    while place < len(operations):
        join = getattr(operations[place], "joined", None)
        joined: Joined | None = None if join is None else join(operations[place + 1 :])
        count = 1 if joined is None else len(joined.operations)
        yield place, count, joined
        place += count


def _joined(
    joined: Joined | None,
    streams: Sequence[RowStreams | None],
    index: int,
    values: tuple[Any, ...],
    out: Array | None,
) -> tuple[Any, ...] | None:
    """The results of operations that are joined, the only one in `out` if that is given and fits.

    None if they are not joined, or if they fail, so that they have to tell in turn which one did.
    """
    if joined is None:
        return None
    try:
        return tuple(
            joined.apply_all([None if one is None else one.of(index) for one in streams], value, out)
            for value in values
        )
    except Exception:
        return None


def _applied(
    operation: Callable[..., Any], streams: RowStreams | None, index: int, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Apply an operation: a transform to each column with the same random numbers, a function to all columns."""
    apply = getattr(operation, "apply", None)
    if apply is None:
        out = operation(*values)
        return out if isinstance(out, tuple) else (out,)
    if getattr(operation, "takes_all", False):
        out = apply(None if streams is None else streams.of(index), *values)
        return out if isinstance(out, tuple) else (out,)
    return tuple(apply(None if streams is None else streams.of(index), value) for value in values)


class Map(Operator):
    """Applies operations to some columns, row by row."""

    def __init__(self, number: int, node: Node, child: Operator, resources: Resources | None) -> None:
        self.node = node
        inputs = tuple(node.parameters["input_columns"]) or child.columns[:1]
        outputs = tuple(node.parameters["output_columns"]) or inputs
        self.inputs = places(node, inputs, child.columns)
        self.outputs = outputs
        columns, self.order = replaced(node, child.columns, inputs, outputs)
        super().__init__(number, columns, (child,))
        self.task = Operations(number, node.operations, node.plan.places)
        # Functions of the user may wait for something; transforms only compute.
        clock = perf_counter if any(not hasattr(item, "apply") for item in node.operations) else thread_time
        callbacks = node.python.get("callbacks") if resources is not None else None
        self.progress = Progress(callbacks, resources) if callbacks and resources is not None else None
        # Callbacks are called row by row, so that rows are not computed ahead of them.
        self.section = Section(node, self, None if self.progress else resources, clock)

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's rows with the results."""
        progress = self.progress
        if progress is not None:
            rows = self.section.rows(progress.rows(this, self.children[0].rows(this)), this)
            return progress.results(this, rows)
        blocks = self.blocks(this)
        return self.section.rows(self.children[0].rows(this), this) if blocks is None else rows_of(blocks)

    @property
    def filled(self) -> int | None:
        """The column whose values workers can write into given memory; None without one."""
        able = self.task.fills and len(self.inputs) == len(self.outputs) == 1 and self.progress is None
        return self.order.index(0) if able else None

    def rows_into(self, this: Pass, slots: Slots) -> Iterator[Row]:
        """The same rows as `rows`, with the values of the column `filled` in their places in batches."""
        return self.section.rows(self.children[0].rows(this), this, partial(self.task.function, slots=slots))

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The child's rows with the results, if all operations can transform many values at once."""
        able = self.task.on_blocks and len(self.inputs) == len(self.outputs) and self.progress is None
        before = self.children[0].blocks(this) if able and self.section.plain else None
        return None if before is None else in_blocks(before, self._block, Block.rows, self.section, this)

    def _block(self, block: Block) -> Block | None:
        """The block with the results; None if a value is none that can be transformed with others, or an error."""
        results: list[Column] = []
        for place in self.inputs:
            column: Column | None = block.columns[place]
            for part, change in enumerate(self.task.on_blocks):
                if not isinstance(column, np.ndarray) or column.dtype == object:
                    return None
                began, used = perf_counter(), thread_time()
                try:
                    column = change(column)
                except Exception:
                    # Row by row the error finds its place.
                    return None
                rows = len(block)
                self.task.costs.note(part, (perf_counter() - began) / rows, (thread_time() - used) / rows)
            if column is None:
                return None
            results.append(column)
        together = (*results, *block.columns)
        return block.with_columns(tuple(together[place] for place in self.order))

    def split(self, item: Row) -> tuple[Any, ...]:
        """The values of the input columns."""
        return tuple(plain(item.values[place]) for place in self.inputs)

    def merge(self, item: Row, result: tuple[Array, ...]) -> Row:
        """The row with the results.

        Raises:
            RuntimeError: there are more or fewer results than output columns.
        """
        if len(result) != len(self.outputs):
            why = f"the operations returned {len(result)} values for the output columns {', '.join(self.outputs)}"
            raise failure(self.node, "", item, why)
        together = (*result, *item.values)
        return Row(tuple(together[place] for place in self.order), item.origin)

    def failure(self, item: Row | None, part: str | Part, error: Exception | str) -> RuntimeError:
        """The error for a row."""
        return failure(self.node, part, item, error)


class Project(Operator):
    """Keeps some columns, in a new order."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        columns = tuple(node.parameters["columns"])
        self.places = places(node, columns, child.columns)
        super().__init__(number, columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's rows with these columns."""
        for row in self.children[0].rows(this):
            yield Row(tuple(row.values[place] for place in self.places), row.origin)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The child's blocks with these columns."""
        before = self.children[0].blocks(this)
        if before is None:
            return None
        return (block.with_columns(tuple(block.columns[place] for place in self.places)) for block in before)


class Rename(Operator):
    """Renames columns."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        before, after = node.parameters["input_columns"], node.parameters["output_columns"]
        places(node, before, child.columns)
        columns, _ = replaced(node, child.columns, before, after)
        super().__init__(number, columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's rows unchanged."""
        return self.children[0].rows(this)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The child's blocks unchanged."""
        return self.children[0].blocks(this)


class Filter(Operator):
    """Keeps the rows for which a predicate is true."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        self.node = node
        self.meter = Meter(f"{node.op_type}-{number}")
        names = node.parameters["input_columns"] or child.columns
        self.inputs = places(node, names, child.columns)
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's rows for which the predicate is true."""
        predicate = self.node.python["predicate"]

        def verdict_of(_number: int, row: Row) -> Any:
            return predicate(*[plain(row.values[place]) for place in self.inputs])

        judge = self.meter.sampling(verdict_of)
        for number, row in enumerate(self.children[0].rows(this)):
            try:
                verdict = np.asarray(judge(number, row))
                if verdict.size != 1 or verdict.dtype != np.bool_:
                    raise TypeError(f"the predicate must return True or False, not {verdict!r}")
            except Exception as error:
                raise failure(self.node, "", row, error) from error
            if verdict.item():
                yield row

    def size(self) -> int | None:
        """None: the size is unknown before a pass."""
        return None
