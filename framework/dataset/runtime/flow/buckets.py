"""Batches of rows of similar length: MindSpore's `bucket_batch_by_length`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.flow.stacking import stacked
from framework.dataset.runtime.mapping import places
from framework.dataset.runtime.rows import Operator, Pass, Row, plain

__all__ = ["BucketBatch"]


class BucketBatch(Operator):
    """Puts each row into the bucket of its length, and hands a bucket on as a batch when it is full."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        self.node = node
        self.inputs = places(node, node.python["column_names"], child.columns)
        self.boundaries: list[int] = node.python["boundaries"]
        self.sizes: list[int] = node.python["sizes"]
        self.pad: Mapping[str, Any] = node.python["pad_info"]
        places(node, tuple(self.pad), child.columns)
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The batches; what is left in the buckets comes at the end, the shortest rows first."""
        buckets: list[list[Row]] = [[] for _ in self.sizes]
        for row in self.children[0].rows(this):
            number = bisect_right(self.boundaries, self._length(row))
            buckets[number].append(row)
            if len(buckets[number]) == self.sizes[number]:
                yield self._batch(number, buckets[number])
                buckets[number] = []
        if not self.node.python["drop_remainder"]:
            for number, rows in enumerate(buckets):
                if rows:
                    yield self._batch(number, rows)

    def _length(self, row: Row) -> int:
        function = self.node.python["length"]
        try:
            if function is None:
                return len(row.values[self.inputs[0]])
            length = function(*[plain(row.values[place]) for place in self.inputs])
            length = length.item() if hasattr(length, "item") else length
            if not isinstance(length, int) or isinstance(length, bool) or length < 0:
                raise TypeError(f"element_length_function must return an int that is not negative, not {length!r}")
        except Exception as error:
            raise failure(self.node, "", row, error) from error
        return length

    def _batch(self, number: int, rows: list[Row]) -> Row:
        pad = dict(self.pad)
        if self.node.python["to_boundary"]:
            if number == len(self.boundaries):
                why = f"a row of length {self._length(rows[0])} is in the last bucket, which has no boundary to pad to"
                raise failure(self.node, "", rows[0], why)
            longest = self.boundaries[number] - 1
            pad = {
                name: (None if shape is None else [longest if size is None else size for size in shape], value)
                for name, (shape, value) in pad.items()
            }
        columns = [[row.values[place] for row in rows] for place in range(len(self.columns))]
        # Without any entry nothing is padded, while padded_batch would pad everything.
        values = tuple(
            stacked(self.node, pad or None, name, column, rows)
            for name, column in zip(self.columns, columns, strict=True)
        )
        return Row(values, rows[0].origin)

    def size(self) -> int | None:
        """None: it depends on the lengths."""
        return None
