"""Datasets, and the operators that derive one from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_positive_int, check_string, check_type
from framework.dataset import config
from framework.dataset.engine.caching import cache_node
from framework.dataset.engine.callers import caller
from framework.dataset.engine.flowing import Flowing, callbacks_of
from framework.dataset.engine.node_arguments import (
    INT32_MAX,
    are_names,
    count_of,
    names_of,
    padding_json,
    processes_of,
    workers_json,
)
from framework.dataset.engine.samplers import BuiltinSampler
from framework.dataset.engine.splitting import parts
from framework.dataset.ir import Node
from framework.dataset.ir.python_functions import function_json
from framework.dataset.mindrecord.saving import save_rows
from framework.dataset.text import SentencePieceModel, SentencePieceVocab, Vocab

__all__ = ["Dataset", "zip"]


class Dataset(Flowing):
    """Rows with named columns, and operators on them.

    Each operator returns a new dataset and leaves this one unchanged.

    Args:
        node: last operator of the pipeline.
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
        max_rowsize: int | Sequence[int] | None = None,
    ) -> Dataset:
        """Stack rows along a new first axis.

        Args:
            batch_size: number of rows per batch, or a function of `BatchInfo` that returns it.
            drop_remainder: drop a smaller last batch.
            num_parallel_workers: number of workers that call `per_batch_map`; None for that of `ds.config`.
            per_batch_map: function of a list of values for each input column and the `BatchInfo`. It returns a tuple
                with a list for each output column.
            input_columns: columns that the function takes; None for all.
            output_columns: columns that the function returns; None for the input columns.
            column_order: names of the columns to keep, in order; None for all.
            pad_info: as for `padded_batch`.
            python_multiprocessing: call `per_batch_map` in processes, which do not share variables with this program.
            max_rowsize: megabytes of the memory through which values reach a process, and of that for results; it
                grows when needed. None or -1 for 16.

        Returns:
            The dataset of batches.

        Raises:
            RuntimeError: the rows of a batch have different shapes. It is raised when the batch is read.
        """
        python: dict[str, Any] = {}
        if callable(batch_size):
            python["batch_size"] = batch_size
        elif check_positive_int(batch_size, "batch_size") > INT32_MAX:
            raise ValueError(f"batch_size must be at most {INT32_MAX}, not {batch_size}")
        check_bool(drop_remainder, "drop_remainder")
        processes = processes_of(python_multiprocessing, max_rowsize, [] if per_batch_map is None else [per_batch_map])
        inputs, outputs = names_of("input_columns", input_columns), names_of("output_columns", output_columns)
        if per_batch_map is not None:
            if pad_info is not None:
                raise ValueError("batch: per_batch_map and pad_info cannot be given together")
            python = {**python, "per_batch_map": per_batch_map, **processes}
        elif inputs or outputs:
            raise ValueError("batch: input_columns and output_columns need per_batch_map")
        parameters = {
            **workers_json(num_parallel_workers),
            "batch_size": 0 if callable(batch_size) else batch_size,
            "drop_remainder": drop_remainder,
            "input_columns": inputs,
            "output_columns": outputs,
            **({"per_batch_map": function_json(per_batch_map)} if per_batch_map is not None else {}),
            **({"pad_info": padding_json(pad_info)} if pad_info is not None else {}),
        }
        batched = self._then("Batch", parameters, python=python)
        return batched.project(column_order) if column_order else batched

    def padded_batch(
        self,
        batch_size: int | Callable[..., int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: Mapping[str, Any] | None = None,
    ) -> Dataset:
        """Pad rows to one shape, then stack them along a new first axis.

        Args:
            batch_size: number of rows per batch, or a function of `BatchInfo` that returns it.
            drop_remainder: drop a smaller last batch.
            num_parallel_workers: recorded in the pipeline.
            pad_info: for each column a pair of a shape and a fill value: `{"x": ([None, 10], 0)}`. None in the shape,
                or in place of it, is the largest length in the batch. Larger values are cut. None for `pad_info` pads
                all columns.

        Returns:
            The dataset of batches.
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
        max_rowsize: int | Sequence[int] | None = None,
        offload: bool | None = None,
    ) -> Dataset:
        """Apply operations to columns, row by row.

        Args:
            operations: a transform or a function, or a list of them, applied in turn. A function takes the values of
                all input columns and returns a value or a tuple of values.
            input_columns: input columns; None for the first column. MindSpore's oldest form, with columns first and
                operations second, works too.
            output_columns: names of the results; None for the input columns.
            column_order: names of the columns to keep, in order; None for all.
            num_parallel_workers: number of workers; None for that of `ds.config`. Rows are the same for any number.
            python_multiprocessing: workers are processes if an operation is a Python function. They do not share
                variables with this program.
            cache: a `DatasetCache` that keeps the results, as `cache` does in memory; None for none.
            callbacks: a `DSCallback` or several, which are called in the order of rows. The rows are then computed by
                one thread.
            max_rowsize: megabytes of the memory through which values reach a process, and of that for results; it
                grows when needed. None or -1 for 16.
            offload: accepted for compatibility; has no effect.

        Returns:
            The dataset with the results.

        Raises:
            RuntimeError: an operation failed. The message names it, the sample, and the line of the map. It is raised
                when the row is read.
        """
        if are_names(operations) and not are_names(input_columns):
            operations, input_columns = input_columns, operations
        chain = tuple(operations) if isinstance(operations, list | tuple) else (operations,)
        if not chain:
            raise ValueError("map: give at least one operation")
        for operation in chain:
            if not callable(operation):
                raise TypeError(f"map: an operation must be a transform or a function, not {operation!r}")
        inputs = names_of("input_columns", input_columns)
        parameters = {
            **workers_json(num_parallel_workers),
            "input_columns": inputs,
            "output_columns": names_of("output_columns", output_columns) or inputs,
            "callback": [],
        }
        python = processes_of(python_multiprocessing, max_rowsize, chain) | callbacks_of(callbacks)
        mapped = self._then("Map", parameters, operations=chain, python=python)
        if cache is not None:
            mapped = Dataset(cache_node(mapped.node, caller(), cache, None, 0))
        return mapped.project(column_order) if column_order else mapped

    def cache(self, folder: str | Path | None = None, memory_mb: int = 0) -> Dataset:
        """Keep the rows so far, so that later epochs begin here. They may come from a source with `map`, `project` and
        `rename` without random numbers.

        Files in the folder are found again by later programs as long as the pipeline so far, the files that it reads
        and the libraries are the same. A full disk is said once; the other rows are then computed in each epoch.

        Args:
            folder: folder of the kept rows, made where it is missing; None to keep them in memory.
            memory_mb: megabytes that rows may take in memory: without a folder 0 is no limit, with one it is nothing.

        Returns:
            The dataset whose rows are kept.

        Raises:
            ValueError: an operator so far is random or changes the order of rows, or a folder is given for rows that
                come from Python objects.
        """
        return Dataset(cache_node(self.node, caller(), None, folder, memory_mb))

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """Keep the rows for which a predicate is true.

        Args:
            predicate: function of the input columns that returns True or False.
            input_columns: columns that the predicate takes; None for all.
            num_parallel_workers: recorded in the pipeline.

        Returns:
            The dataset with the remaining rows.
        """
        if not callable(predicate):
            raise TypeError(f"filter: the predicate must be a function, not {predicate!r}")
        parameters = {
            "num_parallel_workers": workers_json(num_parallel_workers)["num_parallel_workers"],
            "input_columns": names_of("input_columns", input_columns),
            "predicate": function_json(predicate),
        }
        return self._then("Filter", parameters, python={"predicate": predicate})

    def shuffle(self, buffer_size: int) -> Dataset:
        """Draw rows at random from a buffer.

        Args:
            buffer_size: number of rows in the buffer, at least 2. A buffer for all rows makes every order equally
                likely.

        Returns:
            The shuffled dataset.
        """
        if check_positive_int(buffer_size, "buffer_size") < 2:
            raise ValueError(f"shuffle: buffer_size must be at least 2, not {buffer_size}")
        return self._then("Shuffle", {"buffer_size": buffer_size, "reset_each_epoch": True})

    def repeat(self, count: int | None = None) -> Dataset:
        """Repeat the rows within an epoch.

        Args:
            count: number of repetitions; -1 or None for no end.

        Returns:
            The repeated dataset.
        """
        return self._then("Repeat", {"count": count_of("repeat", -1 if count is None else count, 1)})

    def skip(self, count: int) -> Dataset:
        """Leave out the first rows.

        Args:
            count: number of rows.

        Returns:
            The dataset with the remaining rows.
        """
        return self._then("Skip", {"count": count_of("skip", count, 0, endless=False)})

    def take(self, count: int = -1) -> Dataset:
        """Keep the first rows.

        Args:
            count: number of rows; -1 for all.

        Returns:
            The dataset with these rows.
        """
        return self._then("Take", {"count": count_of("take", count, 1)})

    def project(self, columns: str | Sequence[str]) -> Dataset:
        """Keep some columns, in the given order.

        Args:
            columns: names of the columns.

        Returns:
            The dataset with these columns.
        """
        return self._then("Project", {"columns": names_of("columns", columns)})

    def rename(self, input_columns: str | Sequence[str], output_columns: str | Sequence[str]) -> Dataset:
        """Rename columns.

        Args:
            input_columns: names of the columns.
            output_columns: as many new names.

        Returns:
            The dataset with the new names.
        """
        before, after = names_of("input_columns", input_columns), names_of("output_columns", output_columns)
        if len(before) != len(after):
            raise ValueError(f"rename: {len(after)} new names for {len(before)} columns")
        return self._then("Rename", {"input_columns": before, "output_columns": after})

    def zip(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """Add the columns of other datasets, row by row, until the shortest one ends.

        Args:
            datasets: one or several datasets.

        Returns:
            The dataset with all columns.
        """
        others = (datasets,) if isinstance(datasets, Dataset) else tuple(datasets)
        return zip((self, *others))

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """Append the rows of other datasets; `a + b` is the same.

        Args:
            datasets: one or several datasets with the same columns.

        Returns:
            The dataset with all rows.
        """
        others = (datasets,) if isinstance(datasets, Dataset) else tuple(datasets)
        for other in others:
            check_type("datasets", other, Dataset)
        return Dataset(Node("Concat", (self.node, *[other.node for other in others]), where=caller()))

    def __add__(self, other: Dataset) -> Dataset:
        return self.concat(other)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Apply a function to this dataset.

        Args:
            apply_func: function from this dataset to another one.

        Returns:
            The other dataset.

        Raises:
            TypeError: the function returns something else.
        """
        result = apply_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(f"apply: the function must return a dataset, not {result!r}")
        return result

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Read an epoch, and write its rows to MindRecord files.

        Texts stay texts, and one-dimensional arrays of bytes become bytes. Integers become Int32, those that need it
        Int64; floats Float32 or Float64.

        Args:
            file_name: path of the file; with several files a number is added to it.
            num_files: number of files that the rows are distributed to.
            file_type: "mindrecord".

        Raises:
            ValueError: `file_type` is another one.
            MRMOpenError: a file exists already.
        """
        check_string(file_type, ["mindrecord"], "file_type")
        save_rows(self.create_dict_iterator(num_epochs=1, output_numpy=True), file_name, num_files)

    def build_vocab(
        self,
        columns: str | Sequence[str] | None,
        freq_range: tuple[int | None, int | None] | None,
        top_k: int | None,
        special_tokens: Sequence[str] | None,
        special_first: bool,
    ) -> Vocab:
        """A vocabulary of the words of this dataset: the same as `text.Vocab.from_dataset`.

        Args:
            columns: columns with words; None for all columns of texts.
            freq_range: the lowest and the highest number of times that a word occurs; None, also in it, for any.
            top_k: number of words that are kept; None for all.
            special_tokens: further words, such as "[UNK]"; None for none.
            special_first: number the special words before the others; otherwise behind them.

        Returns:
            The vocabulary.
        """
        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)

    def build_sentencepiece_vocab(
        self,
        columns: Sequence[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: Mapping[str, Any] | None = None,
    ) -> SentencePieceVocab:
        """Learn pieces of words from the texts of this dataset: the same as `text.SentencePieceVocab.from_dataset`.

        Args:
            columns: columns with texts; empty for all.
            vocab_size: number of pieces, with those for unknown parts, beginnings and ends.
            character_coverage: share of the characters of the texts that are pieces, above 0.
            model_type: kind of the model.
            params: further arguments of the library, of which none is supported; None for none.

        Returns:
            The model.
        """
        return SentencePieceVocab.from_dataset(self, columns, vocab_size, character_coverage, model_type, params)

    def split(self, sizes: Sequence[int] | Sequence[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Split the rows into parts without common rows.

        Args:
            sizes: number of rows of each part, or their fractions, which add up to 1.
            randomize: choose the rows of each part at random. They are the same in all epochs.

        Returns:
            One dataset for each part.

        Raises:
            ValueError: the sizes do not add up to all rows, or a part would be empty.
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
        splits = []
        for number, count in enumerate(counts):
            part = whole.skip(starts[number]) if starts[number] else whole
            splits.append(part.take(count))
        return tuple(splits)

    def use_sampler(self, new_sampler: BuiltinSampler) -> Dataset:
        """Read the same source with another sampler.

        Args:
            new_sampler: the sampler.

        Returns:
            The dataset with this sampler.

        Raises:
            ValueError: this is not a source, or its rows cannot be read in any order.
        """
        if self.node.sampler is None:
            raise ValueError(f"use_sampler: {self.node.op_type} is not a source that can be read in any order")
        node = Node(
            self.node.op_type,
            parameters=self.node.parameters,
            sampler=new_sampler.node(),
            python=self.node.python,
            where=caller(),
        )
        return Dataset(node)


def zip(datasets: Sequence[Dataset]) -> Dataset:  # noqa: A001 - MindSpore's name
    """Combine the columns of several datasets, row by row, until the shortest one ends.

    Args:
        datasets: two or more datasets.

    Returns:
        The dataset with all columns.

    Raises:
        TypeError: one of them is not a dataset.
        ValueError: there are fewer than two.
    """
    given = tuple(datasets)
    if len(given) < 2:
        raise ValueError("zip: give at least two datasets")
    for each in given:
        check_type("datasets", each, Dataset)
    return Dataset(Node("Zip", tuple(each.node for each in given), workers_json(None), where=caller()))
