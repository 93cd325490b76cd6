"""The readable side of a dataset: its rows, size, columns and JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from framework.common.replacing import replacing
from framework.common.validator import check_bool
from framework.dataset import config
from framework.dataset.engine.iterators import DictIterator, TupleIterator
from framework.dataset.ir import Node, find, pipeline_json, walk
from framework.dataset.ir.nodes import rebuilt
from framework.dataset.ir.passes import numbered, optimised
from framework.dataset.monitor.running import enter
from framework.dataset.runtime import Resources, Tree, build
from framework.dataset.runtime.rows import Array
from framework.dataset.tuning import Tuner, cores

__all__ = ["Readable"]

_log = logging.getLogger("framework.dataset")


class Readable:
    """Base class of datasets: a pipeline that can be read.

    Args:
        node: last operator of the pipeline.
    """

    def __init__(self, node: Node) -> None:
        self.node = node

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = True
    ) -> DictIterator:
        """Iterate over rows as dictionaries of values by column name; `for row in iterator` reads one epoch.

        Args:
            num_epochs: number of epochs that will be read; -1 for any number.
            output_numpy: return numpy arrays in place of tensors.
            do_copy: accepted for compatibility; no memory of a tensor changes while somebody holds it.

        Returns:
            The iterator.
        """
        return DictIterator(self._running(), num_epochs, output_numpy)

    def create_tuple_iterator(
        self,
        columns: Sequence[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = True,
    ) -> TupleIterator:
        """Iterate over rows as lists of values; `for row in iterator` reads one epoch.

        Args:
            columns: names of the columns to return; None for all.
            num_epochs: number of epochs that will be read; -1 for any number.
            output_numpy: return numpy arrays in place of tensors.
            do_copy: accepted for compatibility; no memory of a tensor changes while somebody holds it.

        Returns:
            The iterator.
        """
        return TupleIterator(self._running(), columns, num_epochs, output_numpy)

    def __iter__(self) -> TupleIterator:
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self) -> int:
        # list() calls this first, so it must not read an epoch.
        size = self._pipeline().root.size()
        if size is None or size == -1:
            raise TypeError("the length of this dataset is unknown; get_dataset_size() reads an epoch to count")
        return size

    def __bool__(self) -> bool:
        return True

    def _running(self) -> Tree:
        """The pipeline with its workers."""
        mode = config.get_error_samples_mode()
        resources = Resources(config.get_prefetch_size(), mode)
        node = optimised(self.node, config.get_passes(), mode is config.ErrorSamplesMode.RETURN)
        tree = build(node, config.base_seed(), resources)
        enter(self.node, tree)
        if config.get_enable_autotune():
            limit = max(cores(), *(section.workers for section in tree.sections()), 1)
            tree.observer = Tuner(tree.sections(), limit, config.get_autotune_interval(), self._tuned())
        return tree

    def _tuned(self) -> Callable[[dict[int, int]], None]:
        """Writes this pipeline with other numbers of workers to the file of autotune, if there is to be one."""
        path, tree = config.autotune_file(), numbered(self.node)

        def write(workers: Mapping[int, int]) -> None:
            if path is None:
                return
            known = [(node.op_type, workers.get(node.plan.number)) for node in walk(tree)]
            told = [f"{op_type}: {count} workers" for op_type, count in known if count is not None]
            content = {
                "remark": "Written by ds.config.set_enable_autotune; ds.deserialize reads it.",
                "summary": told,
                "tree": Readable(rebuilt(tree, lambda node: _with_workers(node, workers))).to_json(),
            }
            try:
                with replacing(path) as file:
                    file.write(f"{json.dumps(content, indent=2)}\n".encode())
            except OSError as error:
                # Reading goes on without the file.
                _log.warning("the tuned pipeline cannot be written to %s: %s", path, error)

        return write

    def _pipeline(self) -> Tree:
        """The pipeline without any, for a question about it."""
        return build(self.node, config.base_seed())

    def _first(self) -> tuple[Array, ...] | None:
        """The values of the first row; None without one."""
        row = next(self._pipeline().rows(0), None)
        return None if row is None else row.values

    def get_dataset_size(self) -> int:
        """The number of rows of an epoch, which are batches after `batch`; -1 after an endless `repeat`.

        After a `filter`, and for a generator without `len`, an epoch is read to count the rows.
        """
        return self._pipeline().size()

    def get_batch_size(self) -> int:
        """The number of samples in a row: the size of the last `batch`, or 1; -1 if a function computes the sizes."""
        batch = find(self.node, "Batch")
        if batch is None:
            return 1
        if "batch_size" in batch.python:
            return -1
        return int(batch.parameters["batch_size"])

    def get_repeat_count(self) -> int:
        """The count of the last `repeat`, or 1."""
        repeat = find(self.node, "Repeat")
        return 1 if repeat is None else int(repeat.parameters["count"])

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._pipeline().columns)

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """The shape of each column in the first row; an empty list without rows.

        Args:
            estimate: read an epoch, and return None for each size that differs between rows.

        Returns:
            One shape for each column.

        Raises:
            RuntimeError: with `estimate`, values of a column have different numbers of dimensions, or rows have no end.
        """
        if not check_bool(estimate, "estimate"):
            return [list(value.shape) for value in self._first() or ()]
        smallest, largest = self.dynamic_min_max_shapes()
        return [
            [low if low == high else None for low, high in zip(*sizes, strict=True)]
            for sizes in zip(smallest, largest, strict=True)
        ]

    def dynamic_min_max_shapes(self) -> tuple[list[list[int]], list[list[int]]]:
        """The smallest and the largest size of each axis of each column; an epoch is read.

        Returns:
            The smallest sizes, and the largest, with a list for each column; empty lists without rows.

        Raises:
            RuntimeError: values of a column have different numbers of dimensions, or rows have no end.
        """
        tree = self._pipeline()
        if tree.root.size() == -1:
            raise RuntimeError("the rows of this dataset have no end, so their shapes cannot be compared")
        smallest: list[list[int]] = []
        largest: list[list[int]] = []
        for row in tree.rows(0):
            shapes = [value.shape for value in row.values]
            if not smallest:
                smallest, largest = [list(shape) for shape in shapes], [list(shape) for shape in shapes]
            for name, low, high, shape in zip(tree.columns, smallest, largest, shapes, strict=True):
                if len(shape) != len(low):
                    raise RuntimeError(
                        f"column {name!r} has {len(shape)} dimensions at {row.origin}, and {len(low)} before"
                    )
                low[:], high[:] = map(min, low, shape), map(max, high, shape)
        return smallest, largest

    def output_types(self) -> list[np.dtype[Any]]:
        """The element type of each column in the first row; an empty list without rows."""
        return [value.dtype for value in self._first() or ()]

    def num_classes(self) -> int | None:
        """The number of classes of the source's labels; None without labels."""
        leaf = self.node
        while leaf.children:
            leaf = leaf.children[0]
        source = leaf.python.get("source")
        labels = source.labels() if source is not None and hasattr(source, "labels") else None
        return None if labels is None else len(np.unique(labels))

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """The pipeline as MindSpore's JSON.

        Args:
            filename: file to write the JSON to; empty for none.

        Returns:
            The JSON as a dictionary.
        """
        description = _with_sizes(self.node, pipeline_json(self.node))
        if filename:
            Path(filename).write_text(json.dumps(description, indent=2) + "\n")
        return description


