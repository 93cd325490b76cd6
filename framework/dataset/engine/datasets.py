"""Data sets, and the operators that make one of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_positive_int, check_type
from framework.dataset import config
from framework.dataset.engine.callers import caller
from framework.dataset.engine.node_arguments import INT32_MAX, are_names, count_of, names_of, padding_json, workers_json
from framework.dataset.engine.readable import Readable
from framework.dataset.engine.samplers import BuiltinSampler
from framework.dataset.engine.splitting import parts
from framework.dataset.ir import Node

__all__ = ["Dataset", "zip"]


class Dataset(Readable):
    """Rows with named columns, and operators on them. Each operator gives another data set; this one stays as it is.

    Args:
        node: the last operator of its pipeline.

    """

    def _then(self, op_type: str, parameters: Mapping[str, Any], **more: Any) -> Dataset:
        return Dataset(Node(op_type, (self.node,), parameters, where=caller(), **more))

    def batch(
        self,
        batch_size: int | Callable[..., int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        per_batch_map: Callable[..., Any] | None = None,
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
        column_order: Sequence[str] | None = None,
        pad_info: Mapping[str, Any] | None = None,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
    ) -> Dataset:
        """Stack rows along a new first axis.

        Args:
            batch_size: Rows per batch, or a function of `BatchInfo` that returns them.
            drop_remainder: leave out a last batch that is smaller.
            num_parallel_workers: recorded.
            per_batch_map: called with a list of values for each of the input columns, and the `BatchInfo`; gives a
                tuple with a list for each of the output columns.
            input_columns: Columns that it gets; all by default.
            output_columns: Columns that it returns; the input columns by default.
            column_order: which columns to keep, in which order.
            pad_info: as in `padded_batch`.
            python_multiprocessing: recorded.
            max_rowsize: recorded.

        Raises:
            RuntimeError: rows of a batch have different shapes; raised when it is read.

        """
        python: dict[str, Any] = {}
        if callable(batch_size):
            python["batch_size"] = batch_size
        elif check_positive_int(batch_size, "batch_size") > INT32_MAX:
            raise ValueError(f"batch_size must be at most {INT32_MAX}, not {batch_size}")
        check_bool(drop_remainder, "drop_remainder")
        inputs, outputs = names_of("input_columns", input_columns), names_of("output_columns", output_columns)
        if per_batch_map is not None:
            if pad_info is not None:
                raise ValueError("batch: per_batch_map and pad_info cannot be given together")
            python["per_batch_map"] = per_batch_map
        elif inputs or outputs:
            raise ValueError("batch: input_columns and output_columns are for per_batch_map, which is not given")
        parameters = {
            **workers_json(num_parallel_workers),
            "batch_size": 0 if callable(batch_size) else batch_size,
            "drop_remainder": drop_remainder,
            "input_columns": inputs,
            "output_columns": outputs,
            **({"per_batch_map": "pyfunc"} if per_batch_map is not None else {}),
            **({"pad_info": padding_json(pad_info)} if pad_info is not None else {}),
        }
        made = self._then("Batch", parameters, python=python)
        return made.project(column_order) if column_order else made

    def padded_batch(
        self,
        batch_size: int | Callable[..., int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: Mapping[str, Any] | None = None,
    ) -> Dataset:
        """Stack rows along a new first axis, brought to one shape before.

        Args:
            batch_size: Rows per batch, or a function of `BatchInfo` that returns them.
            drop_remainder: leave out a last batch that is smaller.
            num_parallel_workers: recorded.
            pad_info: by column a pair of a shape and of the value to fill with: `{"x": ([None, 10], 0)}`. A None in the
                shape, or in place of it, is the largest of the batch; what is larger is cut. None pads all columns.

        """
        return self.batch(batch_size, drop_remainder, num_parallel_workers, pad_info=pad_info or {})

    def map(
        self,
        operations: Any,
        input_columns: Any = None,
        output_columns: str | Sequence[str] | None = None,
        column_order: Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        python_multiprocessing: bool = False,
        cache: Any = None,
        callbacks: Any = None,
        max_rowsize: Any = None,
        offload: bool | None = None,
    ) -> Dataset:
        """Apply operations to columns, row by row.

        Args:
            operations: a transform or a function, or a list of them, applied in turn. A function is called with the
                values of all input columns and gives a value, or a tuple of them.
            input_columns: the columns; the first one where it is left out. MindSpore's oldest form, with columns first
                and operations second, is understood too.
            output_columns: the names of what comes out; the input columns where it is left out.
            column_order: which columns to keep, in which order.
            num_parallel_workers: recorded.
            python_multiprocessing: recorded.
            cache: must be None.
            callbacks: must be None.
            max_rowsize: recorded.
            offload: recorded.

        Raises:
            RuntimeError: an operation failed; names it, the sample and where the map was written. Raised when it is
                read.

        """
        if are_names(operations) and not are_names(input_columns):
            operations, input_columns = input_columns, operations
        if cache is not None or callbacks is not None:
            raise NotImplementedError("map: cache and callbacks are not there yet; leave them out")
        chain = tuple(operations) if isinstance(operations, list | tuple) else (operations,)
        if not chain:
            raise ValueError("map: give at least one operation")
        for operation in chain:
            if not callable(operation):
                raise TypeError(f"map: an operation is a transform or a function, not {operation!r}")
        parameters = {
            **workers_json(num_parallel_workers),
            "input_columns": names_of("input_columns", input_columns),
            "output_columns": names_of("output_columns", output_columns),
            "callback": [],
        }
        made = self._then("Map", parameters, operations=chain)
        return made.project(column_order) if column_order else made

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """Keep the rows for which a function of the input columns (all, where it is left out) is True."""
        if not callable(predicate):
            raise TypeError(f"filter: the predicate is a function, not {predicate!r}")
        parameters = {
            **workers_json(num_parallel_workers),
            "input_columns": names_of("input_columns", input_columns),
            "predicate": "pyfunc",
        }
        return self._then("Filter", parameters, python={"predicate": predicate})

    def shuffle(self, buffer_size: int) -> Dataset:
        """Draw rows at random from a buffer of this size; a buffer for all rows makes every order equally likely."""
        if check_positive_int(buffer_size, "buffer_size") < 2:
            raise ValueError(f"shuffle: buffer_size must be at least 2, not {buffer_size}")
        return self._then("Shuffle", {"buffer_size": buffer_size, "reset_each_epoch": True})

    def repeat(self, count: int | None = None) -> Dataset:
        """Repeat the rows in an epoch; -1 or None: forever."""
        return self._then("Repeat", {"count": count_of("repeat", -1 if count is None else count, 1)})

    def skip(self, count: int) -> Dataset:
        """Leave out the first rows."""
        return self._then("Skip", {"count": count_of("skip", count, 0, endless=False)})

    def take(self, count: int = -1) -> Dataset:
        """Keep the first rows; -1 for all."""
        return self._then("Take", {"count": count_of("take", count, 1)})

    def project(self, columns: str | Sequence[str]) -> Dataset:
        """Keep some columns, in the order given."""
        return self._then("Project", {"columns": names_of("columns", columns)})

    def rename(self, input_columns: str | Sequence[str], output_columns: str | Sequence[str]) -> Dataset:
        """Give columns new names."""
        before, after = names_of("input_columns", input_columns), names_of("output_columns", output_columns)
        if len(before) != len(after):
            raise ValueError(f"rename: {len(after)} new names for {len(before)} columns")
        return self._then("Rename", {"input_columns": before, "output_columns": after})

    def zip(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """Put the columns of others beside those of this one, as long as all have rows."""
        others = (datasets,) if isinstance(datasets, Dataset) else tuple(datasets)
        return zip((self, *others))

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """Let the rows of others follow those of this one; `a + b` is the same."""
        others = (datasets,) if isinstance(datasets, Dataset) else tuple(datasets)
        for other in others:
            check_type("datasets", other, Dataset)
        return Dataset(Node("Concat", (self.node, *[other.node for other in others]), where=caller()))

    def __add__(self, other: Dataset) -> Dataset:
        return self.concat(other)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """The data set that a function makes of this one.

        Raises:
            TypeError: it gives something else.

        """
        made = apply_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"apply: the function must give a data set, not {made!r}")
        return made

    def split(self, sizes: Sequence[int] | Sequence[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Cut into parts that have no row in common.

        Args:
            sizes: the number of rows of each part, or their fractions, which add up to 1.
            randomize: choose the rows of each part at random; they stay the same in all epochs.

        Raises:
            ValueError: the sizes add up to something else than all rows, or a part would be empty.

        """
        total = self.get_dataset_size()
        counts = parts(sizes, total)
        seed = int(np.random.default_rng(config.base_seed()).integers(INT32_MAX))
        own: dict[str, Any] = {"seed": seed} if randomize else {}
        whole = self
        if randomize:
            order = {"buffer_size": max(total, 2), "reset_each_epoch": False, **own}
            whole = self._then("Shuffle", order)
        starts = [sum(counts[:number]) for number in range(len(counts))]
        made = []
        for number, count in enumerate(counts):
            part = whole.skip(starts[number]) if starts[number] else whole
            made.append(part.take(count))
        return tuple(made)

    def use_sampler(self, new_sampler: BuiltinSampler) -> Dataset:
        """The same source read by another sampler.

        Raises:
            ValueError: it is no source, or one that cannot be read in any order.

        """
        if self.node.sampler is None:
            raise ValueError(f"use_sampler: {self.node.op_type} is no source that can be read in any order")
        node = Node(
            self.node.op_type,
            parameters=self.node.parameters,
            sampler=new_sampler.node(),
            python=self.node.python,
            where=caller(),
        )
        return Dataset(node)


def zip(datasets: Sequence[Dataset]) -> Dataset:  # noqa: A001 - MindSpore's name
    """Put the columns of several data sets side by side, as long as all have rows.

    Raises:
        TypeError: one of them is no data set.
        ValueError: there are fewer than two.

    """
    given = tuple(datasets)
    if len(given) < 2:
        raise ValueError("zip: give at least two data sets")
    for each in given:
        check_type("datasets", each, Dataset)
    return Dataset(Node("Zip", tuple(each.node for each in given), where=caller()))
