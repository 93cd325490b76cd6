"""What can be asked of a data set: its rows, its size, its columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from framework.dataset import config
from framework.dataset.engine.iterators import DictIterator, TupleIterator
from framework.dataset.ir import Node, find, pipeline_json
from framework.dataset.runtime import Pipeline, build
from framework.dataset.runtime.rows import Row

__all__ = ["Readable"]


class Readable:
    """A pipeline that can be read.

    Args:
        node: its last operator.

    """

    def __init__(self, node: Node) -> None:
        self.node = node

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = True
    ) -> DictIterator:
        """Rows as dictionaries from the column's name to its value; `for row in iterator` gives an epoch.

        Args:
            num_epochs: how many epochs will be asked for, -1 for any number.
            output_numpy: give numpy arrays, not tensors.
            do_copy: recorded; a tensor never shares memory with the pipeline.

        """
        return DictIterator(self._pipeline(), num_epochs, output_numpy)

    def create_tuple_iterator(
        self,
        columns: Sequence[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = True,
    ) -> TupleIterator:
        """Rows as lists of values; `for row in iterator` gives an epoch.

        Args:
            columns: the names of those to give, None for all.
            num_epochs: how many epochs will be asked for, -1 for any number.
            output_numpy: give numpy arrays, not tensors.
            do_copy: recorded; a tensor never shares memory with the pipeline.

        """
        return TupleIterator(self._pipeline(), columns, num_epochs, output_numpy)

    def __iter__(self) -> TupleIterator:
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self) -> int:
        # Python asks this before it makes a list: it must not read an epoch.
        size = self._pipeline().root.size()
        if size is None or size == -1:
            raise TypeError("this data set has no length that is known; get_dataset_size() reads an epoch to count")
        return size

    def __bool__(self) -> bool:
        return True

    def _pipeline(self) -> Pipeline:
        return build(self.node, config.base_seed())

    def _first(self) -> Row:
        row = next(self._pipeline().rows(0), None)
        if row is None:
            raise RuntimeError(f"{self.node.op_type} at {self.node.where}: there is no row to look at")
        return row

    def get_dataset_size(self) -> int:
        """The number of rows of an epoch, of batches behind `batch`; -1 behind a `repeat` without end.

        Behind a `filter`, and of a generator without `len`, an epoch is read to count them.
        """
        return self._pipeline().size()

    def get_batch_size(self) -> int:
        """The number of samples in a row: that of the last `batch`, else 1."""
        batch = find(self.node, "Batch")
        if batch is None:
            return 1
        if "batch_size" in batch.python:
            raise RuntimeError(f"Batch at {batch.where}: a function gives the size of each batch; there is no one size")
        return int(batch.parameters["batch_size"])

    def get_repeat_count(self) -> int:
        """That of the last `repeat`, else 1."""
        repeat = find(self.node, "Repeat")
        return 1 if repeat is None else int(repeat.parameters["count"])

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._pipeline().columns)

    def output_shapes(self) -> list[list[int]]:
        """The shape of each column, as the first row has it."""
        return [list(value.shape) for value in self._first().values]

    def output_types(self) -> list[np.dtype[Any]]:
        """The element type of each column, as the first row has it."""
        return [value.dtype for value in self._first().values]

    def num_classes(self) -> int | None:
        """How many classes the labels of the source have; None where it has no labels."""
        leaf = self.node
        while leaf.children:
            leaf = leaf.children[0]
        source = leaf.python.get("source")
        labels = source.labels() if source is not None and hasattr(source, "labels") else None
        return None if labels is None else len(np.unique(labels))

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """The pipeline as MindSpore's JSON, also written to a file where one is named."""
        made = pipeline_json(self.node)
        if filename:
            Path(filename).write_text(json.dumps(made, indent=2) + "\n")
        return made