def _with_workers(node: Node, workers: Mapping[int, int]) -> Node:
    count = workers.get(node.plan.number)
    if count is None or "num_parallel_workers" not in node.parameters:
        return node
    return replace(node, parameters={**node.parameters, "num_parallel_workers": count})


def _with_sizes(node: Node, description: dict[str, Any]) -> dict[str, Any]:
    """The JSON with what MindSpore writes about the datasets that a Concat joins: their sizes, before any sampler."""
    children = [_with_sizes(child, own) for child, own in zip(node.children, description["children"], strict=True)]
    if node.op_type != "Concat":
        return {**description, "children": children}
    sizes = [build(child, config.base_seed()).size() if _has_length(child) else 0 for child in node.children]
    others = [int(child.sampler is None or child.sampler.sampler_name == "FilesSampler") for child in node.children]
    more = {
        "children": children,
        "children_flag_and_nums": [list(pair) for pair in zip(others, sizes, strict=True)],
        "children_sizes": sizes,
        "children_start_end_index": [[-1, -1] for _ in sizes],
        "sampler": {"num_samples": 0, "sampler_name": "SequentialSampler", "start_index": 0},
    }
    return dict(sorted({**description, **more}.items()))


def _has_length(node: Node) -> bool:
    return node.op_type != "GeneratorDataset" or node.sampler is not None
